"""One commit: its message, parents and children, its files as a tree, all its hunks.

Message and files come first, hunks page by page while the user scrolls. Moving in the tree moves the diff,
and the other way round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content

from ohara import wire
from ohara.errors import OharaError, RepositoryError
from tui.actions import Scope, bindings
from tui.advice import Advice, Choice
from tui.cells import sanitize
from tui.commit_hunks import CommitHunks
from tui.formats import count
from tui.screens.diff_actions import diff_commands
from tui.screens.find_actions import FindActions
from tui.screens.menu import Item, MenuScreen
from tui.screens.paned import PanedScreen, list_beside_diff
from tui.screens.trace_actions import open_line, show_in_pager
from tui.widgets.commit_head import CommitHead
from tui.widgets.diff_view import DiffView
from tui.widgets.file_list import FileList
from tui.widgets.footer import StatusPart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ohara.model import CommitDetails, Kin
    from tui.visits import CommitVisit

_NEAR_END = 3  # hunks before the last that was fetched at which more are asked for


class CommitScreen(PanedScreen):
    """Shows a commit."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (Scope.COMMIT, Scope.DIFF)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.COMMIT, Scope.DIFF)]
    AUTO_FOCUS = "#files"

    def __init__(self, visit: CommitVisit) -> None:
        super().__init__()
        self.visit = visit
        self.diff = DiffView(id="diff")
        self.details: CommitDetails | None = None
        self._drawn = 0  # pieces of hunks
        self._is_lost = False
        self.files = FileList(id="files")
        self._hunks = CommitHunks(self.ohara.link, visit.repository, visit.sha, visit.hit)
        self._head = CommitHead(id="message")
        self.commands = {
            **diff_commands(self, self.diff),
            **self._head.commands(),
            **self.files.commands(),
            "read_file": self.read_file,
            "find_in_commit": FindActions(self, self.diff, self._fetch_all).find,
            "next_hunk": self.diff.next_hunk,
            "previous_hunk": self.diff.previous_hunk,
            "parent": self.open_parent,
            "child": self.open_child,
            "hunk_history": self.open_history,
            "pager": self.open_pager,
            "reload_commit": self.reload,
        }

    @property
    def repository(self) -> str:
        """The repository that the commit is in."""
        return self.visit.repository

    def compose(self) -> ComposeResult:
        """Message and files at the left, the diff at the right."""
        yield list_beside_diff(self.diff, self._head, self.files)
        yield from self.compose_foot()

    def on_mount(self) -> None:
        """Ask for the commit."""
        self._head.border_title = "Commit"
        self.files.border_title = "Files"
        self.load()

    # -- asking ----------------------------------------------------------------------------------

    def load(self) -> None:
        """Ask for the commit and its first hunks."""
        self.advise(Advice("◌", f"Reading {self.visit.sha[:10]}"))
        self.start_worker(self._load, group="commit", exclusive=True)

    async def _load(self) -> None:
        try:
            self._describe(
                (
                    await self.ohara.link.send(wire.Describe(repo=self.repository, commit=self.visit.sha))
                ).details
            )
            await self._more()
            await self._reach_target()
        except OharaError as error:
            if isinstance(error, RepositoryError) and await self._was_lost():
                self._advise_lost()
            else:
                self.advise_retry(error, "Ask again", "reload_commit")
            return
        self._go_to_target()

    async def _was_lost(self) -> bool:
        """Whether the commit of a hit is gone while its repository is still there."""
        try:
            await self.ohara.link.send(wire.Status(repo=self.repository))
        except OharaError:
            return False
        return self.visit.hit is not None

    def _advise_lost(self) -> None:
        self._is_lost = True
        key = self.ohara.keys.first_label("reload_commit")
        again = Choice("Ask the question again", action="reload_commit", key=key)
        said = f"History was rewritten since it was found: {self.ohara.keys.first_label('retry')} asks again."
        self.advise(Advice("↻", f"{self.visit.sha[:10]} is no longer in the history", (said,), (again,)))

    def reload(self) -> None:
        """Ask for the commit again, or, where it is gone, what it was found by."""
        if self._is_lost:
            self.ohara.leave_screens()
            self.ohara.search.ask()
        else:
            self.load()

    async def _fetch_all(self) -> None:
        """Fetch all hunks, so that text can be found in any of them."""
        try:
            while self._hunks.has_more:
                await self._hunks.fetch()
        except OharaError as error:
            self.notify(error.message, severity="warning", markup=False)
        self._draw_hunks()

    async def _reach_target(self) -> None:
        """Fetch hunks as far as what the commit was opened for: it may be thousands of files deep."""
        visit, hunks = self.visit, self._hunks
        try:
            if visit.hit is not None:
                await hunks.fetch_hunk(visit.hit.hunk)
            elif visit.line is not None:
                await hunks.fetch_line(*visit.line)
        finally:
            if hunks is self._hunks:
                self._draw_hunks()

    def _describe(self, details: CommitDetails) -> None:
        self.details = details
        self._hunks = CommitHunks(self.ohara.link, self.repository, details.commit.sha, self.visit.hit)
        self.diff.clear()
        self._drawn = 0
        self._head.show(details, now=self.ohara.clock())
        self._head.border_title = Content(sanitize(details.commit.subject) or "(no message)")
        self.files.list_files(details.files)
        self.files.border_title = Content(count(len(details.files), "file"))
        self.files.display = bool(details.files)
        self.set_class(not details.files, "-no-files")
        waited = bool(self.advice.display)
        self.advise(None)
        if waited:  # what was hidden meanwhile lost the focus
            (self.files if details.files else self._head).focus()

    async def _more(self, path: str | None = None) -> None:
        """Fetch one more page of hunks, or as many as it takes to reach a file; they are drawn once."""
        hunks = self._hunks
        try:
            await hunks.fetch(path)
        finally:
            if hunks is self._hunks:
                self._draw_hunks()

    def _draw_hunks(self) -> None:
        if self._drawn == len(self._hunks.pieces) and self._drawn:
            return
        if self._drawn:
            self.diff.set_hits(self._hunks.hits)
        else:
            self.diff.show(self._hunks.hits)
        self._drawn = len(self._hunks.pieces)
        self.refresh_status()

    def _go_to_target(self) -> None:
        """Go to what the commit was opened for."""
        visit = self.visit
        if visit.hit is not None:
            at = self._hunks.number_of(visit.hit.hunk)
            if at is not None:
                self.diff.go_to_hit(at)
                if self._hunks.hits[at].matches:
                    self.diff.next_match()
                self.files.put_cursor_on(visit.hit.path)
        elif visit.line is not None and self.diff.go_to_line(*visit.line):
            self.files.put_cursor_on(visit.line[0])
            self.diff.focus()
        self.refresh_status()

    # -- files and hunks -------------------------------------------------------------------------

    def on_row_list_selected(self) -> None:
        """Let the diff follow the tree."""
        self.start_worker(self._show_file, group="file", exclusive=True)

    async def _show_file(self) -> None:
        path = self.files.path
        if path is None:
            return
        if self._hunks.first_of(path) is None:
            try:
                await self._more(path)
            except OharaError as error:
                self.notify(error.message, severity="warning", markup=False)
        at = self._hunks.first_of(path)
        if at is not None:
            self.diff.go_to_hit(at)

    def on_row_list_opened(self) -> None:
        """Go to the diff of what was double-clicked."""
        self.read_file()

    def on_diff_view_hit_reached(self, event: DiffView.HitReached) -> None:
        """Let the tree follow the diff, and fetch what comes next in time."""
        hits = self._hunks.hits
        self.files.put_cursor_on(hits[event.number].path)
        self.refresh_status()
        if event.number >= len(hits) - _NEAR_END and self._hunks.has_more:
            self.start_worker(self._more, group="commit")

    # -- what is drawn beside --------------------------------------------------------------------

    def refresh_status(self) -> None:
        """Draw the lines at the foot and the titles of the diff again."""
        super().refresh_status()
        if self.details is None:
            self.status_line.show((), ())
            return
        files = self.details.files
        hunks = sum(file.hunks for file in files)
        self._entitle_diff(hunks)
        if not self._hunks.hits:
            self.diff.set_message(_nothing(self.details) if self._hunks.was_asked else "Reading hunks …")
        parts = [
            StatusPart(self.details.commit.sha[:10], "bold $foreground"),
            StatusPart(count(len(files), "file")),
            StatusPart(f"+{sum(file.additions for file in files):,}", "$success"),
            StatusPart(f"-{sum(file.deletions for file in files):,}", "$error"),
            StatusPart(count(hunks, "hunk")),
        ]
        self.status_line.show(parts, self.marks_said())

    def _entitle_diff(self, hunks: int) -> None:
        hit = self.diff.selected_hit
        fetched = [each for each in self._hunks.hits if each.excerpt]  # a file without lines has no hunk
        at = next((at for at, each in enumerate(fetched, 1) if each is hit), 0)
        self.diff.border_title = Content(sanitize(hit.path) if hit else "No lines")
        place = f"hunk {at:,} of {max(hunks, len(fetched)):,}"
        self.diff.border_subtitle = Content(place if at else "")

    # -- actions ---------------------------------------------------------------------------------

    def step_back(self) -> bool:
        """Step back from the diff to the files; false where the next step leaves the commit."""
        if not self.diff.has_focus or not self.files.count:
            return False
        self.files.focus()
        return True

    def read_file(self) -> None:
        """Go to the diff, and from there back to the files; without either, ask again."""
        if self.advice.display:
            self.reload()
        elif self.diff.has_focus:
            self.files.focus()
        else:
            self.diff.focus()

    def open_parent(self) -> None:
        """Open the parent, or one of several."""
        if self.details is not None:
            self._open_kin("Parents", self.details.parents, "This is a first commit: it has no parent.")

    def open_child(self) -> None:
        """Open the child, or one of several."""
        if self.details is not None:
            self._open_kin("Children", self.details.children, "No indexed commit has this one for a parent.")

    def _open_kin(self, title: str, kin: Sequence[Kin], nothing: str) -> None:
        if not kin:
            self.notify(nothing, timeout=3)
        elif len(kin) == 1:
            self.ohara.open_commit(kin[0].sha)
        else:
            keys = "123456789"
            listed = dict(zip(keys, kin, strict=False))
            items = [Item(key, each.sha[:8], each.subject) for key, each in listed.items()]

            def chosen(key: str | None) -> None:
                if key is not None:
                    self.ohara.open_commit(listed[key].sha)

            self.app.push_screen(MenuScreen(title, items), chosen)

    def on_commit_head_kin_chosen(self, event: CommitHead.KinChosen) -> None:
        """Open the parent or child that was clicked."""
        self.ohara.open_commit(event.sha)

    def open_history(self) -> None:
        """Open the history of the hunk under the cursor."""
        hit = self.diff.selected_hit
        if hit is not None:
            self.ohara.open_history(hit)

    def on_diff_view_line_chosen(self, event: DiffView.LineChosen) -> None:
        """Open the history of a line that was clicked twice."""
        open_line(self, event.line)

    def open_pager(self) -> None:
        """Read the commit in git's own pager."""
        if self.details is not None:
            show_in_pager(self, self.details.commit.sha)


def _nothing(details: CommitDetails) -> str:
    """Why a commit shows no lines."""
    if details.commit.is_merge and not details.files:
        return "This merge changed nothing itself."
    if details.files:
        return "No lines of these files are indexed: they were moved, or are binary or left out."
    return "This commit changes no files."
