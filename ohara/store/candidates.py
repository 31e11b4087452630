"""What finding needs of an index: which hunks may answer, and candidates of every kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from ohara.store.answers import UNRESOLVED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence

    from ohara.model import Filters, HunkId, VectorBlock, VectorForm
    from ohara.store.answers import (
        CommitHunk,
        Occurrence,
        PathChange,
        PlacedHunk,
        ResolvedCommits,
        ScoredByWords,
        TouchedBy,
        TrigramMatch,
        UnreadCommit,
        UnreadCounts,
        VectorSets,
        Weights,
        WordQuery,
    )
    from ohara.store.trigram_query import Formula

V = TypeVar("V", bound="Gathered")


class Allowed(Protocol):
    """Which hunks may answer, as the index that compiled it understands it; opaque to everybody else."""

    @property
    def everything(self) -> bool:
        """True when every hunk may answer."""
        ...

    def among(self, hunks: Iterable[HunkId]) -> Allowed:
        """The same, narrowed to some hunks."""
        ...

    def apart_from(self, hunks: Iterable[HunkId]) -> Allowed:
        """The same, without some hunks."""
        ...

    def holding(self, words: WordQuery) -> Allowed:
        """The same, narrowed to hunks that hold one of the selecting words."""
        ...


class Gathered(Protocol):
    """Stored vectors, ready to be searched."""

    @property
    def size(self) -> int:
        """About how many bytes they take."""
        ...


class Probe(Protocol[V]):
    """A query's vector, ready to be compared with stored vectors of the same model."""

    @property
    def form(self) -> VectorForm:
        """How vectors of this model are stored."""
        ...

    @property
    def packed(self) -> bytes:
        """The query's vector in that form."""
        ...

    def likeness(self, stored: Sequence[bytes]) -> list[float]:
        """The cosine to each stored vector; of bits, an estimate."""
        ...

    def gather(self, blocks: Sequence[VectorBlock]) -> V:
        """Make stored bits ready to be searched; may be kept for other probes of the same model."""
        ...

    def likeness_of(self, gathered: V, owners: Iterable[int]) -> dict[int, float]:
        """The cosines to the vectors of some owners, of those that have one; an estimate."""
        ...

    def nearest(self, gathered: V, limit: int, among: bytes | None) -> list[tuple[int, float]]:
        """The owners of the nearest vectors with their cosines, best first.

        `among` bounds the owners: it has a byte for each number from 1 on, which is 1 for those that may be.
        """
        ...


class Candidates(Protocol):
    """How lanes find hunks. Each call applies `allowed` before it takes the best."""

    def allow(
        self, filters: Filters, resolved: ResolvedCommits = UNRESOLVED, excluded: ResolvedCommits = UNRESOLVED
    ) -> Allowed:
        """The hunks that pass filters, as the index is now.

        `resolved` is what git says of `filters.refs` and `filters.commits`, `excluded` what it says of
        `filters.not_refs` and `filters.not_commits`. A filter that nothing fits lets nothing through, and
        left out it leaves nothing out.
        """
        ...

    def unread(
        self, filters: Filters, resolved: ResolvedCommits = UNRESOLVED, excluded: ResolvedCommits = UNRESOLVED
    ) -> UnreadCounts:
        """How much was not read of what filters let through, told as for `allow`; binary files do not count.

        Where it is not known which files, symbols or lines a commit touched, filters on these let it through.
        """
        ...

    def binary_files(
        self, filters: Filters, resolved: ResolvedCommits = UNRESOLVED, excluded: ResolvedCommits = UNRESOLVED
    ) -> Mapping[str, int]:
        """The binary files that filters let through, told as for `allow`, and how many changes of each.

        They have neither symbols nor lines: filters on these are not looked at.
        """
        ...

    def unread_commits(self) -> Sequence[UnreadCommit]:
        """The commits that were not wholly read."""
        ...

    def narrowed(self, reason: Hashable, make: Callable[[], Allowed]) -> Allowed:
        """What `make` lets through; not worked out again for the same reason until the index changes."""
        ...

    def lets_any(self, allowed: Allowed) -> bool:
        """Whether any hunk may answer."""
        ...

    def document_frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """How many hunks hold each word, roughly: rows that are no longer shown may count."""
        ...

    def similar_words(self, word: str, within: int) -> list[tuple[str, int]]:
        """Words with the same first letter that may be so many edits away, and how many hunks hold each."""
        ...

    def hunk_count(self) -> int:
        """About how many hunks there are; answered at once."""
        ...

    def by_words(
        self, words: WordQuery, weightings: Sequence[tuple[Weights, float]], allowed: Allowed, limit: int
    ) -> list[ScoredByWords]:
        """The hunks that hold the words, with their BM25 under each weighting, best mixture first.

        The mixture adds up each weighting's scores, scaled by the best of this query, times its share.
        """
        ...

    def commits_by_words(
        self, words: WordQuery, weights: Weights, allowed: Allowed, limit: int
    ) -> list[ScoredByWords] | None:
        """The commits that hold the words, each with its BM25 as one text: all its hunks, its message once.

        Entries are single words. A commit is told by that hunk, among those that may answer and hold a
        selecting word, whose change holds most. None when the index has its words in a form of former
        versions that cannot tell.
        """
        ...

    def holding_all(
        self, words: Sequence[str], columns: Sequence[str], allowed: Allowed, *, oldest: bool, limit: int
    ) -> list[Occurrence]:
        """The hunks that hold every word in one of the columns, oldest or newest first."""
        ...

    def symbols_named(self, names: Iterable[str]) -> list[int]:
        """The symbols with these names; `record`, `Journal.record`, `Journal::record` may be one method."""
        ...

    def symbols_by_words(
        self, words: Sequence[str], weights: tuple[float, float, float], limit: int
    ) -> list[tuple[int, float]]:
        """The symbols whose kind, name or neighbours hold the words, with their BM25, best first."""
        ...

    def touching(self, symbols: Iterable[int], allowed: Allowed) -> list[TouchedBy]:
        """The hunks that touch symbols, newest first."""
        ...

    def at_path(self, written: str, allowed: Allowed, limit: int) -> list[Occurrence]:
        """The hunks of a file, of all files whose path ends so, or of a folder, newest first.

        Case does not matter, and neither does on which side of a rename the path stands.
        """
        ...

    def recent(self, allowed: Allowed) -> list[Occurrence]:
        """Every hunk that may answer, newest first."""
        ...

    def of_commit(self, prefix: str, allowed: Allowed) -> list[Occurrence]:
        """The hunks of the commits whose sha begins so."""
        ...

    def by_trigrams(self, formula: Formula, allowed: Allowed) -> list[TrigramMatch]:
        """Every hunk whose changed lines may hold the trigrams, newest first; all hunks for ANYTHING.

        It never misses one: hunks whose trigrams are not stored yet are among them.
        """
        ...

    def bodies(self, contents: Iterable[int]) -> dict[int, bytes]:
        """The texts of contents, by content."""
        ...


