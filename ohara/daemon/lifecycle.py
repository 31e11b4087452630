"""One service per user: its lock, socket, pid file and log, and tasks that are restarted when they fail.

The lock is the operating system's, so a killed service holds nothing. The holder of the lock owns the socket
and may replace files that an earlier service left behind. A service whose folder was deleted has lost its
lock: files that are there now may belong to its successor, and are left alone.
"""

from __future__ import annotations

import fcntl
import logging
import os
import time
from contextlib import contextmanager, suppress
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

import anyio

from ohara import paths
from ohara.client.locate import SOCKET
from ohara.errors import DaemonError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from anyio.abc import SocketListener

LOCK = "daemon.lock"
PID = "daemon.pid"  # git hooks read it, in plain shell

_ENDING_S = 10.0  # a service that was told to stop may still be ending an index run
_POLL_S = 0.05

_PAUSE_S, _LONG_PAUSE_S = 0.1, 30.0  # before a task that failed begins again: at first, and at most

_log = logging.getLogger("ohara.daemon")
_LOG_BYTES = 2**20
_OLD_LOGS = 3


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold the lock of this user's service; an error names the process that holds it."""
    handle = _held(folder)
    try:
        (folder / PID).write_text(f"{os.getpid()}\n")
        try:
            yield
        finally:
            if read_pid(folder) == os.getpid():
                (folder / PID).unlink(missing_ok=True)
    finally:
        os.close(handle)


def _held(folder: Path) -> int:
    """Take the lock in a folder; start over when the lock file was deleted meanwhile."""
    while True:
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if not _acquired(handle, folder):
            os.close(handle)
            who = read_pid(folder)
            raise DaemonError(
                "a daemon is running already" + (f", process {who}" if who else ""),
                hint="ohara daemon status",
            )
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), (folder / LOCK).stat()):
                return handle
        os.close(handle)


class OwnSocket:
    """The socket that this service made; `remove` removes that one and no other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._made: os.stat_result | None = None

    async def listen(self) -> SocketListener:
        """Make the socket; an existing one was left by a killed service, as we hold the lock."""
        self.path.unlink(missing_ok=True)
        listener = await anyio.create_unix_listener(self.path, mode=0o600)
        self._made = self.path.lstat()
        return listener

    @property
    def is_ours(self) -> bool:
        """True while the path leads to the socket that was made here, by its inode."""
        try:
            return self._made is not None and os.path.samestat(self._made, self.path.lstat())
        except OSError:
            return False

    def remove(self) -> None:
        """Remove the socket, unless another took its place."""
        if self.is_ours:
            self.path.unlink(missing_ok=True)
        self._made = None


async def lasting(name: str, work: Callable[[], Awaitable[None]]) -> None:
    """Run a task for ever: when it fails, log that and start it again after a while."""
    pause_s = _PAUSE_S
    while True:
        began = time.monotonic()
        try:
            await work()
        except Exception:  # noqa: BLE001 - one task's fault must not end the others
            _log.exception("%s failed, and begins again", name)
        else:
            return
        pause_s = _PAUSE_S if time.monotonic() - began > _LONG_PAUSE_S else min(2 * pause_s, _LONG_PAUSE_S)
        await anyio.sleep(pause_s)


def _acquired(handle: int, folder: Path) -> bool:
    """Take the lock; wait for a service that is stopping (its socket is gone), not for one that runs."""
    deadline = time.monotonic() + _ENDING_S
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if (folder / SOCKET).exists() or time.monotonic() > deadline:
                return False
            time.sleep(_POLL_S)
        else:
            return True


def read_pid(folder: Path) -> int | None:
    """The process that wrote the pid file, if it is still running."""
    with suppress(OSError, ValueError):
        pid = int((folder / PID).read_text())
        os.kill(pid, 0)
        return pid
    return None


@contextmanager
def logging_to_file() -> Iterator[None]:
    """Log to a file that never grows beyond a few megabytes."""
    file = paths.log_file()
    paths.made(file.parent)
    handler = RotatingFileHandler(
        file, maxBytes=_LOG_BYTES, backupCount=_OLD_LOGS, encoding="utf-8", errors="replace"
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    _log.setLevel(logging.INFO)
    _log.propagate = False
    _log.addHandler(handler)
    try:
        yield
    finally:
        _log.removeHandler(handler)
        handler.close()
