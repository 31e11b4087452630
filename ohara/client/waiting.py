"""A client that waits for each answer: plain sockets, no event loop, quick to import."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Self, TypeVar, Unpack

from ohara import __version__, wire
from ohara.client.place import is_older, socket_path, start_daemon
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
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import TracebackType

    from ohara.model import CommitDetails, History, Hit, IndexStatus, Origin, Query, Results

R = TypeVar("R", bound=wire.Reply)
T = TypeVar("T")

_GREETING_S = 5.0  # a service that does not greet by then is stuck
_STOP_S = 15.0
_POLL_S = 0.05

START_HINT = "ohara daemon start"


class Client:
    """One connection to the background service; one request at a time."""

    def __init__(self, connection: socket.socket, *, version: str = __version__) -> None:
        self._connection = connection
        self._say = Questions()
        try:
            self.greeting = self._ask(self._say.hello(version), timeout_s=_GREETING_S)
        except BaseException:
            connection.close()
            raise

    # -- asking ----------------------------------------------------------------------------------

    def find(
        self,
        repo: Path | str,
        query: str | Query,
        *,
        deadline_s: float = DEADLINE_S,
        meanwhile: Callable[[], object] | None = None,
        **wish: Unpack[FindWish],
    ) -> Results:
        """The answer to a query; what is None is left to the settings of the repository.

        `meanwhile` is called while the service is at work, for what the answer will need.
        """
        return self._ask(self._say.find(repo, query, deadline_s=deadline_s, **wish), meanwhile=meanwhile)

    def show(self, repo: Path | str, commit: str) -> tuple[Hit, ...]:
        """All hunks of a commit."""
        return self._ask(self._say.show(repo, commit))

    def commit(self, repo: Path | str, commit: str) -> CommitDetails:
        """Everything about a commit but its lines."""
        return self._ask(self._say.commit(repo, commit))

    def history(self, repo: Path | str, commit: str, path: str, **wish: Unpack[PastWish]) -> History:
        """Every hunk that touched a symbol of a file, or else lines of it as it is in a commit."""
        return self._ask(self._say.history(repo, commit, path, **wish))

    def blame(self, repo: Path | str, commit: str, path: str, line: int) -> Origin:
        """Who last touched a line of a file as it is in a commit."""
        return self._ask(self._say.blame(repo, commit, path, line))

    def lines(self, repo: Path | str, commit: str, path: str, first: int, last: int) -> tuple[str, ...]:
        """Lines of a file as it is in a commit."""
        return self._ask(self._say.lines(repo, commit, path, first, last))

    def remote(self, repo: Path | str) -> str | None:
        """Where a repository is fetched from."""
        return self._ask(self._say.remote(repo))

    def status(self, repo: Path | str) -> IndexStatus:
        """How an index stands."""
        return self._ask(self._say.status(repo))

    def repos(self) -> tuple[wire.Registered, ...]:
        """All indexes on this machine."""
        return self._ask(self._say.repos())

    def health(self) -> wire.Vitals:
        """How the service itself is."""
        return self._ask(self._say.health())

    def events(self) -> Iterator[wire.JobState]:
        """Everything that happens to indexes from now on; the connection serves nothing else any more."""
        self._send(wire.Subscribe(id=self._say.number()))
        self._connection.settimeout(None)
        while isinstance(reply := self._receive(), wire.Event):
            yield reply.job
        if isinstance(reply, wire.Fault):
            raise wire.raised(reply)

    # -- telling ---------------------------------------------------------------------------------

    def index(self, repo: Path | str) -> None:
        """Have a repository indexed; returns at once."""
        self._ask(self._say.index(repo))

    def stop(self, repo: Path | str) -> None:
        """Stop indexing one repository until it is asked for or changes again."""
        self._ask(self._say.stop(repo))

    def pause(self) -> None:
        """Stop indexing until resumed."""
        self._ask(self._say.pause())

    def resume(self) -> None:
        """Let indexing go on."""
        self._ask(self._say.resume())

    def shutdown(self) -> None:
        """End the service and wait until nobody listens any more."""
        self._ask(self._say.shutdown())
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

    def _ask(
        self,
        question: Question[R, T],
        *,
        timeout_s: float | None = None,
        meanwhile: Callable[[], object] | None = None,
    ) -> T:
        self._connection.settimeout(timeout_s or question.patience_s)
        deadline = time.monotonic() + BUSY_S
        while True:
            self._send(question.request)
            wire.replies(question.kind)
            if meanwhile is not None:
                meanwhile()
                meanwhile = None
            try:
                return question.answered(self._receive(question.kind))
            except DaemonBusy:
                if question.is_greeting or time.monotonic() > deadline:
                    raise
            time.sleep(BUSY_PAUSE_S)

    def _send(self, request: wire.Request) -> None:
        frame = wire.frame(request)
        try:
            self._connection.sendall(frame)
        except OSError as error:
            raise _gone(error) from error

    def _receive(self, *kinds: type[wire.Reply]) -> wire.AnyReply:
        return wire.decode_reply(self._exactly(wire.body_length(self._exactly(wire.HEADER_BYTES))), *kinds)

    def _exactly(self, count: int) -> bytes:
        received = bytearray()
        try:
            while len(received) < count:
                piece = self._connection.recv(min(count - len(received), 1 << 20))
                if not piece:
                    raise _gone(None)
                received += piece
        except OSError as error:
            raise _gone(error) from error
        return bytes(received)

    def close(self) -> None:
        """End the connection; what is under way is given up."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


# -- finding the service -------------------------------------------------------------------------


def connect(*, start: bool = False, idle_exit_s: float | None = None, version: str = __version__) -> Client:
    """A connection to the service, which is started first if it may be; an older one is replaced."""
    client = running(version=version)
    if client is not None:
        return client
    if not start:
        raise DaemonError("no daemon is running", hint=START_HINT)
    start_daemon(answers=_listens, idle_exit_s=idle_exit_s)
    return _greeted(version)


def running(*, replace: bool = True, version: str = __version__) -> Client | None:
    """A connection to the service that runs now; None when none does.

    Unless told not to, one that is older than this client is ended and started anew, as it may not know
    what this client asks; its successor answers.
    """
    try:
        client = _greeted(version)
    except (FileNotFoundError, ConnectionRefusedError):
        return None
    if replace and is_older(client.greeting.version, than=version):
        client.shutdown()
        start_daemon(answers=_listens)
        return _greeted(version)
    return client


def _greeted(version: str) -> Client:
    """A connection that was greeted on; a service that is just ending may hang up first, and is then gone."""
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
        if isinstance(error, OSError) and not isinstance(error, FileNotFoundError | ConnectionRefusedError):
            raise _gone(error) from error
        raise
    return connection


def _listens() -> bool:
    with suppress(FileNotFoundError, ConnectionRefusedError):
        _open().close()
        return True
    return False


def _gone(error: OSError | None) -> DaemonError:
    return silent() if isinstance(error, TimeoutError) else HungUp()
