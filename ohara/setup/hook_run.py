"""The process that a git hook starts in the background: indexes what is new, once for a burst of hooks.

A rebase fires many hooks. The first run takes a lock and waits for the refs to settle; runs that find the
lock held exit at once, as the first one will index their commits too.
"""

from __future__ import annotations

import fcntl
import os
import time
from typing import TYPE_CHECKING

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


def follow(repository: Path) -> bool:
    """Index what is new in a repository that has an index; False when there was nothing to do."""
    engine = Engine.open(repository)
    if not engine.store.exists:
        return False
    handle = os.open(engine.location.folder / FOLLOW_LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        _wait_for_turn(engine)
    finally:
        os.close(handle)
    try:
        for _ in engine.index(IndexOptions(scheduled=True, jobs=1, lock_wait_s=_TURN_S)):
            pass
    except IndexLocked:
        return False
    return True


def _wait_for_turn(engine: Engine) -> None:
    """Wait for the refs to settle, then for a running indexer, which may have read the refs too early."""
    time.sleep(_SETTLE_S)
    deadline = time.monotonic() + _PATIENCE_S
    while engine.indexing_since() and time.monotonic() < deadline:
        time.sleep(_POLL_S)
