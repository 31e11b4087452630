"""Cuts analysed text into words, alike in every engine. Pure.

A word consists of letters and digits of ASCII, `_`, `#` and whatever is beyond ASCII; small letters only.
"""

from __future__ import annotations

import re

_WORD = re.compile("[0-9A-Za-z_#\u0080-\U0010ffff]+")
_SMALL = {ord(char): ord(char.lower()) for char in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def words(text: str) -> list[str]:
    """The words of analysed text, in order."""
    return _WORD.findall(text.translate(_SMALL) if not text.isascii() else text.lower())
