"""Limits how many requests are worked on at once; the others wait, fairly by client.

More at once would not be faster: all of them would take longer, lose lanes to their deadlines, and finish
late or not at all. A client with many requests gets one turn for each turn of the others. A request that
would wait beyond its deadline is refused at once.
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio

from ohara.errors import DaemonBusy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Hashable

AT_ONCE = 6  # three times what two processors can do: some of it waits for a disk or a deadline
FOR_ONE = 4  # of these, for one client while others wait
_LATER = "ask again later, or without it: --no-daemon"
_FIRST_GUESS_S = 0.1  # what a turn takes, before one was taken
_NEWEST = 0.1  # the weight of the newest turn in what turns take


class Turns:
    """The requests that are worked on, and those that wait."""

    def __init__(self, *, at_once: int = AT_ONCE, for_one: int = FOR_ONE) -> None:
        self._at_once = at_once
        self._for_one = for_one
        self._working: dict[Hashable, int] = {}
        self._waiting: OrderedDict[Hashable, deque[anyio.Event]] = OrderedDict()
        self._takes_s = _FIRST_GUESS_S

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return sum(map(len, self._waiting.values()))

    @asynccontextmanager
    async def take(self, client: Hashable, *, patience_s: float) -> AsyncIterator[None]:
        """Wait for a turn and hold it; DaemonBusy when the wait would be too long."""
        expected_s = self._takes_s * self.waiting / self._at_once
        if expected_s > patience_s:
            raise DaemonBusy(
                f"the daemon is busy: {self.waiting:,} requests wait, for about {expected_s:.0f} s",
                hint=_LATER,
            )
        with anyio.move_on_after(patience_s) as waiting:
            await self._wait(client)
        if waiting.cancelled_caught:
            raise DaemonBusy(f"the daemon was busy for {patience_s:.0f} s", hint=_LATER)
        began = time.monotonic()
        try:
            yield
        finally:
            self._takes_s += _NEWEST * (time.monotonic() - began - self._takes_s)
            self._end(client)

    async def _wait(self, client: Hashable) -> None:
        turn = anyio.Event()
        self._waiting.setdefault(client, deque()).append(turn)
        self._let_in()
        try:
            await turn.wait()
        except BaseException:
            if turn.is_set():  # its turn came just as it gave up
                self._end(client)
            else:
                self._leave(client, turn)
            raise

    def _leave(self, client: Hashable, turn: anyio.Event) -> None:
        queue = self._waiting[client]
        queue.remove(turn)
        if not queue:
            del self._waiting[client]

    def _end(self, client: Hashable) -> None:
        self._working[client] -= 1
        if not self._working[client]:
            del self._working[client]
        self._let_in()

    def _let_in(self) -> None:
        """Give free turns to waiting requests, first to the client whose last turn is longest ago."""
        while self._waiting and sum(self._working.values()) < self._at_once:
            client = next((each for each in self._waiting if self._may_work(each)), None)
            if client is None:
                return
            queue = self._waiting[client]
            queue.popleft().set()
            self._working[client] = self._working.get(client, 0) + 1
            if queue:
                self._waiting.move_to_end(client)
            else:
                del self._waiting[client]

    def _may_work(self, client: Hashable) -> bool:
        return self._working.get(client, 0) < self._for_one
