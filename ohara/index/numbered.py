"""Analyses texts to packed words (`ohara.store.vocabulary`), which is as quick as to analysed text.

In Python (`PythonWords`) or compiled (`CompiledWords`): the same words either way.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Protocol

from ohara.speedups import compiled
from ohara.store.vocabulary import BYTES_OF_A_WORD, Numbering, Vocabulary
from ohara.words import APART, CACHED_RUNS, analysed, runs, runs_apart

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ohara.speedups._compiled import Words
    from ohara.store.derived import DerivedTexts
    from ohara.store.prepared import PreparedCommit
    from ohara.store.vocabulary import Packed

NO_WORDS = Vocabulary()
"""Of texts whose vocabulary is not made yet."""

_MOST_WORDS = 150_000  # then numbering begins anew, between two vocabularies

# Between the words of texts that are analysed together. The highest byte of a word's number is never full, so
# that this is found nowhere else, whatever numbers stand side by side.
_BREAK = b"\xff" * BYTES_OF_A_WORD
_CHARS_AT_ONCE = 1 << 16  # of texts: the runs of a whole file would take a hundred megabytes


class NumberedWords(Protocol):
    """The words of texts as numbers, and which words these are."""

    def pack(self, text: str) -> Packed:
        """The words of a text."""

    def pack_all(self, texts: Sequence[str]) -> list[Packed]:
        """The words of each of some texts."""

    def vocabulary(self, texts: Iterable[Packed]) -> Vocabulary:
        """What all texts consist of that were packed since this was last asked; it goes with them."""


def numbered_words() -> NumberedWords:
    """What analyses texts fastest here."""
    return PythonWords() if compiled is None else CompiledWords(compiled.Words)


class PythonWords(dict[str, bytes]):
    """Each run of word characters met so far, with the numbers of its words."""

    def __init__(self) -> None:
        super().__init__()
        self._numbering = Numbering()

    def __missing__(self, run: str) -> Packed:
        if run == APART:
            self[run] = _BREAK
            return _BREAK
        words, is_kept = analysed(run)
        packed = self._numbering.pack(words)
        if is_kept:
            if len(self) >= CACHED_RUNS:
                self.clear()
            self[run] = packed
        return packed

    def pack(self, text: str) -> Packed:
        """The words of a text."""
        return b"".join(map(self.__getitem__, runs(text)))

    def pack_all(self, texts: Sequence[str]) -> list[Packed]:
        """The words of each of some texts."""
        made: list[Packed] = []
        first = chars = 0
        for at, text in enumerate(texts):
            chars += len(text)
            if chars >= _CHARS_AT_ONCE or at == len(texts) - 1:
                together = runs_apart(texts[first : at + 1])
                made += b"".join(map(self.__getitem__, together)).split(_BREAK)
                first, chars = at + 1, 0
        return made

    def vocabulary(self, texts: Iterable[Packed]) -> Vocabulary:
        """What all texts consist of that were packed since this was last asked; it goes with them."""
        made = self._numbering.vocabulary(texts)
        if len(self._numbering) > _MOST_WORDS:
            self._numbering.clear()
            self.clear()
        return made


class CompiledWords:
    """The same, with runs found and remembered by what is compiled."""

    def __init__(self, words: type[Words]) -> None:
        self._numbering = Numbering()
        # A seed that nobody knows: texts must not choose where their runs are remembered.
        self._words = words(self._analysed, CACHED_RUNS, secrets.randbits(64))
        self.pack = self._words.pack
        self.take_apart = self._words.take_apart

    def _analysed(self, run: str) -> tuple[Packed, bool]:
        words, is_kept = analysed(run)
        return self._numbering.pack(words), is_kept

    def pack_all(self, texts: Sequence[str]) -> list[Packed]:
        """The words of each of some texts."""
        return list(map(self.pack, texts))

    def vocabulary(self, texts: Iterable[Packed]) -> Vocabulary:
        """What all texts consist of that were packed since this was last asked; it goes with them."""
        made = self._numbering.vocabulary(texts)
        if len(self._numbering) > _MOST_WORDS:
            self._numbering.clear()
            self._words.clear()
        return made


def with_vocabulary(prepared: Sequence[PreparedCommit], words: NumberedWords) -> tuple[PreparedCommit, ...]:
    """Commits with what their words consist of, said once for all of them."""
    vocabulary = words.vocabulary(text for each in prepared for text in _texts(each))
    return tuple([each._replace(vocabulary=vocabulary) for each in prepared])


def _texts(part: PreparedCommit) -> Iterator[Packed]:
    yield part.message_words
    for file in part.files:
        yield file.path_words
        for hunk in file.hunks:
            if hunk.words is not None:
                yield from hunk.words


def derived_with_vocabulary(
    derived: Sequence[DerivedTexts], words: NumberedWords
) -> tuple[DerivedTexts, ...]:
    """The same for words that were made again."""
    vocabulary = words.vocabulary(text for each in derived for text in _derived_texts(each))
    return tuple([each._replace(vocabulary=vocabulary) for each in derived])


def _derived_texts(derived: DerivedTexts) -> Iterator[Packed]:
    yield derived.message_words
    for row in derived.rows:
        yield from row[2:]
