"""Co-change of any history: shares are shares, sweeps say nothing, order does not depend on chance."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ohara.history.cochange import MOST_FILES, Change, cochanges

CHANGES = st.lists(
    st.builds(
        lambda time, files, things: (time, max(files, len(things)), things),
        st.integers(0, 10**9),
        st.integers(1, MOST_FILES + 5),
        st.frozensets(st.integers(0, 6), min_size=1),
    ),
    max_size=20,
)


@given(CHANGES, st.frozensets(st.integers(0, 2)), st.integers(1, 5))
def test_what_is_found_is_counted_right(
    drawn: list[tuple[int, int, frozenset[int]]], own: frozenset[int], limit: int
) -> None:
    changes = [
        Change(number, time, files, frozenset(things)) for number, (time, files, things) in enumerate(drawn)
    ]

    found = cochanges(changes, own, lambda _: 0.5, limit=limit)

    telling = [change for change in changes if change.files <= MOST_FILES]
    assert len(found) <= limit
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    for each in found:
        holding = [change.commit for change in telling if each.thing in change.things]
        assert each.thing not in own
        assert each.commits == tuple(holding)
        assert (each.together, each.of) == (len(holding), len(telling))
        assert 0 < each.score <= each.confidence < 1
        assert each.lift == each.confidence / 0.5
