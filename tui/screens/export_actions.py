"""The export actions of a diff: to the clipboard, the editor, the forge's page, a file."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import to_thread

from ohara import wire
from ohara.errors import OharaError
from ohara.fate_phrase import fate_phrase
from ohara.model import FateState
from ohara.sanitize import sanitize
from tui.diff.rows import RowKind, lines_of
from tui.formats import day
from tui.widgets.cursor_view import SelectedLine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.forge import Forge
    from ohara.model import Hit
    from tui.screens.host import Commands, Host
    from tui.widgets.diff_view import DiffView

_WHOLE_FILE = 100_000  # lines of an old version that an editor is given


class ExportActions:
    """Copies, opens, edits and writes the hunk under the cursor, or what was marked."""

    def __init__(self, host: Host, diff: DiffView) -> None:
        self._host = host
        self._diff = diff

    def commands(self) -> Commands:
        """Its commands, by action name."""
        return {
            "copy": self.copy,
            "open_forge": self.open_forge,
            "edit": self.edit,
            "export": self.export,
        }

    @property
    def _hit(self) -> Hit | None:
        """The hunk under the cursor, or else the first."""
        return self._diff.selected_hit or next(iter(self._diff.hits), None)

    async def _forge(self) -> Forge | None:
        from ohara.forge import forge_of

        return forge_of((await self._host.ohara.link.send(wire.Remote(repo=self._host.repository))).url)

    # -- copying ---------------------------------------------------------------------------------

    def copy(self) -> None:
        """Ask what to copy."""
        from tui.screens.menu import Item, MenuScreen

        hit = self._hit
        if hit is None:
            return
        items = (
            Item("s", "sha", hit.commit.sha),
            Item("p", "path", hit.path),
            Item("u", "url", "the commit's page on its forge"),
            Item("d", "diff", f"{hit.path}:{hit.line}"),
            Item("m", "message", hit.commit.subject),
        )
        self._host.ohara.push_screen(MenuScreen("Copy", items), partial(self._copy_chosen, hit))

    def _copy_chosen(self, hit: Hit, key: str | None) -> None:
        if key is not None:
            self._host.start_worker(partial(self._copy, hit, key), group="copy", exclusive=True)

    async def _copy(self, hit: Hit, key: str) -> None:
        from tui.export import patch
        from tui.external import copy_to_clipboard

        text, what = "", {"s": "sha", "p": "path", "u": "url", "d": "diff", "m": "message"}[key]
        match key:
            case "s":
                text = hit.commit.sha
            case "p":
                text = sanitize(hit.path)
            case "d":
                text = patch((hit,))
            case "m":
                text = sanitize(hit.commit.message, keep="\n\t")
            case _:
                url = await self._page(hit)
                if url is None:
                    return
                text = url
        complaint = copy_to_clipboard(self._host.ohara, text)
        self._report(complaint, f"Copied the {what}.")

    def _report(self, complaint: str, done: str) -> None:
        if complaint:
            self._host.notify(complaint, severity="warning", timeout=4, markup=False)
        else:
            self._host.notify(done, timeout=2, markup=False)

    async def _page(self, hit: Hit) -> str | None:
        """The page of the hit's commit; None, and a message, when there is none."""
        try:
            forge = await self._forge()
        except OharaError as error:
            self._report(error.message, "")
            return None
        if forge is None:
            self._report("The remote of this repository has no page on the web.", "")
            return None
        return forge.commit(hit.commit.sha)

    # -- the browser and the editor --------------------------------------------------------------

    def open_forge(self) -> None:
        """Open the commit's page in the browser."""
        if self._hit is not None:
            self._host.start_worker(partial(self._open_page, self._hit), group="forge", exclusive=True)

    async def _open_page(self, hit: Hit) -> None:
        from tui.external import copy_to_clipboard, open_page

        url = await self._page(hit)
        if url is not None and not open_page(url):
            complaint = copy_to_clipboard(self._host.ohara, url)  # over ssh the browser is on the other side
            self._report(complaint, f"No browser here; copied {url}")

    def edit(self) -> None:
        """Open the file in the editor, where this line is now."""
        if self._hit is not None:
            self._host.start_worker(partial(self._edit, self._hit), group="edit", exclusive=True)

    async def _edit(self, hit: Hit) -> None:
        from tui.external import editor_command, run_in_terminal, temporary_copy, work_tree_file

        here = self._diff.selected_line
        if here is None or here.hit.hunk != hit.hunk:
            here = first_line(hit)
        path = work_tree_file(
            self._host.repository, hit.fate.path if hit.fate and hit.fate.path else hit.path
        )
        then = await self._version(hit, is_old=here.is_old)
        if path is None:
            if then is None:
                return
            path, line = temporary_copy(hit.path, hit.commit.sha, then), here.line
            self._host.notify("The file is gone by now: this is a copy of what it was.", timeout=4)
        else:
            now = path.read_text(encoding="utf-8", errors="replace").splitlines()
            line = await self._line_now(here, then, now)
        complaint = run_in_terminal(self._host.ohara, editor_command(path, line, os.environ))
        if complaint:
            self._report(complaint, "")

    async def _line_now(self, here: SelectedLine, then: Sequence[str] | None, now: Sequence[str]) -> int:
        """Where a line of the diff is in the file as it is now; says so when it is not there."""
        from tui.external import nearest_line
        from tui.line_map import line_now

        fate = here.hit.fate
        if then is None or (fate is not None and fate.state is FateState.MOVED):
            near = fate.line if fate is not None and fate.line is not None else here.line
            return nearest_line(now, here.text, near)
        found = await to_thread.run_sync(line_now, then, now, here.line)
        if not found.is_there:
            gone = _gone(here.hit)
            self._host.notify(gone or "This line is not there any more: here is where it stood.", timeout=5)
        return found.line

    async def _version(self, hit: Hit, *, is_old: bool) -> Sequence[str] | None:
        """All lines of the file after the commit, or before it; None, and a message, where there are none."""
        commit = hit.commit.parents[0] if is_old and hit.commit.parents else hit.commit.sha
        path = (hit.old_path or hit.path) if is_old else hit.path
        request = wire.Lines(repo=self._host.repository, commit=commit, path=path, first=1, last=_WHOLE_FILE)
        try:
            return (await self._host.ohara.link.send(request)).lines
        except OharaError as error:
            self._report(error.message, "")
            return None

    # -- a file of what was marked ---------------------------------------------------------------

    def export(self) -> None:
        """Ask in which form to write the marked hits, or this one when none is marked."""
        from tui.screens.menu import Item, MenuScreen

        hits = tuple(self._host.ohara.marks.values()) or ((self._hit,) if self._hit is not None else ())
        if not hits:
            return
        items = (Item("m", "Markdown", "to read and to share"), Item("p", "patch", "for git apply"))
        title = f"Export {len(hits)} {'hit' if len(hits) == 1 else 'hits'}"
        self._host.ohara.push_screen(MenuScreen(title, items), partial(self._export_chosen, hits))

    def _export_chosen(self, hits: tuple[Hit, ...], key: str | None) -> None:
        if key is not None:
            self._host.start_worker(partial(self._export, hits, key), group="export", exclusive=True)

    async def _export(self, hits: tuple[Hit, ...], key: str) -> None:
        from tui.export import markdown, patch, write
        from tui.git_process import inexact

        try:
            forge = await self._forge()
        except OharaError:  # links are a comfort; the hits are what was asked for
            forge = None
        state = self._host.ohara.search.finder.state
        title = state.source or state.name
        if key == "p":
            text = patch(hits, odd=await inexact(self._host.repository, hits))
        else:
            text = markdown(hits, title=title, forge=forge)
        try:
            path = write(text, Path.cwd(), "ohara-hits", ".patch" if key == "p" else ".md")
        except OSError as error:
            self._report(f"not written: {error.strerror or error}", "")
            return
        self._host.notify(f"Wrote {path}", timeout=5, markup=False)


def first_line(hit: Hit) -> SelectedLine:
    """The line that a hit is about when none was chosen: the first that it changed."""
    changed = [row for row in lines_of(hit) if row.kind is not RowKind.CONTEXT and row.is_line]
    added = [row for row in changed if row.new is not None]
    row = next(iter(added or changed), None)
    if row is None:
        return SelectedLine(hit, is_old=False, line=max(1, hit.line), text="")
    return SelectedLine(hit, is_old=row.new is None, line=row.new or row.old or 1, text=row.text)


def _gone(hit: Hit) -> str:
    """What to say before a file is opened that does not hold the hunk's lines any more; "" when it does."""
    if hit.fate is None or hit.fate.state not in {FateState.GONE, FateState.REVERTED}:
        return ""
    return f"These lines are {fate_phrase(hit.fate, day)}: this is the file as it is now."
