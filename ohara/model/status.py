"""How an index stands: its passes, what is left out or failed, how far behind it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ohara.model.history import LeftOut, Sha  # noqa: TC001 - the types are read off the wire


class Pass(StrEnum):
    """The passes over history, in order of usefulness."""

    TEXT = "text"
    LITERAL = "literal"
    SYMBOL = "symbol"
    VECTOR = "vector"


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of an index run: which pass, how many of its commits, at what pace."""

    stage: Pass
    done: int
    total: int
    hunks: int
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class Failure:
    """A commit that could not be wholly processed: why, and how often it was tried."""

    sha: Sha
    reason: str
    attempts: int


@dataclass(frozen=True, slots=True)
class PassStatus:
    """How many commits one pass has finished, of how many that are indexed."""

    stage: Pass
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class LastRun:
    """How the newest index run went: when it began, how long it took, and what came of it."""

    started: int
    elapsed_s: float
    outcome: str
    scheduled: bool


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """What is in an index and how far behind the repository it is.

    `older` commits are left out by the setting index.since, and `gone` are chosen refs that are no more.
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
