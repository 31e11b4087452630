"""Whatever a repository holds is shown inert and in cells that can be counted."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ohara.sanitize import sanitize as sanitize_text
from tui.cells import cell_width, cut, cut_left, display_line, fit, max_cell_width, sanitize

# Every plane, and often the characters that make trouble.
TROUBLE = "\x1b\x9b\x00\t\r\x07\u202e\u2066\u200b\u200d\ufe0f\u0301\u0308\u20e3\U0001f3fd\U0001f1e9한文👍[]"
HOSTILE = st.text(st.one_of(st.sampled_from(TROUBLE), st.characters()), max_size=60)
WIDTHS = st.integers(min_value=0, max_value=70)


@given(HOSTILE, st.booleans())
def test_nothing_that_a_terminal_obeys_is_left(text: str, whitespace: bool) -> None:
    line = display_line(text, whitespace=whitespace).text
    assert sanitize_text(line) == line
    assert not any(unicodedata.category(character) in {"Cc", "Cs"} for character in line)


@given(HOSTILE)
def test_the_width_is_the_sum_of_the_characters_widths_however_it_is_cut(text: str) -> None:
    line = display_line(text).text
    assert cell_width(line) == cell_len(line) == sum(map(cell_len, line))
    for at in range(len(line)):
        assert cell_width(line[:at]) + cell_width(line[at:]) == cell_width(line)


@given(HOSTILE, st.booleans())
def test_columns_of_the_original_can_be_found_again(text: str, whitespace: bool) -> None:
    line = display_line(text, whitespace=whitespace)
    places = [line.offset(column) for column in range(len(text) + 1)]
    assert places == sorted(places)
    assert (places[0], places[-1]) == (0, len(line.text))
    assert all(places[line.column(place)] <= place for place in range(len(line.text)))


@given(HOSTILE, WIDTHS, st.booleans())
def test_a_fitted_text_takes_exactly_its_cells(text: str, width: int, right: bool) -> None:
    line = sanitize(text)
    assert cell_width(fit(line, width, right=right)) == width
    assert cell_width(cut(line, width)) <= width
    assert cell_width(cut_left(line, width)) <= width


@given(HOSTILE)
def test_the_rough_width_is_never_too_small(text: str) -> None:
    assert max_cell_width(text) >= cell_width(sanitize(text))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain [bold]text[/]", "plain [bold]text[/]"),
        ("a\tb\tc", "a   b   c"),
        ("文\tb", "文  b"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("if (admin\u202e) {", "if (admin\N{REPLACEMENT CHARACTER}) {"),
        ("\u0301acute", "\N{DOTTED CIRCLE}\u0301acute"),
        ("z\u0301\u0308\u0303\u0304\u0305z", "z\u0301\u0308\N{REPLACEMENT CHARACTER}z"),
        ("❤\ufe0f 👍\U0001f3fd \U0001f1e9\U0001f1ea", "❤ 👍 DE"),
        ("windows\r", "windows"),
    ],
)
def test_what_is_seen_of_trouble(text: str, seen: str) -> None:
    assert sanitize(text) == seen


def test_whitespace_can_be_drawn() -> None:
    assert display_line("a b\tc \r", whitespace=True).text == "a·b→c·␍"
    assert display_line("\tx", whitespace=True).text == "→   x"


def test_what_is_missing_is_said_at_the_end_that_tells_least() -> None:
    assert cut("abcdef", 4) == "abc…"
    assert cut_left("src/deep/file.py", 9) == "…/file.py"
    assert (fit("ab", 4), fit("ab", 4, right=True)) == ("ab  ", "  ab")
