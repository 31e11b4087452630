"""The statements that ask the tables of words: hunks and symbols by what they say, and with which BM25."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.store.answers import ScoredByWords
from ohara.store.postgres.commit_scoring import scoring_commits
from ohara.store.postgres.words import (
    HUNKS,
    LENGTH_BITS,
    SYMBOLS,
    Phrase,
    holding_all,
    holding_any,
    phrases,
    scoring,
)
from ohara.store.sql.lane_queries import NEWEST_FIRST, OCCURRENCE, occurrence
from ohara.store.sql.named import PLACED, placed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.store.answers import Occurrence, PlacedHunk, Weights, WordQuery
    from ohara.store.postgres.filters import WordFilter
    from ohara.store.postgres.session import Session

_FIRST = f"""SELECT {OCCURRENCE}, {{names}} FROM first JOIN hunk ON hunk.id = first.id
  JOIN commits ON commits.id = hunk.commit_id ORDER BY first.mixed DESC, first.id"""
_FIRST_COMMITS = f"""SELECT {OCCURRENCE}, first.score FROM first JOIN hunk ON hunk.id = first.hunk_id
  JOIN commits ON commits.id = hunk.commit_id ORDER BY first.score DESC, first.hunk_id"""
_FIRST_SYMBOLS = "SELECT id, s0 FROM first ORDER BY mixed DESC, id"
_HOLDING_ALL = f"""SELECT {OCCURRENCE} FROM hunk JOIN commits ON commits.id = hunk.commit_id
  WHERE hunk.id IN ({{held}}) AND {{allowed}} ORDER BY {{order}} LIMIT ?"""
_OLDEST_FIRST = "commits.committer_time, commits.sha, hunk.id"
_IN_MESSAGES = """SELECT DISTINCT commits.id, commits.message
  FROM hunk JOIN commits ON commits.id = hunk.commit_id WHERE hunk.id IN ({held}) AND {allowed}"""
_IN_CHANGES = f"""SELECT {PLACED} FROM hunk JOIN commits ON commits.id = hunk.commit_id
  LEFT JOIN file ON file.id = hunk.file_id LEFT JOIN path ON path.id = file.path_id
  WHERE hunk.id IN ({{held}}) AND {{allowed}} ORDER BY {NEWEST_FIRST} LIMIT ?"""


def by_words(
    session: Session,
    words: WordQuery,
    weightings: Sequence[tuple[Weights, float]],
    allowed: WordFilter,
    limit: int,
) -> list[ScoredByWords]:
    """The hunks that hold words, with their BM25 under each weighting, best mixture first."""
    selecting = phrases(session, words.selecting, words.columns)
    common = phrases(session, words.common, words.columns)
    if not selecting:
        return []
    asked = scoring(
        session,
        HUNKS,
        selecting,
        common,
        allowed=allowed.on(f"place >> {LENGTH_BITS}"),
        weightings=weightings,
        limit=limit,
    )
    names = ", ".join(f"first.s{at}" for at in range(len(weightings)))
    rows = session.rows(f"{asked.sql} {_FIRST.format(names=names)}", asked.parameters)
    return [ScoredByWords(occurrence(row), tuple(row[6:])) for row in rows]


def commits_by_words(
    session: Session, words: WordQuery, weights: Weights, allowed: WordFilter, limit: int
) -> list[ScoredByWords]:
    """The commits that hold words in all their hunks together, best first."""
    selecting = phrases(session, words.selecting, words.columns)
    if not selecting:
        return []
    asked = scoring_commits(
        session,
        selecting,
        phrases(session, words.common, words.columns),
        allowed=allowed.on("hunk_id"),
        weights=weights,
        limit=limit,
    )
    rows = session.rows(f"{asked.sql} {_FIRST_COMMITS}", asked.parameters)
    return [ScoredByWords(occurrence(row), (row[6],)) for row in rows]


def holding_words(
    session: Session,
    words: Sequence[str],
    columns: Sequence[str],
    allowed: WordFilter,
    *,
    oldest: bool,
    limit: int,
) -> list[Occurrence]:
    """The hunks that hold every word in one of the columns, oldest or newest first."""
    wanted = phrases(session, words, columns)
    if len(wanted) < len(words):  # one that no hunk holds
        return []
    held = holding_all(HUNKS, wanted)
    statement = _HOLDING_ALL.format(
        held=held.sql, allowed=allowed.condition, order=_OLDEST_FIRST if oldest else NEWEST_FIRST
    )
    rows = session.rows(statement, (*held.parameters, *allowed.parameters, limit))
    return [occurrence(row) for row in rows]


def symbols_by_words(
    session: Session, words: Sequence[str], weights: tuple[float, float, float], limit: int
) -> list[tuple[int, float]]:
    """The symbols whose kind, name or neighbours hold the words, best first; weights in that order."""
    wanted: list[Phrase] = phrases(session, words)
    if not wanted:
        return []
    asked = scoring(session, SYMBOLS, wanted, weightings=[(weights, 1.0)], limit=limit)
    return [(row[0], row[1]) for row in session.rows(f"{asked.sql} {_FIRST_SYMBOLS}", asked.parameters)]


def messages_with(session: Session, words: WordQuery, allowed: WordFilter) -> dict[int, str]:
    """The messages that hold one of the selecting words, by their commit."""
    held = holding_any(HUNKS, phrases(session, words.selecting, words.columns))
    statement = _IN_MESSAGES.format(held=held.sql, allowed=allowed.condition)
    return dict(session.rows(statement, (*held.parameters, *allowed.parameters)))


def changes_with(session: Session, words: WordQuery, allowed: WordFilter, limit: int) -> list[PlacedHunk]:
    """The hunks that hold one of the selecting words, newest first."""
    held = holding_any(HUNKS, phrases(session, words.selecting, words.columns))
    statement = _IN_CHANGES.format(held=held.sql, allowed=allowed.condition)
    return placed(session.rows(statement, (*held.parameters, *allowed.parameters, limit)))
