"""Chooses the engine that keeps an index. Nothing else outside of an engine knows that there are several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.store.sqlite.files import try_database
from ohara.store.sqlite.index import SqliteIndex

if TYPE_CHECKING:
    from ohara.store.index import Index
    from ohara.store.locate import IndexLocation


def index_at(location: IndexLocation) -> Index:
    """The index at a location, whether or not it exists yet."""
    return SqliteIndex(location)


def try_engine() -> str:
    """Make an index with all that ohara uses and forget it; the engine and its version, for people."""
    return try_database()
