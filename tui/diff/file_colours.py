"""Syntax colours of a hunk read from the beginning of its file: only so a string or comment is known. Pure.

A hunk may begin inside a docstring, and its first lines do not say so. The lines of the new file before the
hunk serve for both sides: an earlier hunk rarely changes what the lines after it are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tui.diff.rows import RowKind, lines_of
from tui.highlight import spans_after

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.model import Hit, HunkId, Sha
    from tui.diff.rows import Row
    from tui.highlight import Span


class HunkKey(NamedTuple):
    """A hunk, whatever is shown of it."""

    sha: Sha
    hunk: HunkId
    path: str


def key_of(hit: Hit) -> HunkKey:
    """The key of a hit's hunk."""
    return HunkKey(hit.commit.sha, hit.hunk, hit.path)


class FileColours(NamedTuple):
    """The spans of lines by their numbers, in the new and in the old file."""

    new: Mapping[int, tuple[Span, ...]]
    old: Mapping[int, tuple[Span, ...]]

    def of(self, row: Row) -> tuple[Span, ...] | None:
        """The spans of a row; None where it was not read."""
        if row.new is not None:
            return self.new.get(row.new)
        return self.old.get(row.old) if row.old is not None else None


def lines_before(hit: Hit) -> int:
    """How many lines of the new file stand before a hunk."""
    return max(0, hit.top - 1) if hit.excerpt else 0


def read_colours(hit: Hit, lead: Sequence[str]) -> FileColours:
    """The colours of a hunk, with the lines of the new file before it."""
    rows = [row for row in lines_of(hit) if row.is_line]
    sides = []
    for other in (RowKind.REMOVED, RowKind.ADDED):
        own = [row for row in rows if row.kind is not other]
        numbers = [row.new if other is RowKind.REMOVED else row.old for row in own]
        found = spans_after(hit.path, lead, [row.text for row in own])
        sides.append(
            {number: spans for number, spans in zip(numbers, found, strict=True) if number is not None}
        )
    return FileColours(*sides)
