"""The order of many numbers: as a stable sort gives it, whatever halves and ranges they consist of."""

from __future__ import annotations

from itertools import chain, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ohara.store.sqlite.ordering import cuts_of, ordered_by_range, stable_order

_NUMBERS = st.lists(
    st.one_of(
        st.integers(0, 3), st.integers(0, 2**32 - 1), st.sampled_from([0, 65_535, 65_536, 131_071, 2**32 - 1])
    )
)


@given(_NUMBERS)
def test_the_order_is_that_of_a_stable_sort(numbers: list[int]) -> None:
    wanted = sorted(range(len(numbers)), key=numbers.__getitem__)
    for kind in (np.int64, np.uint32):
        assert stable_order(np.array(numbers, kind)).tolist() == wanted


@given(_NUMBERS, st.lists(st.integers(0, 2**32), unique=True))
def test_ranges_are_each_in_order_and_leave_nothing_out(numbers: list[int], between: list[int]) -> None:
    cuts = sorted({0, 2**32, *between})
    wanted = sorted(range(len(numbers)), key=numbers.__getitem__)
    for kind in (np.int64, np.uint32):
        parts = [part.tolist() for part in ordered_by_range(np.array(numbers, kind), cuts)]
        assert list(chain(*parts)) == wanted
        for (first, last), part in zip(pairwise(cuts), parts, strict=True):
            assert all(first <= numbers[at] < last for at in part)


@given(st.lists(st.integers(0, 9)), st.integers(1, 12))
def test_between_two_cuts_there_are_no_more_than_wanted_unless_of_one_number(
    counts: list[int], most: int
) -> None:
    cuts = cuts_of(np.array(counts, np.int64), most)
    assert cuts[0] == 0
    assert cuts[-1] == len(counts)
    for first, last in pairwise(cuts):
        assert first < last
        assert last == first + 1 or sum(counts[first:last]) <= most
