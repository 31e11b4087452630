"""Opens what is visited, notes it, and goes back and forward through it as a browser does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.visits import (
    CommitVisit,
    CompareVisit,
    ExplainVisit,
    FileVisit,
    HistoryVisit,
    SearchVisit,
    Visits,
)

if TYPE_CHECKING:
    from tui.app import OharaApp
    from tui.visits import Visit


class Visited:
    """The visits of one session."""

    def __init__(self, app: OharaApp) -> None:
        self._app = app
        self._visits = Visits()

    def record(self, visit: Visit) -> None:
        """Add a visit; the same search again only changes what was selected in it."""
        current = self._visits.current
        same_search = (
            isinstance(visit, SearchVisit)
            and isinstance(current, SearchVisit)
            and (visit.repository, visit.draft) == (current.repository, current.draft)
        )
        self._visits = self._visits.update(visit) if same_search else self._visits.add(visit)

    def open(self, visit: Visit) -> None:
        """Visit something, and note it."""
        self.record(visit)
        self._show(visit)

    def back(self) -> None:
        """Go back to what was visited before."""
        self._walk(self._visits.back())

    def forward(self) -> None:
        """Go forward again."""
        self._walk(self._visits.forward())

    def _walk(self, visits: Visits | None) -> None:
        if visits is None or visits.current is None:
            self._app.notify("Nothing further in this direction.", timeout=2)
            return
        self._visits = visits
        self._app.leave_screens()
        self._show(visits.current)

    def _show(self, visit: Visit) -> None:
        match visit:
            case SearchVisit():
                self._app.search.history.restore(visit)
                self._app.search.results.focus()
            case CommitVisit():
                from tui.screens.commit import CommitScreen

                self._app.push_screen(CommitScreen(visit))
            case HistoryVisit():
                from tui.screens.history import HistoryScreen

                self._app.push_screen(HistoryScreen(visit))
            case ExplainVisit():
                from tui.screens.explain import ExplainScreen

                self._app.push_screen(ExplainScreen(visit))
            case FileVisit():
                from tui.screens.file import FileScreen

                self._app.push_screen(FileScreen(visit))
            case CompareVisit():
                from tui.screens.compare import CompareScreen

                self._app.push_screen(CompareScreen(visit))
