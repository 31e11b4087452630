"""Bytes become text once: nothing fails, lines stay lines, and the text can be stored."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ohara.git import decode


@given(st.binary())
def test_any_bytes_decode_to_text_that_can_be_stored_with_the_same_lines(data: bytes) -> None:
    text = decode.text(data)
    assert decode.utf8(data) == text.encode()
    assert text.count("\n") == data.count(b"\n")


@given(st.text())
def test_utf8_is_read_as_it_is(text: str) -> None:
    encoded = text.encode("utf-8", "ignore")
    assert decode.text(encoded).encode() == encoded
    assert decode.declared(encoded, b"UTF-8") == decode.text(encoded)


def test_a_line_that_is_not_utf8_leaves_the_others_alone() -> None:
    assert decode.text("grün\n".encode() + b"gr\xfcn\n" + b"\x80 \x81\n") == "grün\ngrün\n€ \x81\n"


@given(st.text(min_size=1), st.integers(min_value=0, max_value=200))
def test_a_cut_line_loses_at_most_the_character_it_was_cut_in(text: str, size: int) -> None:
    encoded = text.encode("utf-8", "ignore")[:size]
    assert text.encode("utf-8", "ignore").decode().startswith(decode.cut(encoded))
    assert len(encoded) - len(decode.cut(encoded).encode()) < 4


@given(st.binary(), st.binary(max_size=12))
def test_a_strangers_encoding_never_fails(data: bytes, encoding: bytes) -> None:
    decode.declared(data, encoding).encode()


def test_only_encodings_of_text_are_followed() -> None:
    assert decode.declared(b"\xc4\xe5", b"cp1251") == "Де"
    for name in (b"rot13", b"idna", b"utf-7", b"unicode_escape", b"hex", b"zlib", b"undefined", b"\xff"):
        assert decode.declared(b"+AGE- \\x41", name) == "+AGE- \\x41"


@given(st.binary(max_size=40).filter(lambda data: b"\n" not in data))
def test_a_decoded_path_leads_back_to_its_bytes(data: bytes) -> None:
    assert data in decode.encodings(decode.path(data))
