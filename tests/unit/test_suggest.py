"""Edit distance is a metric on what people mistype, and hints are never far-fetched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.suggest import edits, nearest

words = st.text("abcd", max_size=6)


@pytest.mark.parametrize(
    ("typed", "meant", "distance"),
    [
        ("find", "find", 0),
        ("fnid", "find", 1),
        ("fin", "find", 1),
        ("finnd", "find", 1),
        ("fund", "find", 1),
        ("", "find", 4),
        ("index", "find", 3),
    ],
)
def test_known_distances(typed: str, meant: str, distance: int) -> None:
    assert edits(typed, meant) == distance


@given(words, words)
def test_distance_is_symmetric_bounded_and_zero_only_for_equals(left: str, right: str) -> None:
    distance = edits(left, right)
    assert distance == edits(right, left)
    assert (distance == 0) == (left == right)
    assert abs(len(left) - len(right)) <= distance <= max(len(left), len(right))


@given(words, st.integers(0, 6), st.sampled_from("abcd"))
def test_one_insertion_is_one_edit(word: str, place: int, letter: str) -> None:
    assert edits(word, word[:place] + letter + word[place:]) == 1


def test_nearest_prefers_fewest_edits_then_declared_order() -> None:
    assert nearest("stauts", ["index", "status", "show"]) == "status"
    assert nearest("a", ["b", "c"]) == "b"


def test_nearest_refuses_what_is_too_far() -> None:
    assert nearest("banana", ["find", "index"], within=1) is None
    assert nearest("anything", []) is None
