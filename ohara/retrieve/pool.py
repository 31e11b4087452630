"""Makes scored hunks of the lanes' rankings: fuses them, cuts them to a pool, applies priors and recency."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.records import replace
from ohara.retrieve.fusion import Fused, convex_fusion, reciprocal_rank_fusion
from ohara.retrieve.priors import recency_factor
from ohara.retrieve.profile import Fusion
from ohara.retrieve.ranking import HUNKS_PER_COMMIT, ScoredHunk, spread
from ohara.retrieve.registry import LANES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ohara.model import HunkId
    from ohara.retrieve.priors import Priors, Touched
    from ohara.retrieve.profile import LaneWeights, Profile
    from ohara.retrieve.ranking import Ranking
    from ohara.store.answers import StoredHunk


def pool(
    answers: Sequence[Ranking],
    weights: LaneWeights,
    profile: Profile,
    size: int,
    *,
    per_commit: int = HUNKS_PER_COMMIT,
) -> list[ScoredHunk]:
    """The best hunks of all lanes: pinned ones first, few of each commit, none below the floor."""
    rankings = spread(answers)
    floors = {lane.name: lane.floor for lane in LANES}
    ranked = [
        (one.lane, {hunk: place for place, (hunk, *_) in enumerate(one.candidates)}, one.candidates)
        for one in rankings
    ]
    pinned = frozenset(hunk for one in rankings for hunk in one.pinned)
    fused = _fused(rankings, weights, profile)
    best = max((one.score for one in fused), default=0.0) or 1.0
    pooled: list[ScoredHunk] = []
    taken: dict[bytes, int] = {}
    for hunk, score in sorted(fused, key=lambda one: one.hunk not in pinned) if pinned else fused:
        found = {lane: candidates[places[hunk]] for lane, places, candidates in ranked if hunk in places}
        if all(candidate.score < floors.get(lane, 0.0) for lane, candidate in found.items()):
            continue
        _, _, time, commit = next(iter(found.values()))
        if taken.get(commit, 0) >= per_commit:
            continue
        taken[commit] = taken.get(commit, 0) + 1
        pooled.append(
            ScoredHunk(
                hunk,
                time,
                commit,
                fused=score / best,
                pinned=hunk in pinned,
                lanes={lane: places[hunk] + 1 for lane, places, _ in ranked if lane in found},
                lane_scores={lane: candidate.score for lane, candidate in found.items()},
            )
        )
        if len(pooled) >= size:
            break
    return pooled


def with_priors(
    pooled: Iterable[ScoredHunk],
    rows: Mapping[HunkId, StoredHunk],
    touched: Mapping[int, Touched],
    priors: Priors | None,
    *,
    now: int,
    recency_weight: float,
) -> list[ScoredHunk]:
    """The hunks with their scores before reranking; those removed meanwhile are left out."""
    found: list[ScoredHunk] = []
    judged: dict[int, float] = {}  # a commit is there with several hunks
    for one in pooled:
        row = rows.get(one.hunk)
        if row is None:
            continue
        recency = recency_factor(row.commit.committer_time, now=now, weight=recency_weight)
        of_commit = judged.get(row.commit_id)
        if of_commit is None:
            of_commit = priors.commit(touched[row.commit_id]) if priors else 1.0
            judged[row.commit_id] = of_commit
        of_path = priors.path(row.path, left_out=row.left_out is not None) if priors and row.path else 1.0
        score = one.fused * recency * of_commit
        found.append(replace(one, score=score, worth=score * of_path, recency=recency))
    return found


def _fused(rankings: Sequence[Ranking], weights: LaneWeights, profile: Profile) -> list[Fused]:
    shares = [weights.get(one.lane, 0.0) for one in rankings]
    if profile.fusion is Fusion.RRF:
        return reciprocal_rank_fusion(
            [[candidate.hunk for candidate in one.candidates] for one in rankings], weights=shares
        )
    return convex_fusion(
        [one.candidates for one in rankings], weights=shares, zeros=[_zero(one) for one in rankings]
    )


def _zero(ranking: Ranking) -> float:
    """The score of a lane that counts as 0."""
    lane = next((one for one in LANES if one.name == ranking.lane), None)
    return lane.zero([candidate.score for candidate in ranking.candidates]) if lane else 0.0
