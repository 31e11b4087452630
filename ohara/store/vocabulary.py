"""Texts as numbers of their words, which is how analysed words cross a process boundary. Pure.

A text is packed: four bytes for each of its words, in order. Which word a number stands for is said by the
vocabulary that texts travel with.
"""

from __future__ import annotations

import os
from array import array
from typing import TYPE_CHECKING

from ohara.speedups import compiled
from ohara.store.tokens import words as words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

Packed = bytes
"""The words of a text, as numbers of four bytes in the order of this machine."""

BYTES_OF_A_WORD = 4
_CODE = "i"  # of `array`: a number of four bytes
_BETWEEN = " "  # words: none holds a blank


class Vocabulary:
    """The words that some texts consist of, and the number that stands for each.

    Within a `numbering` a number always stands for the same word: whoever has met it there need not ask
    again. Words are one text, which crosses a process boundary in a fraction of the time.
    """

    __slots__ = ("_by_number", "joined", "numbering", "numbers")

    def __init__(self, numbers: Packed = b"", joined: str = "", numbering: int = 0) -> None:
        self.numbers = numbers
        self.joined = joined
        self.numbering = numbering
        self._by_number: dict[int, str] | None = None  # made when somebody asks

    def __reduce__(self) -> tuple[type[Vocabulary], tuple[Packed, str, int]]:
        return Vocabulary, (self.numbers, self.joined, self.numbering)

    @property
    def words(self) -> list[str]:
        """The words, in order of their numbers."""
        return self.joined.split(_BETWEEN) if self.joined else []

    def listed(self, packed: Packed) -> list[str]:
        """The words of a text, in order."""
        if self._by_number is None:
            self._by_number = dict(zip(array(_CODE, self.numbers), self.words, strict=True))
        return list(map(self._by_number.__getitem__, array(_CODE, packed)))

    def text(self, packed: Packed) -> str:
        """The words of a text, with blanks between them."""
        return _BETWEEN.join(self.listed(packed))


class Numbering(dict[str, int]):
    """Words, numbered as they come."""

    def __init__(self) -> None:
        super().__init__()
        self._words: list[str] = []
        self._name = _new_name()

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        self._words.append(word)
        return number

    def clear(self) -> None:
        """Forget all words: numbering begins anew."""
        super().clear()
        self._words.clear()
        self._name = _new_name()

    def pack(self, text: str) -> Packed:
        """The numbers of the words of analysed text."""
        return array(_CODE, map(self.__getitem__, words_of(text))).tobytes()

    def vocabulary(self, texts: Iterable[Packed]) -> Vocabulary:
        """What some texts consist of."""
        if compiled is not None:
            numbers = compiled.distinct(texts, len(self))
            used = array(_CODE, numbers)
        else:
            used = array(_CODE, sorted(set(array(_CODE, b"".join(texts)))))
            numbers = used.tobytes()
        return Vocabulary(numbers, _BETWEEN.join(map(self._words.__getitem__, used)), self._name)


def _new_name() -> int:
    """A number that no other numbering has, in whatever process."""
    return int.from_bytes(os.urandom(8), "little")
