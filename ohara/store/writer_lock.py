"""The one-writer lock: an operating-system lock on a file, so a dead holder holds nothing.

The file also says who holds it and since when, for the message a second indexer prints.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ohara import paths
from ohara.errors import IndexLocked
from ohara.store.locate import not_written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_POLL_S = 0.1


@contextmanager
def writer_lock(path: Path, *, wait_s: float) -> Iterator[None]:
    """Hold the writer lock, waiting at most `wait_s` for whoever holds it now.

    The lock goes with its folder when an index is forgotten: what counts is the file that is there then.
    """
    handle = _held(path, deadline=time.monotonic() + wait_s)
    try:
        _sign(handle, path)
        yield
        os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def _sign(handle: int, path: Path) -> None:
    """Say who holds the lock, and since when."""
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()} {int(time.time())}\n".encode(), 0)
    except OSError as error:
        raise not_written(path.parent, error) from error


def _held(path: Path, *, deadline: float) -> int:
    while True:
        handle = _opened(path)
        try:
            _acquire(handle, path, deadline=deadline)
        except BaseException:
            os.close(handle)
            raise
        if _is_at(handle, path):
            return handle
        os.close(handle)
        paths.made(path.parent)  # it went while we waited


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise not_written(path.parent, error) from error


def _is_at(handle: int, path: Path) -> bool:
    """True when an open file is the one at a path: while it is open, no other can have its number."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def holder(path: Path) -> tuple[int, int] | None:
    """The pid and start time of the process that holds the lock, or None when nobody does."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read_holder(handle)
    else:
        return None
    finally:
        os.close(handle)


def _acquire(handle: int, path: Path, *, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise _locked(handle, path) from None
            time.sleep(_POLL_S)
        else:
            return


def _read_holder(handle: int) -> tuple[int, int] | None:
    try:
        pid, since = os.pread(handle, 64, 0).split()
        return int(pid), int(since)
    except ValueError:  # the holder has not written its name yet
        return None


def _locked(handle: int, path: Path) -> IndexLocked:
    who = _read_holder(handle)
    if who is None:
        return IndexLocked(f"another process is indexing ({path})", hint="wait for it, or run: ohara status")
    pid, since = who
    clock = datetime.fromtimestamp(since, UTC).astimezone().strftime("%H:%M:%S")
    return IndexLocked(
        f"process {pid} has been indexing this repository since {clock}",
        hint=f"wait for it, or stop it with: kill {pid}",
    )
