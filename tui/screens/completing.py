"""Completes filters while they are typed: the choices stand beside the field, and a key goes through them.

Names that only the index knows are asked of the service while the user types; they come a moment later. The
key waits for them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import anyio

from ohara import wire
from ohara.errors import OharaError
from tui.cells import sanitize
from tui.completion import MOST, Completion, NamesWanted, complete, names_wanted
from tui.workers import start_worker

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.dom import DOMNode

    from tui.app import OharaApp

_SHOWN = 6
_PATIENCE_S = 1.0  # names take milliseconds; a key that seems to do nothing for longer is pressed again
_KEPT = 200  # answers: what was rubbed out is typed again


class Completing:
    """The choices for what is being typed; `drawn` is called when others came from the service."""

    def __init__(
        self, app: OharaApp, node: DOMNode, repository: Callable[[], str], drawn: Callable[[], None]
    ) -> None:
        self._app = app
        self._node = node
        self._repository = repository
        self._drawn = drawn
        self._known: dict[tuple[str, NamesWanted], tuple[str, ...]] = {}
        self._completion: Completion | None = None
        self._arrived = anyio.Event()  # the names that were asked for last
        self._arrived.set()
        self._text = ""
        self._taken = ""
        self._number = -1

    @property
    def hint(self) -> str:
        """The choices as they are shown."""
        completion = self._completion
        if completion is None:
            return ""
        key = self._app.keys.first_label("complete")
        here = self._number % len(completion.choices) if self._number >= 0 else -1
        first = max(0, here - _SHOWN + 1)
        shown = completion.choices[first : first + _SHOWN]
        words = [f"[{each}]" if first + at == here else each for at, each in enumerate(shown)]
        more = " …" if len(completion.choices) > first + _SHOWN else ""
        return sanitize(f"{key}: {'  '.join(words)}{more}")

    def typed(self, text: str | None) -> None:
        """Look what a text, as far as the cursor, can be completed to now; None for nothing."""
        if text is not None and self._taken and text == self._taken:
            return  # it was completed just now: the key goes on through the choices
        if text == self._text and self._is_waiting:
            return
        self._taken, self._number = "", -1
        self._text = text or ""
        self._arrived.set()  # for what was typed before
        wanted = names_wanted(self._text)
        names: tuple[str, ...] = ()
        if wanted is not None:
            asked = (self._repository(), wanted)
            if asked not in self._known:
                self._arrived = anyio.Event()
                ask = partial(self._ask, *asked, self._arrived)
                start_worker(self._node, ask, group="names", exclusive=True)
            names = self._known.get(asked, ())
        self._completion = complete(self._text, names)

    @property
    def _is_waiting(self) -> bool:
        return not self._arrived.is_set()

    async def wait(self) -> None:
        """Wait for the choices of what was typed while they are on their way, but not for long."""
        with anyio.move_on_after(_PATIENCE_S):
            while self._is_waiting:
                await self._arrived.wait()

    async def _ask(self, repository: str, wanted: NamesWanted, arrived: anyio.Event) -> None:
        request = wire.NamesRequest(repo=repository, kind=wanted.kind, begun=wanted.begun, k=MOST)
        try:
            names = (await self._app.link.send(request)).names
        except OharaError:  # nothing is offered then; the query itself tells what is wrong
            arrived.set()
            return
        self._take(repository, wanted, names)
        arrived.set()

    def _take(self, repository: str, wanted: NamesWanted, names: tuple[str, ...]) -> None:
        if len(self._known) >= _KEPT:
            self._known.clear()
        self._known[repository, wanted] = names
        if names_wanted(self._text) == wanted and not self._taken:
            self._completion = complete(self._text, names)
            self._drawn()

    def next_text(self) -> str | None:
        """The text completed to the next choice; None when there is none."""
        if self._completion is None:
            return None
        self._number += 1
        self._taken = self._completion.text(self._number)
        return self._taken
