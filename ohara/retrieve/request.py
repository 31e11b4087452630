"""What a search is given: the ways to its sources, and the caller's wishes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ohara.retrieve.profile import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from ohara.embed.encoder import Embedder, Reranker
    from ohara.model import AtHead, HunkId, IndexStatus, Sha
    from ohara.query.names import LinesName
    from ohara.retrieve.matching import Matcher
    from ohara.retrieve.profile import Profile
    from ohara.store.reading import Reader, Readers


@dataclass(frozen=True, slots=True)
class Reached:
    """The indexed commits that refs lead to, and what to say of those that are not indexed."""

    commits: Collection[int]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """The commits that a query names, and what to say of those that are not indexed."""

    commits: tuple[Sha, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Extent:
    """Whether the index holds all of history up to HEAD, and where HEAD is; None before the first commit."""

    whole: bool
    head: Sha | None


@dataclass(frozen=True, slots=True)
class Traced:
    """The hunks that touched lines of a file, newest first, and what to say of lines that are not there."""

    hunks: tuple[HunkId, ...] = ()
    notes: tuple[str, ...] = ()


def _no_trace(reader: Reader, lines: LinesName, paths: Sequence[str]) -> Traced:
    del reader, lines, paths
    return Traced()


@dataclass(frozen=True, slots=True)
class Sources:
    """What a search reads from; `repository` is the path that hits carry. Models load when first needed.

    `maker` finds the embedder that made vectors, by the id they carry. `reachable` finds what refs
    lead to, `named` which commits they are themselves; `status` says how the index stands, cheaply,
    `extent` how much of history it holds. `count_lines` counts the lines of a commit's files that match,
    up to a moment. `trace` follows lines back through history, in those of some paths that are there.
    """

    repository: str
    pool: Readers
    embedder: Callable[[], Embedder | None]
    maker: Callable[[str], Embedder | None]
    reranker: Callable[[], Reranker | None]
    reachable: Callable[[Reader, tuple[str, ...]], Reached]
    named: Callable[[Reader, tuple[str, ...]], Named]
    status: Callable[[Reader], IndexStatus]
    extent: Callable[[Reader], Extent]
    count_lines: Callable[[Sha, Sequence[str], Matcher, float], AtHead]
    trace: Callable[[Reader, LinesName, Sequence[str]], Traced] = _no_trace


@dataclass(frozen=True, slots=True)
class Wishes:
    """How an answer should be. `k` 0 asks for everything a literal or regex query matches.

    An exact search ends with what it has by `answer_within_s`, where who asks waits no longer.
    """

    now: int
    k: int = 5
    profile: Profile = DEFAULT
    rerank: bool = True
    all_hunks: bool = False
    by_date: bool = False
    after: str | None = None
    context: int | None = None
    timeout_s: float = 2.0
    recency_weight: float = 0.05
    models: str = ""  # which ones rank: a page of one ranking must not follow that of another
    answer_within_s: float | None = None
