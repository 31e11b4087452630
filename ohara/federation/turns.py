"""Lets several indexes work a few at a time, and not longer than the others can wait.

Who waits for the others gives its turn away meanwhile, and its time does not run. When half of all have
something to bring, each that still works has a deadline.
"""

from __future__ import annotations

import math
import os
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

# At once; each has its lanes side by side already, and more than this only take turns on the processors.
AT_ONCE = 2 * (os.cpu_count() or 2)

_LONGEST_S = 120.0


class Turns:
    """The turns of so many members; `grace_s` tells how long the last half may take."""

    def __init__(self, members: int, grace_s: Callable[[], float]) -> None:
        self._members = members
        self._grace_s = grace_s
        self._free = anyio.Semaphore(AT_ONCE)
        self._scopes: dict[int, anyio.CancelScope] = {}
        self._working: set[int] = set()  # those that have a turn
        self._arrived: set[int] = set()  # those that have brought something, or never will

    @contextmanager
    def limited(self, member: int) -> Iterator[anyio.CancelScope]:
        """What a member does, in a scope that its deadline cancels."""
        with anyio.CancelScope() as scope:
            self._scopes[member] = scope
            yield scope

    @asynccontextmanager
    async def taken(self, member: int) -> AsyncIterator[None]:
        """Work when it is this member's turn."""
        await self._free.acquire()
        self._work(member)
        try:
            yield
        finally:
            self._working.discard(member)
            self._free.release()

    @asynccontextmanager
    async def paused(self, member: int) -> AsyncIterator[None]:
        """Let others have the turn, and their time, while this one waits for them."""
        self._working.discard(member)
        self._scopes[member].deadline = math.inf
        self._free.release()
        self.arrive(member)
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                await self._free.acquire()
            self._work(member)

    def arrive(self, member: int) -> None:
        """Count who has something to bring; when half have, those who still work get a deadline."""
        had_half = self._half_arrived
        self._arrived.add(member)
        if self._half_arrived and not had_half:
            for other in self._working:
                self._limit(other)

    def _work(self, member: int) -> None:
        self._working.add(member)
        self._limit(member)

    @property
    def _half_arrived(self) -> bool:
        return 2 * len(self._arrived) >= self._members

    def _limit(self, member: int) -> None:
        limit_s = self._grace_s() if self._half_arrived else _LONGEST_S
        self._scopes[member].deadline = anyio.current_time() + limit_s
