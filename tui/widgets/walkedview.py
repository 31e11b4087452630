"""Moves about in a diff that is laid out: a line cursor, by keys and by mouse, and what stands under it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from tui.diff.rows import RowKind
from tui.diff.seek import following, preceding
from tui.diff.selection import Selection
from tui.widgets.sheetview import SheetView

if TYPE_CHECKING:
    from textual import events

    from ohara.model import Hit

_SIDEWAYS = 12


@dataclass(frozen=True, slots=True)
class SelectedLine:
    """The line under the cursor: of which hit, on which side, with which number and raw text."""

    hit: Hit
    is_old: bool
    line: int
    text: str


class WalkedView(SheetView):
    """A sheet to walk about in."""

    class HitReached(Message, namespace="diff_view"):
        """The cursor came to another hunk; `number` counts the hunks that are shown."""

        def __init__(self, view: WalkedView, number: int) -> None:
            super().__init__()
            self.view = view
            self.number = number

        @property
        def control(self) -> WalkedView:
            """The view it happened in."""
            return self.view

    class LineChosen(Message, namespace="diff_view"):
        """Somebody double-clicked a line."""

        def __init__(self, view: WalkedView, line: SelectedLine) -> None:
            super().__init__()
            self.view = view
            self.line = line

        @property
        def control(self) -> WalkedView:
            """The view it happened in."""
            return self.view

    # -- moving ----------------------------------------------------------------------------------

    def scroll_diff(self, lines: int = 0, pages: float = 0) -> None:
        """Scroll by lines and pages; with the focus, lines move the line cursor and the view follows it."""
        by = lines + round(pages * max(1, self.size.height - 2))
        if self.has_focus and not pages:
            self.move_cursor(self._cursor + by)
            return
        self.scroll_relative(y=by, animate=False, force=True)
        self.call_after_refresh(self._bring_cursor)

    def scroll_sideways(self, steps: int) -> None:
        """Scroll to the left or to the right."""
        self.scroll_relative(x=steps * _SIDEWAYS, animate=False, force=True)

    def move_cursor(self, to: int) -> None:
        """Put the line cursor on a row, which is brought into view."""
        before, left = self._hit_here(), self._cursor
        self._cursor = max(0, min(to, self._sheet.height - 1))
        self.reveal(self._cursor)
        self.redraw_at(left, self._cursor)
        after = self._hit_here()
        if after != before and after is not None:
            self.post_message(self.HitReached(self, after))

    # Keys that Textual gives to everything that scrolls: here they take the line cursor along.

    def action_scroll_down(self) -> None:
        """Go to the next line."""
        self.move_cursor(self._cursor + 1)

    def action_scroll_up(self) -> None:
        """Go to the previous line."""
        self.move_cursor(self._cursor - 1)

    def action_page_down(self) -> None:
        """Go a page down."""
        self.scroll_diff(pages=1)

    def action_page_up(self) -> None:
        """Go a page up."""
        self.scroll_diff(pages=-1)

    def action_scroll_home(self) -> None:
        """Go to the first line."""
        self.move_cursor(0)

    def action_scroll_end(self) -> None:
        """Go to the last line."""
        self.move_cursor(self._sheet.height - 1)

    def next_match(self) -> bool:
        """Go to the next match, or to the first after the last; false when there is none."""
        return self._go(following(self._sheet.matches, self._cursor))

    def previous_match(self) -> bool:
        """Go to the previous match, or to the last before the first; false when there is none."""
        return self._go(preceding(self._sheet.matches, self._cursor))

    def next_hunk(self) -> bool:
        """Go to the next hunk."""
        return self._go(following(self._sheet.headings(RowKind.HUNK), self._cursor))

    def previous_hunk(self) -> bool:
        """Go to the previous hunk."""
        return self._go(preceding(self._sheet.headings(RowKind.HUNK), self._cursor))

    def go_to_hit(self, number: int) -> bool:
        """Put the beginning of one of the hunks at the top; false when it is not shown."""
        place = self._sheet.start_of(number)
        if place is None:
            return False
        self.move_cursor(place)
        self.scroll_to(y=place, animate=False, force=True)
        return True

    def go_to_line(self, path: str, line: int) -> bool:
        """Go to a line of the new version of a file; false when it is not shown."""
        for number, row in enumerate(self._sheet.rows):
            if row.new == line and self._sheet.hits[row.hit].path == path:
                self.move_cursor(self._sheet.place_of(number))
                return True
        return False

    def _go(self, place: int | None) -> bool:
        if place is None:
            return False
        self.move_cursor(place)
        return True

    def _bring_cursor(self) -> None:
        """Keep the cursor on screen after the view was scrolled."""
        top, height = self.scroll_offset.y, max(1, self.size.height)
        inside = max(top, min(self._cursor, top + height - 1))
        if inside != self._cursor:
            left, self._cursor = self._cursor, min(inside, max(0, self._sheet.height - 1))
            self.redraw_at(left, self._cursor)

    # -- the line under the cursor, and the selection --------------------------------------------

    @property
    def cursor(self) -> int:
        """The place of the line cursor, counted from the top of the diff."""
        return self._cursor

    @property
    def selected_line(self) -> SelectedLine | None:
        """The line under the cursor; None on a heading."""
        if self._cursor >= self._sheet.height:
            return None
        row = self._sheet.rows[self._sheet.row_at(self._cursor)]
        line = row.old if row.new is None else row.new
        if not row.is_line or line is None:
            return None
        return SelectedLine(self._sheet.hits[row.hit], row.new is None, line, row.text)

    def _hit_here(self) -> int | None:
        if self._cursor >= self._sheet.height:
            return None
        return self._sheet.rows[self._sheet.row_at(self._cursor)].hit

    # -- the mouse -------------------------------------------------------------------------------

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Put the cursor on the line and begin a selection."""
        place = self.scroll_offset.y + int(event.y)
        if event.button == 1 and place < self._sheet.height:
            spot = self.spot(int(event.x), place)
            self._selection = Selection(spot, spot)
            self.capture_mouse()
            self.move_cursor(place)
            self.redraw()  # what was selected before

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Extend the selection."""
        if self._selection is None or self.app.mouse_captured is not self:
            return
        place = max(0, min(self.scroll_offset.y + int(event.y), self._sheet.height - 1))
        self._selection = Selection(self._selection.anchor, self.spot(int(event.x), place))
        self.redraw()

    def on_mouse_up(self) -> None:
        """End the selection."""
        self.release_mouse()

    def on_mouse_scroll_down(self) -> None:
        """Take the cursor along."""
        self.call_after_refresh(self._bring_cursor)

    def on_mouse_scroll_up(self) -> None:
        """Take the cursor along."""
        self.call_after_refresh(self._bring_cursor)

    def on_click(self, event: events.Click) -> None:
        """Choose the line that was clicked twice."""
        line = self.selected_line
        if event.chain == 2 and line is not None:
            self.post_message(self.LineChosen(self, line))
