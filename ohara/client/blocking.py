"""The blocking client: it waits for each reply on a plain socket, without an event loop; quick to import."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Self, TypeVar

from ohara import __version__, wire
from ohara.client import calls
from ohara.client.calls import (
    BUSY_PAUSE_S,
    BUSY_S,
    HungUp,
    checked,
    is_greeting,
    numbered,
    request_ids,
    silent,
)
from ohara.client.locate import is_older, socket_path, start_daemon
from ohara.errors import DaemonBusy, DaemonError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

R = TypeVar("R", bound=wire.Reply)

_GREETING_S = 5.0  # a service that does not answer the greeting by then is stuck
_STOP_S = 15.0
_POLL_S = 0.05
# Where no folder can be, no service can be either: waiting for one would only delay saying so.
_NOBODY_THERE = (FileNotFoundError, NotADirectoryError, ConnectionRefusedError)
_PIECE_BYTES = 256 * 2**10

START_HINT = "ohara daemon start"


class Client:
    """One connection to the background service, for one request at a time."""

    def __init__(self, connection: socket.socket, *, version: str = __version__) -> None:
        self._connection = connection
        self._ids = request_ids()
        self._received = wire.FrameBuffer()
        try:
            hello = wire.Hello(protocol=wire.PROTOCOL, version=version)
            self.greeting = self.send(hello, timeout_s=_GREETING_S)
        except BaseException:
            connection.close()
            raise

    def send(
        self,
        request: wire.Request[R],
        *,
        timeout_s: float | None = None,
        meanwhile: Callable[[], object] | None = None,
    ) -> R:
        """Send a request and wait for its reply; while the service is busy, retry for a minute.

        `meanwhile` is called once while the service works, to prepare what handling the reply needs.
        """
        asked = numbered(request, next(self._ids))
        kind = wire.reply_type(type(request))
        self._connection.settimeout(timeout_s or calls.timeout_s(request))
        deadline = time.monotonic() + BUSY_S
        while True:
            self._write(asked)
            wire.replies(kind)
            if meanwhile is not None:
                meanwhile()
                meanwhile = None
            try:
                return checked(asked, self._receive(kind))
            except DaemonBusy:
                if is_greeting(asked) or time.monotonic() > deadline:
                    raise
            time.sleep(BUSY_PAUSE_S)

    def events(self) -> Iterator[wire.JobState]:
        """Yield the state of index jobs whenever it changes; the connection takes no other request then."""
        self._write(numbered(wire.Subscribe(), next(self._ids)))
        self._connection.settimeout(None)
        while isinstance(reply := self._receive(), wire.Event):
            yield reply.job
        if isinstance(reply, wire.Fault):
            raise wire.as_error(reply)

    def shutdown(self) -> None:
        """Stop the service and wait until nothing listens on its socket."""
        self.send(wire.Shutdown())
        self.close()
        deadline = time.monotonic() + _STOP_S
        while _listens():
            if time.monotonic() > deadline:
                raise DaemonError(
                    f"the daemon (process {self.greeting.pid}) has not stopped yet",
                    hint=f"wait, or: kill {self.greeting.pid}",
                )
            time.sleep(_POLL_S)

    # -- the connection --------------------------------------------------------------------------

    def _write(self, request: wire.Request[R]) -> None:
        frame = wire.frame(request)
        try:
            self._connection.sendall(frame)
        except BrokenPipeError:
            return  # the service closed the connection; a reply that it sent before can still be read
        except OSError as error:
            raise _gone(error) from error

    def _receive(self, *kinds: type[wire.Reply]) -> wire.AnyReply:
        try:
            while (body := self._received.body()) is None:
                if not (piece := self._connection.recv(_PIECE_BYTES)):
                    raise HungUp
                self._received.feed(piece)
        except OSError as error:
            raise _gone(error) from error
        return wire.decode_reply(body, *kinds)

    def close(self) -> None:
        """Close the connection; requests that are running are cancelled."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


# -- finding the service -------------------------------------------------------------------------


def connect(*, start: bool = False, idle_exit_s: float | None = None, version: str = __version__) -> Client:
    """Connect to the service; `start` starts it if need be. A service of an older version is restarted."""
    client = running(version=version)
    if client is not None:
        return client
    if not start:
        raise DaemonError("no daemon is running", hint=START_HINT)
    start_daemon(answers=_listens, idle_exit_s=idle_exit_s)
    return _greeted(version)


def running(*, replace: bool = True, version: str = __version__) -> Client | None:
    """Connect to the running service; None when there is none.

    With `replace`, a service older than this client is stopped and started again, as it may not know the
    requests of this client.
    """
    try:
        client = _greeted(version)
    except _NOBODY_THERE:
        return None
    if replace and is_older(client.greeting.version, than=version):
        client.shutdown()
        start_daemon(answers=_listens)
        return _greeted(version)
    return client


def _greeted(version: str) -> Client:
    """Connect and greet; retried, as a service that is stopping may close the connection first."""
    deadline = time.monotonic() + _GREETING_S
    while True:
        try:
            return Client(_open(), version=version)
        except (HungUp, DaemonBusy):
            if time.monotonic() > deadline:
                raise
            time.sleep(_POLL_S)


def _open() -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(_GREETING_S)
        connection.connect(str(socket_path()))
    except BaseException as error:
        connection.close()
        if isinstance(error, OSError) and not isinstance(error, _NOBODY_THERE):
            raise _gone(error) from error
        raise
    return connection


def _listens() -> bool:
    with suppress(*_NOBODY_THERE):
        _open().close()
        return True
    return False


def _gone(error: OSError) -> DaemonError:
    return silent() if isinstance(error, TimeoutError) else HungUp()
