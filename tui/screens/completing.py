"""Completes filters while they are typed: the choices stand under the bar, and a key goes through them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tui.cells import sanitize
from tui.completion import Completion, Known, complete
from tui.git_process import known_names

if TYPE_CHECKING:
    from tui.screens.search import SearchScreen

_SHOWN = 6


class Completing:
    """The choices for what is being typed; what a repository holds is asked for once a filter is begun."""

    def __init__(self, screen: SearchScreen) -> None:
        self._screen = screen
        self._known: tuple[str, Known] | None = None
        self._completion: Completion | None = None
        self._taken = ""
        self._number = -1

    @property
    def hint(self) -> str:
        """The choices as they are shown under the bar."""
        completion = self._completion
        if completion is None:
            return ""
        key = self._screen.ohara.keys.first_label("complete")
        here = self._number % len(completion.choices) if self._number >= 0 else -1
        first = max(0, here - _SHOWN + 1)
        shown = completion.choices[first : first + _SHOWN]
        words = [f"[{each}]" if first + at == here else each for at, each in enumerate(shown)]
        more = " …" if len(completion.choices) > first + _SHOWN else ""
        return sanitize(f"{key}: {'  '.join(words)}{more}")

    def typed(self) -> None:
        """Look what can be completed now."""
        field = self._screen.bar.input
        before = field.value[: field.cursor_position]
        if self._taken and before == self._taken:
            return  # it was completed just now: the key goes on through the choices
        self._taken, self._number = "", -1
        self._completion = complete(before, self._names()) if field.has_focus else None

    def _names(self) -> Known:
        repository = self._screen.finder.state.repository
        symbols = tuple(dict.fromkeys(hit.symbol for hit in self._screen.finder.state.hits if hit.symbol))
        if self._known is None or self._known[0] != repository:
            self._known = (repository, Known())
            self._screen.start_worker(partial(self._ask, repository), group="names", exclusive=True)
        return replace(self._known[1], symbols=symbols)

    async def _ask(self, repository: str) -> None:
        self._known = (repository, await known_names(repository))
        self.typed()
        self._screen.view.draw()

    def take_next(self) -> bool:
        """Complete to the next choice; false when there is none."""
        completion, field = self._completion, self._screen.bar.input
        if completion is None:
            return False
        self._number += 1
        behind = field.value[field.cursor_position :]
        self._taken = completion.text(self._number)
        field.value = self._taken + behind
        field.cursor_position = len(self._taken)
        self._screen.view.draw()
        return True
