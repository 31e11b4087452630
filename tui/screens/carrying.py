"""Taking away what a diff shows: to the clipboard, to the editor, to the forge's page, to a file."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ohara.errors import OharaError
from tui.screens.diffing import DiffActions
from tui.working import begin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import Hit
    from tui.forge import Forge

_WHOLE_FILE = 100_000  # lines of an old version that an editor is given


class CarryingActions(DiffActions):
    """A screen with a diff from which things can be taken."""

    @property
    def subject(self) -> Hit | None:
        """The hunk that is meant: the one under the cursor, or else the only one."""
        return self.diff.selected_hit or next(iter(self.diff.hits), None)

    async def _forge(self) -> Forge | None:
        from tui.forge import forge_of

        return forge_of(await self.ohara.link.remote(self.ohara.repository))

    # -- copying ---------------------------------------------------------------------------------

    def action_copy(self) -> None:
        """Ask what to copy."""
        from tui.screens.menu import Item, MenuScreen

        hit = self.subject
        if hit is None:
            return
        items = (
            Item("s", "sha", hit.commit.sha),
            Item("p", "path", hit.path),
            Item("u", "url", "the commit's page on its forge"),
            Item("d", "diff", f"{hit.path}:{hit.line}"),
            Item("m", "message", hit.commit.subject),
        )
        self.app.push_screen(MenuScreen("Copy", items), partial(self._copy_chosen, hit))

    def _copy_chosen(self, hit: Hit, key: str | None) -> None:
        if key is not None:
            begin(self, partial(self._copy, hit, key), group="copy", exclusive=True)

    async def _copy(self, hit: Hit, key: str) -> None:
        from tui.export import patch
        from tui.outside import copy

        text, what = "", {"s": "sha", "p": "path", "u": "url", "d": "diff", "m": "message"}[key]
        match key:
            case "s":
                text = hit.commit.sha
            case "p":
                text = hit.path
            case "d":
                text = patch((hit,))
            case "m":
                text = hit.commit.message
            case _:
                url = await self._page(hit)
                if url is None:
                    return
                text = url
        complaint = copy(self.app, text)
        self._said(complaint, f"Copied the {what}.")

    def _said(self, complaint: str, done: str) -> None:
        if complaint:
            self.notify(complaint, severity="warning", timeout=4, markup=False)
        else:
            self.notify(done, timeout=2, markup=False)

    async def _page(self, hit: Hit) -> str | None:
        """The page of the hit's commit; None, and a word about it, when there is none."""
        try:
            forge = await self._forge()
        except OharaError as error:
            self._said(error.message, "")
            return None
        if forge is None:
            self._said("The remote of this repository has no page on the web.", "")
            return None
        return forge.commit(hit.commit.sha)

    # -- the browser and the editor --------------------------------------------------------------

    def action_open_forge(self) -> None:
        """Open the commit's page in the browser."""
        if self.subject is not None:
            begin(self, partial(self._open_page, self.subject), group="forge", exclusive=True)

    async def _open_page(self, hit: Hit) -> None:
        from tui.outside import copy, open_page

        url = await self._page(hit)
        if url is not None and not open_page(url):
            complaint = copy(self.app, url)  # over ssh the browser is on the other side
            self._said(complaint, f"No browser here; copied {url}")

    def action_edit(self) -> None:
        """Open the file in the editor, where this line stands now."""
        if self.subject is not None:
            begin(self, partial(self._edit, self.subject), group="edit", exclusive=True)

    async def _edit(self, hit: Hit) -> None:
        from tui.outside import editor_command, kept_copy, nearest_line, run_in_terminal, work_file

        here = self.diff.selected_line
        near, text = (here.line, here.text) if here is not None and here.hit == hit else (hit.line, "")
        path = work_file(self.ohara.repository, hit.path)
        if path is None:
            lines = await self._old_lines(hit)
            if lines is None:
                return
            path = kept_copy(hit.path, hit.commit.sha, lines)
            self.notify("The file is gone by now: this is a copy of what it was.", timeout=4)
        else:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        command = editor_command(path, nearest_line(lines, text, max(1, near)), os.environ)
        complaint = run_in_terminal(self.app, command)
        if complaint:
            self._said(complaint, "")

    async def _old_lines(self, hit: Hit) -> Sequence[str] | None:
        try:
            return await self.ohara.link.lines(
                self.ohara.repository, hit.commit.sha, hit.path, 1, _WHOLE_FILE
            )
        except OharaError as error:
            self._said(error.message, "")
            return None

    # -- a file of what was marked ---------------------------------------------------------------

    def action_export(self) -> None:
        """Ask in which form to write the marked hits, or this one when none is marked."""
        from tui.screens.menu import Item, MenuScreen

        hits = tuple(self.ohara.marks.values()) or ((self.subject,) if self.subject is not None else ())
        if not hits:
            return
        items = (Item("m", "Markdown", "to read and to share"), Item("p", "patch", "for git apply"))
        title = f"Export {len(hits)} {'hit' if len(hits) == 1 else 'hits'}"
        self.app.push_screen(MenuScreen(title, items), partial(self._export_chosen, hits))

    def _export_chosen(self, hits: tuple[Hit, ...], key: str | None) -> None:
        if key is not None:
            begin(self, partial(self._export, hits, key), group="export", exclusive=True)

    async def _export(self, hits: tuple[Hit, ...], key: str) -> None:
        from tui.export import markdown, patch, write

        try:
            forge = await self._forge()
        except OharaError:  # links are a comfort; the hits are what was asked for
            forge = None
        title = self.ohara.search.finder.state.source or self.ohara.search.finder.state.name
        text = patch(hits) if key == "p" else markdown(hits, title=title, forge=forge)
        try:
            path = write(text, Path.cwd(), "ohara-hits", ".patch" if key == "p" else ".md")
        except OSError as error:
            self._said(f"not written: {error.strerror or error}", "")
            return
        self.notify(f"Wrote {path}", timeout=5, markup=False)
