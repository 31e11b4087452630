"""A connection as the shared statements use it: their words spelled as PostgreSQL reads them."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any

from ohara.store.postgres.connection import translated
from ohara.store.sql.codec import Codec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.store.postgres.connection import Connection, Server

_DICTIONARY = "SELECT bytes FROM dictionary ORDER BY id DESC LIMIT 1"

_LISTS = {"numbers": "bigint", "texts": "text"}
_SHAS_IN = re.compile(r"SELECT value FROM shas\((\?\d*)\)")
_LIST_IN = re.compile(r"SELECT value FROM (numbers|texts)\((\?\d*)\)")
_LIST_AS = re.compile(r"\b(numbers|texts)\((\?\d*)\) AS (\w+)")
_HOLDS = re.compile(r"\bholds\((\w+), (\?\d*)\)")
_ORDERED = re.compile(r"\bCROSS JOIN (?!LATERAL)")  # the planner knows better
_PARAMETER = re.compile(r"\?(\d*)")


@lru_cache(maxsize=1024)
def spelled(statement: str) -> str:
    """A shared statement as PostgreSQL reads it: arrays as tables, numbered parameters."""
    statement = _SHAS_IN.sub(
        r"SELECT decode(value, 'hex') FROM unnest(\1::text[]) AS listed(value)", statement
    )
    statement = _LIST_IN.sub(
        lambda found: f"SELECT unnest({found[2]}::{_LISTS[found[1]]}[])",
        statement,
    )
    statement = _LIST_AS.sub(
        lambda found: f"unnest({found[2]}::{_LISTS[found[1]]}[]) AS {found[3]}(value)", statement
    )
    statement = _HOLDS.sub(r"position(\2::bytea IN \1) > 0", statement)
    statement = _ORDERED.sub("JOIN ", statement)
    numbers = count(1)
    return _PARAMETER.sub(lambda found: f"${found[1] or next(numbers)}", statement)


class Connected:
    """One connection; used by one thread at a time."""

    has_lines = has_threads = has_encoded = True

    def __init__(self, server: Server, connection: Connection) -> None:
        self.server = server
        self.connection = connection

    def close(self) -> None:
        """Give the connection up."""
        self.connection.close()

    def rows(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement; none of one that answers nothing."""
        with translated(self.server):
            cursor = self.connection.execute(spelled(statement), parameters, binary=True)
            return cursor.fetchall() if cursor.description else []

    def listed(self, values: Iterable[object]) -> object:
        """Values as one parameter."""
        return list(values)

    @property
    def codec(self) -> Codec:
        """What opens this index's bodies, read anew."""
        found = self.rows(_DICTIONARY)
        return Codec(found[0][0] if found else None)
