"""Where a line of an older version of a file is now."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui.line_map import LineNow, line_now

THEN = ["import os", "", "def a():", "    return 1", "", "def b():", "    return 2"]


def test_a_line_is_followed_through_what_came_before_and_after_it() -> None:
    now = ["# header", *THEN[:2], "def new():", "    pass", "", *THEN[2:], "", "end"]
    assert line_now(THEN, now, 1) == LineNow(2, is_there=True)
    assert line_now(THEN, now, 4) == LineNow(8, is_there=True)
    assert line_now(THEN, now, 7) == LineNow(11, is_there=True)
    assert line_now(THEN, THEN, 5) == LineNow(5, is_there=True)


def test_a_line_that_is_gone_is_shown_where_it_stood() -> None:
    now = [*THEN[:3], "    return 10", *THEN[4:]]
    assert line_now(THEN, now, 4) == LineNow(4, is_there=False)
    assert line_now(THEN, THEN[:2] + THEN[5:], 4) == LineNow(3, is_there=False)
    assert line_now(THEN, [], 4) == LineNow(1, is_there=False)
    assert line_now([], ["x"], 4).line == 1


LINES = st.lists(st.sampled_from("abcde"), max_size=12)


@given(LINES, LINES, st.integers(1, 15))
def test_it_is_a_line_of_the_file_and_the_same_one_where_it_says_so(
    then: list[str], now: list[str], line: int
) -> None:
    found = line_now(then, now, line)
    assert 1 <= found.line <= max(1, len(now))
    if found.is_there:
        assert now[found.line - 1] == then[min(line, len(then)) - 1]
