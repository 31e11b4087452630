"""Cuts a long hunk into pieces that each fit a budget, where its syntax allows it.

The pieces' bodies, joined by a newline, are the hunk's body: nothing is dropped, shortened or moved.
Every piece holds a changed line: context alone is no change, and belongs to a neighbour. A line is never
cut, so a piece exceeds the budget only when it holds a single changed line. A hunk within the budget is
returned as it is, without parsing anything.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final

from ohara.line_counts import line_counts
from ohara.model import Hunk
from ohara.parse.cut_costs import CHANGED, LEVEL, cut_costs, keep_replacements
from ohara.parse.headers import by_margin, by_syntax
from ohara.parse.languages import has_grammar
from ohara.parse.line_map import REMARK, image_of, reads_old, removes, whole_lines
from ohara.parse.outline import outline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ohara.parse.line_map import Image
    from ohara.parse.outline import Outline

__all__ = ["CHUNK_CHARS", "CHUNK_LINES", "reads_old", "split"]

CHUNK_CHARS: Final = 1_500  # of a body; about what an embedder reads
CHUNK_LINES: Final = 60  # about a screen
_SMALL: Final = 4  # a piece under a fourth of the budget is small …
_JOINED: Final = 3 * LEVEL + 1  # … and worth three depths to avoid


def split(
    hunk: Hunk,
    source: bytes | None,
    language: str | None,
    *,
    chars: int = CHUNK_CHARS,
    lines: int = CHUNK_LINES,
    by_size: bool = False,
) -> tuple[Hunk, ...]:
    """The hunk in pieces of at most so many characters and lines; git's remarks are no lines.

    `source` is the file after the change, or before it where `reads_old`. Without one the hunk's own
    lines are parsed; without a language that has a grammar it is cut by its lines. `by_size`: wherever a
    piece has so many characters, for text in which no place is better than another.
    """
    if len(hunk.body) <= chars and hunk.body.count("\n") < lines:
        return (hunk,)
    if by_size:
        bodies = _cut_at(hunk.body, [0, *_full(hunk.body, chars)])
        return tuple(_pieces(hunk, bodies, [hunk.header] * len(bodies)))
    whole = whole_lines(hunk.body)
    budget = _Budget(whole, chars, lines)
    if budget.reach(0) == len(whole):
        return (hunk,)
    seen = _see(hunk, whole, source, language, chars=chars, lines=lines)
    costs = cut_costs(whole) if seen is None else cut_costs(whole, seen[0].places, seen[1].depths)
    if removes(hunk) and not reads_old(hunk):
        keep_replacements(whole, costs, reach=budget.reach, small=lines // _SMALL)
    starts = [0, *_cuts(costs, budget, whole)]
    headers = by_margin(hunk, starts, whole, language) if seen is None else by_syntax(hunk, starts, *seen)
    return tuple(_pieces(hunk, _cut_at(hunk.body, map(budget.offset, starts)), headers))


def _see(
    hunk: Hunk, whole: Sequence[str], source: bytes | None, language: str | None, *, chars: int, lines: int
) -> tuple[Image, Outline] | None:
    """The file around a hunk and its syntax, where there is any."""
    if language is None or not has_grammar(language):
        return None
    image = image_of(hunk, whole, source)
    # Removed lines come on top of the file's own, so in a mixed hunk a smaller node may be too large.
    share = 2 if None in image.places else 1
    shape = outline(image.source, language, image.span(), chars=chars // share, lines=lines // share)
    return None if shape is None else (image, shape)


class _Budget:
    """How far a piece that begins at a line may reach."""

    def __init__(self, whole: Sequence[str], chars: int, lines: int) -> None:
        self.end = len(whole)
        self._chars, self._lines = chars, lines
        self._sums = [0, *accumulate(map((1).__add__, map(len, whole)))]  # a newline follows each line
        small_chars, small_lines = chars // _SMALL, lines // _SMALL
        self._small = (small_chars, small_lines)
        # Where the rest of the hunk has become small.
        self.tail = max(self.end - small_lines, bisect_left(self._sums, self._sums[-1] - small_chars))

    def offset(self, at: int) -> int:
        """Where a line begins in the body."""
        return self._sums[at]

    def reach(self, at: int) -> int:
        """The end of the longest piece, which is a line at least."""
        return max(at + 1, self._reach(at, self._chars, self._lines))

    def small(self, at: int) -> int:
        """The end of the longest piece that is still small."""
        return self._reach(at, *self._small)

    def _reach(self, at: int, chars: int, lines: int) -> int:
        by_chars = bisect_right(self._sums, self._sums[at] + chars + 1) - 1
        return min(by_chars, at + lines, self.end)


def _cuts(costs: Sequence[int], budget: _Budget, whole: Sequence[str]) -> Iterator[int]:
    """Where to cut: each piece ends at the cheapest cut within its budget that leaves a change on both sides.

    Of equal cuts the last one wins, to fill the piece; but a piece that begins inside a node ends with
    that node, unless it would be small.
    """
    at = 0
    last = next(
        (place for place in reversed(range(budget.end)) if whole[place][:1] in CHANGED), budget.end - 1
    )
    while (reach := budget.reach(at)) < budget.end:
        nearest = next((place for place in range(at, last) if whole[place][:1] in CHANGED), last) + 1
        if nearest > last:
            return
        reach = min(max(reach, nearest), last)
        small = max(nearest - 1, min(budget.small(at), reach))
        tail = max(small, min(budget.tail - 1, reach))
        best, cut = _last_least(costs, small + 1, tail + 1)
        for first, end in ((nearest, small + 1), (tail + 1, reach + 1)):
            cost, candidate = _last_least(costs, first, end)
            if cost + _JOINED < best:
                best, cut = cost + _JOINED, candidate
        if small < cut <= tail and best // LEVEL < costs[at] // LEVEL:
            cut = costs.index(best, small + 1, cut + 1)
        yield cut
        at = cut


_NONE: Final = 1 << 60


def _last_least(costs: Sequence[int], first: int, end: int) -> tuple[int, int]:
    """The least cost in a range and the last place that has it."""
    window = costs[first:end]
    if not window:
        return _NONE, first
    least = min(window)
    return least, end - 1 - window[::-1].index(least)


def _full(body: str, chars: int) -> Iterator[int]:
    """Where to cut text in which no place is better than another: wherever a piece is full.

    As `_cuts` would where all cuts cost the same, but by offsets: a hunk of very short lines has a hundred
    thousand of them, and a list of those takes longer than anything else here.
    """
    end = len(body) + 1  # a newline follows each line
    last = max(body.rfind("\n+"), body.rfind("\n-")) + 1
    before_tail = _line_at(body, _line_from(body, end - chars // _SMALL) - 1)
    at = 0
    while (reach := max(_line_from(body, at + 1), _line_at(body, at + chars + 1))) < end:
        changed = at
        while changed < last and body[changed] not in CHANGED:
            changed = _line_from(body, changed + 1)
        if changed >= last:
            return
        nearest = _line_from(body, changed + 1)
        reach = min(max(reach, nearest), last)
        small = max(changed, min(_line_at(body, at + chars // _SMALL + 1), reach))
        tail = max(small, min(before_tail, reach))
        at = tail if tail > small else small if nearest <= small else reach
        yield at


def _line_at(body: str, offset: int) -> int:
    """Where the last line begins that begins at an offset or before; the end of all lines counts as one."""
    if offset > len(body):
        return len(body) + 1
    start = body.rfind("\n", 0, offset) + 1
    while start and body.startswith(REMARK, start):
        start = body.rfind("\n", 0, start - 1) + 1
    return start


def _line_from(body: str, offset: int) -> int:
    """Where the first line begins that begins at an offset or after; the end of all lines counts as one."""
    start = body.find("\n", offset - 1) + 1
    while start and body.startswith(REMARK, start):
        start = body.find("\n", start) + 1
    return start or len(body) + 1


def _cut_at(body: str, starts: Iterable[int]) -> list[str]:
    """The pieces of a body that begin at some offsets; each ends with the line before the next."""
    return [body[start : end - 1] for start, end in pairwise([*starts, len(body) + 1])]


def _pieces(hunk: Hunk, bodies: Sequence[str], headers: Sequence[str]) -> Iterator[Hunk]:
    """The pieces, numbered as git numbers hunks: an empty side is at the line before it."""
    old = hunk.old_start if hunk.old_lines else hunk.old_start + 1
    new = hunk.new_start if hunk.new_lines else hunk.new_start + 1
    for body, header in zip(bodies, headers, strict=True):
        lines, added, removed = line_counts(body)
        old_lines, new_lines = lines - added, lines - removed
        yield Hunk(
            old if old_lines else old - 1,
            old_lines,
            new if new_lines else new - 1,
            new_lines,
            header,
            body,
        )
        old += old_lines
        new += new_lines
