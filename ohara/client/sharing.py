"""A client for an event loop: one connection, many requests at a time, each of which may be cancelled.

Cancelling the task that waits for an answer gives the request up in the service too, down to its SQL.
"""

from __future__ import annotations

import time
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, TypeVar, Unpack

import anyio
import anyio.to_thread

from ohara import wire
from ohara.client import waiting
from ohara.client.place import socket_path
from ohara.client.questions import (
    BUSY_PAUSE_S,
    BUSY_S,
    DEADLINE_S,
    FindWish,
    HungUp,
    PastWish,
    Question,
    Questions,
    silent,
)
from ohara.errors import DaemonBusy, DaemonError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from anyio.abc import ByteStream
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    from ohara.model import CommitDetails, History, Hit, IndexStatus, Origin, Query, Results

R = TypeVar("R", bound=wire.Reply)
T = TypeVar("T")

_GOODBYE_S = 1.0  # for telling the service that an answer is no longer wanted
_WAITING_EVENTS = 256  # a reader that falls further behind loses events, never the connection


class AsyncClient:
    """One connection to the background service that many tasks share."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._say = Questions()
        self._sending = anyio.Lock()
        self._waiting: dict[int, MemoryObjectSendStream[wire.AnyReply]] = {}
        self._over = False

    @property
    def alive(self) -> bool:
        """True until the connection ends; what is asked afterwards fails."""
        return not self._over

    # -- asking ----------------------------------------------------------------------------------

    async def find(
        self,
        repo: Path | str,
        query: str | Query,
        *,
        deadline_s: float = DEADLINE_S,
        **wish: Unpack[FindWish],
    ) -> Results:
        """The answer to a query; what is None is left to the settings of the repository."""
        return await self._ask(self._say.find(repo, query, deadline_s=deadline_s, **wish))

    async def show(self, repo: Path | str, commit: str) -> tuple[Hit, ...]:
        """All hunks of a commit."""
        return await self._ask(self._say.show(repo, commit))

    async def commit(self, repo: Path | str, commit: str) -> CommitDetails:
        """Everything about a commit but its lines."""
        return await self._ask(self._say.commit(repo, commit))

    async def history(self, repo: Path | str, commit: str, path: str, **wish: Unpack[PastWish]) -> History:
        """Every hunk that touched a symbol of a file, or else lines of it as it is in a commit."""
        return await self._ask(self._say.history(repo, commit, path, **wish))

    async def blame(self, repo: Path | str, commit: str, path: str, line: int) -> Origin:
        """Who last touched a line of a file as it is in a commit."""
        return await self._ask(self._say.blame(repo, commit, path, line))

    async def lines(self, repo: Path | str, commit: str, path: str, first: int, last: int) -> tuple[str, ...]:
        """Lines of a file as it is in a commit."""
        return await self._ask(self._say.lines(repo, commit, path, first, last))

    async def remote(self, repo: Path | str) -> str | None:
        """Where a repository is fetched from."""
        return await self._ask(self._say.remote(repo))

    async def status(self, repo: Path | str) -> IndexStatus:
        """How an index stands."""
        return await self._ask(self._say.status(repo))

    async def repos(self) -> tuple[wire.Registered, ...]:
        """All indexes on this machine."""
        return await self._ask(self._say.repos())

    async def health(self) -> wire.Vitals:
        """How the service itself is."""
        return await self._ask(self._say.health())

    async def events(self) -> AsyncIterator[wire.JobState]:
        """Everything that happens to indexes from now on."""
        request = wire.Subscribe(id=self._say.number())
        async with self._replies(request) as replies:
            async for reply in replies:
                if isinstance(reply, wire.Fault):
                    raise wire.raised(reply)
                if not isinstance(reply, wire.Event):
                    return
                yield reply.job
        raise HungUp

    # -- telling ---------------------------------------------------------------------------------

    async def index(self, repo: Path | str) -> None:
        """Have a repository indexed; returns at once."""
        await self._ask(self._say.index(repo))

    async def stop(self, repo: Path | str) -> None:
        """Stop indexing one repository until it is asked for or changes again."""
        await self._ask(self._say.stop(repo))

    async def pause(self) -> None:
        """Stop indexing until resumed."""
        await self._ask(self._say.pause())

    async def resume(self) -> None:
        """Let indexing go on."""
        await self._ask(self._say.resume())

    # -- the connection --------------------------------------------------------------------------

    async def greet(self) -> wire.Welcome:
        """Say which protocol and version this is, as the first thing."""
        return await self._ask(self._say.hello())

    async def _ask(self, question: Question[R, T]) -> T:
        deadline = time.monotonic() + BUSY_S
        while True:
            try:
                return await self._ask_once(question)
            except DaemonBusy:
                if question.is_greeting or time.monotonic() > deadline:
                    raise
            await anyio.sleep(BUSY_PAUSE_S)

    async def _ask_once(self, question: Question[R, T]) -> T:
        async with self._replies(question.request) as replies:
            try:
                with anyio.fail_after(question.patience_s):
                    reply = await replies.receive()
            except anyio.EndOfStream:
                raise HungUp from None
            except TimeoutError:
                raise silent() from None
        return question.answered(reply)

    @asynccontextmanager
    async def _replies(
        self, request: wire.Request
    ) -> AsyncIterator[MemoryObjectReceiveStream[wire.AnyReply]]:
        """Send a request and collect what comes back; leaving early gives it up."""
        if self._over:
            raise HungUp
        sender, receiver = anyio.create_memory_object_stream[wire.AnyReply](_WAITING_EVENTS)
        self._waiting[request.id] = sender
        try:
            with receiver:  # also when it is given up before it was sent
                await self._send(request)
                yield receiver
        finally:
            sender.close()
            if self._waiting.pop(request.id, None) is not None and not self._over:
                with anyio.move_on_after(_GOODBYE_S, shield=True):
                    await self._send(wire.Cancel(id=self._say.number(), target=request.id))

    async def _send(self, request: wire.Request) -> None:
        frame = wire.frame(request)
        try:
            async with self._sending:
                # A frame that was half sent could not be taken back.
                with anyio.CancelScope(shield=True):
                    await self._stream.send(frame)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            self._over = True
            raise HungUp from error

    async def listen(self) -> None:
        """Hand each reply to whoever waits for it, until the connection ends."""
        try:
            while True:
                length = wire.body_length(await self._exactly(wire.HEADER_BYTES))
                self._hand_over(wire.decode_reply(await self._exactly(length)))
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, DaemonError):
            pass
        finally:
            self._over = True
            for sender in self._waiting.values():
                sender.close()
            self._waiting.clear()

    def _hand_over(self, reply: wire.AnyReply) -> None:
        is_last = not isinstance(reply, wire.Event)
        sender = self._waiting.pop(reply.id, None) if is_last else self._waiting.get(reply.id)
        if sender is not None:
            with suppress(anyio.WouldBlock, anyio.BrokenResourceError):
                sender.send_nowait(reply)
            if is_last:
                sender.close()

    async def _exactly(self, count: int) -> bytes:
        received = bytearray()
        while len(received) < count:
            received += await self._stream.receive(min(count - len(received), 1 << 20))
        return bytes(received)


@asynccontextmanager
async def connect_async(
    *, start: bool = False, idle_exit_s: float | None = None
) -> AsyncIterator[AsyncClient]:
    """A shared connection to the service, which is started first if it may be; an older one is replaced."""
    opened = await anyio.to_thread.run_sync(
        lambda: waiting.connect(start=start, idle_exit_s=idle_exit_s),
        abandon_on_cancel=True,  # a program that is told to end does not wait for the service to start
    )
    opened.close()
    stream = await anyio.connect_unix(str(socket_path()))
    try:
        async with stream, anyio.create_task_group() as group:
            client = AsyncClient(stream)
            group.start_soon(client.listen)
            await client.greet()
            yield client
            group.cancel_scope.cancel()
    except BaseExceptionGroup as errors:  # listening raises nothing, so what the caller raised is alone in it
        if len(errors.exceptions) == 1:
            raise errors.exceptions[0] from None
        raise
