"""Chooses which words of a query select texts and which only score them.

Walking the rows of common words costs most of the time and finds nothing new, yet leaving them out of the
score loses answers: the rarest words select, all of them score.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from ohara.model import Polarity
from ohara.store.answers import WordQuery

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import Query
    from ohara.retrieve.profile import Profile
    from ohara.store.reading import Reader

# BM25 gives no weight to a word in more than half of all rows: it is left out, which changes no score.
_HALF = 2

_COLUMN_OF = {Polarity.ADDED: ("added",), Polarity.REMOVED: ("removed",)}


class Bounds(NamedTuple):
    """How many rows words may have together.

    They select while all of them have no more than `selected`; the rarest `fewest` up to `most`, and the
    rarest in any case. They score up to `scored`. Of all words only the rarest `words` are looked at.
    """

    selected: int
    fewest: int
    most: int
    scored: int
    words: int


def choose(reader: Reader, terms: Sequence[str], columns: tuple[str, ...], bounds: Bounds) -> WordQuery:
    """Which words select rows and which only score; words in no row or in too many do neither."""
    rows = reader.document_frequencies(terms)
    known = sorted((term for term in terms if rows[term]), key=lambda term: rows[term])[: bounds.words]
    selecting: list[str] = []
    taken = 0
    for term in known:
        taken += rows[term]
        if selecting and taken > (bounds.selected if len(selecting) >= bounds.fewest else bounds.most):
            break
        selecting.append(term)
    most = reader.hunk_count() // _HALF
    common = [term for term in known[len(selecting) :] if rows[term] <= most]
    counted = accumulate(rows[term] for term in common)
    scoring = [term for term, so_far in zip(common, counted, strict=True) if so_far <= bounds.scored]
    return WordQuery(tuple(selecting), tuple(scoring), columns)


def columns_of(query: Query, profile: Profile) -> tuple[str, ...]:
    """Where the words of a query may stand; none means anywhere."""
    return _COLUMN_OF.get(query.polarity, profile.columns)
