"""The symbol lane: hunks that touch the functions, classes and constants that the query names.

Symbols are ranked by their names first; a hunk counts for the best symbol it touches. No symbol fills the
lane: of each only its newest changes are taken. A name that is written out exactly is pinned.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from ohara.model import Mode, QueryClass
from ohara.retrieve.lane import Lane
from ohara.retrieve.ranking import Candidate, ranking
from ohara.words import query_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ohara.model import HunkId, Query
    from ohara.retrieve.lane import LaneQuery
    from ohara.retrieve.ranking import Ranking
    from ohara.store.answers import TouchedBy
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader

# Kind, name and neighbours: a neighbour's name says where a symbol lives, not what it is.
_WEIGHTS = (0.5, 3.0, 0.5)

# Beyond these the names share one common word with the query.
_SYMBOLS = 60

# Of one symbol's changes; an exact name is what was asked for, and may show more of its history.
_HUNKS_OF_ONE = 8
_HUNKS_OF_EXACT = 50

# What each further symbol that a hunk touches adds, as a share of that symbol's own score.
_FURTHER = 0.1

_EXACT_LEAD = 1.0  # an exact name is worth twice the best of the others


class SymbolLane(Lane):
    """Finds hunks by the symbols that they touch."""

    name = "symbol"
    modes = frozenset({Mode.SYMBOL})

    def find(self, reader: Reader, asked: LaneQuery) -> Ranking:
        """The hunks that touch symbols named in a query."""
        return rank(reader, asked.query, asked.sided, limit=asked.limit)


def rank(reader: Reader, query: Query, allowed: Allowed, *, limit: int) -> Ranking:
    """Search in this thread."""
    exact = set(_exact(reader, query))
    terms = query_terms(query.words)
    scores = dict(reader.symbols_by_words(terms, _WEIGHTS, _SYMBOLS)) if terms else {}
    best = max(scores.values(), default=1.0)
    scores = {symbol: score / best for symbol, score in scores.items() if score > 0}
    for symbol in exact:
        scores[symbol] = scores.get(symbol, 0.0) + _EXACT_LEAD
    taken: dict[int, int] = {}
    found: dict[HunkId, Candidate] = {}
    pinned: set[HunkId] = set()
    for at, symbol in _best_first(reader.touching(scores, allowed), scores):
        before = taken.get(symbol, 0)
        is_exact = symbol in exact
        if before >= (_HUNKS_OF_EXACT if is_exact else _HUNKS_OF_ONE):
            continue
        taken[symbol] = before + 1
        if is_exact:
            pinned.add(at.hunk)
        known = found.get(at.hunk)
        score = scores[symbol]
        if known is not None:
            score = max(known.score, score) + _FURTHER * min(known.score, score)
        found[at.hunk] = Candidate(at.hunk, score, at.time, at.sha)
    return ranking(SymbolLane.name, found.values(), limit, pinned=pinned)


def _best_first(touched: Iterable[TouchedBy], scores: Mapping[int, float]) -> Iterator[TouchedBy]:
    """The same, the best symbol of each hunk first: a score must not depend on how symbols are stored."""
    for _, of_one in groupby(touched, key=lambda one: one[0][0]):  # by its hunk
        together = list(of_one)
        if len(together) > 1:
            together.sort(key=lambda one: -scores[one.symbol])
        yield from together


def _exact(reader: Reader, query: Query) -> list[int]:
    """The symbols whose exact name is in the query."""
    if query.query_class is not QueryClass.SYMBOL:
        return []
    return reader.symbols_named([query.words.strip().rstrip("()").lstrip("$@")])
