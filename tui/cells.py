"""Sanitizes text from a repository for the cells of a terminal: harmless, no tabs, of a known width. Pure.

`ohara.sanitize` makes characters harmless one for one; a screen of cells needs more. Tabs become spaces up to
the next stop, a combining mark with nothing to stand on gets a base, piles of marks are cut, and characters
that only change how their neighbour looks (and that terminals measure differently) are dropped. What comes
out has the same width whichever way it is cut. Markup is no concern here: brackets stay brackets, because
the widgets never read repository text as markup.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from rich.cells import cell_len

from ohara.sanitize import REPLACEMENT
from ohara.sanitize import sanitize as sanitize_text

if TYPE_CHECKING:
    from collections.abc import Iterator

TAB = 4
_LONG = 1_000  # characters: more than a screen has of a line that is not wrapped
ELLIPSIS = "…"

# Two marks write every living language; towers of them ("zalgo") cover other lines.
_MARKS = 2
_BASE = "\N{DOTTED CIRCLE}"

# Emoji presentation, skin tones and keycaps: a terminal that knows them joins, another adds cells.
_RESTYLING = re.compile("[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff]")
_FLAG_LETTERS = {chr(0x1F1E6 + at): chr(ord("A") + at) for at in range(26)}


@dataclass(frozen=True, slots=True)
class DisplayLine:
    """A line as it is shown, and the offset in it of each character of the original, and of its end."""

    text: str
    offsets: tuple[int, ...] | None = None

    def offset(self, column: int) -> int:
        """The offset in the shown text of a column of the original."""
        if self.offsets is None:
            return min(column, len(self.text))
        return self.offsets[min(max(column, 0), len(self.offsets) - 1)]

    def column(self, offset: int) -> int:
        """The column of the original that an offset in the shown text came from."""
        if self.offsets is None:
            return min(max(offset, 0), len(self.text))
        return max((column for column, at in enumerate(self.offsets) if at <= offset), default=0)


def display_line(text: str, *, tab: int = TAB, whitespace: bool = False) -> DisplayLine:
    """One line made safe to show and aligned; with `whitespace`, spaces and tabs are drawn."""
    text = text.removesuffix("\r") if not whitespace else text
    if not whitespace and text.isascii() and text.isprintable():
        return DisplayLine(text)
    return (_long_line if len(text) > _LONG else _aligned)(text, tab, whitespace)


def _aligned(text: str, tab: int, whitespace: bool) -> DisplayLine:
    pieces = list(_pieces(sanitize_text(text, keep="\t"), tab, whitespace=whitespace))
    return DisplayLine("".join(pieces), (0, *accumulate(map(len, pieces))))


_long_line = lru_cache(maxsize=64)(_aligned)  # for all of its parts that are on screen


def sanitize(text: str) -> str:
    """The text on one line, safe to show and aligned."""
    return display_line(text).text


def _pieces(text: str, tab: int, *, whitespace: bool) -> Iterator[str]:
    """What is shown for each character."""
    column = 0
    marks = 0
    has_base = False
    for character in text:
        piece = character
        if character == "\t":
            wide = tab - column % tab
            piece = "→".ljust(wide) if whitespace else " " * wide
            marks, has_base = 0, False
        elif character == " ":
            piece = "·" if whitespace else " "
            marks, has_base = 0, False
        elif not character.isascii():
            if _RESTYLING.match(character):
                piece = ""
            elif character in _FLAG_LETTERS:
                piece, marks, has_base = _FLAG_LETTERS[character], 0, True
            elif cell_len(character) == 0:
                marks += 1
                piece = _mark(character, marks, has_base=has_base)
                has_base = True
            else:
                marks, has_base = 0, True
        else:
            marks, has_base = 0, True
        column += cell_len(piece)
        yield piece


def _mark(mark: str, count: int, *, has_base: bool) -> str:
    """A mark that takes no cell: on a base if it has none, not at all on top of too many others."""
    if not has_base:
        return _BASE + mark
    if count <= _MARKS:
        return mark
    return REPLACEMENT if count == _MARKS + 1 else ""


# -- measuring -----------------------------------------------------------------------------------


def cell_width(text: str) -> int:
    """How many cells a shown text takes."""
    return len(text) if text.isascii() else cell_len(text)


def cells_before(text: str, offset: int) -> int:
    """How many cells of a shown text stand before a character."""
    return min(offset, len(text)) if text.isascii() else _cell_starts(text)[min(offset, len(text))]


def within_cells(text: str, left: int, right: int) -> tuple[int, int]:
    """Which characters of a shown text stand in cells from one up to another, as its offsets.

    A mark goes with the character that it stands on.
    """
    if text.isascii():
        return min(left, len(text)), min(right, len(text))
    starts = _cell_starts(text)
    last = max(bisect_left(starts, right), bisect_right(starts, right) - 1)
    return max(0, bisect_right(starts, left) - 1), min(last, len(text))


@lru_cache(maxsize=64)  # a long line is measured once for all of its parts that are on screen
def _cell_starts(text: str) -> tuple[int, ...]:
    return (0, *accumulate(map(cell_len, text)))


def max_cell_width(text: str, *, tab: int = TAB) -> int:
    """At least as many cells as a raw line will take, computed without looking at each character."""
    tabs = text.count("\t")
    return (len(text) if text.isascii() else 2 * len(text)) + tabs * (tab - 1)


def fit(text: str, width: int, *, right: bool = False) -> str:
    """A shown text in exactly so many cells: padded, or cut with an ellipsis."""
    wide = cell_width(text)
    if wide > width:
        text = cut(text, width)
        wide = cell_width(text)
    gap = " " * max(0, width - wide)
    return gap + text if right else text + gap


def cut(text: str, width: int) -> str:
    """A shown text in at most so many cells, with an ellipsis in place of what is missing."""
    if cell_width(text) <= width:
        return text
    if width <= 0:
        return ""
    if text.isascii():
        return text[: width - 1] + ELLIPSIS
    taken = 0
    for at, character in enumerate(text):
        taken += cell_len(character)
        if taken > width - 1:
            return text[:at] + ELLIPSIS
    return text


def cut_path(text: str, width: int) -> str:
    """A shown path in at most so many cells: its last folders and its name, cut at a slash if it can be."""
    if cell_width(text) <= width:
        return text
    end = cut_left(text, width)
    slash = end.find("/")
    return f"{ELLIPSIS}{end[slash:]}" if 0 < slash < len(end) - 1 else end


def cut_left(text: str, width: int) -> str:
    """A shown text in at most so many cells, its end kept: for paths, whose end tells most."""
    if cell_width(text) <= width:
        return text
    if width <= 0:
        return ""
    taken = 0
    for at in range(len(text) - 1, -1, -1):
        taken += cell_len(text[at])
        if taken > width - 1:
            rest = text[at + 1 :]
            while rest and cell_len(rest[0]) == 0:
                rest = rest[1:]
            return ELLIPSIS + rest
    return text
