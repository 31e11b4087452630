"""A diff of any length to move about in: which hunks, with how much around them, and where one stands.

`show` takes hits as they come from the service. Everything about lines (numbers, pairs, matches, context) is
computed by `tui.diff` and drawn by `SheetView`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from ohara.errors import OharaError
from ohara.model import Hit
from tui.diff.context import Framing, Lines, missing
from tui.diff.sheet import Sheet
from tui.widgets.walkedview import WalkedView

if TYPE_CHECKING:
    from tui.widgets.brush import Look

# Gives lines of a file at a hit's commit, first to last, 1-based and inclusive.
Surroundings: TypeAlias = Callable[[Hit, int, int], Awaitable[Sequence[str]]]

_CONTEXT_STEP = 4
_MOST_CONTEXT = 400
_FETCHED_NEAR = (
    15  # hunks before and after the cursor for which lines are fetched; a commit may have thousands
)


class DiffView(WalkedView):
    """Shows hunks as a unified or split diff."""

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

    @property
    def selected_hit(self) -> Hit | None:
        """The hunk under the cursor."""
        here = self._hit_here()
        return None if here is None else self._framing.given[here]
