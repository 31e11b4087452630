"""The actions that trace a line of a diff: blame, history, and more context from its file."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from ohara import wire
from ohara.errors import OharaError
from tui.visits import CommitVisit, HistoryVisit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import Hit
    from tui.screens.host import Commands, Host
    from tui.widgets.cursor_view import SelectedLine
    from tui.widgets.diff_view import DiffView

_NO_LINE = "Choose a line of the diff first: click it, or go to it with J and K."


class TraceActions:
    """Traces lines of a diff, and fetches more context for it."""

    def __init__(self, host: Host, diff: DiffView) -> None:
        self._host = host
        self._diff = diff
        diff.lines_around = self._lines_around

    def commands(self) -> Commands:
        """Its commands, by action name."""
        return {
            "blame": self.blame,
            "line_history": lambda: open_line(self._host, self._diff.selected_line),
        }

    async def _lines_around(self, hit: Hit, first: int, last: int) -> Sequence[str]:
        return (
            await self._host.ohara.link.send(
                wire.Lines(
                    repo=self._host.repository, commit=hit.commit.sha, path=hit.path, first=first, last=last
                )
            )
        ).lines

    def blame(self) -> None:
        """Go to the commit that last touched the line under the cursor."""
        line = self._diff.selected_line
        if line is None:
            self._host.notify(_NO_LINE, timeout=3)
            return
        self._host.start_worker(partial(self._blame, line), group="blame", exclusive=True)

    async def _blame(self, line: SelectedLine) -> None:
        """Open the commit that last touched the line; a line of this commit is followed to the parent."""
        from tui.trace import trace_of_line

        trace = trace_of_line(line)
        if trace is None:
            self._host.notify("This is the first commit: nothing is older.", timeout=3)
            return
        link, here = self._host.ohara.link, line.hit.commit.sha
        try:
            origin = (
                await link.send(
                    wire.Blame(
                        repo=self._host.repository, commit=trace.commit, path=trace.path, line=trace.first
                    )
                )
            ).origin
            if origin.commit.sha == here:
                before = origin.before
                if before is None or not origin.was_there:
                    self._host.notify("This line began here: nothing older stands in its place.", timeout=4)
                    return
                origin = (
                    await link.send(
                        wire.Blame(
                            repo=self._host.repository, commit=before.sha, path=before.path, line=before.line
                        )
                    )
                ).origin
        except OharaError as error:
            self._host.notify(error.message, severity="warning", markup=False)
            return
        from tui.screens.commit import CommitScreen

        visit = CommitVisit(
            self._host.repository, origin.commit.sha, line=(origin.place.path, origin.place.line)
        )
        self._host.ohara.record_visit(visit)
        self._host.ohara.push_screen(CommitScreen(visit))


def open_line(host: Host, line: SelectedLine | None) -> None:
    """Open the history of a line of a diff."""
    from tui.screens.history import HistoryScreen
    from tui.trace import trace_of_line

    trace = trace_of_line(line) if line is not None else None
    if line is None or trace is None:
        host.notify(_NO_LINE, timeout=3)
        return
    visit = HistoryVisit(host.repository, line.hit, trace)
    host.ohara.record_visit(visit)
    host.ohara.push_screen(HistoryScreen(visit))


def show_in_pager(host: Host, sha: str) -> None:
    """Read a commit in git's own pager."""
    from tui.external import run_in_terminal, show_command, show_environment

    complaint = run_in_terminal(host.ohara, show_command(host.repository, sha), show_environment(os.environ))
    if complaint:
        host.notify(complaint, severity="warning", markup=False)
