"""What showing and following need of an index: whole hunks, versions of files, commits and their changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ohara.model import ChangedFile, HunkId, Kin, Sha
    from ohara.store.answers import (
        CommitAt,
        CopyOf,
        Definition,
        FileLife,
        FileVersion,
        HunkBody,
        HunkPieces,
        HunkRange,
        Made,
        PathVersion,
        StoredHunk,
        ThreadCommit,
    )
    from ohara.store.candidates import Allowed
    from ohara.store.graph import CommitGraph
    from ohara.store.log_order import ClockSlips


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

    def hunk_pieces(self, commits: Iterable[int]) -> dict[int, HunkPieces]:
        """How many hunks commits have as git counts them, and which of their pieces belong together."""
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

    def places_in_second(self) -> Mapping[bytes, int]:
        """By the raw id of a commit, how many of its own second lead to it in a row.

        A commit that none leads to is left out. Of two commits of one second, the one with the larger number
        does not lead to the other.
        """
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

    def merges_of(self, commits: Iterable[int]) -> dict[int, str]:
        """The message of the merge that brought a commit in, of those that came with a merge of work."""
        ...

    def threads_of(self, shas: Collection[Sha]) -> dict[Sha, Sha]:
        """The thread of each commit that has one, by its first commit."""
        ...

    def thread_commits(self, firsts: Collection[Sha]) -> dict[Sha, tuple[ThreadCommit, ...]]:
        """The commits of threads, each in its order; a thread of which only one is shown is none."""
        ...

    def copies_of(self, shas: Collection[Sha]) -> dict[Sha, tuple[CopyOf, ...]]:
        """All commits that make the same change as each of these, itself among them, oldest first."""
        ...
