"""Matches a hunk's lines with the file they stand in, before or after the change. Pure.

A source that does not hold the hunk's lines where the hunk says they are is not used: a wrong file
would put the cuts in wrong places without anyone noticing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import Hunk

REMARK = "\\"


@dataclass(frozen=True, slots=True)
class Image:
    """A source, and the place in it of each line of a hunk: counted from 0, None when it is not there.

    `complete` is False when the source is only what the hunk shows of the file.
    """

    source: bytes
    places: tuple[int | None, ...]
    complete: bool

    def span(self) -> tuple[int, int]:
        """The first and last place."""
        there = [place for place in self.places if place is not None]
        return (there[0], there[-1]) if there else (0, 0)


def whole_lines(body: str) -> list[str]:
    """The lines of a body, each with git's remark about it when there is one."""
    lines = body.split("\n")
    if f"\n{REMARK}" not in body:
        return lines
    whole: list[str] = []
    for line in lines:
        if line.startswith(REMARK) and whole:
            whole[-1] = f"{whole[-1]}\n{line}"
        else:
            whole.append(line)
    return whole


def reads_old(hunk: Hunk) -> bool:
    """True when a hunk is seen best in the file as it was before the change: nothing was added."""
    return not (hunk.body.startswith("+") or "\n+" in hunk.body)


def removes(hunk: Hunk) -> bool:
    """True when a hunk has removed lines."""
    return hunk.body.startswith("-") or "\n-" in hunk.body


def image_of(hunk: Hunk, lines: Sequence[str], source: bytes | None) -> Image:
    """The image of a hunk in a source, or in its own lines when there is none that holds them."""
    old = reads_old(hunk)
    absent = "+" if old else "-"
    has_absent = not old and removes(hunk)
    if source is not None:
        places = _places(lines, absent if has_absent else None, hunk.old_start if old else hunk.new_start)
        image = Image(source, places, complete=True)
        if _holds(image, lines):
            return image
    own = "\n".join(_text(line) for line in lines if not line.startswith(absent))
    is_all = (
        hunk.new_lines == 0 and hunk.old_start <= 1 if old else hunk.old_lines == 0 and hunk.new_start <= 1
    )
    return Image(own.encode("utf-8", "replace"), _places(lines, absent, 1), complete=is_all)


def _text(line: str) -> str:
    """A line without its sign and git's remark."""
    return line[1:].partition("\n")[0]


def _places(lines: Sequence[str], absent: str | None, start: int) -> tuple[int | None, ...]:
    if absent is None:
        return tuple(range(start - 1, start - 1 + len(lines)))
    places: list[int | None] = []
    at = start - 1
    for line in lines:
        if line.startswith(absent):
            places.append(None)
        else:
            places.append(at)
            at += 1
    return tuple(places)


def _holds(image: Image, lines: Sequence[str]) -> bool:
    """True when the first, the middle and the last line of a hunk are where they should be."""
    there = [at for at, place in enumerate(image.places) if place is not None]
    found = image.source.split(b"\n")
    # Only ASCII is compared: the hunk's text may have been decoded by another rule than UTF-8.
    return bool(there) and all(
        place is not None
        and place < len(found)
        and _ascii(found[place].decode("ascii", "ignore")) == _ascii(_text(lines[at]))
        for at, place in ((at, image.places[at]) for at in (there[0], there[len(there) // 2], there[-1]))
    )


def _ascii(text: str) -> str:
    return text.encode("ascii", "ignore").decode("ascii").rstrip("\r")
