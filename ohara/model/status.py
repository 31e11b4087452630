"""The status of an index: its passes, what is left out or failed, how far behind it is."""

from __future__ import annotations

from enum import StrEnum

from ohara.model.history import LeftOut, Sha  # noqa: TC001 - the types are read off the wire
from ohara.records import dataclass

CUT_OFF = "history is cut off by a shallow clone: git fetch --unshallow brings the rest"
"""What is said where an answer may lie before the first commits of a shallow clone."""


class Pass(StrEnum):
    """The passes of indexing, in the order in which they run."""

    TEXT = "text"
    LITERAL = "literal"
    SYMBOL = "symbol"
    LINES = "lines"
    VECTOR = "vector"


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of an index run: which pass, and how many of its commits are done.

    The pass of symbols also reads files of HEAD, each content once: with `of_head` those are counted.
    """

    stage: Pass
    done: int
    total: int
    hunks: int
    elapsed_s: float
    of_head: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """A commit that could not be processed completely: the reason, and how often it was tried."""

    sha: Sha
    reason: str
    attempts: int


@dataclass(frozen=True, slots=True)
class PassStatus:
    """How many of the indexed commits one pass has finished."""

    stage: Pass
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class LastRun:
    """The latest index run: when it began, how long it took, and its outcome."""

    started: int
    elapsed_s: float
    outcome: str
    scheduled: bool


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """What is in an index and how far behind the repository it is.

    `older` commits are left out by the setting index.since; `gone` are chosen refs that no longer exist.
    Threads are no pass: they are found anew, for all commits, at the end of a run. `threaded` says of how
    many commits that was last done. `shared` is the name of the server that keeps the index, if one does.
    """

    repository: str
    commits: int
    indexed: int
    behind: int
    hunks: int
    contents: int
    symbols: int
    size_bytes: int
    passes: tuple[PassStatus, ...]
    left_out: tuple[tuple[LeftOut, int], ...]
    failures: tuple[Failure, ...]
    refs: tuple[tuple[str, Sha], ...]
    last_run: LastRun | None
    shallow: bool = False
    older: int = 0
    gone: tuple[str, ...] = ()
    threaded: int = 0
    shared: str = ""
