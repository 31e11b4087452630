"""The UI's connection to the background service, kept alive without blocking the UI's loop.

`run` connects, starts the service if none is running, and reconnects when it is gone. Requests wait for a
connection and are sent once more when it breaks: each must be safe to send twice. Cancelling the task that
waits for a reply cancels the request in the service. Nothing is decided or drawn here.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

import anyio

from ohara.errors import DaemonError, OharaError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from anyio.streams.memory import MemoryObjectSendStream

    from ohara.client import AsyncClient
    from ohara.wire import JobState, Reply, Request

R = TypeVar("R", bound="Reply")

IDLE_EXIT_S = 900.0  # a service that this UI started stops a quarter of an hour after the UI

_FIRST_PAUSE_S = 0.1  # a service that is replaced is back at once
_LONGEST_PAUSE_S = 5.0
_WAITING_EVENTS = 256  # a listener that falls further behind loses events


class LinkState(StrEnum):
    """The state of the connection."""

    CONNECTING = "connecting"
    CONNECTED = "connected"
    GONE = "gone"


class Link:
    """The connection to the service; `changed` is called with every new state."""

    def __init__(
        self,
        changed: Callable[[LinkState, OharaError | None], None],
        *,
        idle_exit_s: float = IDLE_EXIT_S,
        index: str = "",
    ) -> None:
        self._changed = changed
        self._index = index
        self._idle_exit_s = idle_exit_s
        self._client: AsyncClient | None = None
        self._connected = anyio.Event()
        self._lost = anyio.Event()
        self._listeners: set[MemoryObjectSendStream[JobState]] = set()
        self.state = LinkState.CONNECTING

    async def run(self) -> None:
        """Stay connected until cancelled."""
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                await self._stay_connected()
                reason: OharaError | None = None
            except OharaError as error:
                reason = error
            except OSError as error:
                reason = DaemonError(f"the daemon cannot be reached: {error}", hint="ohara daemon status")
            pause_s = _FIRST_PAUSE_S if self._client else min(2 * pause_s, _LONGEST_PAUSE_S)
            if self._client is not None:
                self._client = None
                self._connected = anyio.Event()
                self._lost.set()
            self._enter(LinkState.GONE, reason)
            await anyio.sleep(pause_s)
            self._enter(LinkState.CONNECTING)

    async def _stay_connected(self) -> None:
        """Connect and forward events until the service is gone."""
        from ohara.client import connect_async  # late: the first paint does not wait for it

        async with connect_async(start=True, idle_exit_s=self._idle_exit_s) as client:
            self._client, self._lost = client, anyio.Event()
            self._connected.set()
            self._enter(LinkState.CONNECTED)
            async for job in client.events():
                for listener in tuple(self._listeners):
                    _offer(listener, job)

    def _enter(self, state: LinkState, reason: OharaError | None = None) -> None:
        self.state = state
        self._changed(state, reason)

    async def send(self, request: Request[R]) -> R:
        """Send a request as soon as there is a connection, and again when that is lost before the reply.

        It is about the index that was named at the start, or the default of the repository.
        """
        from ohara.client import with_index  # late, as above

        request = with_index(request, self._index)
        while True:
            await self._connected.wait()
            client, lost = self._client, self._lost
            if client is None:  # lost between being made and this task's turn
                continue
            try:
                return await client.send(request)
            except DaemonError:
                if client.alive:
                    raise
                await lost.wait()

    async def events(self) -> AsyncIterator[JobState]:
        """Yield the state of index jobs whenever it changes, across reconnections."""
        sender, receiver = anyio.create_memory_object_stream["JobState"](_WAITING_EVENTS)
        self._listeners.add(sender)
        try:
            with sender, receiver:
                async for job in receiver:
                    yield job
        finally:
            self._listeners.discard(sender)


def _offer(listener: MemoryObjectSendStream[JobState], job: JobState) -> None:
    try:
        listener.send_nowait(job)
    except (anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
        return
