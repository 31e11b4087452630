"""Finds where lines that a commit added were before, if the same commit took them away elsewhere. Pure.

Blanks at the ends of lines do not count: code that moves into a class is indented anew. A few identical lines
in a row, or one that is long, are enough; closing brackets alone are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ohara.browse.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.browse.span import Spans
    from ohara.store.answers import HunkBody, PathVersion

_ENOUGH_LINES = 3
_LONG_LINE = 40  # characters, blanks aside: longer than what two places share by chance
_MOST_REMOVED = 50_000  # lines of one commit that are looked through


class Moved(NamedTuple):
    """Lines that another place lost in the same commit: the change of its file, and where they were."""

    change: PathVersion
    span: Span


def added_lines(hunks: Iterable[HunkBody], spans: Spans) -> list[str]:
    """The added lines of some spans, without the blanks around them."""
    found: list[str] = []
    for hunk in hunks:
        at = hunk.new_start
        for line in hunk.body.split("\n"):
            sign = line[:1]
            if sign == "+" and any(span.first <= at <= span.last for span in spans):
                found.append(line[1:].strip())
            at += sign in {"+", " "}
    return found


def moved_from(added: Sequence[str], removed: Iterable[tuple[PathVersion, HunkBody]]) -> Moved | None:
    """Where the longest run of added lines was taken away, if that is most of them."""
    wanted = [line for line in added if line]
    if not wanted:
        return None
    places: dict[str, list[int]] = {}
    for at, line in enumerate(wanted):
        places.setdefault(line, []).append(at)
    best: tuple[int, Moved] | None = None
    for change, run in _runs(removed):
        for length, first, last in _common(wanted, places, run):
            if best is None or length > best[0]:
                best = (length, Moved(change, Span(first, last)))
    if best is None:
        return None
    length, found = best
    long_enough = length >= _ENOUGH_LINES or (
        length == len(wanted) and sum(map(len, wanted)) >= _LONG_LINE * length
    )
    return found if long_enough and length * 2 >= len(wanted) else None


def _runs(
    removed: Iterable[tuple[PathVersion, HunkBody]],
) -> Iterable[tuple[PathVersion, list[tuple[int, str]]]]:
    """The removed lines of each hunk that say something, with their numbers in the old file."""
    left = _MOST_REMOVED
    for change, hunk in removed:
        at = hunk.old_start
        run: list[tuple[int, str]] = []
        for line in hunk.body.split("\n"):
            sign = line[:1]
            if sign == "-" and line[1:].strip():
                run.append((at, line[1:].strip()))
            at += sign in {"-", " "}
        left -= len(run)
        if left < 0:
            return
        if run:
            yield change, run


def _common(
    wanted: Sequence[str], places: dict[str, list[int]], run: Sequence[tuple[int, str]]
) -> Iterable[tuple[int, int, int]]:
    """Runs that both have: how many lines, and the first and last of them in the old file."""
    lengths: dict[int, int] = {}
    for number, (_, line) in enumerate(run):
        ending: dict[int, int] = {}
        for at in places.get(line, ()):
            length = ending[at] = lengths.get(at - 1, 0) + 1
            goes_on = at + 1 < len(wanted) and number + 1 < len(run) and wanted[at + 1] == run[number + 1][1]
            if not goes_on:
                yield length, run[number - length + 1][0], run[number][0]
        lengths = ending
