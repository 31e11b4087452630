"""Cuts words into the pieces of a WordPiece vocabulary, as the tokenisers of BERT do, without their library.

For words of ASCII, already split and in lower case, that is all that a tokeniser does. In a process that asks
one question, the library takes three times as long to load and to make its tables as this to read the file.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ohara.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping


class Vocabulary:
    """The longest piece that a word begins with, then the longest that its rest does, and so on."""

    def __init__(self, pieces: Mapping[str, int], *, unknown: int, prefix: str, longest_word: int) -> None:
        self._pieces = pieces
        self._prefix = prefix
        self._longest_word = longest_word
        self.unknown = unknown

    @classmethod
    def read(cls, document: str) -> Vocabulary:
        """The vocabulary of a tokeniser, from its JSON."""
        try:
            model = json.loads(document)["model"]
            pieces = model["vocab"]
            return cls(
                pieces,
                unknown=pieces[model["unk_token"]],
                prefix=model["continuing_subword_prefix"],
                longest_word=model["max_input_chars_per_word"],
            )
        except (ValueError, KeyError, TypeError) as error:
            raise ModelError(
                f"no vocabulary of word pieces: {error}", hint="choose another embedder"
            ) from error

    def of(self, word: str) -> tuple[int, ...]:
        """The numbers of a word's pieces; none of a word that has no such pieces."""
        if len(word) > self._longest_word:
            return ()
        pieces: list[int] = []
        start = 0
        while start < len(word):
            prefix = self._prefix if start else ""
            for end in range(len(word), start, -1):
                piece = self._pieces.get(prefix + word[start:end])
                if piece is not None:
                    break
            else:
                return ()
            pieces.append(piece)
            start = end
        return tuple(piece for piece in pieces if piece != self.unknown)
