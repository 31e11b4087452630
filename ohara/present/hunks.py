"""Hunks as git prints them: joins the pieces of a long hunk, computes ranges, trims context. Pure.

Expects hits whose excerpts are whole pieces, in the order of their commit.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from itertools import groupby
from typing import TYPE_CHECKING

from ohara.model import together

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ohara.model import Hit, Match

_OLD = frozenset("- ")
_NEW = frozenset("+ ")
_CHANGED = frozenset("+-")


def whole_hunks(hits: Sequence[Hit]) -> list[Hit]:
    """The hits with the pieces of one hunk joined: each piece begins where the one before it ends."""
    joined = [_joined(pieces) for pieces in pieces_of_hunks(hits)]
    return [replace(hit, rank=rank) for rank, hit in enumerate(joined, 1)]


def joined_with_pieces(hits: Sequence[Hit]) -> list[tuple[Hit, tuple[Hit, ...]]]:
    """Each hunk as `whole_hunks` has it, and the pieces that it was joined from."""
    return [(_joined(pieces), tuple(pieces)) for pieces in pieces_of_hunks(hits)]


def pieces_of_hunks(hits: Sequence[Hit]) -> list[list[Hit]]:
    """The hits grouped by hunk."""
    groups: list[list[Hit]] = []
    ends: tuple[int, int] | None = None
    for hit in hits:
        if groups and ends is not None and _goes_on(groups[-1][-1], ends, hit):
            groups[-1].append(hit)
            ends = _ends(hit, ends)
        else:
            groups.append([hit])
            ends = _ends(hit, None) if hit.excerpt else None
    return groups


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


def _goes_on(above: Hit, ends: tuple[int, int], below: Hit) -> bool:
    """Whether a piece begins where the pieces above it end."""
    same_file = (above.commit.sha, above.path) == (below.commit.sha, below.path)
    return same_file and bool(below.excerpt) and ends == (max(1, below.old_top), max(1, below.top))


def _ends(hit: Hit, before: tuple[int, int] | None) -> tuple[int, int]:
    """The numbers of the lines after a piece, in the old and the new file."""
    lines = hit.excerpt.split("\n")
    old, new = before or (max(1, hit.old_top), max(1, hit.top))
    return old + _count(lines, _OLD), new + _count(lines, _NEW)


def _joined(pieces: Sequence[Hit]) -> Hit:
    first = pieces[0]
    if len(pieces) == 1:
        return first
    lines: list[str] = []
    matches: list[Match] = []
    for piece in pieces:
        matches += [replace(match, line=match.line + len(lines)) for match in piece.matches]
        lines += piece.excerpt.split("\n")
    fates = [piece.fate for piece in pieces if piece.fate]
    return replace(
        first,
        excerpt="\n".join(lines),
        matches=tuple(matches),
        symbol=first.symbol if len({piece.symbol for piece in pieces}) == 1 else None,
        fate=reduce(together, fates) if len(fates) == len(pieces) else None,
        old_top=_first_with(pieces, _OLD).old_top,
        top=_first_with(pieces, _NEW).top,
    )


def _first_with(pieces: Sequence[Hit], signs: frozenset[str]) -> Hit:
    """The first piece that has lines of a side, or else the last."""
    return next((piece for piece in pieces if _count(piece.excerpt.split("\n"), signs)), pieces[-1])


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
