"""Completes the diff of the selected hit once the list rests: whole hunk, commit, sibling hunks."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ohara import wire
from ohara.errors import OharaError
from ohara.model import READ_HUNK, SearchOptions
from ohara.present.hunks import joined_with_pieces
from tui.diff.context import marked_like
from tui.diff.head import commit_head, section_words
from tui.diff.rows import Row, RowKind
from tui.thread_head import thread_head

if TYPE_CHECKING:
    from textual.timer import Timer

    from ohara.model import CommitDetails, Hit
    from tui.screens.search import SearchScreen

_AT_REST_S = 0.12  # hits that one only passes are shown as they were found
_SIBLINGS = 12  # hunks: a few screens; the commit screen has the rest
_KEPT = 64  # commits
_OF_FILE = 100  # hunks of the hit's own file, where that comes late in its commit
_NO_GLOB = re.compile(r'[^*?\[\]{}\\"!\x00-\x1f\x7f\ud800-\udfff]+')


class Preview:
    """What is shown of the selected hit beside its own lines."""

    def __init__(self, screen: SearchScreen) -> None:
        self._screen = screen
        self._timer: Timer | None = None
        self._known: dict[tuple[str, str], tuple[CommitDetails, tuple[Hit, ...]]] = {}
        self.is_complete = False

    def show(self, hit: Hit) -> None:
        """Show a hit at once, and the rest of its commit when nothing moves any more."""
        screen = self._screen
        screen.panes.show_diff(hit, head=self._head(hit, None))
        self.is_complete = False
        if self._timer is not None:
            self._timer.stop()
        self._timer = screen.set_timer(_AT_REST_S, partial(self._complete_soon, hit))

    def postpone(self) -> None:
        """Wait again until nothing moves: something was typed."""
        if self._timer is not None:
            self._timer.reset()

    def refit(self) -> None:
        """Show the selected hit again, in another width."""
        hit = self._screen.selected
        if hit is not None:
            self.show(hit)

    def forget(self) -> None:
        """Ask again for what is known: the index changed."""
        self._known.clear()

    def _head(self, hit: Hit, details: CommitDetails | None) -> list[Row]:
        width, threads = self._screen.diff.text_size.width, self._screen.finder.state.threads
        rows = commit_head(hit, now=self._screen.ohara.clock(), width=width, details=details)
        thread = threads.get(hit.thread) if hit.thread else None
        return [*(Row(RowKind.NOTE, line, 0) for line in thread_head(thread)), *rows] if thread else rows

    def _complete_soon(self, hit: Hit) -> None:
        self._screen.start_worker(partial(self._complete, hit), group="preview", exclusive=True)

    async def _complete(self, hit: Hit) -> None:
        key = (hit.commit.sha, hit.path)
        if key not in self._known:
            try:
                found = await self._ask(hit)
            except OharaError:  # the hit itself is there; its commit says what is wrong when it is opened
                self.is_complete = True
                return
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[key] = found
        here = self._screen.selected
        if here is not None and here.hunk == hit.hunk:
            self._draw(here, *self._known[key])

    async def _ask(self, hit: Hit) -> tuple[CommitDetails, tuple[Hit, ...]]:
        link, repository = self._screen.ohara.link, self._screen.finder.state.repository
        sha = hit.commit.sha
        details = (await link.send(wire.Describe(repo=repository, commit=sha))).details
        options = SearchOptions(k=_SIBLINGS, all_hunks=True, context=READ_HUNK)
        found = (await link.send(wire.Find(repo=repository, query=sha, options=options))).results
        if any(each.hunk == hit.hunk for each in found.hits) or not _NO_GLOB.fullmatch(hit.path):
            return details, found.hits
        query = f'commit:{sha} path:"{hit.path}"'  # a part of a hunk is told from a hunk by its neighbours
        options = replace(options, k=_OF_FILE)
        near = (await link.send(wire.Find(repo=repository, query=query, options=options))).results
        own = sorted((each for each in near.hits if each.path == hit.path), key=lambda each: each.hunk)
        others = [each for each in found.hits if each.path != hit.path]
        return details, (*own, *others)

    def _draw(self, hit: Hit, details: CommitDetails, pieces: tuple[Hit, ...]) -> None:
        joined = joined_with_pieces([each for each in pieces if each.path])
        own = next((whole for whole, parts in joined if any(hit.hunk == part.hunk for part in parts)), None)
        shown = marked_like(own, hit) if own is not None and own.hunk != hit.hunk else hit
        if own is not None and len(own.excerpt) > len(hit.excerpt):
            shown = marked_like(own, hit)
        siblings = [whole for whole, _ in joined if whole is not own]
        total = sum(file.hunks for file in details.files) - bool(hit.excerpt)
        key = self._screen.ohara.keys.first_label("open_hit")
        section = section_words(len(siblings), max(total, len(siblings)), key) if siblings else ""
        self._screen.diff.complete(shown, siblings, head=self._head(hit, details), section=section)
        self.is_complete = True
