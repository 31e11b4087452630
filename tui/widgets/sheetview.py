"""Draws a diff that is laid out: only the lines that are seen are painted, coloured and measured.

What stands where is `tui.diff`'s affair, how a line looks the brush's. This pane keeps the lines that it
painted, draws again those that changed, and knows which character is under which cell.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip

from tui.diff.selection import Selection, Spot
from tui.diff.sheet import Sheet
from tui.inert import cells, fit
from tui.widgets.brush import CLASSES, CSS, Brush, Look, Painting
from tui.widgets.lineview import LineView

_WIDEST = 4_000  # cells: how far a diff can be scrolled sideways
_SAID_AT = 1  # the line on which a word stands where nothing is shown


class SheetView(LineView):
    """Shows a sheet with a line cursor and a selection."""

    COMPONENT_CLASSES: ClassVar[set[str]] = CLASSES
    DEFAULT_CSS = CSS

    def __init__(self, *, look: Look | None = None, is_split: bool = False, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._empty = ""
        self._look = look or Look()
        self._sheet = Sheet(is_split=is_split)
        self._cursor = 0
        self._selection: Selection | None = None
        self._brush: Brush | None = None
        self._tall = 0

    def say(self, text: str) -> None:
        """Say this where nothing is shown."""
        if text != self._empty:
            self._empty = text
            self.refresh()

    # -- how it looks ----------------------------------------------------------------------------

    @property
    def is_split(self) -> bool:
        """True when old and new stand side by side."""
        return self._sheet.is_split

    @property
    def shows_numbers(self) -> bool:
        """True when line numbers are shown."""
        return self._look.numbers

    @property
    def shows_whitespace(self) -> bool:
        """True when spaces and tabs are drawn."""
        return self._look.whitespace

    def toggle_numbers(self) -> None:
        """Show or hide line numbers."""
        self._look = replace(self._look, numbers=not self._look.numbers)
        self.repaint()

    def toggle_whitespace(self) -> None:
        """Show or hide spaces and tabs."""
        self._look = replace(self._look, whitespace=not self._look.whitespace)
        self.repaint()

    # -- where things are ------------------------------------------------------------------------

    def reveal(self, place: int) -> None:
        """Scroll as little as needed to see a place with some lines around it."""
        height = self.size.height
        if not height:
            return  # not on screen yet
        margin = min(3, height // 4)
        top = self.scroll_offset.y
        if place < top + margin:
            self.scroll_to(y=max(0, place - margin), animate=False, force=True)
        elif place > top + height - 1 - margin:
            self.scroll_to(y=place - height + 1 + margin, animate=False, force=True)

    def spot(self, x: int, place: int) -> Spot:
        """The row and the place in its text under a cell."""
        brush = self._brushed()
        number, column = self._sheet.row_at(place), x - brush.gutter_cells
        if self._sheet.is_split and self._sheet.pairs[place].heading is None:
            pair, half = self._sheet.pairs[place], self._half(self.room.width)
            side = pair.left if x <= half else pair.right
            number = number if side is None else side
            column = x - brush.half_gutter_cells - (half + 1 if x > half else 0)
        column = max(0, column + self.scroll_offset.x)
        taken = 0
        text = brush.line_of(self._sheet.rows[number]).text
        for at, character in enumerate(text):
            taken += cells(character)
            if taken > column:
                return Spot(number, at)
        return Spot(number, len(text))

    @property
    def selected_text(self) -> str:
        """What was selected with the mouse, as the repository has it; empty when nothing was."""
        return self._selection.text(self._sheet.rows, self._brushed().line_of) if self._selection else ""

    # -- drawing ---------------------------------------------------------------------------------

    def repaint(self) -> None:
        """Measure and draw everything anew: what is shown, or how, changed."""
        self._measure()
        self.redraw()

    def redraw(self) -> None:
        """Draw all lines anew; where there are none and were none, nothing changes."""
        self._drawn.clear()
        tall = max(self._tall, self._sheet.height, _SAID_AT + 1) - self.scroll_offset.y
        self._tall = self._sheet.height
        size = self.size
        self.refresh(Region(0, 0, size.width, max(0, min(tall, size.height))))

    def _measure(self) -> None:
        brush, seen = self._brushed(), self.room.width
        widest = min(_WIDEST, self._sheet.widest)
        width = widest + brush.gutter_cells
        if self._sheet.is_split:  # both halves are cut at the same place
            width = seen + max(0, widest + brush.half_gutter_cells - self._half(seen))
        self.span(width if width > seen else 0, self._sheet.height)

    def _brushed(self) -> Brush:
        if self._brush is None or not self._brush.suits(self._look, self._sheet.digits):
            self._brush = Brush(self.ink, self._look, self._sheet.digits)
        return self._brush

    def notify_style_update(self) -> None:
        """Take the colours of a new theme."""
        super().notify_style_update()
        self._brush = None

    def on_resize(self) -> None:
        """Measure again, and keep the cursor in view."""
        self._drawn.clear()
        self._measure()
        self.reveal(self._cursor)

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """Cut lines elsewhere."""
        super().watch_scroll_x(old_value, new_value)
        self._drawn.clear()

    def draw(self, place: int, width: int) -> Strip:
        """One line of the diff, or of the emptiness below it."""
        sheet, brush = self._sheet, self._brushed()
        if place >= sheet.height:
            if place == _SAID_AT and self._empty and not sheet.height:
                return Strip([Segment(fit(f"  {self._empty}", width), self.ink("diff--remark"))], width)
            return Strip.blank(width, brush.blank)
        here, number = place == self._cursor, sheet.row_at(place)
        if not sheet.rows[number].is_line:
            return brush.heading(sheet.rows[number], width, here=here)
        left = self.scroll_offset.x
        if not sheet.is_split:
            return brush.line(self._painting(number), width, left, here=here)
        pair, half = sheet.pairs[place], self._half(width)
        old = self._painting(pair.left) if pair.left is not None else None
        new = self._painting(pair.right) if pair.right is not None else None
        return Strip.join(
            [
                brush.half(old, half, left, is_old=True, here=here),
                brush.rule,
                brush.half(new, width - half - 1, left, is_old=False, here=here),
            ]
        )

    def _painting(self, number: int) -> Painting:
        """A row with everything that is drawn on it."""
        row = self._sheet.rows[number]
        selected = None
        if self._selection is not None:
            selected = self._selection.stretch(number, len(self._brushed().line_of(row).text))
        return Painting(row, self._sheet.colours.of(number), self._sheet.partner(number), selected)

    @staticmethod
    def _half(width: int) -> int:
        """How many cells the old side takes."""
        return max(1, (width - 1) // 2)
