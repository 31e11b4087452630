"""The statements that ask the tables of words: hunks and symbols by what they say, and with which BM25."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import HunkId
from ohara.store.answers import ScoredByWords
from ohara.store.sql import owners
from ohara.store.sql.lane_queries import NEWEST_FIRST, OCCURRENCE, occurrence
from ohara.store.sql.named import PLACED, placed
from ohara.store.sqlite.fts_query import all_of, any_of, scoring_expression, selecting_expression, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.store.answers import Occurrence, PlacedHunk, Weights, WordQuery
    from ohara.store.sqlite.filters import FtsFilter
    from ohara.store.sqlite.session import Session
    from ohara.store.sqlite.word_memory import InMemory

# BM25 counts the rows of every word of an expression, however often it is named there: each is named once.
# Rows that hold a common word as well are found by both; the others, which are few, by what selects alone.
_SELECTED = "SELECT rowid AS id, {scores} FROM fts_hunk_text WHERE fts_hunk_text MATCH ?{allowed}"
_OF_SELECTED = "WITH selected AS MATERIALIZED ({selected})"
_OF_BOTH = """WITH both AS MATERIALIZED ({selected}),
  alone AS MATERIALIZED ({selected} AND rowid NOT IN (SELECT id FROM both)),
  selected AS NOT MATERIALIZED (SELECT * FROM both UNION ALL SELECT * FROM alone)"""
# One walk over the matches serves all weightings.
_BY_WORDS = """{selected},
  best AS (SELECT {bests} FROM selected),
  first AS (SELECT selected.* FROM selected, best ORDER BY {mixed} DESC, selected.id LIMIT ?)
SELECT {occurrence}, {names} FROM first JOIN hunk ON hunk.id = first.id
  JOIN commits ON commits.id = hunk.commit_id"""

_HOLDING_ALL = """SELECT {occurrence} FROM fts_hunk_text
  CROSS JOIN hunk ON hunk.id = fts_hunk_text.rowid CROSS JOIN commits ON commits.id = hunk.commit_id
  WHERE fts_hunk_text MATCH ? AND {allowed} ORDER BY {order} LIMIT ?"""
_OLDEST_FIRST = "commits.committer_time, commits.sha, hunk.id"

_SYMBOLS = """SELECT rowid, -bm25(fts_symbol_name, {weights}) AS score
  FROM fts_symbol_name WHERE fts_symbol_name MATCH ? ORDER BY score DESC, rowid LIMIT ?"""

_IN_MESSAGES = """SELECT DISTINCT commits.id, commits.message FROM fts_hunk_text
  JOIN hunk ON hunk.id = fts_hunk_text.rowid JOIN commits ON commits.id = hunk.commit_id
  WHERE fts_hunk_text MATCH ? AND {allowed}"""
_IN_CHANGES = f"""SELECT {PLACED} FROM fts_hunk_text
  CROSS JOIN hunk ON hunk.id = fts_hunk_text.rowid CROSS JOIN commits ON commits.id = hunk.commit_id
  LEFT JOIN file ON file.id = hunk.file_id LEFT JOIN path ON path.id = file.path_id
  WHERE fts_hunk_text MATCH ? AND {{allowed}} ORDER BY {NEWEST_FIRST} LIMIT ?"""


def by_words(
    session: Session,
    words: WordQuery,
    weightings: Sequence[tuple[Weights, float]],
    allowed: FtsFilter,
    limit: int,
) -> list[ScoredByWords]:
    """The hunks that hold words, with their BM25 under each weighting, best mixture first.

    The mixture adds up each weighting's scores, scaled by the best of this query, times its share.
    """
    kept = session.word_memory and session.word_memory.of(session, words, allowed)
    if kept:
        return _from_memory(session, kept, weightings, limit)
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
        names=", ".join(f"first.s{at}" for at in range(count)),
        occurrence=OCCURRENCE,
    )
    rows = session.rows(statement, (*asked, limit))
    return [ScoredByWords(occurrence(row), tuple(row[6:])) for row in rows]


def _from_memory(
    session: Session, kept: InMemory, weightings: Sequence[tuple[Weights, float]], limit: int
) -> list[ScoredByWords]:
    """The same of words whose rows are in memory."""
    from ohara.store.sqlite.postings import best_hunks

    best = best_hunks(kept.selecting, kept.common, kept.lengths, weightings, among=kept.among, limit=limit)
    at = {one.hunk: one for one in owners.occurrences(session, map(HunkId, best.hunks))}
    return [
        ScoredByWords(at[HunkId(hunk)], scores)
        for hunk, scores in zip(best.hunks, best.scores, strict=True)
        if hunk in at
    ]


def holding_all(
    session: Session,
    words: Sequence[str],
    columns: Sequence[str],
    allowed: FtsFilter,
    *,
    oldest: bool,
    limit: int,
) -> list[Occurrence]:
    """The hunks that hold every word in one of the columns, oldest or newest first."""
    order = _OLDEST_FIRST if oldest else NEWEST_FIRST
    statement = _HOLDING_ALL.format(occurrence=OCCURRENCE, allowed=allowed.condition, order=order)
    match = within(columns, all_of(words))
    return [occurrence(row) for row in session.rows(statement, (match, *allowed.parameters, limit))]


def symbols_by_words(
    session: Session, words: Sequence[str], weights: tuple[float, float, float], limit: int
) -> list[tuple[int, float]]:
    """The symbols whose kind, name or neighbours hold the words, best first; weights in that order."""
    statement = _SYMBOLS.format(weights=", ".join(map(str, weights)))
    return [(row[0], row[1]) for row in session.rows(statement, (any_of(words), limit))]


def messages_with(session: Session, words: WordQuery, allowed: FtsFilter) -> dict[int, str]:
    """The messages that hold one of the selecting words, by their commit."""
    statement = _IN_MESSAGES.format(allowed=allowed.condition)
    rows = session.rows(statement, (selecting_expression(words), *allowed.parameters))
    return {row[0]: row[1] for row in rows}


def changes_with(session: Session, words: WordQuery, allowed: FtsFilter, limit: int) -> list[PlacedHunk]:
    """The hunks that hold one of the selecting words, newest first."""
    statement = _IN_CHANGES.format(allowed=allowed.condition)
    return placed(session.rows(statement, (selecting_expression(words), *allowed.parameters, limit)))
