"""The connection to the background service: made when something is asked, and again when it was lost.

Every request sent here must be safe to send twice. Cancelling the task that waits for a reply cancels the
request in the service. A service that was started from here ends some time after the last question.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

import anyio

from ohara.client import connect_async, with_index
from ohara.errors import DaemonError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from anyio.abc import TaskGroup, TaskStatus

    from ohara.client import AsyncClient
    from ohara.wire import JobState, Reply, Request

R = TypeVar("R", bound="Reply")

IDLE_EXIT_S = 900.0


class Service:
    """One connection that all questions share."""

    def __init__(self, tasks: TaskGroup, index: str = "") -> None:
        self._tasks = tasks
        self._index = index
        self._client: AsyncClient | None = None
        self._connecting = anyio.Lock()

    async def send(self, request: Request[R]) -> R:
        """Send a request and wait for its reply; once more on a new connection when this one ends.

        It is about the index that was named when this server was started, or the repository's default.
        """
        request = with_index(request, self._index)
        client = await self._connected()
        try:
            return await client.send(request)
        except DaemonError:
            if client.alive:
                raise
        client = await self._connected()
        return await client.send(request)

    async def events(self) -> AsyncGenerator[JobState]:
        """Yield the state of index jobs whenever it changes."""
        client = await self._connected()
        async for job in client.events():
            yield job

    async def _connected(self) -> AsyncClient:
        async with self._connecting:
            if self._client is None or not self._client.alive:
                self._client = await self._tasks.start(self._hold)
            return self._client

    async def _hold(self, *, task_status: TaskStatus[AsyncClient]) -> None:
        """Connect, hand the connection over, and keep it open until it ends."""
        handed_over = False
        try:
            async with connect_async(start=True, idle_exit_s=IDLE_EXIT_S) as client:
                task_status.started(client)
                handed_over = True
                await client.ended()
        except (OSError, DaemonError) as error:
            if handed_over:  # those who wait for a reply have heard of it
                return
            if isinstance(error, DaemonError):
                raise
            raise DaemonError(f"the daemon cannot be reached: {error}", hint="ohara daemon status") from error


@asynccontextmanager
async def connected_service(index: str = "") -> AsyncIterator[Service]:
    """A service to ask; nothing is started before the first question. `index` names a shared one to ask."""
    async with anyio.create_task_group() as tasks:
        yield Service(tasks, index)
        tasks.cancel_scope.cancel()
