"""Moves a database out of the way without destroying it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ohara.store.locate import DATABASE

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.store.locate import IndexLocation


def set_aside(location: IndexLocation) -> Path | None:
    """Rename the database and its log, so that a new one can be built; the new name, if there was one."""
    if not location.exists:
        return None
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for suffix in ("-wal", "-shm", ""):
        file = location.folder / f"{DATABASE}{suffix}"
        if file.exists():
            file.rename(location.folder / f"aside-{stamp}.db{suffix}")
    return location.folder / f"aside-{stamp}.db"


def discard_aside(location: IndexLocation) -> None:
    """Delete what was set aside."""
    for file in location.folder.glob("aside-*.db*"):
        file.unlink(missing_ok=True)
