"""Carries the origins of a file's lines through a change. Pure.

A version of a file is a list of segments in the order of its lines: so many lines that a hunk added, from one
of its added lines on. What is not known to come from an indexed hunk has the origin 0.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from itertools import accumulate, chain
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.store.lines import Segment

# A file whose lines are not known has as many as may be asked for.
ENDLESS = 1 << 40
UNKNOWN: list[Segment] = [(ENDLESS, 0, 0)]


def pack(segments: Iterable[Segment]) -> array[int]:
    """Segments as plain numbers, for keeping: a tenth of the memory that a list of tuples takes."""
    numbers = list(chain.from_iterable(segments))
    try:
        return array("i", numbers)
    except OverflowError:  # of an unknown file
        return array("q", numbers)


def unpack(packed: array[int]) -> list[Segment]:
    """The segments that were packed."""
    numbers = iter(packed)
    return list(zip(numbers, numbers, numbers, strict=True))


class Replaced(NamedTuple):
    """Lines of the old text that others replace: where (from 0), how many, and the origin of the new ones."""

    old: int
    old_lines: int
    new_lines: int
    hunk: int
    offset: int


class Cut(NamedTuple):
    """Lines that a change took away, with the change that did."""

    by: Replaced
    lines: list[Segment]


def piece(segments: Sequence[Segment], ends: Sequence[int], start: int, stop: int) -> list[Segment]:
    """The segments of lines `start` to `stop` (from 0, half-open); `ends` says where each segment ends."""
    if start >= stop or not segments:
        return []
    first = bisect_right(ends, start)
    if first >= len(segments):
        return []
    last = bisect_right(ends, stop - 1)
    found = list(segments[first : last + 1])
    if last < len(segments):
        count, hunk, offset = found[-1]
        over = ends[last] - stop
        if over > 0:
            found[-1] = (count - over, hunk, offset)
    count, hunk, offset = found[0]
    skipped = start - (ends[first - 1] if first else 0)
    if skipped > 0:
        found[0] = (count - skipped, hunk, offset + skipped)
    return found


def apply(segments: Sequence[Segment], changes: Iterable[Replaced]) -> tuple[list[Segment], list[Cut]]:
    """The origins after changes, which come in the order of the old lines; and the lines that went."""
    ends = list(accumulate([segment[0] for segment in segments]))
    new: list[Segment] = []
    cuts: list[Cut] = []
    at = 0
    for change in changes:
        if change.old > at:
            _extend(new, piece(segments, ends, at, change.old))
            at = change.old
        if change.old_lines:
            cuts.append(Cut(change, piece(segments, ends, at, at + change.old_lines)))
            at += change.old_lines
        if change.new_lines:
            _extend(new, [(change.new_lines, change.hunk, change.offset)])
    _extend(new, piece(segments, ends, at, ends[-1] if ends else 0))
    return new, cuts


def _extend(segments: list[Segment], more: list[Segment]) -> None:
    """Append segments; one that goes on where the last one ends is made one with it."""
    if segments and more:
        count, hunk, offset = segments[-1]
        if hunk and more[0][1] == hunk and more[0][2] == offset + count:
            segments[-1] = (count + more[0][0], hunk, offset)
            more = more[1:]
    segments += more


def by_line(segments: Iterable[Segment], lines: int) -> list[tuple[int, int]]:
    """The origin of each of so many lines: a hunk and one of its added lines."""
    found: list[tuple[int, int]] = []
    for count, hunk, offset in segments:
        take = min(count, lines - len(found))
        found += [(hunk, offset + at) for at in range(take)] if hunk else [(0, 0)] * take
        if len(found) >= lines:
            break
    return found + [(0, 0)] * (lines - len(found))


def of_lines(origins: Sequence[tuple[int, int]]) -> list[Segment]:
    """The segments of lines whose origins are known one by one."""
    found: list[Segment] = []
    for hunk, offset in origins:
        if found and found[-1][1] == hunk and (not hunk or found[-1][2] + found[-1][0] == offset):
            found[-1] = (found[-1][0] + 1, hunk, found[-1][2])
        else:
            found.append((1, hunk, offset if hunk else 0))
    return found
