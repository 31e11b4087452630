"""`sanitize` lets nothing through that a terminal would act on or hide, and keeps columns true."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.sanitize import sanitize

# Format characters with a visible shape of their own: signs written around the digits that follow them.
VISIBLE_FORMAT = frozenset(
    chr(code) for code in (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD)
)


def is_control(character: str) -> bool:
    hidden = unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return hidden and character not in VISIBLE_FORMAT


def test_every_control_of_unicode_is_neutralised() -> None:
    controls = [chr(code) for code in range(sys.maxunicode + 1) if is_control(chr(code))]
    assert [f"U+{ord(c):04X}" for c in controls if sanitize(c) == c] == []


def test_an_escape_sequence_becomes_readable() -> None:
    assert sanitize("\x1b]0;pwned\x07 \x1b[2J\x9b1m") == "␛]0;pwned␇ ␛[2J�1m"


def test_a_reordering_override_and_invisible_text_become_visible() -> None:
    assert sanitize("if admin\u202e\u2066 // check\u2069") == "if admin�� // check�"
    assert sanitize("pass\u200bword") == "pass�word"
    assert sanitize("x\U000e0061\U000e0062") == "x��"


def test_line_breaks_of_every_kind_are_one_line() -> None:
    assert sanitize("one\ntwo\r\nthree\u2028four\x85five\vsix\f") == "one␊two␍␊three�four�five␋six␌"


def test_newline_and_tab_stay_only_when_asked_for() -> None:
    assert sanitize("a\tb\nc", keep="\n\t") == "a\tb\nc"
    assert sanitize("a\tb\nc", keep="\n") == "a␉b\nc"
    with pytest.raises(ValueError, match="only newline and tab"):
        sanitize("a", keep="\x1b")


def test_ordinary_text_of_many_scripts_is_untouched() -> None:
    text = "naïve — 漢字 العربية עברית e\u0301 ⚠\ufe0f 👍🏽 ٣\u0600 <b>[markup]</b> \\x1b"
    assert sanitize(text) == text


@given(st.text(st.characters(exclude_categories=())))
def test_result_is_as_long_stable_and_encodable(text: str) -> None:
    result = sanitize(text)
    assert len(result) == len(text)
    assert sanitize(result) == result
    assert not any(is_control(character) for character in result)
    result.encode("utf-8")


@given(st.text(st.characters(exclude_categories=("Cc", "Cf", "Cn", "Cs", "Zl", "Zp", "Mn", "Lo"))))
def test_text_without_controls_is_returned_as_it_is(text: str) -> None:
    assert sanitize(text) == text
