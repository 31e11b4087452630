"""Draws a diff: only the lines that are seen are drawn, coloured and measured.

`tui.diff` decides which lines there are, `DiffRenderer` how a line looks. This pane keeps the lines that it
drew, draws again those that changed, and knows which character is under which cell.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip

from tui.cells import cells_before, fit, within_cells
from tui.diff.document import DiffDocument, spans_of
from tui.diff.rows import RowKind
from tui.diff.selection import Selection, Spot
from tui.widgets.diff_renderer import DiffOptions, DiffRenderer, StyledRow
from tui.widgets.diff_styles import CLASSES, CSS
from tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from collections.abc import Mapping

_WIDEST = 101_000  # cells: how far a diff can be scrolled sideways; what comes of a long line has fewer
_LONG = 400  # characters: in longer lines the first match is scrolled to
_MESSAGE_LINE = 1  # where the message stands when nothing is shown


class Margin(NamedTuple):
    """What stands beside the lines of a file, by their numbers, in columns of these widths."""

    widths: tuple[int, ...]
    facts: Mapping[int, tuple[str, ...]]


class DiffCanvas(LineView):
    """Shows a diff with a line cursor and a selection."""

    COMPONENT_CLASSES: ClassVar[set[str]] = CLASSES
    DEFAULT_CSS = CSS

    def __init__(
        self,
        *,
        options: DiffOptions | None = None,
        is_split: bool = False,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self._empty = ""
        self._options = options or DiffOptions()
        self._document = DiffDocument(is_split=is_split)
        self._cursor = 0
        self._selection: Selection | None = None
        self._marked: frozenset[tuple[str, int]] = frozenset()
        self._renderer: DiffRenderer | None = None
        self._tall = 0
        self._margin: Margin | None = None

    def set_message(self, text: str) -> None:
        """Show a message where there is nothing to show."""
        if text != self._empty:
            self._empty = text
            self.refresh()

    # -- how it looks ----------------------------------------------------------------------------

    @property
    def is_split(self) -> bool:
        """True when old and new are side by side."""
        return self._document.is_split

    @property
    def shows_numbers(self) -> bool:
        """True when line numbers are shown."""
        return self._options.numbers

    @property
    def wraps(self) -> bool:
        """True when long lines are wrapped."""
        return self._options.wrap

    @property
    def shows_whitespace(self) -> bool:
        """True when spaces and tabs are drawn."""
        return self._options.whitespace

    def toggle_numbers(self) -> None:
        """Show or hide line numbers."""
        self._options = replace(self._options, numbers=not self._options.numbers)
        self.repaint()

    def toggle_whitespace(self) -> None:
        """Show or hide spaces and tabs."""
        self._options = replace(self._options, whitespace=not self._options.whitespace)
        self.repaint()

    def set_margin(self, margin: Margin | None) -> None:
        """Show facts beside the lines of a file."""
        self._margin = margin
        self.repaint()

    @property
    def margin_cells(self) -> int:
        """How wide the margin is."""
        return sum(width + 1 for width in self._margin.widths) if self._margin is not None else 0

    # -- where things are ------------------------------------------------------------------------

    def reveal(self, position: int) -> None:
        """Scroll as little as needed to see a line with some others around it."""
        height = self.size.height
        if not height:
            return  # not on screen yet
        margin = min(3, height // 4)
        top = self.scroll_offset.y
        if position < top + margin:
            self.scroll_to(y=max(0, position - margin), animate=False, force=True)
        elif position > top + height - 1 - margin:
            self.scroll_to(y=position - height + 1 + margin, animate=False, force=True)

    def column_of_match(self, position: int) -> int | None:
        """How far to scroll sideways for the first match of a line; None where it need not be."""
        sheet, renderer = self._document, self._current_renderer()
        if position >= sheet.height or (sheet.wrap and not sheet.is_split):
            return None
        row = sheet.rows[sheet.row_at(position)]
        spans = spans_of(row.text, sheet.wanted) if sheet.wanted else row.matches
        if not row.is_line or not spans:
            return None
        seen = self.text_size.width
        room = seen - renderer.gutter_cells - self.margin_cells
        if sheet.is_split:
            room = self._half(seen) - renderer.half_gutter_cells
        line = renderer.line_of(row)
        start, end = (cells_before(line.text, line.offset(at)) for at in spans[0])
        left = self.scroll_offset.x
        if room < 1 or left <= start < end < left + room:
            return None
        if end < room:
            return 0
        return max(0, start - room // 3) if len(row.text) > _LONG else None

    def spot(self, x: int, position: int) -> Spot:
        """The row and the character of its text under a cell."""
        renderer = self._current_renderer()
        number, column = self._document.row_at(position), x - renderer.gutter_cells - self.margin_cells
        if self._document.is_split and self._document.pairs[position].heading is None:
            pair, half = self._document.pairs[position], self._half(self.text_size.width)
            side = pair.left if x <= half else pair.right
            number = number if side is None else side
            column = x - renderer.half_gutter_cells - (half + 1 if x > half else 0)
        column = max(
            0, column + self.scroll_offset.x + self._document.part_at(position) * self._document.wrap
        )
        text = renderer.line_of(self._document.rows[number]).text
        return Spot(number, within_cells(text, column, column)[0])

    @property
    def selected_text(self) -> str:
        """What was selected with the mouse, as the repository has it; empty when nothing was."""
        return (
            self._selection.text(self._document.rows, self._current_renderer().line_of)
            if self._selection
            else ""
        )

    # -- drawing ---------------------------------------------------------------------------------

    def repaint(self) -> None:
        """Measure and draw everything again: what is shown, or how, changed."""
        self._measure()
        self.redraw()

    def redraw(self) -> None:
        """Draw all lines again; where there are none and were none, nothing changes."""
        self._drawn.clear()
        tall = max(self._tall, self._document.height, _MESSAGE_LINE + 1) - self.scroll_offset.y
        self._tall = self._document.height
        size = self.size
        self.refresh(Region(0, 0, size.width, max(0, min(tall, size.height))))

    def _measure(self) -> None:
        renderer, seen = self._current_renderer(), self.text_size.width
        widest = min(_WIDEST, self._document.widest)
        width = widest + renderer.gutter_cells + self.margin_cells
        if self._document.wrap and not self._document.is_split:
            width = 0
        if self._document.is_split:  # both halves are cut at the same position
            width = seen + max(0, widest + renderer.half_gutter_cells - self._half(seen))
        self.set_scroll_size(width if width > seen else 0, self._document.height)

    def _current_renderer(self) -> DiffRenderer:
        if self._renderer is None or not self._renderer.suits(self._options, self._document.digits):
            self._renderer = DiffRenderer(self.component_style, self._options, self._document.digits)
        return self._renderer

    def notify_style_update(self) -> None:
        """Take the colours of a new theme."""
        super().notify_style_update()
        self._renderer = None

    def on_resize(self) -> None:
        """Measure again, and keep the cursor in view."""
        self._drawn.clear()
        self._measure()
        self.reveal(self._cursor)

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """Draw the lines cut at another column."""
        super().watch_scroll_x(old_value, new_value)
        self._drawn.clear()

    def draw(self, position: int, width: int) -> Strip:
        """One line of the diff, or of the empty space below it."""
        sheet, renderer = self._document, self._current_renderer()
        if position >= sheet.height:
            if position == _MESSAGE_LINE and self._empty and not sheet.height:
                return Strip(
                    [Segment(fit(f"  {self._empty}", width), self.component_style("diff--remark"))], width
                )
            return Strip.blank(width, renderer.blank)
        here, number = position == self._cursor, sheet.row_at(position)
        if not sheet.rows[number].is_line:
            row = sheet.rows[number]
            of = sheet.hits[row.hit]
            is_marked = row.kind is RowKind.HUNK and (of.commit.sha, of.hunk) in self._marked
            return renderer.heading(row, width, here=here, marked=is_marked)
        left = self.scroll_offset.x
        if self._margin is not None:
            return self._with_margin(self._margin, position, width)
        if not sheet.is_split:
            if sheet.wrap:
                part = sheet.part_at(position)
                return renderer.wrapped(self._styled_row(number), width, part, sheet.wrap, here=here)
            return renderer.line(self._styled_row(number), width, left, here=here)
        pair, half = sheet.pairs[position], self._half(width)
        old = self._styled_row(pair.left) if pair.left is not None else None
        new = self._styled_row(pair.right) if pair.right is not None else None
        return Strip.join(
            [
                renderer.half(old, half, left, is_old=True, here=here),
                renderer.rule,
                renderer.half(new, width - half - 1, left, is_old=False, here=here),
            ]
        )

    def _with_margin(self, margin: Margin, position: int, width: int) -> Strip:
        """A line of a file with what stands beside it."""
        sheet, renderer = self._document, self._current_renderer()
        here, number, part = position == self._cursor, sheet.row_at(position), sheet.part_at(position)
        line = sheet.rows[number].new
        facts = margin.facts.get(line, ()) if line is not None and not part else ()
        room = width - self.margin_cells
        beside = renderer.margin(facts or ("",) * len(margin.widths), margin.widths, here=here)
        styled = self._styled_row(number)
        if sheet.wrap:
            return Strip.join([beside, renderer.wrapped(styled, room, part, sheet.wrap, here=here)])
        return Strip.join([beside, renderer.line(styled, room, self.scroll_offset.x, here=here)])

    def _styled_row(self, number: int) -> StyledRow:
        """A row with everything that is drawn on it."""
        row = self._document.rows[number]
        selected = None
        if self._selection is not None:
            selected = self._selection.stretch(number, len(self._current_renderer().line_of(row).text))
        found = tuple(spans_of(row.text, self._document.wanted)) if self._document.wanted else ()
        colours, partner = self._document.colours.of(number), self._document.partner(number)
        return StyledRow(row, colours, partner, selected, found)

    @staticmethod
    def _half(width: int) -> int:
        """How many cells the old side takes."""
        return max(1, (width - 1) // 2)
