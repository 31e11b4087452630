"""What an index says of itself as a whole: facts, counts, failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ohara.model import Failure, LeftOut, Pass, PassStatus, Sha
from ohara.store.sql.meta import read_fact, read_failed
from ohara.store.sql.session import EFFECTIVE_LEFT_OUT, PASS_BITS
from ohara.store.sql.stored_enum import member

if TYPE_CHECKING:
    from ohara.store.facts import Fact
    from ohara.store.sql.session import Asks

T = TypeVar("T")

_LIVE = "SELECT count(*) FROM commits WHERE live = 1"
# The same by small indexes alone: this one is asked for before every search.
_SHOWN = "SELECT (SELECT count(*) FROM commits) - (SELECT count(*) FROM commits WHERE live = 0)"
_DONE = f"{_LIVE} AND (passes & ?) != 0"
_FAILURES = "SELECT sha, reason, attempts FROM failure ORDER BY sha"
_OF_FILES = f"""SELECT {EFFECTIVE_LEFT_OUT} AS reason, file.id FROM file
    JOIN path ON path.id = file.path_id JOIN commits ON commits.id = file.commit_id
    WHERE commits.live = 1 AND (file.left_out IS NOT NULL OR path.left_out IS NOT NULL)"""
_OF_LINES = f"""SELECT * FROM (
    SELECT DISTINCT '{LeftOut.ENCODED.value}', hunk.file_id FROM encoded
    JOIN hunk ON hunk.content_id = encoded.content_id JOIN commits ON commits.id = hunk.commit_id
    WHERE commits.live = 1) AS encoded_lines"""
_BY_REASON = (
    "SELECT reason, count(*) FROM ({}) AS counted WHERE reason IS NOT NULL GROUP BY reason ORDER BY reason"
)


class Statistics:
    """Counts and facts of one index."""

    def __init__(self, session: Asks) -> None:
        self._session = session

    def fact(self, fact: Fact[T]) -> T:
        """A stored fact, or what holds when it is not stored."""
        return read_fact(self._session, fact)

    def commits(self) -> int:
        """How many commits are shown."""
        return int(self._session.rows(_SHOWN)[0][0])

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
            PassStatus(stage, done=int(self._session.rows(_DONE, (PASS_BITS[stage],))[0][0]), total=total)
            for stage in Pass
        )

    def left_out(self) -> tuple[tuple[LeftOut, int], ...]:
        """How many file changes are left out of search, or have lines that are, by reason."""
        counted = f"{_OF_FILES} UNION ALL {_OF_LINES}" if self._session.has_encoded else _OF_FILES
        rows = self._session.rows(_BY_REASON.format(counted))
        return tuple((member(LeftOut, reason), count) for reason, count in rows)

    def failures(self) -> tuple[Failure, ...]:
        """The commits that could not be wholly read."""
        rows = self._session.rows(_FAILURES)
        return tuple(Failure(Sha(sha.hex()), reason, attempts) for sha, reason, attempts in rows)

    def failed(self) -> list[Sha]:
        """The commits that could not be read at all, and so are not in the index."""
        return read_failed(self._session)

    def _rows(self, table: str) -> int:
        return int(self._session.rows(f"SELECT count(*) FROM {table}")[0][0])
