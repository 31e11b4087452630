"""A diff as it is shown: its rows, unified or side by side, and steps through them. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from tui.cells import max_cell_width
from tui.diff.colours import Colours
from tui.diff.rows import Pair, Row, RowKind, pairs_of, rows_of
from tui.diff.words import partners

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import Hit

_LEAST_DIGITS = 3  # the gutter of a short file is as wide as that of its neighbours
_CHANGES = frozenset({RowKind.ADDED, RowKind.REMOVED})


@dataclass(frozen=True)
class DiffDocument:
    """Rows as they are shown; positions count lines from the top, rows those of a unified diff.

    `head` are lines above all hunks.
    """

    hits: tuple[Hit, ...] = ()
    is_split: bool = False
    head: tuple[str, ...] = ()
    rows: Sequence[Row] = field(init=False)
    pairs: Sequence[Pair] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", rows_of(self.hits, self.head))
        object.__setattr__(self, "pairs", pairs_of(self.rows) if self.is_split else ())

    @property
    def height(self) -> int:
        """How many lines there are."""
        return len(self.pairs) if self.is_split else len(self.rows)

    def row_at(self, position: int) -> int:
        """The row at a position; of a pair, the new one."""
        return self.pairs[position].rows[-1] if self.is_split else position

    def position_of(self, row: int) -> int:
        """The position of a row."""
        return self._positions.get(row, 0) if self.is_split else row

    @cached_property
    def _positions(self) -> dict[int, int]:
        return {row: position for position, pair in enumerate(self.pairs) for row in pair.rows}

    @cached_property
    def matches(self) -> list[int]:
        """The positions of lines with a match."""
        return sorted({self.position_of(number) for number, row in enumerate(self.rows) if row.matches})

    def headings(self, kind: RowKind) -> list[int]:
        """The positions of headings."""
        return [self.position_of(number) for number, row in enumerate(self.rows) if row.kind is kind]

    def first_change(self, *, matched: bool = False) -> int | None:
        """The position of the first line that was added or removed, or of the first such one with a match."""
        for number, row in enumerate(self.rows):
            if row.kind in _CHANGES and (row.matches or not matched):
                return self.position_of(number)
        return None

    def opening(self) -> int:
        """Where reading begins: at a change that matches, or else at a match, or else at a change."""
        matched = self.first_change(matched=True)
        if matched is not None:
            return matched
        return self.matches[0] if self.matches else self.first_change() or 0

    def start_of(self, hit: int) -> int | None:
        """Where a hunk begins, its heading included."""
        return next(
            (self.position_of(number) for number, row in enumerate(self.rows) if row.hit == hit), None
        )

    def same_row(self, row: Row) -> int | None:
        """The row that shows what a row of another layout of the same hunks showed."""
        wanted = (row.hit, row.kind, row.old, row.new)
        for number, each in enumerate(self.rows):
            if (each.hit, each.kind, each.old, each.new) == wanted:
                return number
        return None

    @cached_property
    def digits(self) -> int:
        """How many digits the largest line number has."""
        largest = max((number for row in self.rows for number in (row.old, row.new) if number), default=0)
        return max(_LEAST_DIGITS, len(str(largest)))

    @cached_property
    def widest(self) -> int:
        """How many cells the longest line may take."""
        return max((max_cell_width(row.text) for row in self.rows), default=0)

    @cached_property
    def colours(self) -> Colours:
        """The syntax of each row."""
        return Colours(self.hits, self.rows)

    def partner(self, row: int) -> Row | None:
        """The row that replaced this one, or that this one replaced."""
        partner = self._partners.get(row)
        return None if partner is None else self.rows[partner]

    @cached_property
    def _partners(self) -> dict[int, int]:
        return partners(self.rows)


def following(positions: Sequence[int], here: int) -> int | None:
    """The first position after here, or the very first one; None when there are none. They are sorted."""
    if not positions:
        return None
    at = bisect_right(positions, here)
    return positions[at] if at < len(positions) else positions[0]


def preceding(positions: Sequence[int], here: int) -> int | None:
    """The last position before here, or the very last one; None when there are none. They are sorted."""
    if not positions:
        return None
    return positions[bisect_left(positions, here) - 1]
