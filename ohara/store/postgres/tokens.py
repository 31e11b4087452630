"""Turns changed lines into trigrams, as numbers, and the words of columns into one sequence. Pure.

A trigram's number is made of its characters without regard to case; two trigrams may share
one, which costs time and no answer: every candidate is verified.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Iterable

END = 0  # between the columns of a text; no word has this number
_BITS = 10  # of a character that is its own number in a trigram's
_HASHED = 1 << 30


def trigrams(text: str) -> list[int]:
    """The numbers of the trigrams that a text holds, each once, in order."""
    folded = text.lower() if text.isascii() else "".join(map(_folded, text))
    return sorted({trigram(*each) for each in set(zip(folded, folded[1:], folded[2:], strict=False))})


def trigram_of(text: str) -> int:
    """The number of one trigram, however it is written."""
    return trigram(*map(_folded, text))


@lru_cache(maxsize=1 << 18)
def trigram(first: str, second: str, third: str) -> int:
    """The number of three folded characters."""
    number = 0
    for char in (first, second, third):
        if ord(char) >> _BITS:
            return crc32(f"{first}{second}{third}".encode("utf-8", "surrogatepass")) % _HASHED | _HASHED
        number = number << _BITS | ord(char)
    return number


@lru_cache(maxsize=1 << 14)
def _folded(char: str) -> str:
    """One character for all that differ from it by case alone."""
    return next((each for each in (char.casefold(), char.lower()) if len(each) == 1), char)


def sequence(columns: Iterable[list[int]]) -> list[int]:
    """The words of all columns in order, by their numbers."""
    made: list[int] = []
    for at, column in enumerate(columns):
        if at:
            made.append(END)
        made += column
    return made
