"""Reads what an index knows about itself: facts, counts, passes, failures."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeVar

from ohara.model import Failure, LeftOut, Pass, PassStatus, Sha
from ohara.store.sqlite.pass_bits import PASS_BITS
from ohara.store.sqlite.schema import EFFECTIVE_LEFT_OUT as EFFECTIVE
from ohara.store.sqlite.schema import has_encoded

if TYPE_CHECKING:
    import apsw

    from ohara.store.facts import Fact

T = TypeVar("T")

READ_META = "SELECT value FROM meta WHERE key = ?"
COUNT_LIVE = "SELECT count(*) FROM commits WHERE live = 1"
COUNT_PASS = "SELECT count(*) FROM commits WHERE live = 1 AND passes & ? != 0"  # noqa: S105 - a pass over history
FAILURES = "SELECT sha, reason, attempts FROM failure ORDER BY sha"
_OF_FILES = f"""SELECT {EFFECTIVE} AS reason, file.id FROM file
    JOIN path ON path.id = file.path_id JOIN commits ON commits.id = file.commit_id
    WHERE commits.live = 1 AND (file.left_out IS NOT NULL OR path.left_out IS NOT NULL)"""
_OF_LINES = f"""SELECT * FROM (
    SELECT DISTINCT '{LeftOut.ENCODED.value}', hunk.file_id FROM encoded
    JOIN hunk ON hunk.content_id = encoded.content_id JOIN commits ON commits.id = hunk.commit_id
    WHERE commits.live = 1)"""
_BY_REASON = "SELECT reason, count(*) FROM ({}) WHERE reason IS NOT NULL GROUP BY reason ORDER BY reason"


def read_meta(connection: apsw.Connection, key: str) -> object:
    """The JSON value stored under a name, or None."""
    row = connection.execute(READ_META, (key,)).fetchone()
    return None if row is None else json.loads(row[0])


def read_fact(connection: apsw.Connection, fact: Fact[T]) -> T:
    """A fact as it is stored, or what holds when it is not."""
    return fact.read(read_meta(connection, fact.name))


def read_number(connection: apsw.Connection, key: str) -> int:
    """A stored count, 0 when there is none."""
    stored = read_meta(connection, key)
    return stored if isinstance(stored, int) else 0


def read_passes(connection: apsw.Connection) -> tuple[PassStatus, ...]:
    """How far each pass is."""
    total = count_live(connection)
    return tuple(
        PassStatus(stage, done=connection.execute(COUNT_PASS, (PASS_BITS[stage],)).get, total=total)
        for stage in Pass
    )


def read_failures(connection: apsw.Connection) -> tuple[Failure, ...]:
    """The commits that could not be wholly read."""
    return tuple(
        Failure(Sha(sha.hex()), reason, attempts) for sha, reason, attempts in connection.execute(FAILURES)
    )


def read_left_out(connection: apsw.Connection) -> tuple[tuple[LeftOut, int], ...]:
    """How many file changes are left out of search, or have lines that are, by reason."""
    counted = f"{_OF_FILES} UNION ALL {_OF_LINES}" if has_encoded(connection) else _OF_FILES
    rows = connection.execute(_BY_REASON.format(counted))
    return tuple((LeftOut(reason), count) for reason, count in rows)


def count_live(connection: apsw.Connection) -> int:
    """How many commits are shown."""
    return int(connection.execute(COUNT_LIVE).get)


def count_rows(connection: apsw.Connection, table: str) -> int:
    """How many rows a table has."""
    return int(connection.execute(f"SELECT count(*) FROM {table}").get)


def read_failed(connection: apsw.Connection) -> list[Sha]:
    """The commits that could not be read at all, and so are not in the index."""
    rows = connection.execute(
        "SELECT sha FROM failure WHERE sha NOT IN (SELECT sha FROM commits) ORDER BY sha"
    )
    return [Sha(row[0].hex()) for row in rows]
