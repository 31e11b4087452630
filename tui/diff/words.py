"""Finds what really changed between a line and the one that took its place. Pure and bounded."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from tui.diff.rows import RowKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui.diff.rows import Row

Spans: TypeAlias = tuple[tuple[int, int], ...]

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST = 400  # characters: comparing is quadratic in words, and lines of code are shorter
_LIKE = 0.5  # lines with less in common are other lines, not changed ones


@lru_cache(maxsize=2048)
def changed(old: str, new: str) -> tuple[Spans, Spans]:
    """The stretches that differ, in the old and in the new line; none when they have little in common."""
    if len(old) > _LONGEST or len(new) > _LONGEST or not old.strip() or not new.strip():
        return (), ()
    before, after = _words(old), _words(new)
    matcher = SequenceMatcher(None, [word[0] for word in before], [word[0] for word in after], autojunk=False)
    if matcher.ratio() < _LIKE:
        return (), ()
    removed: list[tuple[int, int]] = []
    added: list[tuple[int, int]] = []
    for what, first, last, start, end in matcher.get_opcodes():
        if what == "equal":
            continue
        if first < last:
            removed.append((before[first][1], before[last - 1][2]))
        if start < end:
            added.append((after[start][1], after[end - 1][2]))
    return tuple(removed), tuple(added)


def _words(line: str) -> list[tuple[str, int, int]]:
    return [(word[0], word.start(), word.end()) for word in _WORD.finditer(line)]


def partners(rows: Sequence[Row]) -> dict[int, int]:
    """Which removed row was replaced by which added one, and the other way round, in runs of equal length."""
    found: dict[int, int] = {}
    at = 0
    while at < len(rows):
        if rows[at].kind is not RowKind.REMOVED:
            at += 1
            continue
        middle = at
        while middle < len(rows) and rows[middle].kind is RowKind.REMOVED:
            middle += 1
        end = middle
        while end < len(rows) and rows[end].kind is RowKind.ADDED:
            end += 1
        if end - middle == middle - at:
            for offset in range(middle - at):
                found[at + offset] = middle + offset
                found[middle + offset] = at + offset
        at = end
    return found
