"""Values for browsing: a commit with its relatives and files, blame of a line, history of a symbol."""

from __future__ import annotations

from dataclasses import dataclass

from ohara.model.explaining import Arrival  # noqa: TC001
from ohara.model.history import ChangeKind, Commit, LeftOut, Sha  # noqa: TC001
from ohara.model.results import Hit  # noqa: TC001 - the types are read off the wire
from ohara.model.threads import Thread  # noqa: TC001


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
    """Everything about a commit except its lines; `refs` are the branches and tags that point at it.

    `arrival` is how it came into the history of HEAD.
    """

    commit: Commit
    committer: str
    committer_email: str
    parents: tuple[Kin, ...]
    children: tuple[Kin, ...]
    refs: tuple[str, ...]
    files: tuple[ChangedFile, ...]
    thread: Thread | None = None
    arrival: Arrival | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file as it was in a commit."""

    sha: Sha
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """The blame of a line: the commit that last touched it, its position there, and where to continue.

    `before` is the position in the parent, None when the file began there; `was_there` is True when the line
    existed before, in some form.
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
