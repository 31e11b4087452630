"""What following lines needs of an index, and what is stored of where they went.

An *added line* goes by its hunk and its number among that hunk's added lines, from 0. Facts about lines are
of two kinds. A `LineEnd` says that a commit ended a run of added lines: it never changes. Where lines stand
at HEAD is kept by file version, so that another HEAD costs only the files that differ.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.model import Sha

Segment = tuple[int, int, int]
"""A number of lines, the hunk that added them (0: unknown), and which of its added lines is the first."""


class How(IntEnum):
    """How a run of lines ended in a commit; all but the first three go on as lines of another hunk."""

    REMOVED = 0
    REVERTED = 1  # by a commit that takes the whole commit of the lines back
    DROPPED = 2  # by a merge that did not take them over
    MOVED = 3  # the same commit adds them elsewhere
    JOINED = 4  # a merge has them from another parent, too, where they have another origin
    RESTORED = 5  # a commit takes back the one that ended them
    SHIFTED = 6  # the same commit adds them elsewhere in the same file


class LineEnd(NamedTuple):
    """A run of a hunk's added lines that a commit ended, and which lines of another hunk they became."""

    hunk: int
    first: int
    lines: int
    solid: int
    commit: int
    how: How
    to_hunk: int | None = None
    to_first: int = 0

    @property
    def end(self) -> int:
        """The first added line after the run."""
        return self.first + self.lines


class HeadLines(NamedTuple):
    """A run of a hunk's added lines as it stands in a file of HEAD, from a line (from 1) on."""

    hunk: int
    first: int
    lines: int
    solid: int
    path: str
    line: int


class HeadVersion(NamedTuple):
    """A file of HEAD with the origins of its lines; `blank` are the lines (from 0) without a sign on them.

    `made_by` is the commit that gave the file its content, 0 when none is indexed.
    """

    path: str
    blob: str
    made_by: int
    segments: Sequence[Segment]
    blank: frozenset[int]


class MergedFile(NamedTuple):
    """A file that a merge put together of its parents' versions, so that no change of one file made it."""

    path: str
    blob: str


class DerivedLines(NamedTuple):
    """What following lines found out about one commit: what it ended, and how many lines its hunks add.

    Blank lines are not counted, and a hunk that adds none but those is not among the counts.
    """

    commit_id: int
    ends: tuple[LineEnd, ...]
    counts: tuple[tuple[int, int], ...]
    merged: tuple[MergedFile, ...]


class CommitLink(NamedTuple):
    """A commit and its parents."""

    commit: int
    sha: Sha
    parents: tuple[Sha, ...]
    time: int


class FileOfCommit(NamedTuple):
    """What a commit did to a file: from which content, under which name, to which."""

    file: int
    path: str
    old_path: str | None
    old_blob: str | None
    new_blob: str | None
    additions: int
    deletions: int


class ChangedHunk(NamedTuple):
    """A hunk or a piece of one, as it is stored, in the file change that it belongs to."""

    file: int
    hunk: int
    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    body: str


class Maker(NamedTuple):
    """A commit that gave a file its content; a merge that put it together has no change of the file."""

    commit: int
    sha: Sha
    file: int | None


class LineHistory(Protocol):
    """How lines are followed from version to version, by what is stored."""

    def links(self) -> list[CommitLink]:
        """Every live commit."""
        ...

    def link(self, commit: int) -> CommitLink | None:
        """One live commit, by its number."""
        ...

    def revert_messages(self) -> dict[int, str]:
        """The messages that say which commit they revert, by their commit."""
        ...

    def changed_files(self, commit: int) -> list[FileOfCommit]:
        """What a commit did to each file, in the order of its diff."""
        ...

    def paths_changed(self, commits: Iterable[int]) -> list[str]:
        """The paths that some commits changed, each once, in order."""
        ...

    def hunk_runs(self) -> list[tuple[int, int]]:
        """The first hunk of each run of hunks that one commit has, in their order, with that commit."""
        ...

    def changed_hunks(self, commit: int, file: int | None = None) -> list[ChangedHunk]:
        """The hunks of a commit that have lines, or of one of its files, in the order of the diff."""
        ...

    def makers(self, path: str, blob: str) -> list[Maker]:
        """The live commits that gave a file this content, newest first."""
        ...

    def head_origins(self, path: str, blob: str, *, of_head: bool = False) -> list[Segment] | None:
        """The origins of a file's lines, if it is one of `head_versions`; of HEAD itself, if it is kept."""
        ...

    def head_versions(self) -> set[tuple[str, str]]:
        """The path and the content of every file that is kept, and that one live commit alone made so."""
        ...

    def doubtful_head_versions(self) -> dict[tuple[str, str], int]:
        """The other files that are kept for HEAD, and which commit made each there.

        Their content came more than once: seen from another commit, it may have been made by another.
        """
        ...

    def commits_of(self, hunks: Iterable[int]) -> dict[int, int]:
        """The commit of each hunk."""
        ...

    def added_lines(self, hunks: Iterable[int]) -> dict[int, str]:
        """The body of each hunk that has lines."""
        ...

    def ends_by(self, commit: int) -> list[LineEnd]:
        """The runs of lines that a commit ended."""
        ...

    def ends_of(self, hunks: Iterable[int]) -> list[LineEnd]:
        """How runs of some hunks' added lines ended, in live commits."""
        ...

    def all_ends(self, commits: Iterable[int]) -> list[LineEnd]:
        """How all runs of lines ended in some commits."""
        ...

    def at_head(self, hunks: Iterable[int]) -> list[HeadLines]:
        """Where added lines of some hunks stand in the files kept for HEAD."""
        ...

    def all_at_head(self) -> list[HeadLines]:
        """Where added lines of all hunks stand in the files kept for HEAD."""
        ...

    def hunks_at_head(self) -> set[int]:
        """The hunks of which some line that is not blank stands in the files kept for HEAD."""
        ...

    def hunks_handed_on(self) -> set[int]:
        """The hunks some of whose lines ended in another way than by being removed or dropped."""
        ...

    def line_counts(self, commits: Iterable[int]) -> dict[int, int]:
        """The hunks of some commits that add lines, and how many, blank ones left out."""
        ...
