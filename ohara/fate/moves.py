"""Finds removed lines among the lines that the same commit adds elsewhere: they were moved. Pure.

Only identical text counts, and only where chance is unlikely: three lines in a row that are not blank, or
less if they are long and stand nowhere else in the commit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

_RUN = 3  # lines in a row: shorter ones (a return, a closing brace) are alike by chance
_LONG = 40  # characters of fewer lines that stand nowhere else in the commit
_TRIED = 8  # places with the same first line that are looked at

MOST_LINES = 100_000  # of one commit: more are not looked through


class Move(NamedTuple):
    """A run of removed lines, from one of a sequence, that now are a hunk's added lines from one on."""

    start: int
    lines: int
    hunk: int
    offset: int


class AddedLines:
    """The lines that a commit adds, each of which one removed line may have become."""

    def __init__(self, hunks: Iterable[tuple[int, Sequence[str]]], wanted: Collection[str]) -> None:
        """Look through added lines for those whose text is wanted."""
        self._lines: dict[int, Sequence[str]] = dict(hunks)
        self._taken: set[tuple[int, int]] = set()
        self._places: dict[str, list[tuple[int, int]]] = {}
        for hunk, lines in self._lines.items():
            for offset, line in enumerate(lines):
                if line in wanted and line.strip():
                    self._places.setdefault(line, []).append((hunk, offset))

    @classmethod
    def of_file(cls, lines: Sequence[str], places: Mapping[str, Sequence[int]]) -> AddedLines:
        """The same of one file, as hunk 0, for who knows at which places the wanted texts are."""
        found = cls((), ())
        found._lines[0] = lines
        found._places.update((text, [(0, at) for at in of_text]) for text, of_text in places.items())
        return found

    def moves(self, removed: Sequence[str], *, least: int = 0) -> list[Move]:
        """Where runs of removed lines went, in their order; a run of `least` lines is no chance."""
        found: list[Move] = []
        at = 0
        while at < len(removed):
            move = self._best(removed, at, least)
            if move is None:
                at += 1
                continue
            found.append(move)
            self._taken.update((move.hunk, move.offset + step) for step in range(move.lines))
            at += move.lines
        return found

    def _best(self, removed: Sequence[str], at: int, least: int) -> Move | None:
        places = self._places.get(removed[at], ())
        best: Move | None = None
        for hunk, offset in places[:_TRIED]:
            lines = self._length(removed, at, hunk, offset)
            if lines and (best is None or lines > best.lines):
                best = Move(at, lines, hunk, offset)
        if best is None:
            return None
        solid = [line.strip() for line in removed[at : at + best.lines] if line.strip()]
        is_rare = len(places) == 1 and sum(map(len, solid)) >= _LONG
        is_whole = 0 < least <= best.lines
        return best if len(solid) >= _RUN or is_rare or is_whole else None

    def _length(self, removed: Sequence[str], at: int, hunk: int, offset: int) -> int:
        lines = self._lines[hunk]
        length = 0
        while (
            at + length < len(removed)
            and offset + length < len(lines)
            and removed[at + length] == lines[offset + length]
            and (hunk, offset + length) not in self._taken
        ):
            length += 1
        return length
