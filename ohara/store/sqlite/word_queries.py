"""The questions that words answer: hunks and symbols by what they say, and with which BM25."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from ohara.store.answers import ScoredByWords
from ohara.store.sql.lane_queries import NEWEST_FIRST, OCCURRENCE, occurrences_of
from ohara.store.sql.named import PLACED, placed
from ohara.store.sql.owners import occurrences
from ohara.store.sqlite import former_words
from ohara.store.sqlite.fts_query import any_of
from ohara.store.sqlite.hunk_sets import flags
from ohara.store.tokens import words as words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ohara.store.answers import Occurrence, PlacedHunk, Weights, WordQuery
    from ohara.store.sqlite.filters import FtsFilter
    from ohara.store.sqlite.former_words import FormerWords
    from ohara.store.sqlite.session import Session
    from ohara.store.sqlite.word_search import WordSearch

_HOLDING_ALL = """SELECT {occurrence} FROM numbers(?) AS asked
  CROSS JOIN hunk ON hunk.id = asked.value CROSS JOIN commits ON commits.id = hunk.commit_id
  WHERE {allowed} ORDER BY {order} LIMIT ?"""
_OLDEST_FIRST = "commits.committer_time, commits.sha, hunk.id"

_SYMBOLS = """SELECT rowid, -bm25(fts_symbol_name, {weights}) AS score
  FROM fts_symbol_name WHERE fts_symbol_name MATCH ? ORDER BY score DESC, rowid LIMIT ?"""

_IN_MESSAGES = """SELECT DISTINCT commits.id, commits.message FROM numbers(?) AS asked
  CROSS JOIN hunk ON hunk.id = asked.value CROSS JOIN commits ON commits.id = hunk.commit_id
  WHERE {allowed}"""
_IN_CHANGES = f"""SELECT {PLACED} FROM numbers(?) AS asked
  CROSS JOIN hunk ON hunk.id = asked.value CROSS JOIN commits ON commits.id = hunk.commit_id
  LEFT JOIN file ON file.id = hunk.file_id LEFT JOIN path ON path.id = file.path_id
  WHERE {{allowed}} ORDER BY {NEWEST_FIRST} LIMIT ?"""

# What `_make` does, without a call of Python for each of some hundreds.
_SCORED: Callable[[tuple[Occurrence, tuple[float, ...]]], ScoredByWords] = partial(
    tuple.__new__, ScoredByWords
)


@contextmanager
def _words(session: Session) -> Iterator[WordSearch | FormerWords]:
    """The words of an index as they are kept now; all that is asked of them is of one state."""
    with session.snapshot():
        if former_words.are_there(session.connection):
            yield former_words.FormerWords(session)
        else:
            from ohara.store.sqlite.word_search import WordSearch  # brings numpy, which takes a while

            yield WordSearch(session)


def by_words(
    session: Session,
    words: WordQuery,
    weightings: Sequence[tuple[Weights, float]],
    allowed: FtsFilter,
    limit: int,
) -> list[ScoredByWords]:
    """The hunks that hold words, with their BM25 under each weighting, best mixture first.

    One walk over the postings serves all weightings. The mixture adds up each weighting's scores, scaled by
    the best of this query, times its share.
    """
    with _words(session) as kept:
        found = dict(kept.scored(words, weightings, allowed, limit))
        rows = occurrences(session, found)
    return list(map(_SCORED, [(at, found[at[0]]) for at in rows]))


def commits_by_words(
    session: Session, words: WordQuery, weights: Weights, allowed: FtsFilter, limit: int
) -> list[ScoredByWords] | None:
    """The commits that hold words in all their hunks together, best first; None of a former table."""
    from ohara.store.sqlite.commit_search import CommitSearch  # brings numpy, which takes a while

    with session.snapshot():
        if former_words.are_there(session.connection):
            return None
        found = dict(CommitSearch(session).scored_commits(words, weights, allowed, limit))
        rows = occurrences(session, found)
    return list(map(_SCORED, [(at, (found[at[0]],)) for at in rows]))


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
    with _words(session) as kept:
        held = session.listed(kept.holding_all(words, columns))
        return occurrences_of(session.rows(statement, (held, *allowed.parameters, limit)))


def holding_flags(session: Session, words: WordQuery) -> bytes:
    """A byte for each hunk, 1 for those that hold one of the selecting words."""
    with _words(session) as kept:
        if isinstance(kept, former_words.FormerWords):
            return flags(kept.holding_any(words.selecting, words.columns))
        return kept.holding_flags(words.selecting, words.columns)


def frequencies(session: Session, words: Iterable[str]) -> dict[str, int]:
    """How many hunks hold each word."""
    with _words(session) as kept:
        return {word: kept.frequency(word) for word in words}


def similar_words(session: Session, low: str, high: str, shortest: int, longest: int) -> dict[str, int]:
    """The words between two of some length, and how many hunks hold each."""
    with _words(session) as kept:
        return kept.similar(low, high, shortest, longest)


def symbols_by_words(
    session: Session, words: Sequence[str], weights: tuple[float, float, float], limit: int
) -> list[tuple[int, float]]:
    """The symbols whose kind, name or neighbours hold the words, best first; weights in that order."""
    asked = session.remembered("questions about names", list[object])
    if asked and all(words_of(word) == [word] for word in words):  # a phrase is FTS5's to find
        from ohara.store.sqlite.symbol_names import open_vocabulary, ranked  # brings numpy, as above

        open_vocabulary(session)
        with session.snapshot():
            return ranked(session, words, weights, limit)
    asked.append(None)
    statement = _SYMBOLS.format(weights=", ".join(map(str, weights)))
    return [(row[0], row[1]) for row in session.rows(statement, (any_of(words), limit))]


def messages_with(session: Session, words: WordQuery, allowed: FtsFilter) -> dict[int, str]:
    """The messages that hold one of the selecting words, by their commit."""
    statement = _IN_MESSAGES.format(allowed=allowed.condition)
    with _words(session) as kept:
        held = session.listed(kept.holding_any(words.selecting, words.columns))
        return {row[0]: row[1] for row in session.rows(statement, (held, *allowed.parameters))}


def changes_with(session: Session, words: WordQuery, allowed: FtsFilter, limit: int) -> list[PlacedHunk]:
    """The hunks that hold one of the selecting words, newest first."""
    statement = _IN_CHANGES.format(allowed=allowed.condition)
    with _words(session) as kept:
        held = session.listed(kept.holding_any(words.selecting, words.columns))
        return placed(session.rows(statement, (held, *allowed.parameters, limit)))
