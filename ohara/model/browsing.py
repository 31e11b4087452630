"""Values for browsing: a commit, what differs between two, whose lines a file has, histories, names."""

from __future__ import annotations

from enum import StrEnum

from ohara.model.explaining import Arrival  # noqa: TC001
from ohara.model.history import ChangeKind, Commit, LeftOut, Sha  # noqa: TC001
from ohara.model.results import Hit  # noqa: TC001 - the types are read off the wire
from ohara.model.threads import Thread  # noqa: TC001
from ohara.records import dataclass


@dataclass(frozen=True, slots=True)
class Kin:
    """A parent or child of a commit; no subject when it is not indexed."""

    sha: Sha
    subject: str
    time: int


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that a commit changed, and in how many indexed hunks, as git counts them."""

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


class NameKind(StrEnum):
    """What a name is the name of: the filters whose values an index and its repository know."""

    AUTHOR = "author"
    PATH = "path"
    EXT = "ext"
    LANG = "lang"
    SYMBOL = "symbol"
    REF = "ref"


@dataclass(frozen=True, slots=True)
class AnnotatedLines:
    """Lines of a file that follow each other and were last touched by one commit.

    `first` is the first of them, from 1; `commit` counts `Annotation.commits` from 0, and is -1 where no
    indexed commit made them.
    """

    first: int
    lines: int
    commit: int


@dataclass(frozen=True, slots=True)
class Annotation:
    """Whose lines a file has, as it is in a commit: all of it in order, and the commits, without bodies."""

    sha: Sha
    path: str
    lines: tuple[AnnotatedLines, ...]
    commits: tuple[Commit, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between two commits, some files of it: each file, and a hit for each of its hunks.

    A hit's commit is the newer one, with the older one for its only parent. `next` is the number of the first
    file after these, or None where they are the last of `total`.
    """

    old: Commit
    new: Commit
    files: tuple[ChangedFile, ...]
    hits: tuple[Hit, ...]
    total: int
    next: int | None = None
