"""The headers of the pieces of a hunk: the enclosing signature, as in git's hunk headers. Pure.

The first piece keeps the hunk's own header. Later ones get the line of the definition around them; where
there is no syntax, the nearest line above that is indented less, or the section of a document.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import Hunk
    from ohara.parse.line_map import Image
    from ohara.parse.outline import Outline

_MAX_HEADER: Final = 160  # git stops at 80 bytes; signatures with types are longer
_SECTIONS: Final = {
    "markdown": re.compile(r"#{1,6}\s"),
    "toml": re.compile(r"\["),
    "ini": re.compile(r"\["),
}


def by_syntax(hunk: Hunk, starts: Sequence[int], image: Image, outline: Outline) -> list[str]:
    """The header of each piece, by the definitions in the file."""
    found = image.source.split(b"\n")
    headers = [hunk.header]
    for start in starts[1:]:
        place = next((place for place in image.places[start:] if place is not None), None)
        sign = None if place is None else outline.enclosing(place)
        if sign is not None:
            headers.append(_header(found[sign].decode("utf-8", "replace")))
        elif image.complete or (place is not None and not found[place][:1].isspace()):
            headers.append("")  # a line that begins at the margin is inside of nothing
        else:
            headers.append(hunk.header)
    return headers


def by_margin(hunk: Hunk, starts: Sequence[int], lines: Sequence[str], language: str | None) -> list[str]:
    """The header of each piece, by indentation and by sections."""
    section_mark = _SECTIONS.get(language or "")
    around: list[tuple[int, str]] = []  # the lines that the current one is inside of, and their margins
    section = hunk.header
    headers: list[str] = []
    wanted = set(starts)
    for at, line in enumerate(lines[: starts[-1] + 1]):
        text = line[1:]
        if text and not text[0].isspace():  # at the margin, and so inside of nothing
            if at in wanted:
                headers.append(section)
            around = [(0, text)]
            if section_mark is not None and section_mark.match(text):
                section = _header(text)
            continue
        margin = len(text) - len(text.lstrip())
        if margin < len(text):  # a blank line is inside of whatever is around it
            while around and around[-1][0] >= margin:
                around.pop()
        if at in wanted:
            headers.append(_header(around[-1][1]) if around else section)
        if margin < len(text):
            around.append((margin, text))
    headers[0] = hunk.header
    return headers


def _header(line: str) -> str:
    return line.partition("\n")[0].strip()[:_MAX_HEADER]
