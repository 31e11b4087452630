"""Lines that are too long to be shown whole: cut around a match, told from whole ones, put together. Pure.

A line is cut in an excerpt by an ellipsis alone. Where hunks are read as git has them, it says as well how
many characters are missing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ohara.records import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import Match

# Longer than lines that people write; minified files have lines of a megabyte.
EXCERPT_LINE = 400

# In all long lines of a hunk that is read: a minified file of a usual size, drawn within a frame.
_READ_HUNK_CHARS = 50_000
# In all long lines of an answer: at most six bytes each, it still fits the frame that carries it.
_READ_ANSWER_CHARS = 2_400_000

_BEFORE_MATCH = 80
_ELLIPSIS = "…"
_BEFORE = re.compile(r"(?:\([\d,]+ more characters\) )?…")
_AFTER = re.compile(r"…(?: \([\d,]+ more characters\))?$")


@dataclass(frozen=True, slots=True)
class LineLimit:
    """How much of a long line is shown, of which `before` characters stand before its first match."""

    longest: int = EXCERPT_LINE
    before: int = _BEFORE_MATCH
    counts: bool = False  # whether it says how much is missing

    def fit(self, line: str, marks: Sequence[Match]) -> tuple[str, list[Match]]:
        """A line that is not too long, its sign kept, with the marks that are still in it."""
        if len(line) <= self.longest:
            return line, list(marks)
        sign, text = line[:1], line[1:]
        start = max(0, min((mark.start for mark in marks), default=0) - self.before)
        start = min(start, len(text) - self.longest) if self.counts else start
        end = start + self.longest
        missing = len(text) - end
        before = f"{_count(start) if self.counts else ''}{_ELLIPSIS}" if start > 0 else ""
        after = f"{_ELLIPSIS}{_count(missing, after=True) if self.counts else ''}" if missing > 0 else ""
        shift = len(before) - start
        kept = [
            replace(mark, start=max(mark.start, start) + shift, end=min(mark.end, end) + shift)
            for mark in marks
            if mark.start < end and mark.end > start
        ]
        return f"{sign}{before}{text[start:end]}{after}", kept


def _count(missing: int, *, after: bool = False) -> str:
    said = f"({missing:,} more characters)"
    return f" {said}" if after else f"{said} "


def limit_for_reading(lines: Sequence[str], hunks: int) -> LineLimit:
    """The limit for the lines of one of so many hunks in an answer that are read as git has them."""
    long = sum(len(line) > EXCERPT_LINE for line in lines)
    room = min(_READ_HUNK_CHARS, _READ_ANSWER_CHARS // max(1, hunks))
    longest = max(EXCERPT_LINE, room // max(1, long))
    return LineLimit(longest, longest // 2, counts=True)


def is_cut(line: str) -> bool:
    """Whether a line of an excerpt, its sign included, is a part of a longer one."""
    return len(line) > EXCERPT_LINE and (
        _BEFORE.match(line, 1) is not None or _AFTER.search(line) is not None
    )


class Overlaid(NamedTuple):
    """A line that two excerpts have, as much as one of them shows; and how far marks of the second move."""

    line: str
    shift: int


def overlaid(line: str, other: str) -> Overlaid | None:
    """One line as two excerpts show it, each perhaps a part of it; None when they are two lines.

    What the second one shows is always kept.
    """
    if line == other:
        return Overlaid(line, 0)
    if line[:1] != other[:1] or not (is_cut(line) or is_cut(other)):
        return None
    first, skipped = _kept_text(other)
    at = line.find(first, 1)
    if at > 0:
        return Overlaid(line, at - skipped)
    if is_cut(line) and (is_cut(other) or _kept_text(line)[0] in other):
        return Overlaid(other, 0)
    return None


def _kept_text(line: str) -> tuple[str, int]:
    """What is there of a line that was cut, and where it begins."""
    if not is_cut(line):
        return line[1:], 1
    before, after = _BEFORE.match(line, 1), _AFTER.search(line)
    start = before.end() if before else 1
    return line[start : after.start() if after else len(line)], start
