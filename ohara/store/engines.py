"""Chooses the engine that keeps an index. Nothing else outside of an engine knows that there are several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.store.sqlite.pool import READERS, ReaderPool

if TYPE_CHECKING:
    from ohara.store.locate import IndexLocation
    from ohara.store.reading import Readers


def open_readers(location: IndexLocation, *, size: int = READERS) -> Readers:
    """The readers of an index, at most `size` at a time."""
    return ReaderPool(location.database, size=size)
