"""A client for an event loop: one connection, many requests at a time, each of which may be cancelled.

Cancelling the task that waits for an answer gives the request up in the service too, down to its SQL.
"""

from __future__ import annotations

import itertools
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread

from ohara import __version__, wire
from ohara.client import waiting
from ohara.client.place import absolute, socket_path
from ohara.errors import DaemonError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from anyio.abc import ByteStream
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    from ohara.model import CommitDetails, History, Hit, IndexStatus, Mode, Origin, Query, Results

R = TypeVar("R", bound=wire.Reply)

_GRACE_S = 5.0
_GOODBYE_S = 1.0  # for telling the service that an answer is no longer wanted
_WAITING_EVENTS = 256  # a reader that falls further behind loses events, never the connection


class AsyncClient:
    """One connection to the background service that many tasks share."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._numbers = itertools.count(1)
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
        k: int | None = None,
        mode: Mode | None = None,
        rerank: bool | None = None,
        all_hunks: bool = False,
        by_date: bool = False,
        after: str | None = None,
        context: int | None = None,
        deadline_s: float = 30.0,
    ) -> Results:
        """The answer to a query; what is None is left to the settings of the repository."""
        request = wire.Find(
            id=self._number(),
            deadline_ms=max(1, round(deadline_s * 1000)),
            repo=absolute(repo),
            query=query,
            k=k,
            mode=mode,
            rerank=rerank,
            all_hunks=all_hunks,
            by_date=by_date,
            after=after,
            context=context,
        )
        return (await self._ask(request, wire.Found)).results

    async def show(self, repo: Path | str, commit: str) -> tuple[Hit, ...]:
        """All hunks of a commit."""
        request = wire.Show(id=self._number(), repo=absolute(repo), commit=commit)
        return (await self._ask(request, wire.Shown)).hits

    async def commit(self, repo: Path | str, commit: str) -> CommitDetails:
        """Everything about a commit but its lines."""
        request = wire.Describe(id=self._number(), repo=absolute(repo), commit=commit)
        return (await self._ask(request, wire.Described)).details

    async def history(
        self,
        repo: Path | str,
        commit: str,
        path: str,
        *,
        symbol: str | None = None,
        first: int = 1,
        last: int = 1,
        k: int = 200,
    ) -> History:
        """Every hunk that touched a symbol of a file, or else lines of it as it is in a commit."""
        request = wire.Past(
            id=self._number(),
            repo=absolute(repo),
            commit=commit,
            path=path,
            symbol=symbol,
            first=first,
            last=last,
            k=k,
        )
        return (await self._ask(request, wire.Followed)).history

    async def blame(self, repo: Path | str, commit: str, path: str, line: int) -> Origin:
        """Who last touched a line of a file as it is in a commit."""
        request = wire.Blame(id=self._number(), repo=absolute(repo), commit=commit, path=path, line=line)
        return (await self._ask(request, wire.Blamed)).origin

    async def lines(self, repo: Path | str, commit: str, path: str, first: int, last: int) -> tuple[str, ...]:
        """Lines of a file as it is in a commit."""
        request = wire.Lines(
            id=self._number(), repo=absolute(repo), commit=commit, path=path, first=first, last=last
        )
        return (await self._ask(request, wire.Excerpt)).lines

    async def remote(self, repo: Path | str) -> str | None:
        """Where a repository is fetched from."""
        return (await self._ask(wire.Remote(id=self._number(), repo=absolute(repo)), wire.Located)).url

    async def status(self, repo: Path | str) -> IndexStatus:
        """How an index stands."""
        request = wire.Status(id=self._number(), repo=absolute(repo))
        return (await self._ask(request, wire.Standing)).status

    async def repos(self) -> tuple[wire.Registered, ...]:
        """All indexes on this machine."""
        return (await self._ask(wire.Repos(id=self._number()), wire.Repositories)).repositories

    async def health(self) -> wire.Vitals:
        """How the service itself is."""
        return await self._ask(wire.Health(id=self._number()), wire.Vitals)

    async def events(self) -> AsyncIterator[wire.JobState]:
        """Everything that happens to indexes from now on."""
        request = wire.Subscribe(id=self._number())
        async with self._replies(request) as replies:
            async for reply in replies:
                if isinstance(reply, wire.Fault):
                    raise wire.raised(reply)
                if not isinstance(reply, wire.Event):
                    return
                yield reply.job
        raise _gone()

    # -- telling ---------------------------------------------------------------------------------

    async def index(self, repo: Path | str) -> None:
        """Have a repository indexed; returns at once."""
        await self._ask(wire.Index(id=self._number(), repo=absolute(repo)), wire.Done)

    async def stop(self, repo: Path | str) -> None:
        """Stop indexing one repository until it is asked for or changes again."""
        await self._ask(wire.Stop(id=self._number(), repo=absolute(repo)), wire.Done)

    async def pause(self) -> None:
        """Stop indexing until resumed."""
        await self._ask(wire.Pause(id=self._number()), wire.Done)

    async def resume(self) -> None:
        """Let indexing go on."""
        await self._ask(wire.Resume(id=self._number()), wire.Done)

    # -- the connection --------------------------------------------------------------------------

    async def greet(self) -> wire.Welcome:
        """Say which protocol and version this is, as the first thing."""
        hello = wire.Hello(id=self._number(), protocol=wire.PROTOCOL, version=__version__)
        return await self._ask(hello, wire.Welcome)

    async def _ask(self, request: wire.Request, answer: type[R]) -> R:
        async with self._replies(request) as replies:
            try:
                with anyio.fail_after(request.deadline_ms / 1000 + _GRACE_S):
                    reply = await replies.receive()
            except anyio.EndOfStream:
                raise _gone() from None
            except TimeoutError:
                raise DaemonError("the daemon does not answer", hint="ohara daemon restart") from None
        if isinstance(reply, wire.Fault):
            raise wire.raised(reply)
        if not isinstance(reply, answer):
            raise DaemonError(
                "the daemon answered something else than was asked", hint="ohara daemon restart"
            )
        return reply

    @asynccontextmanager
    async def _replies(
        self, request: wire.Request
    ) -> AsyncIterator[MemoryObjectReceiveStream[wire.AnyReply]]:
        """Send a request and collect what comes back; leaving early gives it up."""
        if self._over:
            raise _gone()
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
                    await self._send(wire.Cancel(id=self._number(), target=request.id))

    async def _send(self, request: wire.Request) -> None:
        frame = wire.frame(request)
        try:
            async with self._sending:
                # A frame that was half sent could not be taken back.
                with anyio.CancelScope(shield=True):
                    await self._stream.send(frame)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            self._over = True
            raise _gone() from error

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

    def _number(self) -> int:
        return next(self._numbers)


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


def _gone() -> DaemonError:
    return DaemonError("the daemon ended the connection", hint="ohara daemon status, ohara daemon logs")
