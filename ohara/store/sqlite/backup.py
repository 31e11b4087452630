"""Moves a database out of the way without destroying it."""

from __future__ import annotations

import time
from itertools import chain, count
from typing import TYPE_CHECKING

from ohara.store.sqlite.connection import LOG, SHARED, beside

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.store.locate import IndexLocation


def set_aside(location: IndexLocation) -> Path | None:
    """Rename the database and its log, so that a new one can be built; the new name, if there was one."""
    if not location.exists:
        return None
    stamp = time.strftime("%Y%m%d-%H%M%S")
    names = (f"aside-{stamp}{again}.db" for again in chain([""], (f"-{number}" for number in count(2))))
    aside = next(location.folder / name for name in names if not (location.folder / name).exists())
    # The database first: from then on it is gone, and nobody opens it without its log.
    for suffix in ("", LOG, SHARED):
        file = beside(location.database, suffix)
        if file.exists():
            file.rename(beside(aside, suffix))
    return aside


def discard_aside(location: IndexLocation) -> None:
    """Delete what was set aside."""
    for file in location.folder.glob("aside-*.db*"):
        file.unlink(missing_ok=True)
