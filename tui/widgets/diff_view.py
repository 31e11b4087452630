"""A diff of any length: which hunks it shows, with how many lines around them, unified or side by side.

`show` takes hits as they come from the service. Everything about lines (numbers, pairs, matches, context) is
computed by `tui.diff` and drawn by `DiffCanvas`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from ohara.errors import OharaError
from ohara.long_lines import is_cut
from ohara.model import Hit
from tui.diff.context import ContextWindow, Lines, missing
from tui.diff.document import DiffDocument
from tui.widgets.colour_reader import ColourReader
from tui.widgets.cursor_view import CursorView

if TYPE_CHECKING:
    from tui.diff.rows import Row
    from tui.widgets.diff_renderer import DiffOptions

# Gives lines of a file at a hit's commit, first to last, 1-based and inclusive.
LinesAround: TypeAlias = Callable[[Hit, int, int], Awaitable[Sequence[str]]]

_CONTEXT_STEP = 4
_LEAST_WRAP = 20
_LINES_BELOW = 6  # seen after the line that reading begins at
_MOST_CONTEXT = 400
_FETCHED_NEAR = (
    15  # hunks before and after the cursor for which lines are fetched; a commit may have thousands
)


class DiffView(CursorView):
    """Shows hunks as a unified or split diff."""

    def __init__(
        self,
        *,
        lines_around: LinesAround | None = None,
        options: DiffOptions | None = None,
        is_split: bool = False,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(options=options, is_split=is_split, id=id)
        self.lines_around = lines_around
        self._window = ContextWindow()
        self._head: tuple[Row, ...] = ()
        self._section = ""
        self._wanted = ""
        self._was_shown_unseen = False
        self._colours = ColourReader(self)

    # -- what is shown ---------------------------------------------------------------------------

    def show(
        self, hits: Sequence[Hit] | Hit, *, keep_position: bool = False, head: Sequence[Row] = ()
    ) -> None:
        """Show these hunks below a head, from the first match or change unless the position is to be kept."""
        self._wanted = ""
        self._head, self._section = tuple(head), ""
        given = (hits,) if isinstance(hits, Hit) else tuple(hits)
        self._selection = None
        self._window = ContextWindow(given, self._window.context if keep_position else None)
        self._lay_out()
        if keep_position:
            return
        self._cursor = self._document.opening()
        seen = self._cursor < self.size.height - _LINES_BELOW
        top = 0 if seen else max(0, self._cursor - self.size.height // 3)
        self.scroll_to(0, top, animate=False, force=True)
        self._was_shown_unseen = not self.size
        self.reveal_match()

    def adopt(self, hit: Hit) -> None:
        """Take a hit of the same lines for the one that is shown; nothing is drawn for it."""
        self._window = replace(self._window, given=(hit, *self._window.given[1:]))

    def complete(self, hit: Hit, others: Sequence[Hit], *, head: Sequence[Row], section: str) -> None:
        """Show the whole of the hit that is shown, and others below it, without moving."""
        self._head, self._section = tuple(head), section
        self.set_hits((hit, *others))

    def set_hits(self, hits: Sequence[Hit]) -> None:
        """Show more of the same hunks, without moving."""
        self._window = replace(self._window, given=tuple(hits))
        self._lay_out()

    def clear(self) -> None:
        """Show nothing."""
        self.show(())

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The hunks that are shown."""
        return self._window.given

    def toggle_split(self) -> None:
        """Show the diff unified, or old and new side by side; the cursor stays on its line."""
        self._lay_out(is_split=not self._document.is_split)

    def toggle_wrap(self) -> None:
        """Wrap long lines, or cut them."""
        self._options = replace(self._options, wrap=not self._options.wrap)
        self.scroll_to(x=0, animate=False, force=True)
        self._lay_out()
        self.reveal_match()

    def on_resize(self) -> None:
        """Wrap lines at the new width, and go to the match in what was given before there was any."""
        if self._options.wrap:
            self._lay_out()
        if self._was_shown_unseen and self.size:
            self._was_shown_unseen = False
            self.reveal_match()

    def _wrap_cells(self) -> int:
        """How many cells of a line stand before it goes on in the next; 0 where lines are cut."""
        if not self._options.wrap:
            return 0
        taken = self._current_renderer().gutter_cells + self.margin_cells
        return max(_LEAST_WRAP, self.text_size.width - taken)

    @property
    def wanted(self) -> str:
        """The text that is looked for."""
        return self._wanted

    @property
    def found(self) -> list[int]:
        """Where the text that is looked for stands."""
        return self._document.found

    @property
    def lines_found(self) -> int:
        """How many lines hold the text that is looked for."""
        return self._document.lines_found

    @property
    def cut_lines(self) -> int:
        """How many lines are too long to be here whole."""
        return sum(is_cut(row.sign + row.text) for row in self._document.rows if row.is_line)

    def look_for(self, text: str) -> None:
        """Mark a text wherever it stands, and go to the first place from here on; no text, none."""
        self._wanted = text
        self._document = replace(self._document, wanted=text)
        self.redraw()
        places = self._document.found
        if places and self._cursor not in places:
            self.next_match()

    def mark(self, marked: frozenset[tuple[str, int]]) -> None:
        """Show which hunks are marked, by sha and hunk."""
        self._marked = marked
        self.redraw()

    def _lay_out(self, *, is_split: bool | None = None) -> None:
        """Compute everything that depends on which hunks are shown, how much of them and in which form."""
        before = self._document
        cursor_row = before.rows[before.row_at(self._cursor)] if self._cursor < before.height else None
        split = before.is_split if is_split is None else is_split
        self._document = DiffDocument(
            self._window.shown(),
            split,
            self._colours.known,
            self._head,
            self._section,
            self._wrap_cells(),
            self._wanted,
            self._options.one_number,
        )
        same = self._document.same_row(cursor_row) if cursor_row is not None else None
        self._cursor = (
            self._document.moved_to(same, before, self._cursor)
            if same is not None
            else max(0, min(self._cursor, self._document.height - 1))
        )
        self.repaint()
        self.reveal(self._cursor)
        self._colours.look_soon()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Read the colours of what comes into view."""
        super().watch_scroll_y(old_value, new_value)
        self._colours.look_soon()

    def seen_hits(self) -> list[Hit]:
        """The hunks of which something is on screen, as they were given."""
        top, document = self.scroll_offset.y, self._document
        seen = range(top, min(document.height, top + self.size.height))
        numbers = dict.fromkeys(document.rows[document.row_at(at)].hit for at in seen)
        return [self._window.given[number] for number in numbers]

    # -- context ---------------------------------------------------------------------------------

    def less_context(self) -> None:
        """Show fewer unchanged lines around changes."""
        self._window = replace(self._window, context=max(0, self._window.lines() - _CONTEXT_STEP))
        self._lay_out()

    def more_context(self) -> None:
        """Show more unchanged lines around changes; those that are not here yet are fetched."""
        context = min(_MOST_CONTEXT, self._window.lines() + _CONTEXT_STEP)
        self._window = replace(self._window, context=context)
        self._lay_out()
        if self.lines_around is not None:
            self.run_worker(self._fetch(self.lines_around), exclusive=True, group="surroundings")

    async def _fetch(self, lines_around: LinesAround) -> None:
        given, here = self._window.given, self._hit_here() or 0
        near = range(max(0, here - _FETCHED_NEAR), min(len(given), here + _FETCHED_NEAR + 1))
        found: dict[int, Lines] = {}
        for number in near:
            wanted = missing(given[number], self._window.lines())
            if wanted is None:
                continue
            try:
                found[number] = Lines(wanted[0], tuple(await lines_around(given[number], *wanted)))
            except OharaError as error:
                self.notify(error.message, severity="warning", markup=False)
                return
        if self._window.given is given:
            self._window = replace(self._window, around={**self._window.around, **found})
            self._lay_out()

    @property
    def selected_hit(self) -> Hit | None:
        """The hunk under the cursor."""
        here = self._hit_here()
        return None if here is None else self._window.given[here]
