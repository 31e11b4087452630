"""What the palette offers: every action, recent queries, repositories, themes, a commit by its sha."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from textual.fuzzy import FuzzySearch

from tui.actions import ACTIONS
from tui.cells import sanitize
from tui.screens.pick import Entry
from tui.theme_choice import theme_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tui.app import OharaApp

_SHA = re.compile(r"[0-9a-fA-F]{4,40}")
_SHOWN_QUERIES = 50


class Palette:
    """The entries of the palette as things are; `repositories` come when they are known."""

    def __init__(self, app: OharaApp) -> None:
        self._app = app
        self._actions = [action for action in ACTIONS if not action.hidden and app.can_run(action)]
        self._search = FuzzySearch()
        self.repositories: Sequence[str] = ()

    def entries(self, typed: str) -> list[Entry]:
        """What matches what was typed, the best first; all of it before anything was."""
        wanted = typed.strip()
        if not wanted:
            return [*self._first(), *self._rest()]
        scored = [
            (score, entry.found_at(places))
            for entry in (*self._first(), *self._rest())
            for score, places in (self._search.match(wanted, entry.title),)
            if score > 0
        ]
        found = [entry for _, entry in sorted(scored, key=lambda each: -each[0])]
        if _SHA.fullmatch(wanted):
            go = Entry(f"Go to commit {wanted.lower()}", "by its sha", do=partial(self._go, wanted.lower()))
            found.insert(0, go)
        return found

    def _go(self, sha: str) -> None:
        self._app.open_commit(sha)

    def _first(self) -> Iterator[Entry]:
        app = self._app
        for action in self._actions:
            yield Entry(
                action.title, action.help, keys=app.keys.labels(action), do=partial(app.run_named, action)
            )

    def _rest(self) -> Iterator[Entry]:
        app = self._app
        for path in self.repositories:
            if path != app.repository:
                yield Entry(f"Open: {sanitize(path)}", "repository", do=partial(app.open_repository, path))
        for source in app.session.recent(app.repository)[:_SHOWN_QUERIES]:
            text = sanitize(source.replace("\n", " "))
            yield Entry(f"Ask: {text}", "recent query", do=partial(app.ask, source))
        for name in theme_names():
            yield Entry(f"Theme: {name}", "colours", do=partial(app.use_theme, name))