class Vectors(Protocol):
    """How lanes compare vectors. A model is named by the id that its vectors carry."""

    def vector_sets(self) -> VectorSets:
        """Which models' vectors are stored."""
        ...

    def has_commit_vectors(self, model: str) -> bool:
        """True when whole commits have vectors of this model, too."""
        ...

    def nearest_contents(
        self, probe: Probe[V], model: str, allowed: Allowed, limit: int
    ) -> list[tuple[int, float]] | None:
        """The contents nearest to a query with their cosines, best first; None if it has no vectors."""
        ...

    def nearest_commits(
        self, probe: Probe[V], model: str, allowed: Allowed, limit: int
    ) -> list[tuple[int, float]]:
        """The commits nearest to a query, by their subject or by their whole change, best first."""
        ...

    def content_vectors(self, contents: Iterable[int], model: str) -> dict[int, bytes]:
        """The stored vectors of some contents, of those that have one."""
        ...

    def content_likeness(self, probe: Probe[V], contents: Collection[int], model: str) -> dict[int, float]:
        """How near some contents are to a query by their stored vectors, of those that have one."""
        ...

    def newest_occurrences(self, contents: Iterable[int], allowed: Allowed) -> dict[int, Occurrence]:
        """The newest hunk of each content that has one."""
        ...

    def hunks_of(self, commits: Iterable[int], allowed: Allowed, first: int) -> list[CommitHunk]:
        """The hunks of commits; where every hunk may answer, the first few of each commit are enough."""
        ...

    def occurrences(self, hunks: Iterable[HunkId]) -> list[Occurrence]:
        """Hunks with the commits they are in."""
        ...


class Named(Protocol):
    """What names stand for: issues that messages and lines speak of, files by the end of their path."""

    def messages_with(self, words: WordQuery, allowed: Allowed) -> dict[int, str]:
        """The messages that hold one of the selecting words, by their commit."""
        ...

    def hunks_of_commits(self, commits: Iterable[int], allowed: Allowed) -> list[PlacedHunk]:
        """All hunks of some commits, newest first."""
        ...

    def changes_with(self, words: WordQuery, allowed: Allowed, limit: int) -> list[PlacedHunk]:
        """The hunks that hold one of the selecting words, newest first."""
        ...

    def paths_meant(self, written: str) -> list[str]:
        """The paths that this may mean: a file, all files whose path ends so, or all in a folder."""
        ...

    def changes_at(self, written: str, allowed: Allowed) -> list[PathChange]:
        """Every hunk at the paths that this may mean, on either side of a rename, newest first."""
        ...
