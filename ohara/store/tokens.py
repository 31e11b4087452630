"""Cuts analysed text into words, alike in every engine. Pure.

A word consists of letters and digits of ASCII, `_`, `#` and whatever is beyond ASCII; small letters only.
"""

from __future__ import annotations

import re
from functools import cache

_WORD_OF_ASCII = re.compile("[0-9a-z_#]+")
_SMALL = {ord(char): ord(char.lower()) for char in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def words(text: str) -> list[str]:
    """The words of analysed text, in order."""
    if text.isascii():
        return _WORD_OF_ASCII.findall(text.lower())
    return _word().findall(text.translate(_SMALL))


@cache
def _word() -> re.Pattern[str]:
    """The pattern for all texts, which takes longer to make than a question's words take to cut."""
    return re.compile("[0-9A-Za-z_#\u0080-\U0010ffff]+")
