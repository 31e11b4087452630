"""What an index says of itself as a whole, read through a connection of its own: facts, counts, failures."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, TypeVar

from ohara.model import Failure, LeftOut, Pass, PassStatus, Sha
from ohara.store.sqlite.connection import translated
from ohara.store.sqlite.meta import read_fact, read_failed
from ohara.store.sqlite.schema import EFFECTIVE_LEFT_OUT, PASS_BITS, has_encoded, open_reader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ohara.store.facts import Fact
    from ohara.store.sqlite.connection import Connection

T = TypeVar("T")

_LIVE = "SELECT count(*) FROM commits WHERE live = 1"
_DONE = f"{_LIVE} AND passes & ? != 0"
_FAILURES = "SELECT sha, reason, attempts FROM failure ORDER BY sha"
_OF_FILES = f"""SELECT {EFFECTIVE_LEFT_OUT} AS reason, file.id FROM file
    JOIN path ON path.id = file.path_id JOIN commits ON commits.id = file.commit_id
    WHERE commits.live = 1 AND (file.left_out IS NOT NULL OR path.left_out IS NOT NULL)"""
_OF_LINES = f"""SELECT * FROM (
    SELECT DISTINCT '{LeftOut.ENCODED.value}', hunk.file_id FROM encoded
    JOIN hunk ON hunk.content_id = encoded.content_id JOIN commits ON commits.id = hunk.commit_id
    WHERE commits.live = 1)"""
_BY_REASON = "SELECT reason, count(*) FROM ({}) WHERE reason IS NOT NULL GROUP BY reason ORDER BY reason"


@contextmanager
def statistics(database: Path) -> Iterator[Statistics]:
    """What an index says of itself, to be asked while the context lasts."""
    with closing(open_reader(database)) as connection, translated(database):
        yield Statistics(connection)


class Statistics:
    """Counts and facts of one index."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def fact(self, fact: Fact[T]) -> T:
        """A stored fact, or what holds when it is not stored."""
        return read_fact(self._connection, fact)

    def commits(self) -> int:
        """How many commits are shown."""
        return int(self._connection.execute(_LIVE).get)

    def hunks(self) -> int:
        """How many hunks are stored."""
        return self._rows("hunk")

    def contents(self) -> int:
        """How many different bodies the hunks have."""
        return self._rows("content")

    def symbols(self) -> int:
        """How many symbols are known."""
        return self._rows("symbol")

    def passes(self) -> tuple[PassStatus, ...]:
        """How far each pass is."""
        total = self.commits()
        return tuple(
            PassStatus(stage, done=self._connection.execute(_DONE, (PASS_BITS[stage],)).get, total=total)
            for stage in Pass
        )

    def left_out(self) -> tuple[tuple[LeftOut, int], ...]:
        """How many file changes are left out of search, or have lines that are, by reason."""
        counted = f"{_OF_FILES} UNION ALL {_OF_LINES}" if has_encoded(self._connection) else _OF_FILES
        rows = self._connection.execute(_BY_REASON.format(counted))
        return tuple((LeftOut(reason), count) for reason, count in rows)

    def failures(self) -> tuple[Failure, ...]:
        """The commits that could not be wholly read."""
        rows = self._connection.execute(_FAILURES)
        return tuple(Failure(Sha(sha.hex()), reason, attempts) for sha, reason, attempts in rows)

    def failed(self) -> list[Sha]:
        """The commits that could not be read at all, and so are not in the index."""
        return read_failed(self._connection)

    def _rows(self, table: str) -> int:
        return int(self._connection.execute(f"SELECT count(*) FROM {table}").get)
