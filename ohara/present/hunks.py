"""Hunks as git prints them: joins the pieces of a long hunk, computes ranges, trims context. Pure.

Expects hits whose excerpts are whole pieces, in the order of their commit.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from ohara.model import together

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ohara.model import Hit

_OLD = frozenset("- ")
_NEW = frozenset("+ ")
_CHANGED = frozenset("+-")


def whole_hunks(hits: Sequence[Hit]) -> list[Hit]:
    """The hits with the pieces of one hunk joined: each piece begins where the one before it ends."""
    joined: list[Hit] = []
    for hit in hits:
        if joined and _goes_on(joined[-1], hit):
            joined[-1] = _joined(joined[-1], hit)
        else:
            joined.append(hit)
    return [replace(hit, rank=rank) for rank, hit in enumerate(joined, 1)]


def with_context(hits: Sequence[Hit], lines: int) -> list[Hit]:
    """The hits with at most `lines` of context around changes; a hunk is split where they are far apart."""
    narrowed = [part for hit in hits for part in _parts(hit, lines)]
    return [replace(hit, rank=rank) for rank, hit in enumerate(narrowed, 1)]


def range_of(hit: Hit) -> str:
    """The range that git writes above a hunk: its position in the old and the new file."""
    lines = hit.excerpt.split("\n")
    old, new = _count(lines, _OLD), _count(lines, _NEW)
    return f"@@ -{_side(hit.old_top, old)} +{_side(hit.top, new)} @@"


def _side(top: int, lines: int) -> str:
    """One side of a range: a count of one is omitted, and an empty side has the number of the line above."""
    first = top if lines else max(0, top - 1)
    return f"{first}" if lines == 1 else f"{first},{lines}"


def _count(lines: Sequence[str], signs: frozenset[str]) -> int:
    return sum(line[:1] in signs for line in lines)


def _goes_on(above: Hit, below: Hit) -> bool:
    if not (above.excerpt and below.excerpt) or (above.commit.sha, above.path) != (
        below.commit.sha,
        below.path,
    ):
        return False
    return all(
        _end(start, _count(above.excerpt.split("\n"), signs)) == max(1, begins)
        for start, begins, signs in ((above.old_top, below.old_top, _OLD), (above.top, below.top, _NEW))
    )


def _end(start: int, lines: int) -> int:
    """The number of the line after a side."""
    return max(1, start) + lines


def _joined(above: Hit, below: Hit) -> Hit:
    lines = above.excerpt.split("\n")
    shifted = tuple(replace(match, line=match.line + len(lines)) for match in below.matches)
    return replace(
        above,
        excerpt=f"{above.excerpt}\n{below.excerpt}",
        matches=above.matches + shifted,
        symbol=above.symbol if above.symbol == below.symbol else None,
        fate=together(above.fate, below.fate) if above.fate and below.fate else None,
        old_top=above.old_top if _count(lines, _OLD) else below.old_top,
        top=above.top if _count(lines, _NEW) else below.top,
    )


def _parts(hit: Hit, around: int) -> Iterator[Hit]:
    lines = hit.excerpt.split("\n")
    changed = [at for at, line in enumerate(lines) if line[:1] in _CHANGED]
    shown = {near for at in changed for near in range(max(0, at - around), min(len(lines), at + around + 1))}
    shown |= {at for at, line in enumerate(lines) if line[:1] == "\\" and at - 1 in shown}
    if len(shown) == len(lines) or not shown:
        yield hit
        return
    for _, run in groupby(enumerate(sorted(shown)), key=lambda each: each[1] - each[0]):
        at = [place for _, place in run]
        yield _part(hit, lines, at[0], at[-1] + 1)


def _part(hit: Hit, lines: Sequence[str], first: int, end: int) -> Hit:
    above = lines[:first]
    change = next(at for at in range(first, end) if lines[at][:1] in _CHANGED)
    old_top, top = max(1, hit.old_top) + _count(above, _OLD), max(1, hit.top) + _count(above, _NEW)
    return replace(
        hit,
        header="" if first else hit.header,  # what stands above a line further down is not known
        excerpt="\n".join(lines[first:end]),
        matches=tuple(
            replace(match, line=match.line - first) for match in hit.matches if first <= match.line < end
        ),
        line=top + _count(lines[first:change], _NEW),
        old_line=old_top + _count(lines[first:change], _OLD),
        top=top,
        old_top=old_top,
    )
