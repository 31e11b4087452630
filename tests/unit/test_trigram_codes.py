"""Trigrams as numbers: whatever a line holds, its trigrams are those of its bytes, and of no other line."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from ohara.store import trigram_codes
from ohara.store.trigram_codes import codes_of, packed_trigrams

if TYPE_CHECKING:
    import pytest

_TEXTS = st.lists(st.text(st.sampled_from("abAB \n\r\täÄ上传\u212a\u017f\ud800"), max_size=40), max_size=8)


def _expected(text: str) -> list[int]:
    return sorted({code for line in text.split("\n") for code in codes_of(line)})


def _unpacked(packed: bytes) -> list[int]:
    return list(array("I", packed))


@given(_TEXTS)
def test_texts_together_have_the_trigrams_that_each_line_has(texts: list[str]) -> None:
    assert list(map(_unpacked, packed_trigrams(texts))) == list(map(_expected, texts))


def test_a_text_too_long_to_be_looked_at_at_once_has_them_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trigram_codes, "_AT_ONCE", 16)
    texts = ["abcdefghijklmnopqrstuvwxyz\n0123456789", "ab", "", "abcdefghijklmno上p"]
    assert list(map(_unpacked, packed_trigrams(texts))) == list(map(_expected, texts))


def test_more_texts_than_a_byte_tells_apart_have_their_own_each(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"text {number}\nand {number % 7}" for number in range(600)] + [""] * 300
    wanted = list(map(_expected, texts))
    assert list(map(_unpacked, packed_trigrams(texts))) == wanted
    monkeypatch.setattr(trigram_codes, "_TOGETHER", 40)
    assert list(map(_unpacked, packed_trigrams(texts))) == wanted


def test_case_of_ascii_does_not_count_and_of_other_letters_does() -> None:
    assert codes_of("ABC") == codes_of("abc") == [0x616263]
    assert codes_of("\u212aöl") == codes_of("köl") != codes_of("kÖl")
    assert codes_of("\u017fea") == codes_of("Sea")


def test_a_trigram_of_characters_is_all_trigrams_of_its_bytes() -> None:
    assert len(codes_of("上传进")) == 7
    assert codes_of("ab") == []
