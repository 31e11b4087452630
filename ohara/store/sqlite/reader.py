"""The reader of a SQLite index: the shared look-ups, and those that words, trigrams and vectors answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from ohara.store.answers import UNRESOLVED
from ohara.store.sql import literal, unread
from ohara.store.sql.reader import Lookups
from ohara.store.sqlite import nearest, word_queries
from ohara.store.sqlite.filters import EVERYTHING, compile_filters
from ohara.store.sqlite.session import Session
from ohara.store.sqlite.trigram_search import trigram_table

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence

    from ohara.model import Filters
    from ohara.store.answers import (
        Occurrence,
        PlacedHunk,
        ResolvedCommits,
        ScoredByWords,
        TrigramMatch,
        UnreadCounts,
        VectorSets,
        Weights,
        WordQuery,
    )
    from ohara.store.candidates import Allowed, Gathered, Probe
    from ohara.store.sqlite.filters import FtsFilter
    from ohara.store.trigram_query import Formula

V = TypeVar("V", bound="Gathered")


def _own(allowed: Allowed) -> FtsFilter:
    """A filter that this engine compiled: there is no other that it could be given."""
    return cast("FtsFilter", allowed)


class Reader(Session, Lookups):
    """A session with the look-ups that answer questions."""

    def allow(
        self, filters: Filters, resolved: ResolvedCommits = UNRESOLVED, excluded: ResolvedCommits = UNRESOLVED
    ) -> FtsFilter:
        """The hunks that pass filters, as the index is now."""
        return compile_filters(self, filters, resolved, excluded)

    def unread(
        self, filters: Filters, resolved: ResolvedCommits = UNRESOLVED, excluded: ResolvedCommits = UNRESOLVED
    ) -> UnreadCounts:
        """How much was not read of what filters let through."""
        return unread.unread(self, filters, EVERYTHING, resolved, excluded)

    def binary_files(
        self, filters: Filters, resolved: ResolvedCommits = UNRESOLVED, excluded: ResolvedCommits = UNRESOLVED
    ) -> Mapping[str, int]:
        """The binary files that filters let through, and how many changes of each."""
        return unread.binary_files(self, filters, EVERYTHING, resolved, excluded)

    def narrowed(self, reason: Hashable, make: Callable[[], Allowed]) -> FtsFilter:
        """The hunks that `make` lets through, kept as one set for the same reason until the index changes."""
        return self.shared(("narrowed", reason), lambda: _own(make()).as_one_set(self))

    def by_words(
        self, words: WordQuery, weightings: Sequence[tuple[Weights, float]], allowed: Allowed, limit: int
    ) -> list[ScoredByWords]:
        """The hunks that hold the words, best mixture first."""
        return word_queries.by_words(self, words, weightings, _own(allowed), limit)

    def commits_by_words(
        self, words: WordQuery, weights: Weights, allowed: Allowed, limit: int
    ) -> list[ScoredByWords] | None:
        """The commits that hold the words in all their hunks together, best first."""
        return word_queries.commits_by_words(self, words, weights, _own(allowed), limit)

    def holding_all(
        self, words: Sequence[str], columns: Sequence[str], allowed: Allowed, *, oldest: bool, limit: int
    ) -> list[Occurrence]:
        """The hunks that hold every word in one of the columns, oldest or newest first."""
        return word_queries.holding_all(self, words, columns, _own(allowed), oldest=oldest, limit=limit)

    def symbols_by_words(
        self, words: Sequence[str], weights: tuple[float, float, float], limit: int
    ) -> list[tuple[int, float]]:
        """The symbols whose kind, name or neighbours hold the words, best first."""
        return word_queries.symbols_by_words(self, words, weights, limit)

    def by_trigrams(self, formula: Formula, allowed: Allowed) -> list[TrigramMatch]:
        """Every hunk whose changed lines may hold the trigrams, newest first."""
        found: list[TrigramMatch] = []
        with self.snapshot():
            found += literal.by_trigrams(
                self, formula, _own(allowed), lambda asked: trigram_table(self, asked)
            )
        return found

    def vector_sets(self) -> VectorSets:
        """Which models' vectors are stored."""
        return nearest.vector_sets(self)

    def has_commit_vectors(self, model: str) -> bool:
        """True when whole commits have vectors of this model, too."""
        return nearest.has_commit_vectors(self, model)

    def nearest_contents(
        self, probe: Probe[V], model: str, allowed: Allowed, limit: int
    ) -> list[tuple[int, float]] | None:
        """The contents nearest to a query with their cosines, best first."""
        return nearest.nearest_contents(self, probe, model, _own(allowed), limit)

    def nearest_commits(
        self, probe: Probe[V], model: str, allowed: Allowed, limit: int
    ) -> list[tuple[int, float]]:
        """The commits nearest to a query with their cosines, best first."""
        return nearest.nearest_commits(self, probe, model, _own(allowed), limit)

    def content_vectors(self, contents: Iterable[int], model: str) -> dict[int, bytes]:
        """The stored vectors of some contents."""
        return nearest.content_vectors(self, contents, model)

    def content_likeness(self, probe: Probe[V], contents: Collection[int], model: str) -> dict[int, float]:
        """How near some contents are to a query by their stored vectors."""
        return nearest.content_likeness(self, probe, contents, model)

    def messages_with(self, words: WordQuery, allowed: Allowed) -> dict[int, str]:
        """The messages that hold one of the selecting words, by their commit."""
        return word_queries.messages_with(self, words, _own(allowed))

    def changes_with(self, words: WordQuery, allowed: Allowed, limit: int) -> list[PlacedHunk]:
        """The hunks that hold one of the selecting words, newest first."""
        return word_queries.changes_with(self, words, _own(allowed), limit)
