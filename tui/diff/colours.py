"""Syntax colours of the rows of a diff, computed in blocks and only for rows that are seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.diff.file_colours import key_of
from tui.diff.rows import RowKind
from tui.highlight import spans

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.model import Hit
    from tui.diff.file_colours import FileColours, HunkKey
    from tui.diff.rows import Row
    from tui.highlight import Span

# Lines that a lexer reads at once: a few milliseconds, and enough to know a string from code.
STRETCH = 80


class Colours:
    """Caches the syntax spans of rows that were seen."""

    def __init__(
        self, hits: Sequence[Hit], rows: Sequence[Row], in_files: Mapping[HunkKey, FileColours]
    ) -> None:
        """Take what was read from the beginning of files, in which more may come to be."""
        self._hits = hits
        self._rows = rows
        self._in_files = in_files
        self._known: dict[int, tuple[Span, ...]] = {}

    def of(self, number: int) -> tuple[Span, ...]:
        """The syntax spans of a row."""
        row = self._rows[number]
        if self._in_files and (in_file := self._in_files.get(key_of(self._hits[row.hit]))) is not None:
            found = in_file.of(row)
            if found is not None:
                return found
        if number not in self._known:
            self._read(number)
        return self._known[number]

    def _read(self, number: int) -> None:
        """Read the row and its neighbours of the same hunk: the old and the new text each for itself."""
        row = self._rows[number]
        if not row.is_line:
            self._known[number] = ()
            return
        first = number - row.line % STRETCH if row.line >= 0 else number
        near = range(max(0, first), min(len(self._rows), first + STRETCH))
        lines = [at for at in near if self._rows[at].hit == row.hit and self._rows[at].is_line]
        path = self._hits[row.hit].path
        # Context belongs to both sides; the new one, read last, has the say. A side without changes of its
        # own is context that the other one reads as well.
        kinds = {self._rows[at].kind for at in lines}
        sides = ((RowKind.REMOVED, RowKind.ADDED), (RowKind.ADDED, RowKind.REMOVED))
        for other in [other for own, other in sides if own in kinds] or [RowKind.REMOVED]:
            side = [at for at in lines if self._rows[at].kind is not other]
            found = spans(path, [self._rows[at].text for at in side])
            self._known.update(zip(side, found, strict=True))
