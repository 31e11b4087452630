"""The pieces of the ranking that an ablation takes away, one at a time, each by name.

A variation changes what a query is asked with (the profile and the plan), or a constant of the ranking.
What is baked into the index (stemming, splitting of identifiers) is in `tests.bench.plainwords`.
"""

from __future__ import annotations

import importlib
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from ohara.retrieve.profile import Blend, lane_weights
from tests.bench.systems import by_rank, without_lane, without_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ohara.retrieve.profile import LaneWeights, Profile
    from ohara.retrieve.request import Plan
    from ohara.store.answers import Weights

_PRIORS = "ohara.retrieve.priors"
_TEXT = "ohara.retrieve.lanes.text"
_SYMBOL = "ohara.retrieve.lanes.symbol"
_SILENCE = "ohara.retrieve.silence"
_REMOVALS = "ohara.retrieve.removals"
_VECTOR = "ohara.retrieve.lanes.vector"
_COMMIT = "ohara.retrieve.lanes.commit"

COLUMNS = ("message", "path", "header", "added", "removed", "context")


def _unchanged(plan: Plan) -> Plan:
    return plan


@dataclass(frozen=True, slots=True)
class Variation:
    """A ranking with one thing different. `constants` are dotted names of numbers and what they become."""

    name: str
    plan: Callable[[Plan], Plan] = _unchanged
    constants: Mapping[str, float | tuple[float, ...]] = field(default_factory=lambda: MappingProxyType({}))
    rerank: bool = False

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The constants hold while this lasts."""
        before = {}
        for dotted, value in self.constants.items():
            module, _, name = dotted.rpartition(".")
            owner = importlib.import_module(module)
            before[dotted] = getattr(owner, name)
            setattr(owner, name, value)
        try:
            yield
        finally:
            for dotted, value in before.items():
                module, _, name = dotted.rpartition(".")
                setattr(importlib.import_module(module), name, value)


AS_IT_IS = Variation("as it is")


def variations(profile: Profile) -> list[Variation]:
    """Everything that can be taken away from a profile."""
    return [
        AS_IT_IS,
        *(
            _profiled(f"no {name} lane", without_lane(name))
            for name in ("vector", "commit", "symbol", "text", "commit_text")
        ),
        _profiled("no vectors at all", without_vectors),
        _profiled(
            "all lanes count 1",
            lambda p: _weighted(
                p, lane_weights(vector=1.0, text=1.0, symbol=1.0, commit=1.0, commit_text=1.0)
            ),
        ),
        _profiled("weighted RRF instead of a convex sum", by_rank),
        Variation(
            "silent commits get nothing",
            constants={f"{_SILENCE}.{name}": 0.0 for name in ("FLAT", "BY_CHANGE", "BY_MERGE")}
            | {f"{_SILENCE}.RETITLED": 2.0},
        ),
        Variation("removals are looked for on both sides", constants={f"{_REMOVALS}.SIDE": 0.0}),
        *(_without_weighting(number) for number in range(len(profile.weightings))),
        *(_without_column(name) for name in COLUMNS),
        _profiled("merges without lines count in full", lambda p: replace(p, lineless_merge=1.0)),
        _profiled("no penalties", lambda p: replace(p, judges=False)),
        *(_without_penalty(name) for name in ("TESTS", "DOCS", "GENERATED", "BOT")),
        Variation("no penalty for sweeps", constants={f"{_PRIORS}.WIDE": 0.0}),
        Variation(
            "no recency", lambda plan: replace(plan, settings=replace(plan.settings, recency_weight=0.0))
        ),
        Variation(
            "no floors for vectors",
            constants={f"{_VECTOR}.FLOOR": -1.0, f"{_COMMIT}.FLOOR": -1.0},
        ),
        Variation("no diversification", lambda plan: plan.showing_all_hunks()),
        Variation("one hunk of a commit in the pool", constants={"ohara.retrieve.rank.HUNKS_PER_COMMIT": 1}),
        Variation("all words select rows", constants={f"{_TEXT}.SELECTED_ROWS": 10**12}),
        Variation("only the rarest three words select rows", constants={f"{_TEXT}.SELECTED_ROWS": 0}),
        Variation("neighbours' names count nothing", constants={f"{_SYMBOL}._WEIGHTS": (0.5, 3.0, 0.0)}),
        Variation("kinds of symbols count nothing", constants={f"{_SYMBOL}._WEIGHTS": (0.0, 3.0, 0.5)}),
        Variation("half as many symbols", constants={f"{_SYMBOL}._SYMBOLS": 30}),
        Variation("one symbol may fill the lane", constants={f"{_SYMBOL}._HUNKS_OF_ONE": 10**6}),
        Variation("further symbols add nothing", constants={f"{_SYMBOL}._FURTHER": 0.0}),
        Variation("the reranker", rerank=True),
        _profiled("the reranker, its model without the wording", _model_only, rerank=True),
        _profiled("the reranker, the wording without its model", _wording_only, rerank=True),
        _profiled(
            "the reranker's order alone", lambda p: replace(p, blend=Blend(fused=0.0, model=1.0)), rerank=True
        ),
    ]


def _profiled(name: str, change: Callable[[Profile], Profile], *, rerank: bool = False) -> Variation:
    return Variation(name, lambda plan: replace(plan, profile=change(plan.profile)), rerank=rerank)


def _model_only(profile: Profile) -> Profile:
    return replace(profile, blend=replace(profile.blend, held=0.0, pairs=0.0))


def _wording_only(profile: Profile) -> Profile:
    return replace(profile, blend=replace(profile.blend, model=0.0))


def _weighted(profile: Profile, weights: LaneWeights) -> Profile:
    return replace(profile, lanes=weights, by_class=MappingProxyType({}))


def _without_weighting(number: int) -> Variation:
    def change(profile: Profile) -> Profile:
        kept = tuple(one for place, one in enumerate(profile.weightings) if place != number)
        return replace(profile, weightings=kept)

    return _profiled(f"no weighting {number + 1} of the text lane", change)


def _without_column(name: str) -> Variation:
    place = COLUMNS.index(name)

    def blank(weights: Weights) -> Weights:
        first, second = weights[:place], weights[place + 1 :]
        return (*first, 0.0, *second)  # type: ignore[return-value]  # six before, six after

    def change(profile: Profile) -> Profile:
        changed = tuple((blank(weights), share) for weights, share in profile.weightings)
        # A weighting of which nothing is left would score every row alike.
        return replace(profile, weightings=tuple(one for one in changed if any(one[0])))

    return _profiled(f"{name} counts nothing", change)


def _without_penalty(name: str) -> Variation:
    return Variation(f"no penalty for {name.lower()}", constants={f"{_PRIORS}.{name}": 1.0})
