"""Answers in the order of time: what holds every word of a question, oldest or newest first.

The best of a ranking are not the oldest of anything. So where commits hold every word, they are the answer,
all of them, by their time; only where none does, the best of the ranking are sorted.

A series that was rebased or applied has one committer time. What leads to a commit is older than that commit
there, too, which their times do not tell, and the order in which an index gives them does not either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from ohara.model import Intent, Order, Polarity
from ohara.query.intent import read_intent
from ohara.retrieve.ranking import Candidate
from ohara.words import query_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.model import Query
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader

MOST = 20_000  # hunks in one such list; nobody pages further

_COLUMNS = {
    Polarity.ANY: ("message", "path", "header", "added", "removed"),
    Polarity.ADDED: ("added",),
    Polarity.REMOVED: ("removed",),
}


class Dated(Protocol):
    """What is of a commit, whose committer time and raw id it has."""

    @property
    def time(self) -> int:
        """When it was committed."""
        ...

    @property
    def sha(self) -> bytes:
        """The raw id of the commit."""
        ...


D = TypeVar("D", bound=Dated)


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


def in_order(reader: Reader, found: Sequence[D], order: Order) -> list[D]:
    """What was found in the order that was asked for; hunks of one commit stay as they are."""
    if order is Order.RANK:
        return list(found)
    places = places_within_second(reader, found)
    return sorted(
        found,
        key=lambda one: (one.time, places.get(one.sha, 0), one.sha),
        reverse=order is not Order.OLDEST,
    )


def newest_first(reader: Reader, found: Sequence[D]) -> list[D]:
    """What an index gave newest first, with what leads to a commit of the same second below it."""
    places = places_within_second(reader, found)
    if not places:
        return list(found)
    return sorted(found, key=lambda one: (one.time, places.get(one.sha, 0)), reverse=True)


def places_within_second(reader: Reader, found: Sequence[Dated]) -> Mapping[bytes, int]:
    """What tells the older of two commits of one second; nothing where no two were found."""
    times = {one.sha: one.time for one in found}
    return reader.places_in_second() if len(set(times.values())) < len(times) else {}
