"""Hands keys on one at a time: the next one when all is done that the one before it meant.

Textual sends a key to the pane that has the focus at that moment. What it means is found out later, on its
way up to the app, and a focus moves later still. Keys that are read together (from a fast typist over ssh, a
macro, on a busy machine) would go to the pane before: letters behind `/` would be commands, and a letter
behind backspace would be the one that is rubbed out.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from textual import events

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.app import App
    from textual.dom import DOMNode
    from textual.timer import Timer

Typed: TypeAlias = events.Key | events.Paste

_LEAST_ROUNDS = 2  # what a key means, and what is then said of it to the screen
_MOST_ROUNDS = 6  # a focus that never comes to rest holds up nothing
_AT_MOST_S = 1.0  # a pane that is slow, or was closed in the midst of it, holds up nothing either


class TypeAhead:
    """The keys that wait for the one before them; `hand_on` is Textual's own way with a key."""

    def __init__(self, app: App[None], hand_on: Callable[[Typed], Awaitable[None]]) -> None:
        self._app = app
        self._hand_on = hand_on
        self._waiting: deque[Typed] = deque()
        self._number = 0  # of the key that was handed on last
        self.is_done = True
        self._rounds = 0
        self._way: DOMNode | None = None
        self._patience: Timer | None = None

    async def take(self, typed: Typed) -> None:
        """Hand a key on, now or when those before it are done."""
        self._waiting.append(typed)
        if self.is_done:
            await self._next()
        else:
            self._be_patient()

    async def _next(self) -> None:
        """Hand the next key on, if there is one."""
        self.is_done = not self._waiting
        if self.is_done:
            return
        self._number += 1
        self._rounds = 0
        self._way = self._focus()
        await self._hand_on(self._waiting.popleft())
        self._follow(self._way, self._number)

    def _follow(self, way: DOMNode | None, number: int) -> None:
        """Go the way of a key, behind it: up to the app, past panes that are being closed."""
        while way is not None and way is not self._app:
            if way.call_later(self._follow, way.parent, number):
                return
            way = way.parent
        self._app.call_later(self._look_again, number)

    async def _look_again(self, number: int) -> None:
        """The key is done when nothing more follows it, and the focus stays where it is."""
        if number != self._number or self.is_done:
            return
        before, self._way = self._way, self._focus()
        self._rounds += 1
        if self._rounds < _LEAST_ROUNDS or (self._way is not before and self._rounds < _MOST_ROUNDS):
            self._follow(self._way, number)
        else:
            await self._next()

    def _focus(self) -> DOMNode:
        return self._app.focused or self._app.screen

    # -- when nothing comes back -------------------------------------------------------------------

    def _be_patient(self) -> None:
        if self._patience is None:
            self._patience = self._app.set_timer(_AT_MOST_S, partial(self._lose_patience, self._number))

    async def _lose_patience(self, number: int) -> None:
        self._patience = None
        if number == self._number and not self.is_done:
            await self._next()
        if self._waiting:
            self._be_patient()
