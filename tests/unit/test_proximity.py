"""What a hunk says of a query: its words by rarity, and which of them stand side by side."""

from __future__ import annotations

import pytest

from ohara.retrieve.profile import Blend
from ohara.retrieve.proximity import Proximity, proximities, rarities

QUERY = "retry the upload with backoff"
RARITY = {"retri": 1.0, "upload": 2.0, "backoff": 5.0}


def test_rare_words_count_more_and_unknown_ones_most() -> None:
    rows = {"retri": 400, "backoff": 3, "uploader": 0}
    found = rarities(rows, rows.__getitem__, 1_000)
    assert found["retri"] < found["backoff"] < found["uploader"]
    assert found["retri"] == pytest.approx(1.2510, abs=1e-4)


def test_a_hunk_holds_the_share_of_the_words_by_their_rarity() -> None:
    (one,) = proximities(QUERY, RARITY, ["def uploads(backoff): retrying = backoff"], ["a"])
    assert one.held == pytest.approx(1.0)
    (one,) = proximities(QUERY, RARITY, ["uploads everything"], ["a"])
    assert one.held == pytest.approx(2 / 8)


def test_words_side_by_side_are_told_from_words_apart() -> None:
    near, apart = proximities(
        QUERY,
        RARITY,
        ["Retry the upload with a pause", "upload it, and with luck retry; backoff"],
        ["a", "b"],
    )
    assert near.pairs == pytest.approx(3 / 4)  # retry the, the upload, upload with
    assert apart.pairs == 0.0


def test_hunks_of_one_commit_speak_for_each_other() -> None:
    first, second, other = proximities(
        QUERY, RARITY, ["retry the", "upload with backoff", "retry"], ["a", "a", "b"]
    )
    assert first == second
    assert first.held == pytest.approx(1.0)
    assert first.pairs == pytest.approx(3 / 4)
    assert other.held == pytest.approx(1 / 8)


def test_a_query_of_one_word_has_no_pairs() -> None:
    assert proximities("backoff", {"backoff": 5.0}, ["backoff backoff", ""], ["a", "b"]) == [
        Proximity(1.0, 0.0),
        Proximity(0.0, 0.0),
    ]


def test_a_blend_is_a_mean_and_the_textbook_is_the_model_alone() -> None:
    blend = Blend(fused=1.0, model=0.5, held=0.25, pairs=0.25)
    assert blend.value(1.0, 1.0, Proximity(1.0, 1.0)) == pytest.approx(1.0)
    assert blend.value(0.5, 0.0, Proximity(1.0, 0.0)) == pytest.approx((0.5 + 0.25) / 2)
    assert Blend(fused=0.0, model=1.0).value(0.9, 0.2, Proximity(1.0, 1.0)) == pytest.approx(0.2)
