"""One service a user: the lock that makes it so, its pid file and its log.

The lock is the operating system's, so a service that was killed holds nothing; whoever has the lock owns
the socket and may replace what an earlier one left behind.
"""

from __future__ import annotations

import fcntl
import logging
import os
import time
from contextlib import contextmanager, suppress
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

from ohara import paths
from ohara.client.place import SOCKET
from ohara.errors import DaemonError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCK = "daemon.lock"
PID = "daemon.pid"  # git hooks read it, in plain shell

_ENDING_S = 10.0  # a service that was told to stop may still be ending an index run
_POLL_S = 0.05

_LOG_BYTES = 2**20
_OLD_LOGS = 3


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Be the one service of this user, or say who is."""
    handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    pid_file = folder / PID
    try:
        if not _acquired(handle, folder):
            who = read_pid(folder)
            raise DaemonError(
                "a daemon is running already" + (f", process {who}" if who else ""),
                hint="ohara daemon status",
            )
        pid_file.write_text(f"{os.getpid()}\n")
        yield
        pid_file.unlink(missing_ok=True)
    finally:
        os.close(handle)


def _acquired(handle: int, folder: Path) -> bool:
    """Take the lock; one that ends (it has no socket any more) is waited for, one that serves is not."""
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
    """The process that wrote the pid file, if it still lives."""
    with suppress(OSError, ValueError):
        pid = int((folder / PID).read_text())
        os.kill(pid, 0)
        return pid
    return None


@contextmanager
def logging_to_file() -> Iterator[None]:
    """Write what happens to a log that never grows beyond a few megabytes."""
    file = paths.log_file()
    paths.made(file.parent)
    handler = RotatingFileHandler(
        file, maxBytes=_LOG_BYTES, backupCount=_OLD_LOGS, encoding="utf-8", errors="replace"
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log = logging.getLogger("ohara.daemon")
    log.setLevel(logging.INFO)
    log.propagate = False
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
        handler.close()
