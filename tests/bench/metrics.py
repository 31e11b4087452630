"""What a ranking is worth: pure functions from ranks to numbers with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

DEPTH = 50
"""How many commits a system is asked for: recall@50 needs them all, the other measures the first ten."""

_DRAWS = 4_000  # the interval's own error is then below a thousandth


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and the bounds that hold 95 % of resampled means."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Quality:
    """How well a system answered a set of queries."""

    queries: int
    mrr: Interval
    hit_1: float
    hit_5: float
    hit_10: float
    recall_50: float


def rank_of(commits: Sequence[str], answers: Collection[str]) -> int | None:
    """The 1-based place of the first right commit; a commit counts once, where it first stands."""
    distinct = dict.fromkeys(commits)
    return next((place for place, commit in enumerate(distinct, 1) if commit in answers), None)


def reciprocal(rank: int | None, depth: int = 10) -> float:
    """One over the rank, nothing beyond the depth."""
    return 1.0 / rank if rank is not None and rank <= depth else 0.0


def within(ranks: Sequence[int | None], depth: int) -> float:
    """The share of queries answered among the first so many."""
    return sum(rank is not None and rank <= depth for rank in ranks) / max(1, len(ranks))


def quality(ranks: Sequence[int | None]) -> Quality:
    """All measures of one system's ranks."""
    return Quality(
        len(ranks),
        bootstrap([reciprocal(rank) for rank in ranks]),
        within(ranks, 1),
        within(ranks, 5),
        within(ranks, 10),
        within(ranks, DEPTH),
    )


def gain(ours: Sequence[int | None], theirs: Sequence[int | None]) -> Interval:
    """The paired difference in MRR@10: the same queries are drawn for both."""
    return bootstrap([reciprocal(mine) - reciprocal(other) for mine, other in zip(ours, theirs, strict=True)])


def bootstrap(values: Sequence[float], *, seed: int = 1) -> Interval:
    """The mean of the values with its 95 % bootstrap interval."""
    if not values:
        return Interval(0.0, 0.0, 0.0)
    return _interval(float(np.mean(values)), _means(values, np.random.default_rng(seed)))


def mixture(parts: Sequence[tuple[float, Sequence[float]]], *, seed: int = 1) -> Interval:
    """The weighted sum of the parts' means with its interval; each part is resampled by itself."""
    if not all(values for _, values in parts):
        return Interval(0.0, 0.0, 0.0)
    chance = np.random.default_rng(seed)
    mean = sum(share * float(np.mean(values)) for share, values in parts)
    drawn = np.stack([share * _means(values, chance) for share, values in parts])
    return _interval(mean, drawn.sum(axis=0))


def _means(values: Sequence[float], chance: np.random.Generator) -> NDArray[np.float64]:
    """The means of as many resamples as an interval takes."""
    observed: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    means: NDArray[np.float64] = observed[chance.integers(0, len(observed), (_DRAWS, len(observed)))].mean(
        axis=1
    )
    return means


def _interval(mean: float, means: NDArray[np.float64]) -> Interval:
    low, high = np.quantile(means, (0.025, 0.975))
    return Interval(mean, float(low), float(high))


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which a share of the values lies, interpolated."""
    return float(np.quantile(np.asarray(values, dtype=np.float64), share)) if values else 0.0


def median(values: Sequence[float]) -> float:
    """The middle value."""
    return percentile(values, 0.5)
