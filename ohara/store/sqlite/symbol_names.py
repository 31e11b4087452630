"""Ranks symbols by the words of their names, kept in memory: BM25 as FTS5 computes it over the same table.

FTS5 walks all rows of every word twice for each question, and a few words stand in half of all names. Here
each word is read once, from the table's own vocabulary, and kept until the index changes. What a first
question asks is cheaper to ask of FTS5: a process that answers once need not read how long all names are.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ohara.arrays import np
from ohara.store.bm25 import K1, B, idf
from ohara.store.sqlite.word_search import best_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ohara.store.sqlite.session import Session

_COLUMNS = 3  # kind, name and neighbours' names

# A table of this connection alone, in memory: nothing is written to the index.
_VOCABULARY = """CREATE VIRTUAL TABLE IF NOT EXISTS temp.symbol_words
  USING fts5vocab(main, fts_symbol_name, instance)"""
_HOLDING = """SELECT json_group_array(4 * doc + CASE col WHEN 'kind' THEN 0 WHEN 'name' THEN 1 ELSE 2 END)
  FROM temp.symbol_words WHERE term = ?"""

# As FTS5 documents its tables: a number for each column, in SQLite's own varints; here for all rows at once.
_LENGTHS = "SELECT id, sz FROM fts_symbol_name_docsize"
_TOTALS = "SELECT block FROM fts_symbol_name_data WHERE id = 1"  # how many rows, and words in each column

# The totals, and which segments there are and how much was ever written: all that is written changes these.
_STATE = "SELECT block FROM fts_symbol_name_data WHERE id IN (1, 10) ORDER BY id"


class _Holding(NamedTuple):
    """The symbols that hold a word, and how often in each column."""

    symbols: NDArray[np.int64]
    times: NDArray[np.float64]

    @property
    def size(self) -> int:
        """How many bytes they take."""
        return self.symbols.nbytes + self.times.nbytes


class _Lengths(NamedTuple):
    """How many words each symbol has, by its number; how many symbols there are, and words on average."""

    words: NDArray[np.int64]
    symbols: int
    average: float

    @property
    def size(self) -> int:
        """How many bytes they take."""
        return self.words.nbytes


def open_vocabulary(session: Session) -> None:
    """Make the vocabulary readable, before a snapshot: within it an interrupt would end that as well."""
    session.check()
    try:
        session.connection.pragma("query_only", 0)
        session.connection.execute(_VOCABULARY)
    finally:  # also when it is told to stop meanwhile
        session.connection.pragma("query_only", 1)


def ranked(
    session: Session, words: Sequence[str], weights: tuple[float, float, float], limit: int
) -> list[tuple[int, float]]:
    """The symbols that hold one of some words, best first; to be called within one snapshot."""
    # Others may have noticed a change that this snapshot does not show: what is kept goes by what it shows.
    state = (session.stamp.identity, *(bytes(row[0]) for row in session.rows(_STATE)))
    lengths = session.shared(("lengths of names", state), lambda: _lengths(session))
    score = np.zeros(len(lengths.words))
    is_found = np.zeros(len(lengths.words), bool)
    for word in words:
        symbols, times = session.shared(("names with", word, state), partial(_holding, session, word))
        if not len(symbols):
            continue
        weighed = times @ np.array(weights)
        norms = K1 * (1.0 - B + B * lengths.words[symbols] / lengths.average)
        worth = idf(lengths.symbols, len(symbols))
        score[symbols] += worth * (weighed * (K1 + 1.0) / (weighed + norms))
        is_found[symbols] = True
    found = np.flatnonzero(is_found)
    best = best_of(score[found], found, limit)
    return list(zip(found[best].tolist(), score[found][best].tolist(), strict=True))


def _holding(session: Session, word: str) -> _Holding:
    listed = np.array(json.loads(session.rows(_HOLDING, (word,))[0][0]), np.int64)
    places, counts = np.unique(listed, return_counts=True)
    symbols, of_places = np.unique(places >> 2, return_inverse=True)
    times = np.zeros((len(symbols), _COLUMNS))
    times[of_places, places & 3] = counts
    return _Holding(symbols, times)


def _lengths(session: Session) -> _Lengths:
    rows = session.rows(_LENGTHS)
    words = np.zeros(max((row[0] for row in rows), default=0) + 1, np.int64)
    if rows:
        numbers = _varints(b"".join(row[1] for row in rows))
        words[[row[0] for row in rows]] = numbers.reshape(len(rows), _COLUMNS).sum(axis=1)
    totals = _varints(bytes(session.rows(_TOTALS)[0][0]))
    symbols = int(totals[0]) if len(totals) else 0
    return _Lengths(words, symbols, float(totals[1:].sum()) / symbols if symbols else 1.0)


def _varints(packed: bytes) -> NDArray[np.int64]:
    """SQLite's numbers of up to eight bytes: seven bits in each, the highest first."""
    read = np.frombuffer(packed, np.uint8)
    ends = np.flatnonzero(read < 128)
    lengths = np.diff(ends, prepend=-1)
    numbers = np.zeros(len(ends), np.int64)
    for before in range(int(lengths.max(initial=0))):
        there = lengths > before
        numbers[there] += (read[ends[there] - before].astype(np.int64) & 127) << (7 * before)
    return numbers
