"""Long lines are cut around what matched, say so, and come together again with other parts of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ohara.long_lines import LineLimit, is_cut, limit_for_reading, overlaid
from ohara.model import READ_HUNK, Match
from ohara.retrieve.excerpt import cut

WORDS = " ".join(f"word{number}" for number in range(300))
MEGABYTE = "+" + "a" * 600_000 + "needle" + "b" * 400_000


def test_a_paragraph_in_one_line_is_read_whole() -> None:
    at = WORDS.index("word250")
    excerpt = cut(f"+{WORDS}", [Match(0, at, at + 7)], old_start=0, new_start=1, context=READ_HUNK)
    assert excerpt.text == f"+{WORDS}"
    assert excerpt.matches == (Match(0, at, at + 7),)


def test_of_a_line_of_a_megabyte_the_part_with_the_match_is_read_and_the_rest_counted() -> None:
    marks = [Match(0, 600_000, 600_006)]
    excerpt = cut(MEGABYTE, marks, old_start=0, new_start=1, context=READ_HUNK)
    assert len(excerpt.text) < 50_100
    assert excerpt.text.startswith("+(575,000 more characters) …a")
    assert excerpt.text.endswith("b… (375,006 more characters)")
    (mark,) = excerpt.matches
    assert excerpt.text[1:][mark.start : mark.end] == "needle"
    assert is_cut(excerpt.text)


def test_a_whole_answer_of_long_lines_fits_a_frame() -> None:
    bodies = ["\n".join(["+" + "\x01" * 100_000] * 5)] * 300
    shown = [
        cut(body, [], old_start=0, new_start=1, context=READ_HUNK, hunks=len(bodies)).text for body in bodies
    ]
    assert 2_300_000 < sum(map(len, shown)) < 2_500_000


def test_in_an_excerpt_a_line_is_cut_with_an_ellipsis_alone() -> None:
    text, marks = LineLimit().fit(f"+{WORDS}", [Match(0, 1_000, 1_007)])
    assert (text[:2], text[-1], len(text)) == ("+…", "…", 403)
    assert text[1:][marks[0].start : marks[0].end] == WORDS[1_000:1_007]


def test_a_line_that_merely_ends_in_an_ellipsis_is_whole() -> None:
    assert not is_cut("+and so on…")
    assert overlaid("+and so on…", "+and so on… (9 more characters)") is None


@given(st.integers(0, 2_999), st.integers(401, 4_000), st.integers(401, 4_000))
def test_parts_of_one_line_come_together_with_the_mark_where_it_stood(at: int, one: int, two: int) -> None:
    line = "+" + "".join(f"{number:>9}," for number in range(300))
    found, (mark,) = LineLimit(one, one // 2, counts=True).fit(line, [Match(0, at, at + 1)])
    whole, _ = LineLimit(two, two // 2, counts=True).fit(line, [])
    both = overlaid(whole, found)
    assert both is not None
    assert both.line in {whole, found}
    assert both.line[1:][mark.start + both.shift : mark.end + both.shift] == line[1 + at]


def test_other_lines_do_not_come_together() -> None:
    cut_line, _ = LineLimit(500, 250, counts=True).fit(f"+{WORDS}", [])
    assert overlaid(cut_line, "+something else") is None
    assert overlaid(cut_line, f"-{WORDS}") is None
    assert overlaid("+a", "+b") is None


def test_many_long_lines_share_the_room_of_their_hunk() -> None:
    assert limit_for_reading(["+" + "x" * 401] * 10, 1).longest == 5_000
    assert limit_for_reading(["+" + "x" * 401] * 1_000, 300).longest == 400
