"""Where a text differs from items of another version, so that what is the same need not be parsed. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.structural.outline import Item

_TELLING = 30  # characters: a text that is looked for to find where two versions are the same again
_MOST_TRIED = 40  # items that are looked for in a row; then what is left counts as changed
_SOON = 16  # items: most often one differs, and the next is the same
_LINES_TRIED = 8  # of an item: its longest of them is looked for
_MOST_PLACES = 16  # of one line that is looked for


class Region(NamedTuple):
    """What differs: items from one number to another, in whose place a part of a text stands."""

    first: int
    last: int
    start: int
    end: int


def align(items: Sequence[Item], text: str) -> list[Region]:
    """Where a text differs from items that follow each other."""
    first = start = 0
    last, end = len(items), len(text)
    while first < last and _stands(items[first].text, text, start, end):
        start += len(items[first].text)
        first += 1
    while last > first and end - len(items[last - 1].text) >= start:
        before = end - len(items[last - 1].text)
        if not text.startswith(items[last - 1].text, before) or not _begins_line(text, before):
            break
        last, end = last - 1, before
    regions: list[Region] = []
    places: dict[str, list[int]] = {}
    while first < last and start < end:
        same, at = _soon_same(items[first : min(last, first + _SOON)], text, start, end)
        if at < 0 and last - first > _SOON:
            places = places or _line_places(text, start, end)
            same, at = _next_same(items[first : min(last, first + _MOST_TRIED)], text, places, (start, end))
        same += first
        if at < 0:
            break
        regions.append(Region(first, same, start, at))
        first, start = same, at
        while first < last and _stands(items[first].text, text, start, end):
            start += len(items[first].text)
            first += 1
    if first < last or start < end:
        regions.append(Region(first, last, start, end))
    return regions


def _line_places(text: str, start: int, end: int) -> dict[str, list[int]]:
    """Where each line of a part of a text stands in it."""
    places: dict[str, list[int]] = {}
    for line in text[start:end].split("\n"):
        places.setdefault(line, []).append(start)
        start += len(line) + 1
    return places


def _soon_same(items: Sequence[Item], text: str, start: int, end: int) -> tuple[int, int]:
    """The same of the next few items, without looking at every line of the text."""
    for number, item in enumerate(items):
        if len(item.text) >= _TELLING:
            line = _telling_line(item)
            at = text.find(line, start, end) - item.text.find(line)
            if at >= start and _begins_line(text, at) and _stands(item.text, text, at, end):
                return number, at
    return 0, -1


def _telling_line(item: Item) -> str:
    return max(item.text.split("\n", _LINES_TRIED)[:_LINES_TRIED], key=len)


def _next_same(
    items: Sequence[Item], text: str, places: Mapping[str, Sequence[int]], span: tuple[int, int]
) -> tuple[int, int]:
    """The number of the next item that stands in a part of a text as it is, and where; -1 if none does."""
    start, end = span
    for number, item in enumerate(items):
        if len(item.text) < _TELLING:
            continue
        line = _telling_line(item)
        ahead = item.text.find(line)
        for place in places.get(line, ())[:_MOST_PLACES]:
            at = place - ahead
            if at >= start and _begins_line(text, at) and _stands(item.text, text, at, end):
                return number, at
    return 0, -1


def find_line(text: str, wanted: str, start: int, end: int) -> int:
    """Where some lines stand in a text from a place on; -1 if they do not, or are not soon found."""
    if text.startswith(wanted, start, end) and _begins_line(text, start):
        return start if wanted else -1
    first = len(wanted) - len(wanted.lstrip("\n"))
    begin = "\n" + wanted[: wanted.find("\n", first) + 1]
    at = text.find(begin, start, end)
    for _ in range(_MOST_PLACES):
        if at < 0:
            break
        if text.startswith(wanted, at + 1, end):
            return at + 1
        at = text.find(begin, at + 1, end)
    return -1


def _stands(wanted: str, text: str, start: int, end: int) -> bool:
    """Whether a text holds another at a place, up to the end of a line."""
    return text.startswith(wanted, start, end) and (wanted.endswith("\n") or start + len(wanted) == end)


def _begins_line(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] == "\n"
