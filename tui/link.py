"""The UI's bridge to the background service: one connection, kept alive, never waited for on the UI's loop.

`run` connects, starts the service where none runs, and connects again when it is gone. Requests wait until
there is a connection and are asked once more when it breaks under them: each of them may be asked twice.
Cancelling the task that asks gives the request up in the service. Nothing is decided or drawn here.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

import anyio

from ohara.errors import DaemonError, OharaError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from anyio.streams.memory import MemoryObjectSendStream

    from ohara.client import AsyncClient
    from ohara.model import CommitDetails, History, Hit, IndexStatus, Mode, Origin, Query, Results
    from ohara.wire import JobState, Registered, Vitals

Answer = TypeVar("Answer")

IDLE_EXIT_S = 900.0  # a service that only this UI wanted ends a quarter of an hour after it

_FIRST_PAUSE_S = 0.1  # a service that is replaced is back at once
_LONGEST_PAUSE_S = 5.0
_WAITING_EVENTS = 256  # a listener that falls further behind loses events


class LinkState(StrEnum):
    """The state of the connection."""

    CONNECTING = "connecting"
    CONNECTED = "connected"
    GONE = "gone"


class Link:
    """The connection to the service as the UI sees it; `changed` is called with every new state."""

    def __init__(
        self, changed: Callable[[LinkState, OharaError | None], None], *, idle_exit_s: float = IDLE_EXIT_S
    ) -> None:
        self._changed = changed
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
        """Connect and pass events on until the service is gone."""
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

    async def _ask(self, request: Callable[[AsyncClient], Awaitable[Answer]]) -> Answer:
        """Ask as soon as there is a connection, and again when it was lost before the answer came."""
        while True:
            await self._connected.wait()
            client, lost = self._client, self._lost
            if client is None:  # lost between being made and this task's turn
                continue
            try:
                return await request(client)
            except DaemonError:
                if client.alive:
                    raise
                await lost.wait()

    # -- asking ----------------------------------------------------------------------------------

    async def find(
        self,
        repo: Path | str,
        query: str | Query,
        *,
        k: int | None = None,
        mode: Mode | None = None,
        rerank: bool | None = None,
        all_hunks: bool = False,
        by_date: bool = False,
        after: str | None = None,
        context: int | None = None,
    ) -> Results:
        """The answer to a query."""
        return await self._ask(
            lambda client: client.find(
                repo,
                query,
                k=k,
                mode=mode,
                rerank=rerank,
                all_hunks=all_hunks,
                by_date=by_date,
                after=after,
                context=context,
            )
        )

    async def show(self, repo: Path | str, commit: str) -> tuple[Hit, ...]:
        """All hunks of a commit."""
        return await self._ask(lambda client: client.show(repo, commit))

    async def commit(self, repo: Path | str, commit: str) -> CommitDetails:
        """Everything about a commit but its lines."""
        return await self._ask(lambda client: client.commit(repo, commit))

    async def history(
        self,
        repo: Path | str,
        commit: str,
        path: str,
        *,
        symbol: str | None = None,
        first: int = 1,
        last: int = 1,
    ) -> History:
        """Every hunk that touched a symbol of a file, or else lines of it as it is in a commit."""
        return await self._ask(
            lambda client: client.history(repo, commit, path, symbol=symbol, first=first, last=last)
        )

    async def blame(self, repo: Path | str, commit: str, path: str, line: int) -> Origin:
        """Who last touched a line of a file as it is in a commit."""
        return await self._ask(lambda client: client.blame(repo, commit, path, line))

    async def lines(self, repo: Path | str, commit: str, path: str, first: int, last: int) -> tuple[str, ...]:
        """Lines of a file as it is in a commit."""
        return await self._ask(lambda client: client.lines(repo, commit, path, first, last))

    async def remote(self, repo: Path | str) -> str | None:
        """Where a repository is fetched from."""
        return await self._ask(lambda client: client.remote(repo))

    async def status(self, repo: Path | str) -> IndexStatus:
        """The status of an index."""
        return await self._ask(lambda client: client.status(repo))

    async def repos(self) -> tuple[Registered, ...]:
        """All indexes on this machine."""
        return await self._ask(lambda client: client.repos())

    async def health(self) -> Vitals:
        """The health of the service itself."""
        return await self._ask(lambda client: client.health())

    async def index(self, repo: Path | str) -> None:
        """Have a repository indexed; returns at once."""
        await self._ask(lambda client: client.index(repo))

    async def stop(self, repo: Path | str) -> None:
        """Stop indexing one repository until it is asked for or changes again."""
        await self._ask(lambda client: client.stop(repo))

    async def pause(self) -> None:
        """Stop indexing until resumed."""
        await self._ask(lambda client: client.pause())

    async def resume(self) -> None:
        """Let indexing go on."""
        await self._ask(lambda client: client.resume())

    async def events(self) -> AsyncIterator[JobState]:
        """Everything that happens to indexes from now on, across lost connections."""
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
