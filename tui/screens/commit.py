"""One commit: its words and kin, its files as a tree, all its hunks.

Words and files come first and at once, hunks by the page: those of a huge commit are fetched as far as
somebody goes. Moving in the tree moves the diff, and the other way round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import anyio
from textual.containers import Horizontal, Vertical
from textual.content import Content

from ohara.errors import OharaError
from tui.actions import Where, bindings
from tui.advice import Advice, Choice
from tui.diff.context import marked_like
from tui.filetree import TreeRow, tree_of
from tui.inert import plain
from tui.phrases import count
from tui.screens.menu import Item, MenuScreen
from tui.screens.tracing import TracingActions
from tui.widgets.adviceview import AdviceView
from tui.widgets.commithead import CommitHead
from tui.widgets.diffview import DiffView
from tui.widgets.lines import KeyLine, Said, StatusLine
from tui.widgets.rowlist import Part, RowList
from tui.working import begin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ohara.model import CommitDetails, Hit, Kin
    from tui.places import CommitPlace
    from tui.widgets.rowlist import Row

_PAGE = 300  # hunks: more than most commits have, a few hundred kilobytes
_WHOLE_HUNK = 1_000
_NARROW = 110
_LETTERS = {
    "added": ("A", "good"),
    "modified": ("M", "accent"),
    "deleted": ("D", "bad"),
    "renamed": ("R", "name"),
}


class CommitScreen(TracingActions):
    """Where one reads a commit."""

    HEARS: ClassVar[tuple[Where, ...]] = (Where.COMMIT, Where.DIFF)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.COMMIT, Where.DIFF)]
    AUTO_FOCUS = "#files"

    def __init__(self, place: CommitPlace) -> None:
        super().__init__()
        self.place = place
        self._details: CommitDetails | None = None
        self._tree: list[TreeRow] = []
        self._hunks = self._added = self._removed = 0
        self._hits: list[Hit] = []
        self._cursor: str | None = None
        self._asked = False
        self._fetching = anyio.Lock()
        self._head = CommitHead(id="message")
        self._files = RowList(self._file_row, id="files")
        self._diff = DiffView(id="diff")
        self._advice = AdviceView(id="advice")
        self._status = StatusLine()
        self._keys = KeyLine()

    def compose(self) -> ComposeResult:
        """Words and files at the left, hunks at the right."""
        with Horizontal(id="main"):
            with Vertical(id="left"):
                yield self._head
                yield self._files
            yield self._diff
        yield self._advice
        yield self._status
        yield self._keys

    @property
    def repository(self) -> str:
        """The repository that is shown."""
        return self.place.repository

    @property
    def diff(self) -> DiffView:
        """The hunks."""
        return self._diff

    @property
    def selected(self) -> Hit | None:
        """The hunk that actions are about."""
        return self._diff.selected_hit

    def on_mount(self) -> None:
        """Ask for the commit."""
        self._head.border_title = "Commit"
        self._files.border_title = "Files"
        self._advise(Advice("◌", f"Reading {self.place.sha[:10]}"))
        self.load()

    # -- asking ----------------------------------------------------------------------------------

    def load(self) -> None:
        """Ask for the commit and its first hunks."""
        begin(self, self._load, group="commit", exclusive=True)

    async def _load(self) -> None:
        link = self.ohara.link
        try:
            details = await link.commit(self.repository, self.place.sha)
            self._describe(details)
            await self._more()
        except OharaError as error:
            again = self.ohara.keys.first_label("reload_commit")
            self._advise(
                Advice(
                    "✗",
                    error.message,
                    (error.hint,) if error.hint else (),
                    (Choice("Ask again", action="reload_commit", key=again),),
                    tone="error",
                )
            )
            return
        self._go_to_place()

    def _describe(self, details: CommitDetails) -> None:
        self._details = details
        self._tree = tree_of(details.files)
        self._hunks = sum(file.hunks for file in details.files)
        self._added = sum(file.additions for file in details.files)
        self._removed = sum(file.deletions for file in details.files)
        self._head.show(details, now=self.ohara.clock())
        self._head.border_title = Content(plain(details.commit.subject) or "(no message)")
        self._files.show(len(self._tree), self._row_of_first_file())
        self._files.border_title = Content(count(len(details.files), "file"))
        self._files.display = bool(self._tree)
        self._advise(None)
        if not self._tree or self.focused is None:
            (self._files if self._tree else self._head).focus()

    async def _more(self, path: str | None = None) -> None:
        """Fetch one more page of hunks, or as many as it takes to reach a file; they are drawn once."""
        async with self._fetching:
            drawn = len(self._hits)
            try:
                while not self._asked or self._cursor is not None:
                    if path is not None and self._first_hunk_of(path) is not None:
                        break
                    await self._fetch_page()
                    if path is None:
                        break
            finally:
                page = self._hits[drawn:]
                if drawn:
                    self._diff.extend(page)
                else:
                    self._diff.show(page)
                self._refresh_titles()

    async def _fetch_page(self) -> None:
        if self._details is None:
            return
        found = await self.ohara.link.find(
            self.repository,
            self._details.commit.sha,
            k=_PAGE,
            all_hunks=True,
            context=_WHOLE_HUNK,
            after=self._cursor,
        )
        self._cursor, self._asked = found.next_cursor, True
        self._hits += [self._marked(hit) for hit in found.hits if hit.path]

    def _marked(self, hit: Hit) -> Hit:
        """The hunk that the commit was opened for, with what matched in it."""
        found = self.place.hit
        return marked_like(hit, found) if found is not None and found.hunk == hit.hunk else hit

    def _go_to_place(self) -> None:
        """Go to what the commit was opened for."""
        place = self.place
        if place.hit is not None:
            at = next((at for at, hit in enumerate(self._hits) if hit.hunk == place.hit.hunk), None)
            if at is not None:
                self._diff.go_to_hit(at)
                if self._hits[at].matches:
                    self._diff.next_match()
                self._select_file(place.hit.path)
        elif place.line is not None and self._diff.go_to_line(*place.line):
            self._select_file(place.line[0])
            self._diff.focus()
        self._refresh_titles()

    # -- files -----------------------------------------------------------------------------------

    def _file_row(self, at: int, _: int) -> Row:
        row = self._tree[at]
        indent = "  " * row.depth
        counts = [Part(f" +{row.additions:,}", "good" if row.additions else "faint"),
                  Part(f" -{row.deletions:,}", "bad" if row.deletions else "faint")]  # fmt: skip
        if row.file is None or self._details is None:
            return [Part(f"{indent}▾ {plain(row.name)}", "muted")], counts
        file = self._details.files[row.file]
        letter, tone = _LETTERS[file.kind.value]
        left = [Part(f"{indent}{letter} ", tone), Part(plain(row.name))]
        if file.old_path and file.old_path != file.path:
            left.append(Part(f"  ← {plain(file.old_path)}", "muted"))
        if file.left_out is not None:
            left.append(Part(f"  ({file.left_out})", "muted"))
        return left, counts

    def _row_of_first_file(self) -> int:
        return next((at for at, row in enumerate(self._tree) if row.file is not None), 0)

    def _select_file(self, path: str) -> None:
        if self._details is None:
            return
        for at, row in enumerate(self._tree):
            if row.file is not None and self._details.files[row.file].path == path:
                self._files.put_cursor(at)
                return

    def on_row_list_selected(self) -> None:
        """Let the diff follow the tree."""
        begin(self, self._show_file, group="file", exclusive=True)

    async def _show_file(self) -> None:
        path = self._path_here()
        if path is None:
            return
        if self._first_hunk_of(path) is None:
            try:
                await self._more(path)
            except OharaError as error:
                self.notify(error.message, severity="warning", markup=False)
        at = self._first_hunk_of(path)
        if at is not None:
            self._diff.go_to_hit(at)

    def _path_here(self) -> str | None:
        """The file under the cursor; of a folder, its first one."""
        if self._details is None:
            return None
        below = self._tree[self._files.position :]
        return next((self._details.files[row.file].path for row in below if row.file is not None), None)

    def _first_hunk_of(self, path: str) -> int | None:
        return next((at for at, hit in enumerate(self._hits) if hit.path == path), None)

    def on_row_list_opened(self) -> None:
        """Go to the diff of what was double-clicked."""
        self.action_read_file()

    def on_diff_view_hit_reached(self, event: DiffView.HitReached) -> None:
        """Let the tree follow the diff, and fetch what comes next in time."""
        self._select_file(self._hits[event.number].path)
        self._refresh_titles()
        if event.number >= len(self._hits) - 3 and self._cursor is not None:
            begin(self, self._more, group="commit")

    # -- what is drawn beside --------------------------------------------------------------------

    def _advise(self, advice: Advice | None) -> None:
        self.query_one("#main").display = advice is None
        self._advice.display = advice is not None
        if advice is not None:
            self._advice.show(advice)
        self._refresh_titles()

    def _refresh_titles(self) -> None:
        details = self._details
        said: list[Said] = []
        if details is not None:
            hit = self._diff.selected_hit
            self._diff.border_title = Content(plain(hit.path) if hit else "No lines")
            self.set_class(not self._tree, "-no-files")
            at = next((at for at, each in enumerate(self._hits, 1) if each is hit), 0)
            total = max(self._hunks, len(self._hits))
            self._diff.border_subtitle = Content(f"hunk {at} of {total}" if hit else "")
            said = [
                Said(details.commit.sha[:10], "bold $foreground"),
                Said(count(len(details.files), "file")),
                Said(f"+{self._added:,}", "$success"),
                Said(f"-{self._removed:,}", "$error"),
                Said(count(self._hunks, "hunk")),
            ]
            if not self._hits:
                self._diff.say(_nothing(details) if self._asked else "Reading hunks …")
        self._status.say(said, ())
        self._keys.show(self.ohara.footer_keys(*self.HEARS))

    def on_resize(self, event: events.Resize) -> None:
        """Choose between side by side and one above the other."""
        self.set_class(event.size.width < _NARROW, "-narrow")

    def on_key_line_pressed(self, event: KeyLine.Pressed) -> None:
        """Do what was clicked in the footer."""
        self.run_worker(self.run_action(event.action), group="choice")

    def on_advice_view_chosen(self) -> None:
        """Ask again."""
        self.action_reload_commit()

    # -- actions ---------------------------------------------------------------------------------

    def step_back(self) -> bool:
        """Step back from the diff to the files; false where the next step leaves the commit."""
        if not self._diff.has_focus or not self._tree:
            return False
        self._files.focus()
        return True

    def action_reload_commit(self) -> None:
        """Ask again."""
        self._advise(Advice("◌", f"Reading {self.place.sha[:10]}"))
        self.load()

    def action_file_down(self) -> None:
        """Select the next file."""
        self._step(1)

    def action_file_up(self) -> None:
        """Select the previous file."""
        self._step(-1)

    def _step(self, by: int) -> None:
        """Move to the next row that is a file, or in a folder of nothing else, stay."""
        rows = [at for at, row in enumerate(self._tree) if row.file is not None]
        here = self._files.position
        ahead = [at for at in rows if at > here] if by > 0 else [at for at in reversed(rows) if at < here]
        if ahead:
            self._files.move_to(ahead[0])

    def action_file_page_down(self) -> None:
        """A page down in the files."""
        self._files.move_page(1)

    def action_file_page_up(self) -> None:
        """A page up in the files."""
        self._files.move_page(-1)

    def action_first_file(self) -> None:
        """Select the first file."""
        self._files.move_to(self._row_of_first_file())

    def action_last_file(self) -> None:
        """Select the last file."""
        self._files.move_to(len(self._tree) - 1)

    def action_read_file(self) -> None:
        """Go to the diff, and from there back to the files; without either, ask again."""
        if self._advice.display:
            self.action_reload_commit()
        elif self._diff.has_focus:
            self._files.focus()
        else:
            self._diff.focus()

    def action_next_hunk(self) -> None:
        """Go to the next hunk."""
        self._diff.next_hunk()

    def action_previous_hunk(self) -> None:
        """Go to the previous hunk."""
        self._diff.previous_hunk()

    def action_parent(self) -> None:
        """Open the parent, or one of several."""
        if self._details is not None:
            self._choose("Parents", self._details.parents, "This is a first commit: it has no parent.")

    def action_child(self) -> None:
        """Open the child, or one of several."""
        if self._details is not None:
            self._choose("Children", self._details.children, "No indexed commit has this one for a parent.")

    def _choose(self, title: str, kin: Sequence[Kin], nothing: str) -> None:
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

    def action_hunk_history(self) -> None:
        """Open the history of the hunk under the cursor."""
        if self.selected is not None:
            self.ohara.open_history(self.selected)

    def action_pager(self) -> None:
        """Read the commit in git's own pager."""
        if self._details is not None:
            self.show_in_pager(self._details.commit.sha)


def _nothing(details: CommitDetails) -> str:
    """Why a commit shows no lines."""
    if details.commit.is_merge and not details.files:
        return "This merge changed nothing itself."
    if details.files:
        return "No lines of these files are indexed: they were moved, or are binary or left out."
    return "This commit changes no files."
