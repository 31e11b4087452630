"""A match of a pattern in a text, and what its names stand for there; positions count from 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Capture(NamedTuple):
    """What a name stands for in a match: its text and where it is, the end exclusive."""

    name: str
    text: str
    first_line: int
    first_column: int
    last_line: int
    last_column: int


class Found(NamedTuple):
    """A match: where it is, the end exclusive; its text; what the pattern's names stand for."""

    first_line: int
    first_column: int
    last_line: int
    last_column: int
    text: str
    captures: tuple[Capture, ...] = ()

    def moved(self, lines: int) -> Found:
        """The same match, so many lines further down."""
        if not lines:
            return self
        captures = tuple(
            each._replace(first_line=each.first_line + lines, last_line=each.last_line + lines)
            for each in self.captures
        )
        first, last = self.first_line + lines, self.last_line + lines
        return self._replace(first_line=first, last_line=last, captures=captures)


def from_row(row: Sequence[Any]) -> Found:
    """The match that JSON has as a list."""
    return Found._make([*row[:5], tuple(map(Capture._make, row[5]))])
