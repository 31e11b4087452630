"""What a search is given: what it reads from, the plan by which it answers, and what it may find."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from ohara.model import Group, Order
from ohara.records import dataclass, replace
from ohara.retrieve.profile import DEFAULT
from ohara.retrieve.reading import moment
from ohara.settings import FindSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from anyio.streams.memory import MemoryObjectSendStream

    from ohara.embed.encoder import Reranker
    from ohara.fate.source import FateSource
    from ohara.model import AtHead, HunkId, IndexStatus, Match, Query, SearchOptions, Sha, SpanScope
    from ohara.query.names import LinesName
    from ohara.retrieve.comparing import Beside
    from ohara.retrieve.cursor import Page
    from ohara.retrieve.lanes.literal import Verified
    from ohara.retrieve.matching import Matcher
    from ohara.retrieve.profile import Profile
    from ohara.retrieve.query_vector import Models
    from ohara.retrieve.structural import Structures
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader, Readers


@dataclass(frozen=True, slots=True)
class Reached:
    """The indexed commits that refs lead to, how many more are not indexed, and a note about those."""

    commits: Collection[int]
    note: str = ""
    outside: int = 0


@dataclass(frozen=True, slots=True)
class Named:
    """The commits that a query names, and a note about those that are not indexed."""

    commits: tuple[Sha, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of history up to HEAD the index has, and HEAD's commit; None before the first commit."""

    scope: SpanScope
    head: Sha | None


class TracedHunk(NamedTuple):
    """Which changed lines of a hunk are those that were traced, and the symbol that they stand in."""

    marks: tuple[Match, ...]
    symbol: str | None


@dataclass(frozen=True, slots=True)
class Traced:
    """The hunks that touched lines of a file, newest first, and what to say of lines that are not there."""

    hunks: Mapping[HunkId, TracedHunk] = MappingProxyType({})
    notes: tuple[str, ...] = ()


def _no_trace(reader: Reader, lines: LinesName, paths: Sequence[str]) -> Traced:
    del reader, lines, paths
    return Traced()


@dataclass(frozen=True, slots=True)
class Sources:
    """What a search reads from; `repository` is the path that hits carry. Models load when first needed.

    `reachable` finds what refs lead to, `named` which commits they are themselves; `status` says how the
    index stands, cheaply, `extent` how much of history it holds. `count_lines` counts the lines of a commit's
    files that match, up to a moment; `structures` matches code by its shape. `tip` is the commit from which
    `fates` are seen: the first of some refs, or HEAD. `trace` follows lines back through history, in those of
    some paths that are there. `beside` compares the first hunks with those of other indexes; None compares
    them among themselves. `is_served` says that a server reads the index: waiting for it costs nothing here.
    """

    repository: str
    pool: Readers
    models: Models
    reranker: Callable[[], Reranker | None]
    reachable: Callable[[Reader, tuple[str, ...]], Reached]
    named: Callable[[Reader, tuple[str, ...]], Named]
    status: Callable[[Reader], IndexStatus]
    extent: Callable[[Reader], Extent]
    count_lines: Callable[[Sha, Sequence[str], Matcher, float], AtHead]
    structures: Callable[[], Structures]
    tip: Callable[[tuple[str, ...]], Sha | None]
    fates: FateSource
    trace: Callable[[Reader, LinesName, Sequence[str]], Traced] = _no_trace
    beside: Beside | None = None
    is_served: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """How a query is answered: the caller's options, completed by the settings of the repository.

    `options.now` is set. `models` names those that rank: a page of one ranking must not follow that of
    another.
    """

    options: SearchOptions
    settings: FindSettings = FindSettings()
    profile: Profile = DEFAULT
    models: str = ""

    @property
    def k(self) -> int:
        """How many hits; 0 for everything that a literal or regex query matches."""
        return self.settings.k if self.options.k is None else self.options.k

    @property
    def rerank(self) -> bool:
        """True when the cross-encoder is asked."""
        return self.options.rerank is not False and self.settings.rerank

    @property
    def order(self) -> Order:
        """In which order hits are shown; by date is newest first."""
        order = Order(self.options.order)
        return Order.NEWEST if order is Order.DATE else order

    @property
    def by_thread(self) -> bool:
        """True when one hit stands for a thread."""
        return self.options.group == Group.THREAD

    @property
    def choices(self) -> tuple[object, ...]:
        """What the results depend on beside the query."""
        return (
            self.profile.name,
            self.models,
            self.rerank,
            self.settings.recency_weight,
            self.options.all_hunks,
            self.order,
            self.by_thread,
        )

    @property
    def now(self) -> int:
        """The moment that dates and recency count from."""
        return moment(self.options)

    def showing_all_hunks(self) -> Plan:
        """The same plan, with every hunk of a commit and not only its best."""
        return replace(self, options=replace(self.options, all_hunks=True))

    def at(self, now: int) -> Plan:
        """The same plan, as of another moment."""
        return replace(self, options=replace(self.options, now=now))


@dataclass(frozen=True, slots=True)
class Opening:
    """The status of the index when a search begins, and which hunks may be found."""

    status: IndexStatus
    allowed: Allowed
    state: str
    notes: tuple[str, ...] = ()
    tip: Sha | None = None  # from where lines are seen
    outside: int = 0  # commits of the refs that were asked for, which are not indexed


@dataclass(frozen=True, slots=True)
class Request:
    """A query while it is being answered."""

    sources: Sources
    query: Query
    plan: Plan
    opening: Opening
    page: Page
    moments: MemoryObjectSendStream[Verified] | None
