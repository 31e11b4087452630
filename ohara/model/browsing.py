"""What browsing shows: a commit with its kin and files, who wrote a line, what touched a symbol."""

from __future__ import annotations

from dataclasses import dataclass

from ohara.model.answer import Hit  # noqa: TC001 - the types are read off the wire
from ohara.model.history import ChangeKind, Commit, LeftOut, Sha  # noqa: TC001


@dataclass(frozen=True, slots=True)
class Kin:
    """A parent or child of a commit; no subject when it is not indexed."""

    sha: Sha
    subject: str
    time: int


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that a commit changed, and in how many indexed hunks."""

    kind: ChangeKind
    path: str
    old_path: str | None
    additions: int
    deletions: int
    hunks: int
    left_out: LeftOut | None = None


@dataclass(frozen=True, slots=True)
class CommitDetails:
    """Everything about a commit but its lines; `refs` are the branches and tags that point at it."""

    commit: Commit
    committer: str
    committer_email: str
    parents: tuple[Kin, ...]
    children: tuple[Kin, ...]
    refs: tuple[str, ...]
    files: tuple[ChangedFile, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file as it was in a commit."""

    sha: Sha
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Origin:
    """Who last touched a line: where it stands there, its commit, and where to go on from in the parent.

    `before` is None when the file began there; `was_there` says whether the line, in some form, is older.
    """

    place: Place
    commit: Commit
    before: Place | None
    was_there: bool


@dataclass(frozen=True, slots=True)
class History:
    """Every hunk that touched a symbol or some lines, newest first, and the names their file had.

    `note` says why there may be more: empty when the history goes back to the beginning.
    """

    hits: tuple[Hit, ...]
    paths: tuple[str, ...]
    note: str = ""
