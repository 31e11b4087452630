"""A connection as the shared statements use it: their words spelled as SQLite reads them."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ohara.store.sql.codec import Codec
from ohara.store.sqlite.connection import translated
from ohara.store.sqlite.filters import listed
from ohara.store.sqlite.schema import has_encoded, has_lines, has_threads

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.store.sqlite.connection import Connection

_DICTIONARIES = "SELECT bytes FROM dictionary ORDER BY id"

_SHAS = re.compile(r"SELECT value FROM shas\((\?\d*)\)")
_LIST = re.compile(r"\b(?:numbers|texts)\((\?\d*)\)")
_HOLDS = re.compile(r"\bholds\((\w+), (\?\d*)\)")


@lru_cache(maxsize=1024)
def spelled(statement: str) -> str:
    """A shared statement as SQLite reads it: JSON as a table."""
    statement = _SHAS.sub(r"SELECT unhex(value) FROM json_each(\1)", statement)
    statement = _LIST.sub(r"json_each(\1)", statement)
    return _HOLDS.sub(r"instr(\1, \2) > 0", statement)


def codec_of(connection: Connection) -> Codec:
    """What opens an index's bodies, and compresses new ones with the newest dictionary."""
    known: list[bytes] = [row[0] for row in connection.execute(_DICTIONARIES)]
    return Codec(known.pop(), known) if known else Codec()


def connected(connection: Connection) -> Connected:
    """A connection as the shared statements use it."""
    return Connected(Path(connection.filename), connection)


class Connected:
    """One connection; used by one thread at a time."""

    def __init__(self, database: Path, connection: Connection) -> None:
        self.database = database
        self.connection = connection

    def close(self) -> None:
        """Give the connection up."""
        self.connection.close()

    def rows(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement."""
        with translated(self.database):
            found: list[tuple[Any, ...]] = self.connection.execute(spelled(statement), parameters).fetchall()
            return found

    def listed(self, values: Iterable[object]) -> object:
        """Values as one parameter."""
        return listed(values)

    @property
    def codec(self) -> Codec:
        """What opens this index's bodies, read anew."""
        return codec_of(self.connection)

    @property
    def has_lines(self) -> bool:
        """True when there are tables of what became of lines."""
        return has_lines(self.connection)

    @property
    def has_threads(self) -> bool:
        """True when there is a place for threads."""
        return has_threads(self.connection)

    @property
    def has_encoded(self) -> bool:
        """True when contents with encoded text are told apart."""
        return has_encoded(self.connection)
