"""Where a line of an older version of a file is now. Pure."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class LineNow(NamedTuple):
    """A line of the newer version; where the old line is gone, the one that stands in its place."""

    line: int
    is_there: bool


def line_now(then: Sequence[str], now: Sequence[str], line: int) -> LineNow:
    """Where a line, counted from 1, of one version of a file is in another."""
    if not then or not now:
        return LineNow(min(line, max(1, len(now))), is_there=False)
    at = max(0, min(line - 1, len(then) - 1))
    head = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(then, now, strict=False)))
    if at < head:
        return LineNow(at + 1, is_there=True)
    most = min(len(then), len(now)) - head
    ends = zip(reversed(then), reversed(now), strict=False)
    tail = min(most, sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], ends)))
    if at >= len(then) - tail:
        return LineNow(at + len(now) - len(then) + 1, is_there=True)
    before, after = list(then[head : len(then) - tail]), list(now[head : len(now) - tail])
    for what, first, last, start, end in SequenceMatcher(None, before, after).get_opcodes():
        if first <= at - head < last:
            if what == "equal":
                return LineNow(head + start + at - head - first + 1, is_there=True)
            within = min(start + at - head - first, max(start, end - 1))
            return LineNow(min(head + within + 1, max(1, len(now))), is_there=False)
    return LineNow(min(at + 1, max(1, len(now))), is_there=False)
