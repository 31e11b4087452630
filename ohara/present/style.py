"""Colours for a terminal, or none: the one place that writes escape sequences, around text that is inert."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Ink(StrEnum):
    """What a stretch of text is, by the escape sequence that shows it."""

    COMMIT = "33"
    QUIET = "2"
    SUBJECT = "1"
    PATH = "35"
    SYMBOL = "36"
    ADDED = "32"
    REMOVED = "31"
    MATCH = "1;4"


@dataclass(frozen=True, slots=True)
class Style:
    """Whether to colour."""

    coloured: bool

    def ink(self, text: str, *inks: Ink) -> str:
        """The text in these inks."""
        if not (self.coloured and text and inks):
            return text
        return f"\x1b[{';'.join(inks)}m{text}\x1b[0m"


PLAIN = Style(coloured=False)


def style_for(choice: str, *, terminal: bool, environment: Mapping[str, str]) -> Style:
    """Colour always, never, or by itself: on a terminal that can, unless NO_COLOR is set."""
    if choice != "auto":
        return Style(coloured=choice == "always")
    dumb = environment.get("TERM", "") == "dumb"
    return Style(coloured=terminal and not dumb and not environment.get("NO_COLOR"))
