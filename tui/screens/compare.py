"""What differs between two commits: the files as a tree, all hunks, as of a commit.

Files come as they are read, while one looks at the first of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content
from textual.widgets import Static

from ohara import wire
from ohara.errors import OharaError
from tui.actions import Scope, bindings
from tui.advice import Advice
from tui.cells import sanitize
from tui.formats import author_day, count
from tui.screens.diff_actions import diff_commands
from tui.screens.find_actions import FindActions
from tui.screens.paned import PanedScreen, list_beside_diff
from tui.screens.trace_actions import in_pager, open_line
from tui.visits import CompareVisit
from tui.widgets.diff_view import DiffView
from tui.widgets.file_list import FileList
from tui.widgets.footer import StatusPart

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ohara.model import ChangedFile, Commit, Comparison, Hit

_MOST_HUNKS = 20_000  # on screen; the pager has all of them


class CompareScreen(PanedScreen):
    """Shows what differs between two commits."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (Scope.COMMIT, Scope.DIFF)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.COMMIT, Scope.DIFF)]
    AUTO_FOCUS = "#files"

    def __init__(self, visit: CompareVisit) -> None:
        super().__init__()
        self.visit = visit
        self.diff = DiffView(id="diff")
        self.files = FileList(id="files")
        self._head = Static("", id="sides", markup=False)
        self._sides: tuple[Commit, Commit] | None = None
        self._listed: list[ChangedFile] = []
        self._hits: list[Hit] = []
        self._total = 0
        self._is_whole = False
        self.commands = {
            **diff_commands(self, self.diff),
            **self.files.commands(),
            "read_file": self.read_file,
            "find_in_commit": FindActions(self, self.diff).find,
            "next_hunk": self.diff.next_hunk,
            "previous_hunk": self.diff.previous_hunk,
            "hunk_history": self.open_history,
            "pager": self.open_pager,
            "reload_commit": self.load,
            "compare": self.swap,
        }

    @property
    def repository(self) -> str:
        """The repository that the commits are in."""
        return self.visit.repository

    def compose(self) -> ComposeResult:
        """The two commits and the files at the left, the diff at the right."""
        yield list_beside_diff(self.diff, self._head, self.files)
        yield from self.compose_foot()

    def on_mount(self) -> None:
        """Ask what differs."""
        self._head.border_title = "Compare"
        self.load()

    # -- asking ----------------------------------------------------------------------------------

    def load(self) -> None:
        """Ask what differs, from the first file on."""
        self.advise(Advice("◌", "Comparing", (f"{self.visit.old[:10]} with {self.visit.new[:10]}",)))
        self.start_worker(self._load, group="compare", exclusive=True)

    async def _load(self) -> None:
        self._listed, self._hits, self._is_whole, self._sides = [], [], False, None
        self.refresh_status()
        first: int | None = 0
        try:
            while first is not None and len(self._hits) < _MOST_HUNKS:
                request = wire.CompareRequest(
                    repo=self.repository, old=self.visit.old, new=self.visit.new, first=first
                )
                comparison = (await self.ohara.link.send(request)).comparison
                first = comparison.next
                self._is_whole = first is None
                self._add(comparison)
        except OharaError as error:
            if self._listed:
                self.notify(error.message, severity="warning", markup=False)
            else:
                self.advise_retry(error, "Ask again", "reload_commit")

    def _add(self, comparison: Comparison) -> None:
        """Show some more files."""
        is_first = not self._listed
        path, self._total = self.files.path, comparison.total
        self._sides = (comparison.old, comparison.new)
        self._listed += comparison.files
        self._hits += comparison.hits
        if not self._listed:
            self.advise(Advice("=", "Nothing differs", (f"{self.visit.old[:10]} and {self.visit.new[:10]}",)))
            return
        self.files.list_files(tuple(self._listed))
        if is_first:
            waited = bool(self.advice.display)
            self.diff.show(self._hits)
            self._head.update(_sides(*self._sides))
            self.advise(None)
            if waited:  # what was hidden meanwhile lost the focus
                self.files.focus()
            self.call_after_refresh(self.diff.go_to_hit, 0)
        else:
            self.diff.set_hits(self._hits)
            if path is not None:
                self.files.put_cursor_on(path)
        self.refresh_status()

    # -- files and hunks -------------------------------------------------------------------------

    def on_row_list_selected(self) -> None:
        """Let the diff follow the tree."""
        path = self.files.path
        at = next((at for at, hit in enumerate(self._hits) if hit.path == path), None)
        if at is not None:
            self.diff.go_to_hit(at)

    def on_row_list_opened(self) -> None:
        """Go to the diff of what was double-clicked."""
        self.read_file()

    def on_diff_view_hit_reached(self, event: DiffView.HitReached) -> None:
        """Let the tree follow the diff."""
        if event.number < len(self._hits):
            self.files.put_cursor_on(self._hits[event.number].path)
        self.refresh_status()

    def on_diff_view_line_chosen(self, event: DiffView.LineChosen) -> None:
        """Open the history of a line that was clicked twice."""
        open_line(self, event.line)

    # -- what is drawn beside --------------------------------------------------------------------

    def refresh_status(self) -> None:
        """Draw the lines at the foot and the titles again."""
        super().refresh_status()
        if self._sides is None:
            self.status_line.show((), ())
            return
        hit = self.diff.selected_hit
        at = next((at for at, each in enumerate(self._hits, 1) if each is hit), 0)
        self.diff.border_title = Content(sanitize(hit.path) if hit else "No lines")
        self.diff.border_subtitle = Content(f"hunk {at:,} of {len(self._hits):,}" if hit else "")
        self.files.border_title = Content(count(self._total, "file"))
        parts = [
            StatusPart(f"{self._sides[0].sha[:10]} → {self._sides[1].sha[:10]}", "bold $foreground"),
            StatusPart(f"{count(self._total, 'file')} differ{'s' if self._total == 1 else ''}"),
            StatusPart(f"+{sum(file.additions for file in self._listed):,}", "$success"),
            StatusPart(f"-{sum(file.deletions for file in self._listed):,}", "$error"),
        ]
        if not self._is_whole:
            parts.append(StatusPart(f"{len(self._listed):,} read so far", "$warning"))
        self.status_line.show(parts, self.marks_said())

    # -- actions ---------------------------------------------------------------------------------

    def step_back(self) -> bool:
        """Step back from the diff to the files; false where the next step leaves the comparison."""
        if not self.diff.has_focus or not self.files.count:
            return False
        self.files.focus()
        return True

    def read_file(self) -> None:
        """Go to the diff, and from there back to the files; without either, ask again."""
        if self.advice.display:
            self.load()
        elif self.diff.has_focus:
            self.files.focus()
        else:
            self.diff.focus()

    def open_history(self) -> None:
        """Open the history of the hunk under the cursor."""
        hit = self.diff.selected_hit
        if hit is not None:
            self.ohara.open_history(hit)

    def swap(self) -> None:
        """Compare the other way round."""
        self.visit = CompareVisit(self.visit.repository, self.visit.new, self.visit.old)
        self.load()

    def open_pager(self) -> None:
        """Read what differs in git's own pager."""
        from tui.external import compare_command

        in_pager(self, compare_command(self.repository, self.visit.old, self.visit.new))


def _sides(old: Commit, new: Commit) -> Content:
    """The two commits, a line each."""
    lines = [
        Content.assemble(
            (f"{sign} ", tone),
            (f"{commit.sha[:10]} ", "$accent"),
            (f"{author_day(commit)} ", "$success"),
            (sanitize(commit.subject) or "(no message)", "$foreground"),
        )
        for sign, tone, commit in (("-", "$error", old), ("+", "$success", new))
    ]
    return Content("\n").join(lines)
