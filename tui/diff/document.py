"""A diff as it is shown: its rows, unified or side by side, and steps through them. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from tui.cells import cell_width, cells_before, display_line, max_cell_width
from tui.diff.colours import Colours
from tui.diff.rows import Pair, Row, RowKind, pairs_of, rows_of
from tui.diff.words import partners

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.model import Hit
    from tui.diff.file_colours import FileColours, HunkKey

_LEAST_DIGITS = 3  # the gutter of a short file is as wide as that of its neighbours
_CHANGES = frozenset({RowKind.ADDED, RowKind.REMOVED})


@dataclass(frozen=True)
class DiffDocument:
    """Rows as they are shown; positions count lines from the top, rows those of a unified diff."""

    hits: tuple[Hit, ...] = ()
    is_split: bool = False
    in_files: Mapping[HunkKey, FileColours] = field(default_factory=dict)
    head: tuple[Row, ...] = ()
    section: str = ""
    wrap: int = 0  # cells after which a line goes on in the next; 0 where it is cut
    wanted: str = ""  # text that is looked for
    is_file: bool = False  # all of a file: its lines, and nothing above them
    rows: Sequence[Row] = field(init=False)
    pairs: Sequence[Pair] = field(init=False)

    def __post_init__(self) -> None:
        rows = [*self.head, *rows_of(self.hits, self.section)]
        object.__setattr__(self, "rows", [row for row in rows if row.is_line] if self.is_file else rows)
        object.__setattr__(self, "pairs", pairs_of(self.rows) if self.is_split else ())

    @property
    def height(self) -> int:
        """How many lines there are."""
        if self.is_split:
            return len(self.pairs)
        return self._starts[-1] if self.wrap else len(self.rows)

    def row_at(self, position: int) -> int:
        """The row at a position; of a pair, the new one."""
        if self.is_split:
            return self.pairs[position].rows[-1]
        return bisect_right(self._starts, position) - 1 if self.wrap else position

    def part_at(self, position: int) -> int:
        """Which part of a wrapped line stands at a position."""
        return position - self._starts[self.row_at(position)] if self.wrap and not self.is_split else 0

    def position_of(self, row: int) -> int:
        """The position of a row."""
        if self.is_split:
            return self._positions.get(row, 0)
        return self._starts[row] if self.wrap else row

    @cached_property
    def _starts(self) -> list[int]:
        """Where each row begins when long ones are wrapped, and where the last one ends."""
        return [0, *accumulate(self._parts(row) for row in self.rows)]

    def _parts(self, row: Row) -> int:
        if not row.is_line or max_cell_width(row.text) <= self.wrap:
            return 1
        return max(1, -(-cell_width(display_line(row.text).text) // self.wrap))

    @cached_property
    def _positions(self) -> dict[int, int]:
        return {row: position for position, pair in enumerate(self.pairs) for row in pair.rows}

    @cached_property
    def matches(self) -> list[int]:
        """The positions of lines with a match; of a wrapped line, of its parts with one."""
        return sorted(
            {
                position
                for number, row in enumerate(self.rows)
                if row.matches
                for position in self._parts_with(number, row.matches)
            }
        )

    @cached_property
    def found(self) -> list[int]:
        """The positions of lines that hold the text that is looked for."""
        if not self.wanted:
            return []
        return sorted(
            {
                position
                for number, row in enumerate(self.rows)
                if row.is_line
                for position in self._parts_with(number, spans_of(row.text, self.wanted))
            }
        )

    def _parts_with(self, number: int, spans: Sequence[tuple[int, int]]) -> set[int]:
        """The positions of a row at which one of these spans of its text begins."""
        if not spans:
            return set()
        first = self.position_of(number)
        if not self.wrap or self.is_split or self._starts[number + 1] - first == 1:
            return {first}
        line = display_line(self.rows[number].text)
        return {first + cells_before(line.text, line.offset(start)) // self.wrap for start, _ in spans}

    @property
    def lines_found(self) -> int:
        """How many lines hold the text that is looked for."""
        return len({self.row_at(position) for position in self.found})

    @property
    def marks(self) -> list[int]:
        """The positions that the match keys go through: of what is looked for, or else of the question."""
        return self.found if self.wanted else self.matches

    def headings(self, kind: RowKind) -> list[int]:
        """The positions of headings."""
        return self._headings.get(kind, [])

    @cached_property
    def _headings(self) -> dict[RowKind, list[int]]:
        """The positions of all headings, found once: a comparison may have a quarter of a million rows."""
        found: dict[RowKind, list[int]] = {}
        for number, row in enumerate(self.rows):
            if not row.is_line:
                found.setdefault(row.kind, []).append(self.position_of(number))
        return found

    def first_change(self, *, matched: bool = False) -> int | None:
        """The position of the first line that was added or removed, or of the first such one with a match."""
        for number, row in enumerate(self.rows):
            if row.kind in _CHANGES and (row.matches or not matched):
                return min(self._parts_with(number, row.matches), default=self.position_of(number))
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

    def moved_to(self, row: int, before: DiffDocument, position: int) -> int:
        """Where a row of another layout is here, of a wrapped line the same part or that with a match."""
        parts = self._parts_with(row, self.rows[row].matches)
        first, part = self.position_of(row), before.part_at(position)
        if self.wrap != before.wrap and parts:
            return min(parts)
        return first + part if self.wrap == before.wrap and self.row_at(first + part) == row else first

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
        return Colours(self.hits, self.rows, self.in_files)

    def partner(self, row: int) -> Row | None:
        """The row that replaced this one, or that this one replaced."""
        partner = self._partners.get(row)
        return None if partner is None else self.rows[partner]

    @cached_property
    def _partners(self) -> dict[int, int]:
        return partners(self.rows)


def spans_of(text: str, wanted: str) -> list[tuple[int, int]]:
    """Where a text holds another; capitals count only where they are looked for."""
    if not wanted.isascii() or wanted != wanted.lower():
        within = text
    else:
        lowered = text.lower()
        within = lowered if len(lowered) == len(text) else text
    found: list[tuple[int, int]] = []
    at = within.find(wanted)
    while at >= 0:
        found.append((at, at + len(wanted)))
        at = within.find(wanted, at + len(wanted))
    return found


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
