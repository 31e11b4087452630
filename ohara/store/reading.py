"""What answering a question needs of an index: the protocols that every engine implements.

Look-ups speak of hunks, contents, commits, symbols and paths. A *content* is the text of a hunk; equal hunks
share one. Numbers that stand for a hunk, a content, a commit or a symbol are the index's own and mean nothing
to another.

Wherever hunks are returned in order, the order does not depend on the order of indexing: newest commit first
(by committer time, then by object name), then by the hunk's position in its commit. Only commits that are
shown count: those that a rewrite made unreachable never answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from ohara.store.facts import KnowsFacts
from ohara.store.lines import LineHistory

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    import anyio

    from ohara.model import ChangedFile, Filters, HunkId, Kin, Sha, VectorBlock, VectorForm
    from ohara.store.answers import (
        CommitAt,
        CommitHunk,
        CopyOf,
        Counts,
        Definition,
        FileLife,
        FileVersion,
        HunkBody,
        HunkRange,
        Made,
        Occurrence,
        PathChange,
        PathVersion,
        PlacedHunk,
        ScoredByWords,
        StoredHunk,
        ThreadCommit,
        TouchedBy,
        TrigramMatch,
        VectorSets,
        Weights,
        WordQuery,
    )
    from ohara.store.graph import CommitGraph
    from ohara.store.log_order import ClockSlips
    from ohara.store.trigram_query import Formula

T = TypeVar("T")
V = TypeVar("V", bound="Gathered")


class Interrupted(Exception):
    """The work was told to stop; whoever told it is no longer listening."""


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
        self,
        filters: Filters,
        *,
        reachable: Collection[int] | None = None,
        named: Collection[Sha] = (),
        not_reachable: Collection[int] | None = None,
        not_named: Collection[Sha] = (),
    ) -> Allowed:
        """The hunks that pass filters, as the index is now.

        `reachable` are the indexed commits that `filters.refs` lead to, required when there are refs; `named`
        are the commits that `filters.commits` name; `not_reachable` and `not_named` are those of
        `filters.not_refs` and `filters.not_commits`. A filter that nothing fits lets nothing through, and
        left out it leaves nothing out.
        """
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


class Hunks(Protocol):
    """Whole hunks, and what belongs to them."""

    def hydrate(self, hunks: Iterable[HunkId]) -> dict[HunkId, StoredHunk]:
        """Whole hunks with their commits, paths, symbols and lines; a hunk that is gone has no entry."""
        ...

    def contents_of(self, hunks: Iterable[HunkId]) -> dict[HunkId, int]:
        """The content of each hunk that has lines."""
        ...

    def commits_with_content(self, contents: Iterable[int], allowed: Allowed) -> dict[int, tuple[Sha, ...]]:
        """The commits in which each content occurs, newest first."""
        ...

    def hunks_in_commits(self, commits: Iterable[int], allowed: Allowed) -> dict[int, int]:
        """How many hunks of each commit may answer."""
        ...

    def paths_of_commits(self, commits: Iterable[int]) -> dict[int, list[str]]:
        """Every path that each commit changed."""
        ...


class Versions(Protocol):
    """The versions of files: which change gave a file which content."""

    def languages(self) -> dict[str, int]:
        """How many paths there are in each language, the most first."""
        ...

    def files_of_hunks(self, hunks: Iterable[HunkId]) -> dict[HunkId, int]:
        """The changed file that each hunk is of; a hunk of a message alone has none."""
        ...

    def file_versions(
        self, files: Collection[int] | None, in_languages: Collection[str]
    ) -> list[FileVersion]:
        """Every change of some files under all names they got later, or of all files; newest first."""
        ...

    def hunks_in_files(self, files: Iterable[int], allowed: Allowed) -> dict[int, list[HunkRange]]:
        """The hunks of changed files that may answer, in order; a file without any has no entry."""
        ...


class History(Protocol):
    """Commits and how they follow each other, files and how they moved."""

    def indexed(self, shas: Collection[Sha]) -> dict[Sha, int]:
        """Those of the commits that are shown, with the index's number of each."""
        ...

    def known_links(self) -> dict[bytes, tuple[int, bytes]]:
        """Every shown commit by its raw id: its committer time and its parents' raw ids."""
        ...

    def ancestors(self, tips: Collection[Sha]) -> Collection[int] | None:
        """The commits that tips lead to, with the tips themselves; None when a tip is not indexed.

        Right only where everything that an indexed commit leads to is indexed.
        """
        ...

    def log_order(self) -> Mapping[Sha, int] | None:
        """Each commit's position in `git log`, the newest first; None where committer times give the same."""
        ...

    def clock_slips(self) -> ClockSlips:
        """Where committer times do not tell the order of the log."""
        ...

    def paths_reached(self, hunks: Iterable[HunkId]) -> list[str]:
        """The paths of some hunks and every path that these were renamed to since, sorted."""
        ...

    def files_of(self, commit: int) -> tuple[ChangedFile, ...]:
        """Every file that a commit changed, in the order of its diff."""
        ...

    def kin(self, shas: Iterable[Sha]) -> tuple[Kin, ...]:
        """Commits in the order given, with time and subject as far as they are indexed."""
        ...

    def children_of(self, sha: Sha) -> tuple[Kin, ...]:
        """The commits that have this one for a parent, oldest first."""
        ...

    def names_of_file(self, path: str) -> tuple[str, ...]:
        """Every name that a file had or got later; its present one first."""
        ...

    def hunks_touching(self, qualified: str, paths: Iterable[str], limit: int) -> list[HunkId]:
        """The hunks that touch a symbol of these files, or of any without paths, newest first."""
        ...

    def made(self, path: str, blob: str, until: int) -> list[Made]:
        """The commits that gave a file this content, up to a moment, newest first."""
        ...

    def hunks_of_file(self, commit: int, file: int) -> list[HunkRange]:
        """Which lines the hunks of one changed file reach over."""
        ...

    def commit_graph(self) -> CommitGraph:
        """Every commit with its parents, parents first."""
        ...

    def versions_of(self, path: str) -> list[PathVersion]:
        """Every change that gave the file at a path its content, or took it away from there."""
        ...

    def bodies_of_file(self, commit: int, file: int) -> list[HunkBody]:
        """The lines of the hunks of one changed file, in their order."""
        ...

    def removed_in(self, commit: int) -> list[tuple[PathVersion, HunkBody]]:
        """The hunks of a commit that remove lines, with the change of the file they belong to."""
        ...

    def definitions(self, name: str) -> list[Definition]:
        """Where HEAD defines the symbols of a name, qualified or not, by path and line."""
        ...

    def symbol_names(self) -> list[str]:
        """Every name of a symbol that history knows, sorted."""
        ...

    def paths(self) -> list[str]:
        """Every path that ever changed, sorted."""
        ...

    def authors(self) -> list[str]:
        """Everybody who wrote a commit that is shown, by name, who wrote the most first."""
        ...


