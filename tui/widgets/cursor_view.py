"""Moves about in a diff: a line cursor, by keys and by mouse, and the line under it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.message import Message

from tui.actions import Scope, bindings
from tui.diff.document import following, preceding
from tui.diff.rows import RowKind
from tui.diff.selection import Selection
from tui.widgets.diff_canvas import DiffCanvas

if TYPE_CHECKING:
    from textual import events
    from textual.binding import BindingType

    from ohara.model import Hit

_SIDEWAYS = 12


@dataclass(frozen=True, slots=True)
class SelectedLine:
    """The line under the cursor: of which hit, on which side, with which number and raw text."""

    hit: Hit
    is_old: bool
    line: int
    text: str


class CursorView(DiffCanvas, inherit_bindings=False):
    """A diff with a line cursor; with the focus, keys that move elsewhere move it."""

    SCOPE: ClassVar[Scope] = Scope.READING
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.READING)]

    class HitReached(Message, namespace="diff_view"):
        """The cursor came to another hunk; `number` counts the hunks that are shown."""

        def __init__(self, view: CursorView, number: int) -> None:
            super().__init__()
            self.view = view
            self.number = number

        @property
        def control(self) -> CursorView:
            """The view it happened in."""
            return self.view

    class LineChosen(Message, namespace="diff_view"):
        """A line was double-clicked."""

        def __init__(self, view: CursorView, line: SelectedLine) -> None:
            super().__init__()
            self.view = view
            self.line = line

        @property
        def control(self) -> CursorView:
            """The view it happened in."""
            return self.view

    class CursorMoved(Message, namespace="diff_view"):
        """The cursor came to another line."""

        def __init__(self, view: CursorView) -> None:
            super().__init__()
            self.view = view

        @property
        def control(self) -> CursorView:
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
        self.call_after_refresh(self._keep_cursor_in_view)

    def scroll_sideways(self, steps: int) -> None:
        """Scroll to the left or to the right."""
        self.scroll_relative(x=steps * _SIDEWAYS, animate=False, force=True)

    def move_cursor(self, to: int) -> None:
        """Put the line cursor on a row, which is brought into view."""
        before, left = self._hit_here(), self._cursor
        self._cursor = max(0, min(to, self._document.height - 1))
        self.reveal(self._cursor)
        self.redraw_lines(left, self._cursor)
        if self._cursor != left and self._margin is not None:
            self.post_message(self.CursorMoved(self))
        after = self._hit_here()
        if after != before and after is not None:
            self.post_message(self.HitReached(self, after))

    def move_page(self, pages: int) -> None:
        """Move the cursor by screens."""
        self.move_cursor(self._cursor + pages * max(1, self.size.height - 2))

    def move_to_last(self) -> None:
        """Move the cursor to the last line."""
        self.move_cursor(self._document.height - 1)

    def next_match(self) -> bool:
        """Go to the next match, or to the first after the last; false when there is none."""
        return self._go_to_mark(following(self._document.marks, self._cursor))

    def previous_match(self) -> bool:
        """Go to the previous match, or to the last before the first; false when there is none."""
        return self._go_to_mark(preceding(self._document.marks, self._cursor))

    def next_hunk(self) -> bool:
        """Go to the next hunk."""
        return self._go(following(self._document.headings(RowKind.HUNK), self._cursor))

    def previous_hunk(self) -> bool:
        """Go to the previous hunk."""
        return self._go(preceding(self._document.headings(RowKind.HUNK), self._cursor))

    def go_to_hit(self, number: int) -> bool:
        """Put the beginning of one of the hunks at the top; false when it is not shown."""
        position = self._document.start_of(number)
        if position is None:
            return False
        self.move_cursor(position)
        self.scroll_to(y=position, animate=False, force=True)
        return True

    def go_to_line(self, path: str, line: int) -> bool:
        """Go to a line of the new version of a file; false when it is not shown."""
        for number, row in enumerate(self._document.rows):
            if row.new == line and self._document.hits[row.hit].path == path:
                self.move_cursor(self._document.position_of(number))
                return True
        return False

    def _go(self, position: int | None) -> bool:
        if position is None:
            return False
        self.move_cursor(position)
        return True

    def _go_to_mark(self, position: int | None) -> bool:
        went = self._go(position)
        if went:
            self.reveal_match()
        return went

    def reveal_match(self) -> None:
        """Scroll sideways to the match in a long line under the cursor."""
        x = self.column_of_match(self._cursor)
        if x is not None:
            self.scroll_to(x=x, animate=False, force=True)

    def _keep_cursor_in_view(self) -> None:
        """Keep the cursor on screen after the view was scrolled."""
        top, height = self.scroll_offset.y, max(1, self.size.height)
        inside = max(top, min(self._cursor, top + height - 1))
        if inside != self._cursor:
            left, self._cursor = self._cursor, min(inside, max(0, self._document.height - 1))
            self.redraw_lines(left, self._cursor)

    # -- the line under the cursor, and the selection --------------------------------------------

    @property
    def cursor(self) -> int:
        """The position of the line cursor, counted from the top of the diff."""
        return self._cursor

    @property
    def selected_line(self) -> SelectedLine | None:
        """The line under the cursor; None on a heading."""
        if self._cursor >= self._document.height:
            return None
        row = self._document.rows[self._document.row_at(self._cursor)]
        line = row.old if row.new is None else row.new
        if not row.is_line or line is None:
            return None
        return SelectedLine(self._document.hits[row.hit], row.new is None, line, row.text)

    def _hit_here(self) -> int | None:
        if self._cursor >= self._document.height:
            return None
        return self._document.rows[self._document.row_at(self._cursor)].hit

    # -- the mouse -------------------------------------------------------------------------------

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Put the cursor on the line and begin a selection."""
        position = self.scroll_offset.y + int(event.y)
        if event.button == 1 and position < self._document.height:
            spot = self.spot(int(event.x), position)
            self._selection = Selection(spot, spot)
            self.capture_mouse()
            self.move_cursor(position)
            self.redraw()  # what was selected before

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Extend the selection."""
        if self._selection is None or self.app.mouse_captured is not self:
            return
        position = max(0, min(self.scroll_offset.y + int(event.y), self._document.height - 1))
        self._selection = Selection(self._selection.anchor, self.spot(int(event.x), position))
        self.redraw()

    def on_mouse_up(self) -> None:
        """End the selection."""
        self.release_mouse()

    def on_mouse_scroll_down(self) -> None:
        """Keep the cursor in view."""
        self.call_after_refresh(self._keep_cursor_in_view)

    def on_mouse_scroll_up(self) -> None:
        """Keep the cursor in view."""
        self.call_after_refresh(self._keep_cursor_in_view)

    def on_click(self, event: events.Click) -> None:
        """Choose the line that was clicked twice."""
        line = self.selected_line
        if event.chain == 2 and line is not None:
            self.post_message(self.LineChosen(self, line))
