"""From a line of a diff to where it came from: blame, its history, and more of the file around it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ohara.errors import OharaError
from tui.places import CommitPlace, HistoryPlace
from tui.screens.carrying import CarryingActions
from tui.working import begin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import Hit
    from tui.widgets.diffview import DiffView
    from tui.widgets.walkedview import SelectedLine

_NO_LINE = "Choose a line of the diff first: click it, or go to it with J and K."


class TracingActions(CarryingActions):
    """A screen with a diff whose lines can be traced."""

    @property
    def repository(self) -> str:
        """The repository that is shown."""
        return self.ohara.repository

    def trace_lines(self) -> None:
        """Let the diff ask for more of its files."""
        self.diff.surroundings = self._surroundings

    async def _surroundings(self, hit: Hit, first: int, last: int) -> Sequence[str]:
        return await self.ohara.link.lines(self.repository, hit.commit.sha, hit.path, first, last)

    def on_diff_view_line_chosen(self, event: DiffView.LineChosen) -> None:
        """Open the history of a line that was clicked twice."""
        self._open_line(event.line)

    def action_line_history(self) -> None:
        """Open the history of the line under the cursor."""
        self._open_line(self.diff.selected_line)

    def _open_line(self, line: SelectedLine | None) -> None:
        from tui.tracing import trace_of_line

        trace = trace_of_line(line) if line is not None else None
        if line is None or trace is None:
            self.notify(_NO_LINE, timeout=3)
            return
        from tui.screens.history import HistoryScreen

        place = HistoryPlace(self.repository, line.hit, trace)
        self.ohara.arrive(place)
        self.app.push_screen(HistoryScreen(place))

    def action_blame(self) -> None:
        """Go to the commit that last touched the line under the cursor."""
        line = self.diff.selected_line
        if line is None:
            self.notify(_NO_LINE, timeout=3)
            return
        begin(self, partial(self._blame, line), group="blame", exclusive=True)

    async def _blame(self, line: SelectedLine) -> None:
        """Ask who touched the line; one that was touched right here is followed to the parent."""
        from tui.tracing import trace_of_line

        trace = trace_of_line(line)
        if trace is None:
            self.notify("This is the first commit: nothing is older.", timeout=3)
            return
        link, here = self.ohara.link, line.hit.commit.sha
        try:
            origin = await link.blame(self.repository, trace.commit, trace.path, trace.first)
            if origin.commit.sha == here:
                before = origin.before
                if before is None or not origin.was_there:
                    self.notify("This line began here: nothing older stands in its place.", timeout=4)
                    return
                origin = await link.blame(self.repository, before.sha, before.path, before.line)
        except OharaError as error:
            self.notify(error.message, severity="warning", markup=False)
            return
        from tui.screens.commit import CommitScreen

        place = CommitPlace(self.repository, origin.commit.sha, line=(origin.place.path, origin.place.line))
        self.ohara.arrive(place)
        self.app.push_screen(CommitScreen(place))

    def show_in_pager(self, sha: str) -> None:
        """Read a commit in git's own pager."""
        from tui.outside import run_in_terminal, show_command

        complaint = run_in_terminal(self.app, show_command(self.repository, sha))
        if complaint:
            self.notify(complaint, severity="warning", markup=False)
