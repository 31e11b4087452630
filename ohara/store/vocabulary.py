"""Texts as numbers of their words, which is how analysed words cross a process boundary. Pure.

A text is packed: four bytes for each of its words, in order. Which word a number stands for is said by the
vocabulary that texts travel with.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from ohara.store.tokens import words as words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

Packed = bytes
"""The words of a text, as numbers of four bytes in the order of this machine."""

BYTES_OF_A_WORD = 4
_CODE = "i"  # of `array`: a number of four bytes


class Vocabulary:
    """The words that some texts consist of, and the number that stands for each; told apart by identity."""

    __slots__ = ("_by_number", "numbers", "words")

    def __init__(self, numbers: Packed = b"", words: tuple[str, ...] = ()) -> None:
        self.numbers = numbers
        self.words = words
        self._by_number: dict[int, str] | None = None  # made when somebody asks

    def listed(self, packed: Packed) -> list[str]:
        """The words of a text, in order."""
        if self._by_number is None:
            self._by_number = dict(zip(array(_CODE, self.numbers), self.words, strict=True))
        return list(map(self._by_number.__getitem__, array(_CODE, packed)))

    def text(self, packed: Packed) -> str:
        """The words of a text, with blanks between them."""
        return " ".join(self.listed(packed))


class Numbering(dict[str, int]):
    """Words, numbered as they come."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number

    def pack(self, text: str) -> Packed:
        """The numbers of the words of analysed text."""
        return array(_CODE, map(self.__getitem__, words_of(text))).tobytes()

    def vocabulary(self, texts: Iterable[Packed]) -> Vocabulary:
        """What some texts consist of."""
        used = sorted(set(array(_CODE, b"".join(texts))))
        words = list(self)
        return Vocabulary(array(_CODE, used).tobytes(), tuple([words[number] for number in used]))
