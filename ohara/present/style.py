"""Colours for a terminal, or none: the only module that writes escape sequences, around sanitized text."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping


class Ink(StrEnum):
    """The role of a piece of text, with the escape sequence for it."""

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
    """Adds colour, or not."""

    coloured: bool

    def ink(self, text: str, *inks: Ink) -> str:
        """The text with the escape sequences of these inks."""
        if not (self.coloured and text and inks):
            return text
        return f"\x1b[{';'.join(inks)}m{text}\x1b[0m"


PLAIN = Style(coloured=False)


def style_for(choice: str, *, terminal: bool, environment: Mapping[str, str]) -> Style:
    """The style for `--color`: always, never, or auto (on a colour terminal, unless NO_COLOR is set)."""
    if choice != "auto":
        return Style(coloured=choice == "always")
    dumb = environment.get("TERM", "") == "dumb"
    return Style(coloured=terminal and not dumb and not environment.get("NO_COLOR"))
