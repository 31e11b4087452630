"""A diff laid out: its rows from top to bottom, unified or side by side, and the way about in them. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from tui.diff.colours import Colours
from tui.diff.rows import Pair, Row, RowKind, pairs_of, rows_of
from tui.diff.words import partners
from tui.inert import rough_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import Hit

_LEAST_DIGITS = 3  # the gutter of a short file is as wide as that of its neighbours
_CHANGES = frozenset({RowKind.ADDED, RowKind.REMOVED})


@dataclass(frozen=True)
class Sheet:
    """Rows as they stand on screen; places count from the top, rows as in a unified diff."""

    hits: tuple[Hit, ...] = ()
    is_split: bool = False
    rows: Sequence[Row] = field(init=False)
    pairs: Sequence[Pair] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", rows_of(self.hits))
        object.__setattr__(self, "pairs", pairs_of(self.rows) if self.is_split else ())

    @property
    def height(self) -> int:
        """How many places there are."""
        return len(self.pairs) if self.is_split else len(self.rows)

    def row_at(self, place: int) -> int:
        """The row at a place; of a pair, the new one."""
        return self.pairs[place].rows[-1] if self.is_split else place

    def place_of(self, row: int) -> int:
        """Where a row stands."""
        return self._places.get(row, 0) if self.is_split else row

    @cached_property
    def _places(self) -> dict[int, int]:
        return {row: place for place, pair in enumerate(self.pairs) for row in pair.rows}

    @cached_property
    def matches(self) -> list[int]:
        """The places with a match."""
        return sorted({self.place_of(number) for number, row in enumerate(self.rows) if row.matches})

    def headings(self, kind: RowKind) -> list[int]:
        """The places of headings."""
        return [self.place_of(number) for number, row in enumerate(self.rows) if row.kind is kind]

    def first_change(self, *, matched: bool = False) -> int | None:
        """The place of the first line that was added or removed, or of the first such line with a match."""
        for number, row in enumerate(self.rows):
            if row.kind in _CHANGES and (row.matches or not matched):
                return self.place_of(number)
        return None

    def opening(self) -> int:
        """Where reading begins: at a change that matches, or else at a match, or else at a change."""
        matched = self.first_change(matched=True)
        if matched is not None:
            return matched
        return self.matches[0] if self.matches else self.first_change() or 0

    def start_of(self, hit: int) -> int | None:
        """Where a hunk begins, its heading included."""
        return next((self.place_of(number) for number, row in enumerate(self.rows) if row.hit == hit), None)

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
        return max((rough_cells(row.text) for row in self.rows), default=0)

    @cached_property
    def colours(self) -> Colours:
        """What the stretches of each row are."""
        return Colours(self.hits, self.rows)

    def partner(self, row: int) -> Row | None:
        """The row that took this one's place, or whose place it took."""
        partner = self._partners.get(row)
        return None if partner is None else self.rows[partner]

    @cached_property
    def _partners(self) -> dict[int, int]:
        return partners(self.rows)
