"""The readers of one database: the path is looked at anew before each question."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ohara.store import reader_pool
from ohara.store.index import READERS
from ohara.store.sqlite.connection import translated
from ohara.store.sqlite.identity import glance, is_same, is_there, replaced
from ohara.store.sqlite.reader import Reader
from ohara.store.sqlite.shared_memory import SharedMemory

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from ohara.errors import IndexReplaced
    from ohara.store.sqlite.identity import Glance, Stamp


class ReaderPool(reader_pool.ReaderPool[Reader]):
    """A few reading connections of one database, opened as they are needed."""

    def __init__(self, database: Path, *, size: int = READERS) -> None:
        super().__init__(str(database), size=size)
        self.database = database
        self._memory = SharedMemory()
        self._known_same: tuple[object, Glance] | None = None

    def opened(self) -> Reader:
        """A reader of the database that the path leads to now."""
        return Reader(self.database, self._memory)

    def is_there(self, stamp: object) -> bool:
        """True when the path still leads to the same file."""
        return is_there(cast("Stamp", stamp), self.database)

    def is_same(self, stamp: object) -> bool:
        """True when that file is still the same database; one that nobody wrote to since is not read anew."""
        seen = glance(self.database)
        if seen is not None and self._known_same == (stamp, seen):
            return True
        same = is_same(cast("Stamp", stamp), self.database)
        self._known_same = (stamp, seen) if same and seen is not None else None
        return same

    def replaced(self) -> IndexReplaced:
        """What to say when the database is replaced again and again."""
        return replaced(self.database)

    def translated(self) -> AbstractContextManager[None]:
        """Turn SQLite's exceptions into ohara's."""
        return translated(self.database)
