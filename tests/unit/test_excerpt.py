"""Excerpts are centred on what matched, numbered by it, and never too long."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ohara.model import Match, Polarity
from ohara.retrieve.excerpt import cut, word_marks
from ohara.words import query_terms

BODY = " one\n two\n three\n-four\n+fore\n five\n six\n seven\n eight\n+nine\n ten\n eleven\n twelve"


def test_an_excerpt_is_centred_on_the_line_that_matched() -> None:
    excerpt = cut(BODY, [Match(9, 0, 4)], old_start=10, new_start=20, context=2)
    assert excerpt.text == " seven\n eight\n+nine\n ten\n eleven"
    assert excerpt.matches == (Match(2, 0, 4),)
    assert (excerpt.line, excerpt.old_line) == (28, 18)
    assert (excerpt.top, excerpt.old_top) == (26, 16)  # "seven" stands there, a line having changed above it


def test_no_context_shows_the_matched_lines_alone() -> None:
    excerpt = cut(BODY, [Match(3, 1, 2), Match(4, 1, 3)], old_start=1, new_start=1, context=0)
    assert excerpt.text == "-four\n+fore"
    assert excerpt.matches == (Match(0, 1, 2), Match(1, 1, 3))
    assert (excerpt.line, excerpt.old_line) == (4, 4)


def test_without_matches_it_shows_the_change() -> None:
    excerpt = cut(BODY, [], old_start=1, new_start=1, context=1)
    assert excerpt.text == " three\n-four\n+fore\n five"
    assert (excerpt.matches, excerpt.line, excerpt.top) == ((), 4, 3)


def test_a_match_on_a_changed_line_outweighs_matches_in_the_context() -> None:
    marks = [Match(0, 0, 1), Match(1, 0, 1), Match(9, 0, 1)]
    assert "+nine" in cut(BODY, marks, old_start=1, new_start=1, context=0).text


def test_several_matches_are_shown_together_where_they_are_densest() -> None:
    lines = ["+x"] * 40
    excerpt = cut(
        "\n".join(lines),
        [Match(2, 0, 1), Match(20, 0, 1), Match(22, 0, 1)],
        old_start=0,
        new_start=1,
        context=0,
    )
    assert len(excerpt.text.split("\n")) == 3
    assert excerpt.line == 21


def test_a_very_long_line_is_cut_around_its_first_match() -> None:
    line = "+" + "a" * 5_000 + "needle" + "b" * 5_000
    excerpt = cut(line, [Match(0, 5_000, 5_006)], old_start=0, new_start=1)
    assert len(excerpt.text) < 420
    assert excerpt.text.startswith("+…a")
    assert excerpt.text.endswith("b…")
    (mark,) = excerpt.matches
    assert excerpt.text[1:][mark.start : mark.end] == "needle"


def test_words_are_marked_by_their_stems() -> None:
    body = " retries here\n+    self.retry_count = Retry(attempts)\n-nothing\n\\ No newline at end of file"
    terms = query_terms("retrying an attempt")
    marked = [body.split("\n")[mark.line][1:][mark.start : mark.end] for mark in word_marks(body, terms)]
    assert marked == ["retries", "retry_count", "Retry", "attempts"]
    added = word_marks(body, terms, Polarity.ADDED)
    assert {mark.line for mark in added} == {1}


@given(
    st.lists(
        st.builds(str.__add__, st.sampled_from("+- "), st.text("ab \t", max_size=5)), min_size=1, max_size=30
    ),
    st.data(),
    st.integers(0, 5),
)
def test_every_mark_kept_stands_where_it_stood(lines: list[str], data: st.DataObject, context: int) -> None:
    marks = data.draw(
        st.lists(st.integers(0, len(lines) - 1).map(lambda at: Match(at, 0, len(lines[at]) - 1)), max_size=6)
    )
    excerpt = cut("\n".join(lines), marks, old_start=1, new_start=1, context=context)
    shown = excerpt.text.split("\n")
    assert len(shown) <= 6 + 2 * context
    assert "\n".join(lines).find(excerpt.text) >= 0
    for mark in excerpt.matches:
        assert mark.end == len(shown[mark.line]) - 1
    assert bool(excerpt.matches) == bool(marks)
