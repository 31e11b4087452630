"""The async client: one connection, many requests at a time, each of which may be cancelled.

Cancelling the task that waits for a reply cancels the request in the service too, down to its SQL.
"""

from __future__ import annotations

import time
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread

from ohara import __version__, wire
from ohara.client import blocking
from ohara.client.calls import (
    BUSY_PAUSE_S,
    BUSY_S,
    HungUp,
    checked,
    is_greeting,
    numbered,
    request_ids,
    silent,
    timeout_s,
)
from ohara.client.locate import socket_path
from ohara.errors import DaemonBusy, DaemonError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio.abc import ByteStream
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

R = TypeVar("R", bound=wire.Reply)

_CANCEL_S = 1.0  # for sending the service a cancellation
_PIECE_BYTES = 256 * 2**10
_WAITING_EVENTS = 256  # a reader that falls further behind loses events, never the connection


class AsyncClient:
    """One connection to the background service that many tasks share."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._ids = request_ids()
        self._sending = anyio.Lock()
        self._waiting: dict[int, MemoryObjectSendStream[wire.AnyReply]] = {}
        self._received = wire.FrameBuffer()
        self._over = False
        self._ended = anyio.Event()

    @property
    def alive(self) -> bool:
        """True until the connection ends; later requests fail."""
        return not self._over

    async def ended(self) -> None:
        """Wait until the connection ends."""
        await self._ended.wait()

    async def send(self, request: wire.Request[R]) -> R:
        """Send a request and wait for its reply; while the service is busy, retry for a minute."""
        deadline = time.monotonic() + BUSY_S
        while True:
            try:
                return await self._send_once(request)
            except DaemonBusy:
                if is_greeting(request) or time.monotonic() > deadline:
                    raise
            await anyio.sleep(BUSY_PAUSE_S)

    async def events(self) -> AsyncIterator[wire.JobState]:
        """Yield the state of index jobs whenever it changes."""
        request = numbered(wire.Subscribe(), next(self._ids))
        async with self._replies(request) as replies:
            async for reply in replies:
                if isinstance(reply, wire.Fault):
                    raise wire.as_error(reply)
                if not isinstance(reply, wire.Event):
                    return
                yield reply.job
        raise HungUp

    # -- the connection --------------------------------------------------------------------------

    async def greet(self) -> wire.Welcome:
        """Send the first request of the connection: the protocol number and version of this client."""
        return await self.send(wire.Hello(protocol=wire.PROTOCOL, version=__version__))

    async def _send_once(self, request: wire.Request[R]) -> R:
        asked = numbered(request, next(self._ids))
        async with self._replies(asked) as replies:
            try:
                with anyio.fail_after(timeout_s(asked)):
                    reply = await replies.receive()
            except anyio.EndOfStream:
                raise HungUp from None
            except TimeoutError:
                raise silent() from None
        return checked(asked, reply)

    @asynccontextmanager
    async def _replies(
        self, request: wire.Request[R]
    ) -> AsyncIterator[MemoryObjectReceiveStream[wire.AnyReply]]:
        """Send a request and receive its replies; leaving early cancels it."""
        if self._over:
            raise HungUp
        sender, receiver = anyio.create_memory_object_stream[wire.AnyReply](_WAITING_EVENTS)
        self._waiting[request.id] = sender
        try:
            with receiver:  # also when it is cancelled before it was sent
                await self._write(request)
                yield receiver
        finally:
            sender.close()
            if self._waiting.pop(request.id, None) is not None and not self._over:
                with anyio.move_on_after(_CANCEL_S, shield=True):
                    await self._write(wire.Cancel(id=next(self._ids), target=request.id))

    async def _write(self, request: wire.Request[R]) -> None:
        frame = wire.frame(request)
        try:
            async with self._sending:
                # A frame that is cut off by a cancellation would make the rest of the stream unreadable.
                with anyio.CancelScope(shield=True):
                    await self._stream.send(frame)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            self._over = True
            raise HungUp from error

    async def listen(self) -> None:
        """Pass each reply to the task that waits for it, until the connection ends."""
        try:
            while True:
                while (body := self._received.body()) is None:
                    self._received.feed(await self._stream.receive(_PIECE_BYTES))
                self._hand_over(wire.decode_reply(body))
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, DaemonError):
            pass
        finally:
            self._over = True
            self._ended.set()
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


@asynccontextmanager
async def connect_async(
    *, start: bool = False, idle_exit_s: float | None = None
) -> AsyncIterator[AsyncClient]:
    """Connect to the service; `start` starts it if need be. A service of an older version is restarted."""
    opened = await anyio.to_thread.run_sync(
        lambda: blocking.connect(start=start, idle_exit_s=idle_exit_s),
        abandon_on_cancel=True,  # a program that is cancelled does not wait for the service to start
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
    except (
        BaseExceptionGroup
    ) as errors:  # `listen` raises nothing: the caller's exception is alone in the group
        if len(errors.exceptions) == 1:
            raise errors.exceptions[0] from None
        raise
