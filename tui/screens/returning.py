"""Coming back to what was asked before: queries of this repository, and searches that were left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.asking import Asking, read
from tui.places import SearchPlace
from tui.screens.taking import HitActions

if TYPE_CHECKING:
    from tui.widgets.querybar import QueryInput


class ReturningActions(HitActions):
    """A screen that remembers what was asked in it."""

    def __init__(self) -> None:
        super().__init__()
        self._wanted: tuple[str, tuple[str, int]] | None = None
        self._recalled = -1
        self._recall = Asking()

    if TYPE_CHECKING:  # what the screen itself brings

        def turn_to(self, repository: str, source: str = "") -> None:
            """Search another repository."""

    def read(self, source: str) -> Asking:
        """A whole query as it stands in the bar."""
        return read(source, now=int(self.ohara.clock()))

    # -- queries ---------------------------------------------------------------------------------

    def on_query_input_recalled(self, event: QueryInput.Recalled) -> None:
        """Take an older or newer query of this repository."""
        recent = self.ohara.session.recent(self.finder.state.repository)
        self._recalled = max(-1, min(self._recalled - event.by, len(recent) - 1))
        self._recall = self.read(recent[self._recalled] if self._recalled >= 0 else "")
        self.bar.show(self._recall)

    def asks_anew(self, asking: Asking) -> None:
        """Begin the way through old queries anew when something was typed."""
        if asking != self._recall:
            self._recalled = -1

    # -- visits ----------------------------------------------------------------------------------

    def record(self) -> None:
        """Note this search as visited and as asked."""
        state, hit = self.finder.state, self.selected
        self.ohara.asked(state.repository, state.source)
        here = (hit.commit.sha, hit.hunk) if hit else None
        self.ohara.arrive(SearchPlace(state.repository, self.bar.asking, self.by_date, here))

    def restore(self, place: SearchPlace) -> None:
        """Be again where one was."""
        self.by_date = place.by_date
        if place.repository != self.finder.state.repository:
            self.turn_to(place.repository)
        self._wanted = (place.asking.source, place.selected) if place.selected else None
        if place.asking == self.bar.asking:
            self.select_wanted()
        else:
            self.bar.show(place.asking)
            self.ask()

    def select_wanted(self) -> None:
        """Go to the hit that was left, once the answer that holds it is there."""
        if self._wanted is None or self._wanted[0] != self.finder.state.source:
            return
        for at, hit in enumerate(self.results.hits):
            if (hit.commit.sha, hit.hunk) == self._wanted[1]:
                self._wanted = None
                self.results.move_to(at)
                return
