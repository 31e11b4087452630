"""Maps a span of lines back through a change: whether it was touched, and where it was before. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.git.hunks import Group


class Span(NamedTuple):
    """Lines from first to last, 1-based and inclusive."""

    first: int
    last: int


class Carried(NamedTuple):
    """A span before a change: None when all of it began there; `near` is the old line it stands at."""

    before: Span | None
    touched: bool
    near: int


def carry(span: Span, groups: Sequence[Group]) -> Carried:
    """Where the lines of a span, in the new text, come from in the old one.

    Lines that were not changed map to themselves; those that were, to all that they replaced.
    """
    start, end = span.first - 1, span.last  # half-open, from 0
    touched = False
    first: int | None = None
    last: int | None = None
    grown = 0  # by how many lines the new text is ahead before the group
    at = start
    near = start

    def include(begin: int, stop: int) -> None:
        nonlocal first, last
        if begin < stop:
            first = begin if first is None else min(first, begin)
            last = stop if last is None else max(last, stop)

    for group in groups:
        if group.new >= end:
            break
        if group.new_end <= start and not (group.new_lines == 0 and start < group.new < end):
            grown = group.new_end - (group.old + group.old_lines)
            continue
        touched = True
        include(at - grown, max(at, group.new) - grown)
        include(group.old, group.old + group.old_lines)
        near = group.old
        at = max(at, group.new_end)
        grown = group.new_end - (group.old + group.old_lines)
    include(at - grown, end - grown)
    if not touched:
        near = start - grown
    if first is None or last is None:
        return Carried(None, touched, near + 1)
    return Carried(Span(first + 1, last), touched, first + 1)
