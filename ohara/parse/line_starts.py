"""Where the lines of a source begin, counted only as far as somebody asks. Pure."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_STRETCH: Final = 2048  # bytes: newlines are counted by so many in C, and looked for one by one in the last


class LineStarts:
    """Finds the beginning of single lines; who needs all of them is better off with a list."""

    def __init__(self, source: bytes, above: Sequence[int] = (0,)) -> None:
        self._source = source
        self._above = list(above)  # how many newlines stand above each stretch, as far as they were counted

    def in_version(self, source: bytes, equal_bytes: int) -> LineStarts:
        """Where lines begin in another source, whose first bytes, so many, are equal."""
        return LineStarts(source, self._above[: equal_bytes // _STRETCH + 1])

    def of(self, line: int) -> int | None:
        """Where a line begins, the first being 0; None when there are fewer."""
        source, above = self._source, self._above
        while above[-1] < line:
            start = (len(above) - 1) * _STRETCH
            if start >= len(source):
                return None
            above.append(above[-1] + source.count(b"\n", start, start + _STRETCH))
        stretch = max(0, bisect_left(above, line) - 1)
        at = stretch * _STRETCH
        for _ in range(line - above[stretch]):
            at = source.find(b"\n", at) + 1
        return at
