"""One client's connection: reads frames, answers requests concurrently, cancels them when the client leaves.

A client is known to be the same user, but may misbehave: garbage, a huge frame, a flood of requests or
replies that are not read end its own connection and affect no other client.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

import anyio

from ohara import __version__, wire
from ohara.errors import DaemonError, InternalError, OharaError, reason_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Hashable

    from anyio.abc import ByteStream, TaskGroup

_log = logging.getLogger("ohara.daemon")

_BODY_S = 30.0  # for the body of a frame to arrive after its header
_SEND_S = 30.0  # for a client to read a reply
_AT_ONCE = 64  # requests of one client that may run at the same time
_PIECE_BYTES = 256 * 2**10

Reply = wire.AnyReply


class Answering(Protocol):
    """What a connection needs for answering requests."""

    async def answer(self, request: wire.AnyRequest, client: Hashable) -> Reply:
        """The reply to a request of a client."""
        ...

    async def stream(self, request: wire.Subscribe, send: Callable[[wire.Event], Awaitable[None]]) -> None:
        """Send events until cancelled."""
        ...

    def shut_down(self) -> None:
        """Stop the service; called after the reply was sent."""
        ...


class Connection:
    """The service's end of one connection."""

    def __init__(self, stream: ByteStream, answering: Answering) -> None:
        self._stream = stream
        self._answering = answering
        self._sending = anyio.Lock()
        self._under_way: dict[int, anyio.CancelScope] = {}
        self._received = wire.FrameBuffer()

    async def serve(self) -> None:
        """Answer requests until the client leaves."""
        async with anyio.create_task_group() as group:
            try:
                if await self._greet():
                    while True:
                        self._take(await self._request(), group)
            except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
                pass
            except TimeoutError:
                _log.info("a client was too slow and is let go")
            except DaemonError as error:
                _log.info("a client speaks nonsense: %s", error.message)
                await self._send(wire.fault(0, error))
            group.cancel_scope.cancel()

    async def _greet(self) -> bool:
        """Check that the first request is a Hello with our protocol number, and answer it."""
        request = await self._request()
        if not isinstance(request, wire.Hello):
            await self._send(
                wire.fault(request.id, DaemonError("say hello first", hint="see docs/protocol.md"))
            )
            return False
        if request.protocol != wire.PROTOCOL:
            error = DaemonError(
                f"the daemon ({__version__}) speaks protocol {wire.PROTOCOL}, not {request.protocol}",
                hint="ohara daemon restart",
            )
            await self._send(wire.fault(request.id, error))
            return False
        return await self._send(await self._answering.answer(request, self))

    # -- requests --------------------------------------------------------------------------------

    def _take(self, request: wire.AnyRequest, group: TaskGroup) -> None:
        if isinstance(request, wire.Cancel):
            if scope := self._under_way.get(request.target):
                scope.cancel()
            group.start_soon(self._send, wire.Done(id=request.id))
        elif request.id in self._under_way:
            raise DaemonError(f"request {request.id} is still under way", hint="give each its own id")
        elif len(self._under_way) >= _AT_ONCE:
            raise DaemonError(f"more than {_AT_ONCE} requests at once", hint="wait for answers")
        else:
            scope = self._under_way[request.id] = anyio.CancelScope()
            group.start_soon(self._answer, request, scope)

    async def _answer(self, request: wire.AnyRequest, scope: anyio.CancelScope) -> None:
        reply: Reply | None = None
        try:
            with scope:
                if isinstance(request, wire.Subscribe):
                    await self._answering.stream(request, self._send_event)
                else:
                    reply = await self._reply(request)
        finally:
            del self._under_way[request.id]
        if reply is None:
            cancelled = wire.fault(request.id, DaemonError("cancelled"))
            reply = wire.Done(id=request.id) if isinstance(request, wire.Subscribe) else cancelled
        await self._send(reply)
        if isinstance(request, wire.Shutdown):
            self._answering.shut_down()

    async def _reply(self, request: wire.AnyRequest) -> Reply:
        try:
            with anyio.fail_after(request.deadline_ms / 1000):
                return await self._answering.answer(request, self)
        except TimeoutError:
            late = DaemonError(
                f"no answer within {request.deadline_ms / 1000:g} s", hint="ask again with more time"
            )
            return wire.fault(request.id, late)
        except OharaError as error:
            return wire.fault(request.id, error)
        except Exception as error:  # noqa: BLE001 - a fault of ours costs one answer, not the service
            _log.exception("a request failed: %s", type(request).__name__)
            return wire.fault(request.id, InternalError(reason_of(error), hint="ohara daemon logs"))

    # -- frames ----------------------------------------------------------------------------------

    async def _request(self) -> wire.AnyRequest:
        """The next request; there is no limit to the time between two."""
        while not self._received.has_header:
            self._received.feed(await self._stream.receive(_PIECE_BYTES))
        with anyio.fail_after(_BODY_S):
            while (body := self._received.body()) is None:
                self._received.feed(await self._stream.receive(_PIECE_BYTES))
        return wire.decode_request(body)

    async def _send_event(self, event: wire.Event) -> None:
        await self._send(event)

    async def _send(self, reply: Reply) -> bool:
        """Send a whole frame or close the connection; False when the client does not read it."""
        try:
            frame = wire.frame(reply)
        except DaemonError as error:
            frame = wire.frame(wire.fault(reply.id, error))
        try:
            async with self._sending:
                # After half a frame the rest of the stream would be unreadable: send all of it, or close the
                # connection.
                with anyio.fail_after(_SEND_S, shield=True):
                    await self._stream.send(frame)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return False
        except TimeoutError:
            await anyio.aclose_forcefully(self._stream)
            return False
        return True
