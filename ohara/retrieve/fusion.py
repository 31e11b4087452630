"""Fuses several rankings into one: by rank (reciprocal rank fusion) or by score (a convex sum). Pure.

Both take the lanes in their declared order; the order in which lanes finished does not matter. Ties go to the
hunk that appears first over the lanes in that order. Nothing here depends on particular lanes.
"""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ohara.model import HunkId
    from ohara.retrieve.ranking import Candidate

# The value of the paper that introduced it; it makes the first ranks of a lane nearly equal.
RRF_K = 60


class Fused(NamedTuple):
    """A hunk with its fused score."""

    hunk: HunkId
    score: float


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[HunkId]], *, k: float = RRF_K, weights: Sequence[float] | None = None
) -> list[Fused]:
    """Reciprocal rank fusion: a hunk earns weight / (k + rank) from each lane that found it, rank from 1.

    Without weights every lane counts 1. A hunk that a lane names twice counts where it stood first.
    """
    earned: dict[HunkId, float] = {}
    for ranking, weight in zip(rankings, _weights(weights, len(rankings)), strict=True):
        for rank, hunk in enumerate(dict.fromkeys(ranking), 1):
            earned[hunk] = earned.get(hunk, 0.0) + weight / (k + rank)
    return _ordered(earned)


def convex_fusion(
    rankings: Sequence[Sequence[Candidate]],
    *,
    weights: Sequence[float] | None = None,
    zeros: Sequence[float] | None = None,
) -> list[Fused]:
    """A weighted mean of scores that each lane scales for this query: its best hunk is 1, absent is 0.

    `zeros` says for each lane which score is worth nothing; without it that is 0. A hunk that a lane names
    twice counts where it stood first.
    """
    shares = _weights(weights, len(rankings))
    total = sum(shares) or 1.0
    earned: dict[HunkId, float] = {}
    for ranking, weight, zero in zip(rankings, shares, zeros or (0.0,) * len(rankings), strict=True):
        reach = max([candidate.score for candidate in ranking], default=zero) - zero
        seen: set[HunkId] = set()
        for hunk, score, *_ in ranking:
            if hunk in seen:
                continue
            seen.add(hunk)
            scaled = (score - zero) / reach if reach > 0 and score > zero else 0.0
            earned[hunk] = earned.get(hunk, 0.0) + weight * scaled / total
    return _ordered(earned)


def _weights(weights: Sequence[float] | None, lanes: int) -> Sequence[float]:
    if weights is None:
        return (1.0,) * lanes
    if len(weights) != lanes or any(weight < 0 for weight in weights):
        raise ValueError("one weight for each lane, none below zero")
    return weights


def _ordered(earned: dict[HunkId, float]) -> list[Fused]:
    # A dict keeps the order of first appearance and sorting is stable: that settles the ties.
    return list(map(_MADE, sorted(earned.items(), key=itemgetter(1), reverse=True)))


# What `_make` does, without a call of Python for each of some hundreds.
_MADE: Callable[[tuple[HunkId, float]], Fused] = partial(tuple.__new__, Fused)
