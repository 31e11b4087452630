"""Answers in the order of time: what holds every word of a question, oldest or newest first.

The best of a ranking are not the oldest of anything. So where commits hold every word, they are the answer,
all of them, by their time; only where none does, the best of the ranking are sorted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import Intent, Order, Polarity
from ohara.query.intent import read_intent
from ohara.retrieve.ranking import Candidate
from ohara.words import query_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import Query
    from ohara.retrieve.ranking import ScoredHunk
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader

MOST = 20_000  # hunks in one such list; nobody pages further

_COLUMNS = {
    Polarity.ANY: ("message", "path", "header", "added", "removed"),
    Polarity.ADDED: ("added",),
    Polarity.REMOVED: ("removed",),
}


def holding_every_word(reader: Reader, query: Query, allowed: Allowed, order: Order) -> list[Candidate]:
    """The hunks that hold all words of a query, in order; of a question, the words of what it is about."""
    words = query.words
    if query.intent is not Intent.NONE:
        words = " ".join(read_intent(words, query.intent).subject)
    terms = query_terms(words)
    if not terms:
        return []
    found = reader.holding_all(
        terms, _COLUMNS[query.polarity], allowed, oldest=order is Order.OLDEST, limit=MOST
    )
    return [Candidate(at.hunk, 0.0, at.time, at.sha) for at in found]


def candidates_in_order(found: Sequence[Candidate], order: Order) -> list[Candidate]:
    """A list in the order that was asked for; hunks of one commit stay as they are."""
    if order is Order.RANK:
        return list(found)
    return sorted(found, key=lambda one: (one.time, one.sha), reverse=order is not Order.OLDEST)


def hits_in_order(shown: Sequence[ScoredHunk], order: Order) -> list[ScoredHunk]:
    """Ranked hits in the order that was asked for."""
    return sorted(shown, key=lambda one: (one.time, one.sha), reverse=order is not Order.OLDEST)
