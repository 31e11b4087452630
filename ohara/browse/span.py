"""Maps spans of lines back through a change: whether they were touched, and where they were before. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ohara.git.hunks import Group

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.store.answers import HunkBody


class Span(NamedTuple):
    """Lines from first to last, 1-based and inclusive."""

    first: int
    last: int


Spans = tuple[Span, ...]
"""Lines in order; no two spans overlap or touch."""


class Carried(NamedTuple):
    """A span before a change: None when all of it began there; `near` is the old line it stands at."""

    before: Span | None
    touched: bool
    near: int


class CarriedSpans(NamedTuple):
    """Spans before a change, those that began there left out; `near` is the old line of the first."""

    before: Spans
    touched: bool
    near: int


def carry_all(spans: Spans, groups: Sequence[Group]) -> CarriedSpans:
    """Where lines of the new text come from in the old one, each span as `carry` says."""
    carried = [carry(span, groups) for span in spans]
    return CarriedSpans(
        joined(each.before for each in carried if each.before),
        any(each.touched for each in carried),
        min((each.near for each in carried), default=1),
    )


def joined(spans: Iterable[Span]) -> Spans:
    """Spans in order, those that overlap or touch made one."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.first <= found[-1].last + 1:
            found[-1] = Span(found[-1].first, max(found[-1].last, span.last))
        else:
            found.append(span)
    return tuple(found)


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


def groups_of(hunks: Iterable[HunkBody]) -> list[Group]:
    """Which lines the hunks of one file replace by which; the pieces of a long hunk are joined."""
    found: list[Group] = []
    for hunk in hunks:
        old, new = hunk.old_start - 1, hunk.new_start - 1
        for line in hunk.body.split("\n"):
            sign = line[:1]
            if sign == "+":
                _grow(found, Group(old, 0, new, 1))
                new += 1
            elif sign == "-":
                _grow(found, Group(old, 1, new, 0))
                old += 1
            elif sign == " ":
                old += 1
                new += 1
    return found


def _grow(groups: list[Group], line: Group) -> None:
    """Add one changed line to the last group, if it goes on there."""
    if groups:
        last = groups[-1]
        if last.old + last.old_lines == line.old and last.new_end == line.new:
            groups[-1] = Group(
                last.old, last.old_lines + line.old_lines, last.new, last.new_lines + line.new_lines
            )
            return
    groups.append(line)
