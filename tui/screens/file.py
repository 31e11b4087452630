"""A whole file as it is in a commit, with who last touched each line beside it.

The text comes first, page by page, then whose lines they are: by the index, as `git blame` has it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Horizontal
from textual.content import Content

from ohara import wire
from ohara.errors import OharaError
from ohara.model import ChangeKind, Hit, HunkId
from tui.actions import Scope, bindings
from tui.advice import Advice
from tui.cells import cut, sanitize
from tui.diff.document import following, preceding
from tui.formats import author_day, count
from tui.screens.diff_actions import diff_commands
from tui.screens.paned import NARROW, PanedScreen
from tui.screens.trace_actions import in_pager, open_line
from tui.visits import CommitVisit, FileVisit
from tui.widgets.diff_canvas import Margin
from tui.widgets.diff_renderer import DiffOptions
from tui.widgets.diff_view import DiffView
from tui.widgets.footer import StatusPart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ohara.model import Annotation, Commit, LineOrigin

_PAGE = 5_000  # lines: what the service gives at once
_MOST_LINES = 100_000  # of a file on screen; the pager has all of it
_WIDE = (8, 16, 10)
_NARROW = (8, 8)
_SUBJECT = 60


class FileScreen(PanedScreen):
    """Shows a file and whose lines it has."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (Scope.FILE, Scope.DIFF)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.FILE, Scope.DIFF)]
    AUTO_FOCUS = "#diff"

    def __init__(self, visit: FileVisit) -> None:
        super().__init__()
        self.visit = visit
        self.diff = DiffView(id="diff", options=DiffOptions(one_number=True))
        self.annotation: Annotation | None = None
        self._commits: dict[int, Commit] = {}  # by line
        self._starts: list[int] = []  # the first line of each run
        self._note = ""
        commands = dict(diff_commands(self, self.diff))
        for name in ("split_diff", "less_context", "more_context", "mark", "whole_file"):
            del commands[name]  # of a diff; here there are no sides, no hunks, and all of the file
        self.commands = {
            **commands,
            "diff_next_hunk": partial(self._step_run, following),
            "diff_previous_hunk": partial(self._step_run, preceding),
            "open_line": self.open_commit,
            "file_before": self.open_before,
            "file_pager": self.open_pager,
            "reload_file": self.load,
        }

    @property
    def repository(self) -> str:
        """The repository that the file is in."""
        return self.visit.repository

    def compose(self) -> ComposeResult:
        """The file alone."""
        yield Horizontal(self.diff, id="main")
        yield from self.compose_foot()

    def on_mount(self) -> None:
        """Ask for the file."""
        self.load()

    def on_resize(self, event: events.Resize) -> None:
        """Give the margin the room that there is."""
        super().on_resize(event)
        self._draw_margin(event.size.width)

    # -- asking ----------------------------------------------------------------------------------

    def load(self) -> None:
        """Ask for the file and whose lines it has."""
        self.advise(Advice("◌", f"Reading {sanitize(self.visit.path)}", (f"as of {self.visit.sha[:10]}",)))
        self.start_worker(self._load, group="file", exclusive=True)

    async def _load(self) -> None:
        link, visit = self.ohara.link, self.visit
        try:
            described = await link.send(wire.Describe(repo=self.repository, commit=visit.sha))
            lines: list[str] = []
            while len(lines) < _MOST_LINES:
                request = wire.Lines(
                    repo=self.repository,
                    commit=visit.sha,
                    path=visit.path,
                    first=len(lines) + 1,
                    last=len(lines) + _PAGE,
                )
                page = (await link.send(request)).lines
                lines += page
                if len(page) < _PAGE:
                    break
            if any("\0" in line for line in lines[:_PAGE]):
                self.advise(Advice("∅", "This is a binary file", (sanitize(visit.path),)))
                return
            self._note = "only its first part is shown" if len(lines) >= _MOST_LINES else ""
            self._show(described.details.commit, lines)
            asked = wire.AnnotateRequest(repo=self.repository, commit=visit.sha, path=visit.path)
            self._annotate((await link.send(asked)).annotation)
        except OharaError as error:
            if self.diff.hits:
                self.notify(error.message, severity="warning", markup=False)
            else:
                self.advise_retry(error, "Ask again", "reload_file")

    def _show(self, commit: Commit, lines: Sequence[str]) -> None:
        waited = bool(self.advice.display)
        self.diff.show(whole_file(commit, self.visit.path, lines) if lines else ())
        self.diff.set_message("This file is empty.")
        self.advise(None)
        if waited:  # what was hidden meanwhile lost the focus
            self.diff.focus()
        self.call_after_refresh(self.diff.go_to_line, self.visit.path, min(self.visit.line, len(lines) or 1))
        self.diff.border_title = Content(sanitize(self.visit.path))
        self.diff.border_subtitle = Content(f"{commit.sha[:10]} · {author_day(commit)}")
        self.refresh_status()

    def _annotate(self, annotation: Annotation) -> None:
        self.annotation = annotation
        self._commits = {
            line: annotation.commits[run.commit]
            for run in annotation.lines
            if run.commit >= 0
            for line in range(run.first, run.first + run.lines)
        }
        self._starts = [run.first for run in annotation.lines]
        self._draw_margin(self.size.width)
        self.refresh_status()

    def _draw_margin(self, width: int) -> None:
        if self.annotation is None:
            return
        facts: dict[int, tuple[str, ...]] = {}
        for run in self.annotation.lines:
            commit = self._commits.get(run.first)
            facts[run.first] = _facts(commit, width) if commit is not None else ("?", "")
        self.diff.set_margin(Margin(_NARROW if width < NARROW else _WIDE, facts))

    # -- what is drawn beside --------------------------------------------------------------------

    @property
    def _line(self) -> int:
        line = self.diff.selected_line
        return line.line if line is not None else 1

    def refresh_status(self) -> None:
        """Draw the lines at the foot."""
        super().refresh_status()
        commit = self._commits.get(self._line)
        parts = [StatusPart(f"line {self._line:,}", "bold $foreground")] if self.diff.hits else []
        if commit is not None:
            parts += [
                StatusPart(commit.sha[:10], "$accent"),
                StatusPart(sanitize(commit.author), "$secondary"),
                StatusPart(author_day(commit), "$success"),
                StatusPart(cut(sanitize(commit.subject), _SUBJECT)),
            ]
        elif self.annotation is not None and self.diff.hits:
            parts.append(StatusPart("no indexed commit made this line", "$warning"))
        if self.annotation is not None:
            parts.append(StatusPart(count(len(self.annotation.commits), "commit")))
        parts += [StatusPart(f"⚠ {self._note}", "$warning")] if self._note else []
        self.status_line.show(parts, self.marks_said())

    def on_diff_view_cursor_moved(self) -> None:
        """Tell of the line under the cursor."""
        self.refresh_status()

    # -- actions ---------------------------------------------------------------------------------

    def _step_run(self, way: object) -> None:
        """Go to the next or previous line that another commit made."""
        step = following if way is following else preceding
        at = step(self._starts, self._line)
        if at is not None:
            self.diff.go_to_line(self.visit.path, at)

    def open_commit(self) -> None:
        """Open the commit that last touched the line; without the file, ask again."""
        if self.advice.display:
            self.load()
            return
        self.start_worker(self._open_commit, group="open", exclusive=True)

    async def _open_commit(self) -> None:
        origin = await self._origin()
        if origin is not None:
            place = (origin.place.path, origin.place.line)
            self.ohara.visited.open(CommitVisit(self.repository, origin.commit.sha, line=place))

    def open_before(self) -> None:
        """Open the file as it was before the commit that last touched the line."""
        self.start_worker(self._open_before, group="open", exclusive=True)

    async def _open_before(self) -> None:
        origin = await self._origin()
        if origin is None:
            return
        if origin.before is None:
            self.notify(f"The file began with {origin.commit.sha[:10]}.", timeout=3)
            return
        before = origin.before
        self.ohara.visited.open(FileVisit(self.repository, before.sha, before.path, max(1, before.line)))

    async def _origin(self) -> LineOrigin | None:
        """Who last touched the line under the cursor; None, and why, where that is not known."""
        request = wire.Blame(
            repo=self.repository, commit=self.visit.sha, path=self.visit.path, line=self._line
        )
        try:
            return (await self.ohara.link.send(request)).origin
        except OharaError as error:
            self.notify(error.message, severity="warning", markup=False)
            return None

    def on_diff_view_line_chosen(self, event: DiffView.LineChosen) -> None:
        """Open the history of a line that was clicked twice."""
        open_line(self, event.line)

    def open_pager(self) -> None:
        """Read the file with git's own blame in the pager."""
        from tui.external import blame_command

        in_pager(self, blame_command(self.repository, self.visit.sha, self.visit.path))


def whole_file(commit: Commit, path: str, lines: Sequence[str]) -> Hit:
    """A file as a hunk that changes nothing, to be shown as diffs are."""
    return Hit(
        rank=0,
        score=0.0,
        hunk=HunkId(0),
        commit=commit,
        path=path,
        old_path=None,
        kind=ChangeKind.MODIFIED,
        line=1,
        old_line=1,
        header="",
        symbol=None,
        excerpt="\n".join(f" {line}" for line in lines),
        matches=(),
        top=1,
        old_top=1,
    )


def _facts(commit: Commit, width: int) -> tuple[str, ...]:
    if width < NARROW:
        return commit.sha[:8], commit.author
    return commit.sha[:8], commit.author, author_day(commit)
