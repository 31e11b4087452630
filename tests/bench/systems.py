"""ohara as a system under test: one warm engine, asked in one of the ways a user could ask."""

from __future__ import annotations

import atexit
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from anyio.from_thread import start_blocking_portal

from ohara.daemon import resource_usage
from ohara.embed.catalog import load_reranker
from ohara.engine import Engine
from ohara.errors import OharaError
from ohara.model import LaneStatus, Mode, SearchOptions
from ohara.query import parse
from ohara.retrieve.profile import Fusion, lane_weights
from ohara.settings import Settings
from tests.bench.metrics import DEPTH
from tests.bench.peers import Answer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from anyio.from_thread import BlockingPortal

    from ohara.model import Hit, IndexStatus, Results
    from ohara.retrieve.profile import LaneWeights, Profile
    from ohara.retrieve.request import Plan
    from tests.bench.workspace import Indexed


def _as_it_is(profile: Profile) -> Profile:
    return profile


def without_lane(name: str) -> Callable[[Profile], Profile]:
    """Take a lane away from a profile, for every class of query."""

    def change(profile: Profile) -> Profile:
        by_class = {kind: _without(weights, name) for kind, weights in profile.by_class.items()}
        lanes = _without(profile.lanes, name)
        return replace(profile, lanes=lanes, by_class=MappingProxyType(by_class))

    return change


def _without(weights: LaneWeights, name: str) -> LaneWeights:
    return lane_weights(**{lane: weight for lane, weight in weights.items() if lane != name})


def without_vectors(profile: Profile) -> Profile:
    """Take away both lanes that compare vectors."""
    return without_lane("commit")(without_lane("vector")(profile))


def by_rank(profile: Profile) -> Profile:
    """Fuse ranks (RRF) and not scores."""
    return replace(profile, fusion=Fusion.RRF)


def _by_rank_without_vectors(profile: Profile) -> Profile:
    return by_rank(without_vectors(profile))


@dataclass(frozen=True, slots=True)
class Way:
    """A way of asking: which lanes, with or without the reranker, by which pipeline, changed how."""

    name: str
    mode: Mode = Mode.AUTO
    rerank: bool = False
    profile: str = "default"
    change: Callable[[Profile], Profile] = _as_it_is


NOW = int(time.time())

# Here a slow lane is a number in a table, not a reason to leave it out.
_PATIENCE_S = 60.0

WITHOUT_VECTORS = Way("text and symbol lanes", change=without_vectors)
OURS = Way("ohara, no rerank")
HUNKS_ALONE = Way("ohara without commit texts, no rerank", change=without_lane("commit_text"))
HUNKS_ALONE_RERANKED = Way("ohara without commit texts", rerank=True, change=without_lane("commit_text"))
OURS_RERANKED = Way("ohara", rerank=True)
WAYS = (
    Way("text lane alone", Mode.TEXT),
    Way("vectors alone", Mode.SEMANTIC),
    Way("symbol lane alone", Mode.SYMBOL),
    Way("textbook pipeline, no rerank", Mode.HYBRID, profile="reference"),
    Way("textbook pipeline", Mode.HYBRID, rerank=True, profile="reference"),
    Way("text and symbol lanes, RRF", change=_by_rank_without_vectors),
    WITHOUT_VECTORS,
    Way("ohara, RRF, no rerank", change=by_rank),
    HUNKS_ALONE,
    HUNKS_ALONE_RERANKED,
    OURS,
    OURS_RERANKED,
)


def reranker_missing() -> str:
    """Why there is no reranker to measure; empty when there is one."""
    try:
        return "" if load_reranker(Settings().models.reranker) else "the reranker is switched off"
    except OharaError as error:
        return error.message


@dataclass(frozen=True, slots=True)
class Scored:
    """An answer with its hits: what an `Answer` leaves out."""

    hits: tuple[Hit, ...]
    elapsed_ms: float
    fault: str

    def answer(self) -> Answer:
        """The commits of the hits, in their order."""
        return Answer(tuple(hit.commit.sha for hit in self.hits), self.elapsed_ms, self.fault)


class Ohara:
    """An engine that is asked in one way. A lane that fails makes the answer a fault, never a quiet miss."""

    def __init__(
        self,
        indexed: Indexed,
        way: Way,
        *,
        depth: int = DEPTH,
        plan: Callable[[Plan], Plan] = lambda plan: plan,
    ) -> None:
        settings = indexed.settings
        find = replace(settings.find, profile=way.profile, rerank=way.rerank, lane_timeout_s=_PATIENCE_S)
        self._engine = Engine.open(indexed.repo, replace(settings, find=find))
        self._way = way
        self._depth = depth
        self._plan = plan

    @property
    def database(self) -> Path:
        """Where its index is."""
        return self._engine.location.database

    def status(self) -> IndexStatus:
        """How its index stands."""
        return self._engine.status()

    def ask(self, text: str) -> Answer:
        """The commits of the hits, in their order."""
        return self.scored(text).answer()

    def scored(self, text: str) -> Scored:
        """Ask, and note what the lanes reported."""
        started = time.perf_counter()
        try:
            results = self.results(text, self._depth)
        except OharaError as error:
            return Scored((), (time.perf_counter() - started) * 1_000, error.message)
        elapsed = (time.perf_counter() - started) * 1_000
        faults = [
            f"{lane.name} {lane.status}: {lane.detail}"
            for lane in results.lanes
            if lane.status in {LaneStatus.FAILED, LaneStatus.TIMEOUT}
        ]
        return Scored(results.hits, elapsed, "; ".join(faults))

    def commits(self, text: str) -> frozenset[str]:
        """Every commit that a literal or regex query finds."""
        results = self.results(text, 0)
        return frozenset(sha for hit in results.hits for sha in (hit.commit.sha, *hit.also_in))

    def results(self, text: str, k: int) -> Results:
        """The whole answer; the present is the same for every query."""
        search = self._engine.search
        plan = search.plan(SearchOptions(now=NOW, k=k, rerank=self._way.rerank))
        plan = self._plan(replace(plan, profile=self._way.change(plan.profile)))
        return _event_loop().call(search.find, parse(text, now=NOW, mode=self._way.mode), plan)


@cache
def _event_loop() -> BlockingPortal:
    """One event loop for all questions, as the service has, which also looks for garbage so seldom."""
    resource_usage.collect_seldom()
    held = ExitStack()
    atexit.register(held.close)
    return held.enter_context(start_blocking_portal())
