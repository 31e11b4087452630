"""Reads what an index knows about itself: facts, and the commits that could not be read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeVar

from ohara.errors import IndexCorrupt
from ohara.model import Sha
from ohara.store.locate import REBUILD

if TYPE_CHECKING:
    from ohara.store.facts import Fact
    from ohara.store.sql.session import Asks

T = TypeVar("T")

_VALUE = "SELECT value FROM meta WHERE key = ?"
_FAILED = "SELECT sha FROM failure WHERE sha NOT IN (SELECT sha FROM commits) ORDER BY sha"


def read_meta(session: Asks, key: str) -> object:
    """The JSON value stored under a name, or None."""
    rows = session.rows(_VALUE, (key,))
    try:
        return json.loads(rows[0][0]) if rows else None
    except (ValueError, TypeError) as error:
        raise IndexCorrupt(
            f"the index is damaged: its fact {key} cannot be read ({error})", hint=REBUILD
        ) from error


def read_fact(session: Asks, fact: Fact[T]) -> T:
    """A fact as it is stored, or what holds when it is not."""
    return fact.read(read_meta(session, fact.name))


def read_failed(session: Asks) -> list[Sha]:
    """The commits that could not be read at all, and so are not in the index."""
    return [Sha(row[0].hex()) for row in session.rows(_FAILED)]
