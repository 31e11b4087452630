"""What is read from a terminal keeps no escape character within a paste, in whatever pieces it comes."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from tui.terminal import Pastes

BEGIN, END = "\x1b[200~", "\x1b[201~"
ALPHABET = st.sampled_from(["\x1b", "[", "2", "0", "1", "~", "q", "\n", "é"])


def read_in_pieces(text: str, size: int) -> str:
    pastes = Pastes()
    return "".join(pastes.cleaned(text[at : at + size]) for at in range(0, len(text), size))


@given(st.text(ALPHABET), st.text(ALPHABET), st.text(ALPHABET), st.integers(1, 9))
def test_a_paste_has_no_escapes_and_what_is_typed_keeps_its_own(
    before: str, pasted: str, after: str, size: int
) -> None:
    assume(BEGIN not in before and BEGIN not in after and END not in pasted + END[:-1])
    assert read_in_pieces(before + BEGIN + pasted + END + after, size) == (
        before + BEGIN + pasted.replace("\x1b", "") + END + after
    )


def test_several_pastes_one_after_the_other() -> None:
    text = f"{BEGIN}a\x1b[31mb{END}\x1b{BEGIN}\x1b\x1b[201{END}\x1b[A"
    for size in range(1, len(text)):
        assert read_in_pieces(text, size) == f"{BEGIN}a[31mb{END}\x1b{BEGIN}[201{END}\x1b[A"
