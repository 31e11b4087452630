"""The process that a git hook starts in the background: indexes what is new, once for a burst of hooks.

A rebase fires many hooks. The first run takes a lock and waits for the refs to settle; hooks that find it
noted as waiting start none, and runs that find the lock held exit at once, as the first one will index their
commits too. Before it looks at the refs it takes the note back: what is committed after that is for the next.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from ohara import paths
from ohara.engine import Engine
from ohara.errors import IndexLocked
from ohara.index.job import IndexOptions

if TYPE_CHECKING:
    from pathlib import Path

_SETTLE_S = 0.5  # a rebase moves refs several times a second
_PATIENCE_S = 1_800.0  # for a first index that is still running
_POLL_S = 1.0
_TURN_S = 60.0  # another run that began in the same second ends well before this

FOLLOW_LOCK = "hook.lock"
WAITING = "hook.pid"  # in the runtime folder: the process that a hook started last, and in which folder


def follow(repository: Path) -> bool:
    """Index what is new in a repository that has an index; False when there was nothing to do."""
    try:
        engine = _awaited(repository)
    finally:
        _wait_no_longer()
    if engine is None:
        return False
    try:
        for _ in engine.index(IndexOptions(scheduled=True, jobs=1, lock_wait_s=_TURN_S)):
            pass
    except IndexLocked:
        return False
    return True


def _awaited(repository: Path) -> Engine | None:
    """Wait until there is something to index; None without an index, or where another process waits."""
    engine = Engine.open(repository)
    if not engine.store.exists:
        return None
    handle = os.open(engine.location.folder / FOLLOW_LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return None
        _wait_for_turn(engine)
    finally:
        os.close(handle)
    return engine


def _wait_no_longer() -> None:
    """Take back the note of the hook that started this process: the next hook starts another."""
    mark = paths.runtime_dir() / WAITING
    with suppress(OSError, ValueError):
        if int(mark.read_bytes().partition(b" ")[0]) == os.getpid():
            mark.unlink()


def _wait_for_turn(engine: Engine) -> None:
    """Wait for the refs to settle, then for a running indexer, which may have read the refs too early."""
    time.sleep(_SETTLE_S)
    deadline = time.monotonic() + _PATIENCE_S
    while engine.indexing_since() and time.monotonic() < deadline:
        time.sleep(_POLL_S)
