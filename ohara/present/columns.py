"""Measures and wraps text in the columns of a terminal, where some characters take two and some none. Pure.

Text must be sanitized already (see `ohara.sanitize`): the width of a tab or an escape is not known here.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_WIDE = frozenset("WF")
_NO_WIDTH = frozenset({"Mn", "Me", "Cf"})


@lru_cache(maxsize=4096)
def columns_of(character: str) -> int:
    """How many columns a character takes."""
    if unicodedata.category(character) in _NO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def width_of(text: str) -> int:
    """How many columns a text takes."""
    return len(text) if text.isascii() else sum(map(columns_of, text))


def pieces(text: str, first: int, later: int) -> Iterator[tuple[int, int]]:
    """Cut a text into lines of at most `first`, then `later` columns; yields start and end, in characters.

    A piece holds at least one character, so that even the narrowest terminal shows everything.
    """
    start = 0
    while True:
        end = _reach(text, start, first if start == 0 else later)
        yield start, end
        start = end
        if start >= len(text):
            return


def words(text: str, first: int, later: int) -> list[str]:
    """Wrap a text between words; a word longer than a line is cut."""
    lines: list[str] = []
    rest = text
    while rest:
        limit = later if lines else first
        end = _reach(rest, 0, limit)
        if end < len(rest) and (space := rest.rfind(" ", 0, end + 1)) > 0:
            end = space
        lines.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return lines or [""]


def shortened(line: str, limit: int) -> str:
    """A line with colours in at most so many columns; an ellipsis says that it went on."""
    parts = _ESCAPES.split(line)  # texts, and between each two of them an escape sequence
    if sum(width_of(text) for text in parts[::2]) <= limit:
        return line
    room = max(0, limit - 1)
    kept: list[str] = []
    is_cut = False
    for number, part in enumerate(parts):
        if number % 2:
            kept.append(part)
        elif not is_cut:
            end = _reach(part, 0, room) if width_of(part) > room else len(part)
            is_cut = width_of(part) > room
            kept.append(part[:end] if room or not is_cut else "")
            room -= width_of(part[:end])
            if is_cut:
                kept.append("…")
    return "".join(kept)


_ESCAPES = re.compile(r"(\x1b\[[0-9;]*m)")


def _reach(text: str, start: int, limit: int) -> int:
    """The end of the longest piece that fits into `limit` columns, including its combining marks."""
    if text.isascii():
        return min(len(text), start + max(1, limit))
    taken = 0
    end = start
    while end < len(text):
        taken += columns_of(text[end])
        if taken > limit and end > start:
            break
        end += 1
    return end
