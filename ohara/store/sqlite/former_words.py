"""Asks the word table of former versions, an FTS5 table, until its words have gone over into postings.

An index keeps it until its next run has written all postings (`passes.Passes.convert_texts`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.store.sqlite.fts_query import all_of, any_of, scoring_expression, selecting_expression, within

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.store.answers import Weights, WordQuery
    from ohara.store.sqlite.connection import Connection
    from ohara.store.sqlite.filters import FtsFilter
    from ohara.store.sqlite.session import Session

TABLE = "fts_hunk_text"
INSERT = f"""INSERT INTO {TABLE}(rowid, message, path, header, added, removed, context)
  VALUES(?,?,?,?,?,?,?)"""
DELETE = f"DELETE FROM {TABLE} WHERE rowid = ?"

_THERE = f"SELECT 1 FROM sqlite_schema WHERE name = '{TABLE}'"
_ANY = f"SELECT 1 FROM {TABLE}_docsize LIMIT 1"

# BM25 counts the rows of every word of an expression, however often it is named there: each is named once.
# Rows that hold a common word as well are found by both; the others, which are few, by what selects alone.
_SELECTED = "SELECT rowid AS id, {scores} FROM fts_hunk_text WHERE fts_hunk_text MATCH ?{allowed}"
_OF_SELECTED = "WITH selected AS MATERIALIZED ({selected})"
_OF_BOTH = """WITH both AS MATERIALIZED ({selected}),
  alone AS MATERIALIZED ({selected} AND rowid NOT IN (SELECT id FROM both)),
  selected AS NOT MATERIALIZED (SELECT * FROM both UNION ALL SELECT * FROM alone)"""
_BY_WORDS = """{selected},
  best AS (SELECT {bests} FROM selected)
SELECT selected.id, {names} FROM selected, best ORDER BY {mixed} DESC, selected.id LIMIT ?"""
_HOLDING = "SELECT rowid FROM fts_hunk_text WHERE fts_hunk_text MATCH ? ORDER BY rowid"

# The vocabulary: in how many rows a word stands, without reading those rows' other words.
_VOCABULARY = f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, {TABLE}, row)"
_SIMILAR = """SELECT term, doc FROM temp.vocabulary
  WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?"""
_ROWS = "SELECT doc FROM temp.vocabulary WHERE term = ?"


def are_there(connection: Connection) -> bool:
    """True when an index still has its words in that table."""
    return connection.execute(_THERE).fetchone() is not None


def drop_if_empty(connection: Connection) -> None:
    """Drop the table when it has no words, as that of a new index."""
    if are_there(connection) and connection.execute(_ANY).fetchone() is None:
        connection.execute(f"DROP TABLE {TABLE}")


class FormerWords:
    """The words of an index in that table."""

    def __init__(self, session: Session) -> None:
        self._session = session
        # A table of this connection alone, in memory: nothing is written to the index.
        session.connection.pragma("query_only", 0)
        session.connection.execute(_VOCABULARY)
        session.connection.pragma("query_only", 1)

    def scored(
        self, words: WordQuery, weightings: Sequence[tuple[Weights, float]], allowed: FtsFilter, limit: int
    ) -> list[tuple[int, tuple[float, ...]]]:
        """The hunks that hold words, with their BM25 under each weighting, best mixture first."""
        count = len(weightings)
        scores = ", ".join(
            f"-bm25(fts_hunk_text, {', '.join(map(str, weights))}) AS s{at}"
            for at, (weights, _) in enumerate(weightings)
        )
        selected = _SELECTED.format(scores=scores, allowed=allowed.on("rowid"))
        asked = [selecting_expression(words), *allowed.parameters]
        if words.common:
            asked = [scoring_expression(words), *allowed.parameters, *asked]
        statement = _BY_WORDS.format(
            selected=(_OF_BOTH if words.common else _OF_SELECTED).format(selected=selected),
            bests=", ".join(f"max(max(s{at}), 1e-9) AS b{at}" for at in range(count)),
            mixed=" + ".join(f"{share} * s{at} / b{at}" for at, (_, share) in enumerate(weightings)),
            names=", ".join(f"selected.s{at}" for at in range(count)),
        )
        return [(row[0], tuple(row[1:])) for row in self._session.rows(statement, (*asked, limit))]

    def holding_any(self, phrases: Iterable[str], columns: Sequence[str]) -> list[int]:
        """The hunks that hold at least one of some phrases in one of the columns."""
        return self._matching(within(columns, any_of(phrases)))

    def holding_all(self, phrases: Sequence[str], columns: Sequence[str]) -> list[int]:
        """The hunks that hold each of some phrases in one of the columns."""
        return self._matching(within(columns, all_of(phrases)))

    def frequency(self, word: str) -> int:
        """How many hunks hold a word."""
        found = self._session.rows(_ROWS, (word,))
        return int(found[0][0]) if found else 0

    def similar(self, low: str, high: str, shortest: int, longest: int) -> dict[str, int]:
        """The words between two of some length, and how many hunks hold each."""
        return dict(self._session.rows(_SIMILAR, (low, high, shortest, longest)))

    def _matching(self, expression: str) -> list[int]:
        return [row[0] for row in self._session.rows(_HOLDING, (expression,))]
