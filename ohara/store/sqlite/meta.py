"""Reads what an index knows about itself: facts, and the commits that could not be read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeVar

from ohara.model import Sha

if TYPE_CHECKING:
    from ohara.store.facts import Fact
    from ohara.store.sqlite.connection import Connection

T = TypeVar("T")

_VALUE = "SELECT value FROM meta WHERE key = ?"
_FAILED = "SELECT sha FROM failure WHERE sha NOT IN (SELECT sha FROM commits) ORDER BY sha"


def read_meta(connection: Connection, key: str) -> object:
    """The JSON value stored under a name, or None."""
    row = connection.execute(_VALUE, (key,)).fetchone()
    return None if row is None else json.loads(row[0])


def read_fact(connection: Connection, fact: Fact[T]) -> T:
    """A fact as it is stored, or what holds when it is not."""
    return fact.read(read_meta(connection, fact.name))


def read_failed(connection: Connection) -> list[Sha]:
    """The commits that could not be read at all, and so are not in the index."""
    return [Sha(row[0].hex()) for row in connection.execute(_FAILED)]