class Changes(Protocol):
    """How often files and symbols changed, and in which commits."""

    def commits_changing(self, paths: Collection[str], limit: int) -> list[CommitAt]:
        """The commits that changed a file at one of some paths, newest first."""
        ...

    def commits_of_hunks(self, hunks: Iterable[HunkId]) -> list[CommitAt]:
        """The commits of some hunks, newest first."""
        ...

    def qualified_names(self, symbol: str) -> list[str]:
        """The qualified names of the symbols that a name may mean, sorted."""
        ...

    def symbols_of_commits(self, commits: Iterable[int]) -> dict[int, list[tuple[str, str]]]:
        """The symbols that each commit touched: path and qualified name."""
        ...

    def times_touched(self, symbols: Collection[str]) -> dict[str, int]:
        """In how many commits each symbol, by its qualified name, was touched."""
        ...

    def file_lives(self) -> Mapping[str, FileLife]:
        """Of every path: how many commits changed it, what it is called now, whether it is gone."""
        ...


class Threads(Protocol):
    """Which commits belong together, as the last whole index run found them."""

    def threads_of(self, shas: Collection[Sha]) -> dict[Sha, Sha]:
        """The thread of each commit that has one, by its first commit."""
        ...

    def thread_commits(self, firsts: Collection[Sha]) -> dict[Sha, tuple[ThreadCommit, ...]]:
        """The commits of threads, each in its order; a thread of which only one is shown is none."""
        ...

    def copies_of(self, shas: Collection[Sha]) -> dict[Sha, tuple[CopyOf, ...]]:
        """All commits that make the same change as each of these, itself among them, oldest first."""
        ...


class Reader(
    Candidates,
    Vectors,
    Named,
    Hunks,
    Versions,
    History,
    Changes,
    Threads,
    LineHistory,
    KnowsFacts,
    Protocol,
):
    """One way into an index, for reading only; used by one thread at a time, stopped from any."""

    def state(self) -> str:
        """A text that changes whenever an answer might: pages of one list must come from one state."""
        ...

    def counts(self) -> Counts:
        """How many commits there are and how far the passes have come."""
        ...

    def failed(self) -> list[Sha]:
        """The commits that could not be read at all, and so are not in the index."""
        ...

    def snapshot(self) -> AbstractContextManager[object]:
        """All reads in this context see one state of the index."""
        ...

    def remembered(self, name: str, make: Callable[[], T]) -> T:
        """What `make` returns, kept under a name until the index changes."""
        ...

    def check(self) -> None:
        """Raise Interrupted when told to stop; for work that takes long between two reads."""
        ...


class Readers(Protocol):
    """The readers of one index, lent to worker threads so that an event loop never waits for the index.

    Whoever borrows one may be cancelled at any time: what runs is then interrupted.
    """

    async def read(
        self,
        work: Callable[[Reader], T],
        *,
        timeout_s: float | None = None,
        turns: anyio.CapacityLimiter | None = None,
    ) -> T:
        """Do blocking work with a reader in a thread; a TimeoutError when it takes too long.

        Work that has turns of its own does not wait for the others, nor they for it.
        """
        ...

    async def of_one_index(self, question: Callable[[], Awaitable[T]]) -> T:
        """Do what reads several times, again when the index was replaced by another in between.

        The result is true of the index that is there now, and of that one alone.
        """
        ...

    @property
    def is_outdated(self) -> bool:
        """True when readers hold an index that is no longer there."""
        ...

    def close(self) -> None:
        """Close the readers; those in use when they come back."""
        ...
