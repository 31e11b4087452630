"""Fusion keeps its promises for any rankings."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.model import HunkId
from ohara.retrieve.fusion import RRF_K, convex_fusion, reciprocal_rank_fusion
from ohara.retrieve.ranking import Candidate

hunks = st.integers(1, 30).map(HunkId)
rankings = st.lists(st.lists(hunks, unique=True, max_size=12), min_size=1, max_size=4)
scores = st.floats(0.001, 1_000, allow_nan=False)
scored = st.lists(
    st.dictionaries(hunks, scores, max_size=12).map(
        lambda found: tuple(
            Candidate(hunk, score, 0, b"") for hunk, score in sorted(found.items(), key=lambda item: -item[1])
        )
    ),
    min_size=1,
    max_size=4,
)


@given(rankings, st.integers(0, 100))
def test_a_hunk_earns_one_over_k_plus_rank_from_each_lane_that_found_it(
    lanes: list[list[HunkId]], k: int
) -> None:
    fused = dict(reciprocal_rank_fusion(lanes, k=k))
    assert set(fused) == {hunk for lane in lanes for hunk in lane}
    for hunk, score in fused.items():
        exact = sum(Fraction(1, k + lane.index(hunk) + 1) for lane in lanes if hunk in lane)
        assert score == pytest.approx(float(exact))


@given(rankings)
def test_k_is_sixty_and_lanes_count_alike_unless_told_otherwise(lanes: list[list[HunkId]]) -> None:
    told = reciprocal_rank_fusion(lanes, k=60, weights=[1.0] * len(lanes))
    assert reciprocal_rank_fusion(lanes) == told
    assert RRF_K == 60


@given(rankings)
def test_the_best_come_first_and_ties_go_to_who_appears_first(lanes: list[list[HunkId]]) -> None:
    fused = reciprocal_rank_fusion(lanes)
    appearance = list(dict.fromkeys(hunk for lane in lanes for hunk in lane))
    assert fused == sorted(fused, key=lambda one: (-one.score, appearance.index(one.hunk)))


@given(rankings, hunks)
def test_naming_a_hunk_again_further_down_changes_nothing(lanes: list[list[HunkId]], hunk: HunkId) -> None:
    again = [[*lane, *(one for one in [hunk] if one in lane)] for lane in lanes]
    assert reciprocal_rank_fusion(again) == reciprocal_rank_fusion(lanes)


@given(rankings)
def test_a_lane_without_weight_only_adds_hunks_that_earn_nothing(lanes: list[list[HunkId]]) -> None:
    silent = [HunkId(hunk) for hunk in range(31, 35)]
    fused = reciprocal_rank_fusion([*lanes, silent], weights=[*([1.0] * len(lanes)), 0.0])
    assert fused[: len(fused) - 4] == reciprocal_rank_fusion(lanes)
    assert [one.score for one in fused[-4:]] == [0.0] * 4


@given(scored, st.data())
def test_a_convex_score_lies_between_zero_and_one_and_ignores_a_lanes_scale(
    lanes: list[tuple[Candidate, ...]], data: st.DataObject
) -> None:
    weights = data.draw(st.lists(st.floats(0.1, 10), min_size=len(lanes), max_size=len(lanes)))
    fused = convex_fusion(lanes, weights=weights)
    assert all(0.0 <= one.score <= 1.0 + 1e-9 for one in fused)
    louder = [tuple(c._replace(score=c.score * 7) for c in lane) for lane in lanes]
    for one, other in zip(fused, convex_fusion(louder, weights=weights), strict=True):
        assert one.score == pytest.approx(other.score)


@given(st.dictionaries(hunks, scores, min_size=1, max_size=12))
def test_one_lane_alone_keeps_its_order_under_either_fusion(found: dict[HunkId, float]) -> None:
    lane = tuple(Candidate(h, s, 0, b"") for h, s in sorted(found.items(), key=lambda item: -item[1]))
    order = [candidate.hunk for candidate in lane]
    assert [one.hunk for one in convex_fusion([lane])] == order
    assert convex_fusion([lane])[0].score == pytest.approx(1.0)
    assert [one.hunk for one in reciprocal_rank_fusion([order])] == order


@given(scored)
def test_what_every_lane_puts_first_is_first(lanes: list[tuple[Candidate, ...]]) -> None:
    champion = HunkId(99)
    crowned = [(Candidate(champion, 2_000.0, 0, b""), *lane) for lane in lanes]
    assert convex_fusion(crowned)[0].hunk == champion
    assert convex_fusion(crowned)[0].score == pytest.approx(1.0)
    assert reciprocal_rank_fusion([[c.hunk for c in lane] for lane in crowned])[0].hunk == champion


@pytest.mark.parametrize("weights", [[1.0], [1.0, -0.1]])
def test_weights_that_make_no_sense_are_refused(weights: list[float]) -> None:
    lanes = [[HunkId(1)], [HunkId(2)]]
    with pytest.raises(ValueError, match="one weight for each lane"):
        reciprocal_rank_fusion(lanes, weights=weights)
    with pytest.raises(ValueError, match="one weight for each lane"):
        convex_fusion([(), ()], weights=weights)
