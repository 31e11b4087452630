"""The actions that trace a line of a diff: blame, history, explanation, its whole file; and a comparison."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from ohara import wire
from ohara.errors import OharaError
from ohara.model import ChangeKind
from tui.visits import CommitVisit, CompareVisit, ExplainVisit, FileVisit, HistoryVisit

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
            "whole_file": self.open_file,
            "compare": self.compare,
            "explain": self.explain,
        }

    async def _lines_around(self, hit: Hit, first: int, last: int) -> Sequence[str]:
        return (
            await self._host.ohara.link.send(
                wire.Lines(
                    repo=hit.repository or self._host.repository,
                    commit=hit.commit.sha,
                    path=hit.path,
                    first=first,
                    last=last,
                )
            )
        ).lines

    @property
    def _hit(self) -> Hit | None:
        return self._diff.selected_hit or next(iter(self._diff.hits), None)

    def open_file(self) -> None:
        """Read the whole file as of this commit, with who last touched each line beside it."""
        hit, line = self._hit, self._diff.selected_line
        if hit is None or not hit.path:
            return
        is_old = bool(line is not None and line.is_old) or hit.kind is ChangeKind.DELETED
        if is_old and hit.commit.parents:
            sha, path = hit.commit.parents[0], hit.old_path or hit.path
            at = line.line if line is not None and line.is_old else hit.old_line
        else:
            sha, path = hit.commit.sha, hit.path
            at = line.line if line is not None and not line.is_old else hit.line
        self._host.ohara.visited.open(FileVisit(self._repository(hit), sha, path, max(1, at)))

    def explain(self) -> None:
        """Explain the line under the cursor, or the symbol or lines that this hunk is about."""
        from tui.trace import place_of, trace_of_hit, trace_of_line

        hit, line = self._hit, self._diff.selected_line
        if hit is None:
            return
        trace = trace_of_line(line) if line is not None and self._diff.has_focus else trace_of_hit(hit)
        if trace is None:
            self._host.notify("There are no lines here to explain.", timeout=3)
            return
        place = place_of(trace)
        self._host.ohara.visited.open(ExplainVisit(self._repository(hit), place, trace.commit, hit))

    def compare(self) -> None:
        """Read what differs between the two commits that are marked, or between a marked one and this."""
        marked = {hit.commit.sha: hit for hit in self._host.ohara.marks.values()}
        if len(marked) == 1 and self._hit is not None:
            marked[self._hit.commit.sha] = self._hit
        if len(marked) != 2:
            self._host.notify("Mark hits of two commits, or of one to compare it with this.", timeout=4)
            return
        old, new = sorted(marked.values(), key=lambda hit: hit.commit.committer_time)
        if self._repository(old) != self._repository(new):
            self._host.notify("These commits are of two repositories.", timeout=4)
            return
        self._host.ohara.visited.open(CompareVisit(self._repository(old), old.commit.sha, new.commit.sha))

    def _repository(self, hit: Hit) -> str:
        return hit.repository or self._host.repository

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
        repository = line.hit.repository or self._host.repository
        try:
            origin = (
                await link.send(
                    wire.Blame(repo=repository, commit=trace.commit, path=trace.path, line=trace.first)
                )
            ).origin
            if origin.commit.sha == here:
                before = origin.before
                if before is None or not origin.was_there:
                    self._host.notify("This line began here: nothing older stands in its place.", timeout=4)
                    return
                origin = (
                    await link.send(
                        wire.Blame(repo=repository, commit=before.sha, path=before.path, line=before.line)
                    )
                ).origin
        except OharaError as error:
            self._host.notify(error.message, severity="warning", markup=False)
            return
        place = (origin.place.path, origin.place.line)
        self._host.ohara.visited.open(CommitVisit(repository, origin.commit.sha, line=place))


def open_line(host: Host, line: SelectedLine | None) -> None:
    """Open the history of a line of a diff."""
    from tui.trace import trace_of_line

    trace = trace_of_line(line) if line is not None else None
    if line is None or trace is None:
        host.notify(_NO_LINE, timeout=3)
        return
    host.ohara.visited.open(HistoryVisit(host.repository, line.hit, trace))


def show_in_pager(host: Host, sha: str) -> None:
    """Read a commit in git's own pager."""
    from tui.external import show_command

    in_pager(host, show_command(host.repository, sha))


def in_pager(host: Host, command: Sequence[str]) -> None:
    """Run a command of git whose output goes through the user's pager."""
    from tui.external import run_in_terminal, show_environment

    complaint = run_in_terminal(host.ohara, command, show_environment(os.environ))
    if complaint:
        host.notify(complaint, severity="warning", markup=False)
