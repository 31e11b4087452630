"""A diff of any length to move about in: which hunks, with how much around them, and where one stands.

`show` takes hits as they come from the service. Everything about lines (numbers, pairs, matches, context) is
computed by `tui.diff` and drawn by `SheetView`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from textual.message import Message

from ohara.errors import OharaError
from ohara.model import Hit
from tui.diff.context import Framing, Lines, missing
from tui.diff.rows import RowKind
from tui.diff.seek import following, preceding
from tui.diff.selection import Selection
from tui.diff.sheet import Sheet
from tui.widgets.sheetview import SheetView

if TYPE_CHECKING:
    from textual import events

    from tui.widgets.brush import Look

# Gives lines of a file at a hit's commit, first to last, 1-based and inclusive.
Surroundings: TypeAlias = Callable[[Hit, int, int], Awaitable[Sequence[str]]]

_CONTEXT_STEP = 4
_MOST_CONTEXT = 400
_FETCHED_NEAR = (
    15  # hunks before and after the cursor for which lines are fetched; a commit may have thousands
)
_SIDEWAYS = 12


@dataclass(frozen=True, slots=True)
class SelectedLine:
    """The line under the cursor: of which hit, on which side, with which number and raw text."""

    hit: Hit
    is_old: bool
    line: int
    text: str


class DiffView(SheetView):
    """Shows hunks as a unified or split diff."""

    class HitReached(Message):
        """The cursor came to another hunk; `number` counts the hunks that are shown."""

        def __init__(self, view: DiffView, number: int) -> None:
            super().__init__()
            self.view = view
            self.number = number

        @property
        def control(self) -> DiffView:
            """The view it happened in."""
            return self.view

    class LineChosen(Message):
        """Somebody double-clicked a line."""

        def __init__(self, view: DiffView, line: SelectedLine) -> None:
            super().__init__()
            self.view = view
            self.line = line

        @property
        def control(self) -> DiffView:
            """The view it happened in."""
            return self.view

    def __init__(
        self,
        *,
        surroundings: Surroundings | None = None,
        look: Look | None = None,
        is_split: bool = False,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(look=look, is_split=is_split, id=id)
        self.surroundings = surroundings
        self._framing = Framing()

    # -- what is shown ---------------------------------------------------------------------------

    def show(self, hits: Sequence[Hit] | Hit, *, keep_place: bool = False) -> None:
        """Show these hunks, from the first match or change unless the place is to be kept."""
        given = (hits,) if isinstance(hits, Hit) else tuple(hits)
        self._selection = None
        self._framing = Framing(given, self._framing.context if keep_place else None)
        self._lay_out()
        if keep_place:
            return
        self._cursor = self._sheet.opening()
        self.scroll_to(0, 0, animate=False, force=True)
        self.reveal(self._cursor)

    def adopt(self, hit: Hit) -> None:
        """Take a hit of the same lines for the one that is shown; nothing is drawn for it."""
        self._framing = replace(self._framing, given=(hit,))

    def extend(self, hits: Sequence[Hit]) -> None:
        """Show more hunks below, without moving."""
        self._framing = replace(self._framing, given=(*self._framing.given, *hits))
        self._lay_out()

    def clear(self) -> None:
        """Show nothing."""
        self.show(())

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The hunks that are shown."""
        return self._framing.given

    @property
    def match_count(self) -> int:
        """How many lines hold a match."""
        return len(self._sheet.matches)

    def toggle_split(self) -> None:
        """Show the diff unified, or old and new side by side; the cursor stays on its line."""
        self._lay_out(is_split=not self._sheet.is_split)

    def _lay_out(self, *, is_split: bool | None = None) -> None:
        """Compute everything that depends on which hunks are shown, how much of them and in which form."""
        before = self._sheet
        standing = before.rows[before.row_at(self._cursor)] if self._cursor < before.height else None
        split = before.is_split if is_split is None else is_split
        self._sheet = Sheet(self._framing.shown(), split)
        same = self._sheet.same_row(standing) if standing is not None else None
        self._cursor = (
            self._sheet.place_of(same)
            if same is not None
            else max(0, min(self._cursor, self._sheet.height - 1))
        )
        self.repaint()
        self.reveal(self._cursor)

    # -- context ---------------------------------------------------------------------------------

    def less_context(self) -> None:
        """Show fewer unchanged lines around changes."""
        self._framing = replace(self._framing, context=max(0, self._framing.now() - _CONTEXT_STEP))
        self._lay_out()

    def more_context(self) -> None:
        """Show more unchanged lines around changes; they are fetched where they are not at hand."""
        context = min(_MOST_CONTEXT, self._framing.now() + _CONTEXT_STEP)
        self._framing = replace(self._framing, context=context)
        self._lay_out()
        if self.surroundings is not None:
            self.run_worker(self._fetch(self.surroundings), exclusive=True, group="surroundings")

    async def _fetch(self, surroundings: Surroundings) -> None:
        given, here = self._framing.given, self._hit_here() or 0
        near = range(max(0, here - _FETCHED_NEAR), min(len(given), here + _FETCHED_NEAR + 1))
        found: dict[int, Lines] = {}
        for number in near:
            wanted = missing(given[number], self._framing.now())
            if wanted is None:
                continue
            try:
                found[number] = Lines(wanted[0], tuple(await surroundings(given[number], *wanted)))
            except OharaError as error:
                self.notify(error.message, severity="warning", markup=False)
                return
        if self._framing.given is given:
            self._framing = replace(self._framing, around={**self._framing.around, **found})
            self._lay_out()

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

    @property
    def selected_hit(self) -> Hit | None:
        """The hunk under the cursor."""
        here = self._hit_here()
        return None if here is None else self._framing.given[here]

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
