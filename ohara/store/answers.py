"""What the readers of an index answer with. Plain values: no engine, no statement, no table."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection

    from ohara.history.reasons import Reason
    from ohara.model import ChangeKind, Commit, HunkId, PassStatus, Sha

    CommitHunk = tuple[int, HunkId, int | None]
    """A commit, a hunk of it, and its content if it has lines.

    A plain tuple: a hundred thousand are remembered, and named ones the collector of garbage would go through
    again and again.
    """

Weights = tuple[float, float, float, float, float, float]
"""What a word counts in message, path, header, added, removed and context."""


class Counts(NamedTuple):
    """How many commits are shown, and how far each pass has come with them."""

    commits: int
    passes: tuple[PassStatus, ...]


class UnreadCounts(NamedTuple):
    """How many commits were not wholly read, and why.

    `lacking` of them lacked contents in the clone that was indexed, `cut` had more files than are read of a
    commit, or could not be taken apart to the end; `oversized` counts files.
    """

    commits: int = 0
    lacking: int = 0
    oversized: int = 0
    cut: int = 0


@dataclass(frozen=True, slots=True)
class ResolvedCommits:
    """The indexed commits that refs lead to, None where there are no refs, and those that are named."""

    reachable: frozenset[int] | None = None
    named: frozenset[Sha] = frozenset()

    @classmethod
    def of(cls, reachable: Collection[int] | None, named: Collection[Sha] = ()) -> ResolvedCommits:
        """The same, for who has lists."""
        return cls(None if reachable is None else frozenset(reachable), frozenset(named))


UNRESOLVED = ResolvedCommits()


class UnreadCommit(NamedTuple):
    """A commit that was not wholly read, and its committer time."""

    sha: Sha
    time: int


@dataclass(frozen=True, slots=True)
class WordQuery:
    """Words to look for, as the index spells them; an entry of several is a phrase.

    Hunks with at least one `selecting` entry are found; `common` entries take part in their scores without
    selecting any. All of them must stand in one of the `columns`; none means any column.
    """

    selecting: tuple[str, ...]
    common: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


class Occurrence(NamedTuple):
    """A hunk and the commit it is in; `lineless` marks a row that stands for the message alone."""

    hunk: HunkId
    commit: int
    time: int
    sha: bytes
    lineless: bool
    merge: bool


class ScoredByWords(NamedTuple):
    """A hunk that words found, with its score under each weighting of the columns."""

    at: Occurrence
    scores: tuple[float, ...]


class TouchedBy(NamedTuple):
    """A hunk and a symbol it touches."""

    at: Occurrence
    symbol: int


class TrigramMatch(NamedTuple):
    """A hunk that may match: its content, and its commit's committer time and object name."""

    content: int
    hunk: HunkId
    time: int
    sha: bytes


class PlacedHunk(NamedTuple):
    """A hunk with its commit's time and object name, and the path it changes; "" for a message alone."""

    hunk: HunkId
    time: int
    sha: bytes
    path: str


class PathChange(NamedTuple):
    """A hunk of a file that was asked for: when, under which names, and what happened to the file."""

    hunk: HunkId
    time: int
    sha: bytes
    path: str
    old_path: str | None
    kind: ChangeKind


@dataclass(frozen=True, slots=True)
class VectorSets:
    """Which models made the stored vectors: the present one, and the former one while it is replaced."""

    current: str | None
    kept: str | None


@dataclass(frozen=True, slots=True)
class StoredHunk:
    """A hunk as the index has it, with its commit; a message-only hunk has no path, no content, no body.

    `old_start` and `new_start` number its first line on each side; on a side without lines, where one would
    stand, and 0 at the top of a file.
    """

    hunk: HunkId
    commit_id: int
    commit: Commit
    content: int | None
    path: str
    old_path: str | None
    language: str | None
    kind: ChangeKind
    left_out: str | None
    old_start: int
    new_start: int
    header: str
    symbols: tuple[str, ...]
    body: str


class CommitAt(NamedTuple):
    """A commit and its time."""

    commit: int
    sha: Sha
    time: int


class FileLife(NamedTuple):
    """How many commits changed a path, what the file is called now, and whether it is gone."""

    changes: int
    now: str
    gone: bool


class ThreadCommit(NamedTuple):
    """A commit of a thread, and why it belongs there."""

    commit_id: int
    sha: Sha
    author: str
    time: int
    message: str
    reason: Reason


class CopyOf(NamedTuple):
    """A commit that makes the same change as another, and the branches that it is on."""

    sha: Sha
    branches: tuple[str, ...]


class Made(NamedTuple):
    """A commit that gave a file its content, and what the file was before."""

    commit_id: int
    sha: Sha
    time: int
    parents: tuple[Sha, ...]
    old_path: str | None
    old_blob: str | None
    file_id: int


class HunkRange(NamedTuple):
    """Which lines of the old and the new file a hunk reaches over."""

    hunk: HunkId
    old_start: int
    old_lines: int
    new_start: int
    new_lines: int


class HunkPieces(NamedTuple):
    """How many hunks a commit has as git counts them; of a later piece of one, which is its first."""

    hunks: int
    first: dict[HunkId, HunkId]


class FileVersion(NamedTuple):
    """One change of a file: what it was called and held before and after; None where there was no file.

    `unread` says that its lines are not stored: it is binary, too large, or missing from this clone.
    """

    file: int
    commit: int
    sha: bytes
    time: int
    merge: bool
    path: str
    old_path: str | None
    old_blob: str | None
    new_blob: str | None
    unread: bool


class PathVersion(NamedTuple):
    """A change that gave a file its content at a path, or took it away from there: then without new blob.

    A rename away from the path counts as taking away; `path` is then the new name.
    """

    commit_id: int
    sha: bytes
    file_id: int
    kind: ChangeKind
    path: str
    old_path: str | None
    old_blob: str | None
    new_blob: str | None


class HunkBody(NamedTuple):
    """The lines of a hunk; its starts number the first line on each side, or where one would stand."""

    hunk: HunkId
    old_start: int
    new_start: int
    body: str


class Definition(NamedTuple):
    """A symbol that a file of HEAD defines, and on which lines."""

    path: str
    qualified: str
    first: int
    last: int


def holds_change(body: str) -> bool:
    """True when a line of a body is added or removed."""
    return body[:1] in {"+", "-"} or "\n+" in body or "\n-" in body


def lines_of_side(body: str, sign: str) -> str:
    """The lines that a hunk adds ("+") or removes ("-"), without their sign."""
    return "\n".join(line[1:] for line in body.split("\n") if line[:1] == sign)
