"""Every look-up of a reader that statements shared by the engines answer, by the modules that do them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from ohara.store.sql import (
    ancestry,
    browse,
    changes,
    hydrate,
    lane_queries,
    line_queries,
    lineage,
    literal,
    named,
    owners,
    path_versions,
    threads,
    unread,
    versions,
)
from ohara.store.sql.filters import symbol_ids
from ohara.store.sql.session import Session

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ohara.model import ChangedFile, HunkId, Kin, Sha
    from ohara.store.answers import (
        CommitAt,
        CommitHunk,
        CopyOf,
        Definition,
        FileLife,
        FileVersion,
        HunkBody,
        HunkPieces,
        HunkRange,
        Made,
        Occurrence,
        PathChange,
        PathVersion,
        PlacedHunk,
        StoredHunk,
        ThreadCommit,
        TouchedBy,
        UnreadCommit,
    )
    from ohara.store.candidates import Allowed
    from ohara.store.graph import CommitGraph
    from ohara.store.lines import (
        ChangedHunk,
        CommitLink,
        FileOfCommit,
        HeadLines,
        LineEnd,
        Maker,
        Segment,
    )
    from ohara.store.log_order import ClockSlips
    from ohara.store.sql.filters import HunkFilter


def _own(allowed: Allowed) -> HunkFilter:
    """A filter that this engine compiled: there is no other that it could be given."""
    return cast("HunkFilter", allowed)


class Lookups(Session, Protocol):
    """A session with the look-ups that all engines with these tables answer alike."""

    def symbols_named(self, names: Iterable[str]) -> list[int]:
        """The symbols with these names."""
        return symbol_ids(self, names)

    def touching(self, symbols: Iterable[int], allowed: Allowed) -> list[TouchedBy]:
        """The hunks that touch symbols, newest first."""
        return lane_queries.touching(self, symbols, _own(allowed))

    def at_path(self, written: str, allowed: Allowed, limit: int) -> list[Occurrence]:
        """The hunks of a file, of files whose path ends so, or of a folder, newest first."""
        return lane_queries.at_path(self, written, _own(allowed), limit)

    def lets_any(self, allowed: Allowed) -> bool:
        """Whether any hunk may answer."""
        return lane_queries.lets_any(self, _own(allowed))

    def unread_commits(self) -> list[UnreadCommit]:
        """The commits that were not wholly read."""
        return unread.unread_commits(self)

    def recent(self, allowed: Allowed) -> list[Occurrence]:
        """Every hunk that may answer, newest first."""
        return lane_queries.recent(self, _own(allowed))

    def of_commit(self, prefix: str, allowed: Allowed) -> list[Occurrence]:
        """The hunks of the commits whose sha begins so."""
        return lane_queries.of_commit(self, prefix, _own(allowed))

    def bodies(self, contents: Iterable[int]) -> dict[int, bytes]:
        """The texts of contents, by content."""
        return literal.bodies(self, contents)

    # -- vectors ---------------------------------------------------------------------------------

    def newest_occurrences(self, contents: Iterable[int], allowed: Allowed) -> dict[int, Occurrence]:
        """The newest hunk of each content that has one."""
        return owners.newest_occurrences(self, contents, _own(allowed))

    def hunks_of(self, commits: Iterable[int], allowed: Allowed, first: int) -> list[CommitHunk]:
        """The hunks of commits; where every hunk may answer, the first few of each commit."""
        return owners.hunks_of(self, commits, _own(allowed), first)

    def occurrences(self, hunks: Iterable[HunkId]) -> list[Occurrence]:
        """Hunks with the commits they are in."""
        return owners.occurrences(self, hunks)

    # -- names -----------------------------------------------------------------------------------

    def hunks_of_commits(self, commits: Iterable[int], allowed: Allowed) -> list[PlacedHunk]:
        """All hunks of some commits, newest first."""
        return named.hunks_of_commits(self, commits, _own(allowed))

    def paths_meant(self, written: str) -> list[str]:
        """The paths that this may mean."""
        return list(lane_queries.paths_meant(self, written).values())

    def changes_at(self, written: str, allowed: Allowed) -> list[PathChange]:
        """Every hunk at the paths that this may mean, newest first."""
        return named.changes_at(self, written, _own(allowed))

    # -- whole hunks -----------------------------------------------------------------------------

    def hydrate(self, hunks: Iterable[HunkId]) -> dict[HunkId, StoredHunk]:
        """Whole hunks with their commits, paths, symbols and lines."""
        return hydrate.hydrate(self, hunks)

    def contents_of(self, hunks: Iterable[HunkId]) -> dict[HunkId, int]:
        """The content of each hunk that has lines."""
        return hydrate.contents_of(self, hunks)

    def commits_with_content(self, contents: Iterable[int], allowed: Allowed) -> dict[int, tuple[Sha, ...]]:
        """The commits in which each content occurs, newest first."""
        return hydrate.commits_with_content(self, contents, _own(allowed))

    def hunk_pieces(self, commits: Iterable[int]) -> dict[int, HunkPieces]:
        """How many hunks commits have as git counts them, and which of their pieces belong together."""
        return browse.hunk_pieces(self, commits)

    def paths_of_commits(self, commits: Iterable[int]) -> dict[int, list[str]]:
        """Every path that each commit changed."""
        return hydrate.paths_of_commits(self, commits)

    # -- versions of files -----------------------------------------------------------------------

    def languages(self) -> dict[str, int]:
        """How many paths there are in each language, the most first."""
        return versions.languages(self)

    def files_of_hunks(self, hunks: Iterable[HunkId]) -> dict[HunkId, int]:
        """The changed file that each hunk is of."""
        return versions.files_of_hunks(self, hunks)

    def file_versions(
        self, files: Collection[int] | None, in_languages: Collection[str]
    ) -> list[FileVersion]:
        """Every change of some files under all names they got later, or of all files; newest first."""
        return versions.file_versions(self, files, in_languages)

    def hunks_in_files(self, files: Iterable[int], allowed: Allowed) -> dict[int, list[HunkRange]]:
        """The hunks of changed files that may answer, in order."""
        return versions.hunks_in_files(self, files, _own(allowed))

    # -- history ---------------------------------------------------------------------------------

    def indexed(self, shas: Collection[Sha]) -> dict[Sha, int]:
        """Those of the commits that are shown, with the index's number of each."""
        return ancestry.indexed(self, shas)

    def known_links(self) -> dict[bytes, tuple[int, bytes]]:
        """Every shown commit by its raw id: its committer time and its parents' raw ids."""
        return lineage.known_links(self)

    def ancestors(self, tips: Collection[Sha]) -> Collection[int] | None:
        """The commits that tips lead to; None when a tip is not indexed."""
        return ancestry.ancestors(self, tips)

    def log_order(self) -> Mapping[Sha, int] | None:
        """Each commit's position in `git log`; None where committer times give the same."""
        return lineage.log_order(self)

    def clock_slips(self) -> ClockSlips:
        """Where committer times do not tell the order of the log."""
        return lineage.clock_slips(self)

    def places_in_second(self) -> Mapping[bytes, int]:
        """By the raw id of a commit, how many of its own second lead to it in a row."""
        return lineage.places_in_second(self)

    def paths_reached(self, hunks: Iterable[HunkId]) -> list[str]:
        """The paths of some hunks and every path that these were renamed to since."""
        return lineage.paths_reached(self, hunks)

    def files_of(self, commit: int) -> tuple[ChangedFile, ...]:
        """Every file that a commit changed."""
        return browse.files_of(self, commit)

    def kin(self, shas: Iterable[Sha]) -> tuple[Kin, ...]:
        """Commits in the order given, with time and subject as far as they are indexed."""
        return browse.kin(self, shas)

    def children_of(self, sha: Sha) -> tuple[Kin, ...]:
        """The commits that have this one for a parent, oldest first."""
        return browse.children_of(self, sha)

    def names_of_file(self, path: str) -> tuple[str, ...]:
        """Every name that a file had or got later; its own comes first."""
        return browse.names_of_file(self, path)

    def hunks_touching(self, qualified: str, paths: Iterable[str], limit: int) -> list[HunkId]:
        """The hunks that touch a symbol of these files, newest first."""
        return browse.hunks_touching(self, qualified, paths, limit)

    def made(self, path: str, blob: str, until: int) -> list[Made]:
        """The commits that gave a file this content, up to a moment, newest first."""
        return browse.made(self, path, blob, until)

    def hunks_of_file(self, commit: int, file: int) -> list[HunkRange]:
        """Which lines the hunks of one changed file reach over."""
        return browse.hunks_of_file(self, commit, file)

    def commit_graph(self) -> CommitGraph:
        """Every commit with its parents, parents first."""
        return path_versions.commit_graph(self)

    def versions_of(self, path: str) -> list[PathVersion]:
        """Every change that gave the file at a path its content, or took it away from there."""
        return path_versions.versions_of(self, path)

    def bodies_of_file(self, commit: int, file: int) -> list[HunkBody]:
        """The lines of the hunks of one changed file."""
        return path_versions.bodies_of_file(self, commit, file)

    def removed_in(self, commit: int) -> list[tuple[PathVersion, HunkBody]]:
        """The hunks of a commit that remove lines, with the change of the file they belong to."""
        return path_versions.removed_in(self, commit)

    def definitions(self, name: str) -> list[Definition]:
        """Where HEAD defines the symbols of a name."""
        return path_versions.definitions(self, name)

    def symbol_names(self) -> list[str]:
        """Every name of a symbol that history knows."""
        return path_versions.symbol_names(self)

    def paths(self) -> list[str]:
        """Every path that ever changed."""
        return path_versions.paths(self)

    def authors(self) -> list[str]:
        """Everybody who wrote a commit that is shown, who wrote the most first."""
        return browse.authors(self)

    # -- changes ---------------------------------------------------------------------------------

    def commits_changing(self, paths: Collection[str], limit: int) -> list[CommitAt]:
        """The commits that changed a file at one of some paths, newest first."""
        return changes.commits_changing(self, paths, limit)

    def commits_of_hunks(self, hunks: Iterable[HunkId]) -> list[CommitAt]:
        """The commits of some hunks, newest first."""
        return changes.commits_of_hunks(self, hunks)

    def qualified_names(self, symbol: str) -> list[str]:
        """The qualified names of the symbols that a name may mean."""
        return changes.qualified_names(self, symbol_ids(self, [symbol]))

    def symbols_of_commits(self, commits: Iterable[int]) -> dict[int, list[tuple[str, str]]]:
        """The symbols that each commit touched."""
        return changes.symbols_of_commits(self, commits)

    def times_touched(self, symbols: Collection[str]) -> dict[str, int]:
        """In how many commits each symbol was touched."""
        return changes.times_touched(self, symbols)

    def file_lives(self) -> Mapping[str, FileLife]:
        """Of every path: how many commits changed it, what it is called now, whether it is gone."""
        return changes.file_lives(self)

    # -- threads ---------------------------------------------------------------------------------

    def merges_of(self, commits: Iterable[int]) -> dict[int, str]:
        """The message of the merge that brought each commit in."""
        return threads.merges_of(self, commits)

    def threads_of(self, shas: Collection[Sha]) -> dict[Sha, Sha]:
        """The thread of each commit that has one."""
        return threads.threads_of(self, shas)

    def thread_commits(self, firsts: Collection[Sha]) -> dict[Sha, tuple[ThreadCommit, ...]]:
        """The commits of threads, each in its order."""
        return threads.thread_commits(self, firsts)

    def copies_of(self, shas: Collection[Sha]) -> dict[Sha, tuple[CopyOf, ...]]:
        """All commits that make the same change as each of these."""
        return threads.copies_of(self, shas)

    # -- lines -----------------------------------------------------------------------------------

    def links(self) -> list[CommitLink]:
        """Every live commit with its parents."""
        return line_queries.links(self)

    def link(self, commit: int) -> CommitLink | None:
        """A live commit with its parents."""
        return line_queries.link(self, commit)

    def revert_messages(self) -> dict[int, str]:
        """The messages that say which commit they revert, by their commit."""
        return line_queries.revert_messages(self)

    def changed_files(self, commit: int) -> list[FileOfCommit]:
        """What a commit did to each file, in the order of its diff."""
        return line_queries.changed_files(self, commit)

    def paths_changed(self, commits: Iterable[int]) -> list[str]:
        """The paths that some commits changed, each once, in order."""
        return line_queries.paths_changed(self, commits)

    def hunk_runs(self) -> list[tuple[int, int]]:
        """The first hunk of each run of hunks that one commit has, in their order, with that commit."""
        return line_queries.hunk_runs(self)

    def changed_hunks(self, commit: int, file: int | None = None) -> list[ChangedHunk]:
        """The hunks of a commit that have lines, or of one of its files."""
        return line_queries.changed_hunks(self, commit, file)

    def makers(self, path: str, blob: str) -> list[Maker]:
        """The live commits that gave a file this content, newest first."""
        return line_queries.makers(self, path, blob)

    def head_origins(self, path: str, blob: str, *, of_head: bool = False) -> list[Segment] | None:
        """The origins of a file's lines, if it is one of those kept for HEAD."""
        return line_queries.head_origins(self, path, blob, of_head=of_head)

    def head_versions(self) -> set[tuple[str, str]]:
        """The path and the content of every file that is kept for HEAD."""
        return line_queries.head_versions(self)

    def doubtful_head_versions(self) -> dict[tuple[str, str], int]:
        """The other files that are kept for HEAD, and which commit made each there."""
        return line_queries.doubtful_head_versions(self)

    def commits_of(self, hunks: Iterable[int]) -> dict[int, int]:
        """The commit of each hunk."""
        return line_queries.commits_of(self, hunks)

    def added_lines(self, hunks: Iterable[int]) -> dict[int, str]:
        """The body of each hunk that has lines."""
        return line_queries.added_lines(self, hunks)

    def ends_by(self, commit: int) -> list[LineEnd]:
        """The runs of lines that a commit ended."""
        return line_queries.ends_by(self, commit)

    def ends_of(self, hunks: Iterable[int]) -> list[LineEnd]:
        """How runs of some hunks' added lines ended, in live commits."""
        return line_queries.ends_of(self, hunks)

    def all_ends(self, commits: Iterable[int]) -> list[LineEnd]:
        """How all runs of lines ended in some commits."""
        return line_queries.all_ends(self, commits)

    def at_head(self, hunks: Iterable[int]) -> list[HeadLines]:
        """Where added lines of some hunks stand in the files kept for HEAD."""
        return line_queries.at_head(self, hunks)

    def all_at_head(self) -> list[HeadLines]:
        """Where added lines of all hunks stand in the files kept for HEAD."""
        return line_queries.all_at_head(self)

    def hunks_at_head(self) -> set[int]:
        """The hunks of which some line that is not blank stands in the files kept for HEAD."""
        return line_queries.hunks_at_head(self)

    def hunks_handed_on(self) -> set[int]:
        """The hunks some of whose lines ended in another way than by being removed or dropped."""
        return line_queries.hunks_handed_on(self)

    def line_counts(self, commits: Iterable[int]) -> dict[int, int]:
        """The hunks of some commits that add lines, and how many, blank ones left out."""
        return line_queries.counts(self, commits)
