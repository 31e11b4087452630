"""The command palette: every action, recent queries, repositories, themes, a commit by its sha."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Provider
from textual.content import Content

from ohara.errors import OharaError
from tui.actions import ACTIONS
from tui.cells import cut, sanitize
from tui.theme import NAMES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from tui.app import OharaApp

_SHA = re.compile(r"[0-9a-fA-F]{4,40}")
_SHOWN_QUERIES = 50
_CELLS = 64


@dataclass(frozen=True, slots=True)
class Offer:
    """One entry of the palette."""

    title: str
    help: str
    do: Callable[[], object]
    first: bool = True


class OharaCommands(Provider):
    """The palette's entries for the current state of the app."""

    @property
    def _ohara(self) -> OharaApp:
        return cast("OharaApp", self.app)

    async def startup(self) -> None:
        """Load the list of repositories, once."""
        self._repositories: tuple[str, ...] = ()
        from ohara import wire  # late: the first paint does not wait for it

        try:
            found = (await self._ohara.link.send(wire.Repos())).repositories
        except OharaError:
            return
        self._repositories = tuple(each.repository for each in found if each.status is not None)

    def _offers(self) -> Iterator[Offer]:
        app = self._ohara
        for action in ACTIONS:
            if action.hidden or not app.can_run(action):
                continue
            keys = app.keys.labels(action)
            yield Offer(action.title, f"{keys}   {action.help}", partial(app.run_named, action))
        for source in app.session.recent(app.repository)[:_SHOWN_QUERIES]:
            text = cut(sanitize(source.replace("\n", " ")), _CELLS)
            yield Offer(f"Ask: {text}", "a recent query", partial(app.ask, source), first=False)
        for path in self._repositories:
            if path != app.repository:
                yield Offer(
                    f"Open: {sanitize(path)}", "another repository", partial(app.open_repository, path)
                )
        for name in NAMES:
            yield Offer(f"Theme: {name}", "colours of the UI", partial(app.use_theme, name), first=False)

    async def discover(self) -> AsyncIterator[DiscoveryHit]:
        """The entries shown before anything is typed."""
        for offer in self._offers():
            if offer.first:
                yield DiscoveryHit(Content(offer.title), offer.do, text=offer.title, help=offer.help)

    async def search(self, query: str) -> AsyncIterator[Hit]:
        """The entries that match what was typed."""
        if _SHA.fullmatch(query.strip()):
            sha = query.strip().lower()
            yield Hit(
                1.0, Content(f"Go to commit {sha}"), partial(self._ohara.open_commit, sha), help="by its sha"
            )
        matcher = self.matcher(query)
        for offer in self._offers():
            score, places = matcher.fuzzy_search.match(query, offer.title)
            if score > 0:
                shown = Content(offer.title)  # not the matcher's own, which reads brackets as markup
                for place in places:
                    shown = shown.stylize(matcher.match_style, place, place + 1)
                yield Hit(score, shown, offer.do, text=offer.title, help=offer.help)
