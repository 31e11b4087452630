"""A real background service for tests: started as a user starts it, watched by its pid, never left behind."""

from __future__ import annotations

import os
import signal
import socket
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ohara import client, wire
from tests.process import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pytest

# The service takes settings from files only. Models are for the tests of models; and on a machine that runs
# many tests at once a lane may take long without being wrong.
CONFIG = """
[models]
embedder = "none"
reranker = "none"
[find]
lane_timeout_s = 60
"""

# A test waits for indexers, which step back for everybody: where many tests run at once, for ever. How far
# they step back has a test of its own.
IMPATIENT = """
from ohara.cli import priority
priority._NICENESS = priority._SESSION_NICENESS = 0
"""


def wait_until(true: Callable[[], object], *, at_most_s: float = 60.0) -> bool:
    """Poll until something holds; machines differ, so only the outcome is asserted."""
    deadline = time.monotonic() + at_most_s
    while not (there := bool(true())) and time.monotonic() < deadline:
        time.sleep(0.05)
    return there


def alive(pid: int) -> bool:
    """True while a process runs; one that only waits to be reaped does not."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@contextmanager
def service(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    settings: str = "",
    customised: str = "",
    faulty: bool = False,
) -> Iterator[int]:
    """Run a service and yield its pid; `customised` is Python that it and its indexers run at their start.

    `faulty` says that this makes it fail, and that it may say so in its log.
    """
    (home / "custom").mkdir(exist_ok=True)
    (home / "custom" / "sitecustomize.py").write_text(IMPATIENT + customised)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(home / "custom"), str(ROOT)]))
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "config.toml").write_text(CONFIG + settings)
    with client.connect(start=True) as ohara:
        pid = ohara.greeting.pid
    try:
        yield pid
    finally:
        end_whatever_runs(home)
        # Whatever a test does to the service, an unexpected exception in it is a fault of its own.
        log = (home / "state" / "ohara.log").read_text(encoding="utf-8")
        assert faulty or "Traceback" not in log, log[-4_000:]


def end_whatever_runs(home: Path) -> None:
    """End the service of this home, whichever it is by now."""
    with suppress(OSError, ValueError):
        pid = int((home / "run" / "daemon.pid").read_text())
        os.kill(pid, signal.SIGTERM)
        if not wait_until(lambda: not alive(pid), at_most_s=20):
            os.kill(pid, signal.SIGKILL)


@contextmanager
def raw_connection(*, greet: bool = True) -> Iterator[socket.socket]:
    """A connection on which a test may say anything at all."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(30)
        connection.connect(str(client.socket_path()))
        if greet:
            connection.sendall(wire.frame(wire.Hello(id=1, protocol=wire.PROTOCOL, version="0")))
            assert isinstance(receive(connection), wire.Welcome)
        yield connection


def receive(connection: socket.socket) -> wire.AnyReply | None:
    """The next reply; None when the service closed the connection."""
    header = _exactly(connection, wire.HEADER_BYTES)
    if header is None:
        return None
    body = _exactly(connection, wire.body_length(header))
    return None if body is None else wire.decode_reply(body)


def _exactly(connection: socket.socket, count: int) -> bytes | None:
    received = b""
    while len(received) < count:
        try:
            piece = connection.recv(count - len(received))
        except ConnectionResetError:
            return None
        if not piece:
            return None
        received += piece
    return received
