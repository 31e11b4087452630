"""What was selected with the mouse: which part of each row, and the text in it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tui.cells import DisplayLine
    from tui.diff.rows import Row


class Spot(NamedTuple):
    """A row, and an offset in its text as it is shown."""

    row: int
    offset: int


@dataclass(frozen=True, slots=True)
class Selection:
    """From where to where."""

    anchor: Spot
    head: Spot

    def stretch(self, number: int, size: int) -> tuple[int, int] | None:
        """Which part of a row of so many characters is selected."""
        first, last = sorted((self.anchor, self.head))
        if first == last or not first.row <= number <= last.row:
            return None
        return (first.offset if number == first.row else 0, last.offset if number == last.row else size)

    def text(self, rows: Sequence[Row], line_of: Callable[[Row], DisplayLine]) -> str:
        """The selected text as the repository has it, without signs and headings."""
        first, last = sorted((self.anchor, self.head))
        parts: list[str] = []
        for number in range(first.row, min(last.row + 1, len(rows))):
            row = rows[number]
            line = line_of(row)
            stretch = self.stretch(number, len(line.text))
            if row.is_line and stretch is not None:
                parts.append(row.text[line.column(stretch[0]) : line.column(stretch[1])])
        return "\n".join(parts)
