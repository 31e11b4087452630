"""The order of many numbers: as a stable sort gives it, whatever halves they consist of."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ohara.store.sqlite.ordering import stable_order

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
