"""Finds the lines of a merged text that no parent accounts for, as hunks against one of the parents.

A group of changed lines counts when it meets, overlapping or touching, a change against each of the
parents: there the merge took neither side as it was. The other groups, which some parent brought, are
not shown, and a hunk's context ends where one of them begins, so that every context line is in
both texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.git import decode, hunks, regions
from ohara.git.hunks import CONTEXT_LINES, NO_NEWLINE, Group
from ohara.model import Hunk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def own_hunks(parents: Sequence[bytes], told_from: int, merged: bytes) -> tuple[Hunk, ...]:
    """Returns a merge's own changes to a text, told from one of the parents' versions."""
    # Most changes of the two sides lie far from each other: that is seen without a line diff.
    if not _met_by_all([list(regions.unequal_and_around(parent, merged)) for parent in parents]):
        return ()
    changed = [hunks.groups(parent, merged) for parent in parents]
    spans = _met_by_all([[(group.new, group.new_end) for group in groups] for groups in changed])
    if not spans:
        return ()
    groups = changed[told_from]
    kept = [any(start <= group.new_end and group.new <= end for start, end in spans) for group in groups]
    old, new = _Lines(parents[told_from]), _Lines(merged)
    return tuple(_hunk(old, new, groups, first, last) for first, last in _runs(groups, kept))


def _met_by_all(changed: Sequence[Sequence[tuple[int, int]]]) -> list[tuple[int, int]]:
    """Returns the spans of the merged text where changes against all parents meet, from start to end."""
    marks = sorted((start, end, parent) for parent, each in enumerate(changed) for start, end in each)
    spans: list[tuple[int, int]] = []
    start = end = -1
    parents: set[int] = set()
    for begins, ends, parent in marks:
        if begins > end:
            if len(parents) == len(changed):
                spans.append((start, end))
            start, parents = begins, set()
        end = max(end, ends)
        parents.add(parent)
    if len(parents) == len(changed):
        spans.append((start, end))
    return spans


def _runs(groups: Sequence[Group], kept: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Yields first and last index of the kept groups that are near enough to share a hunk."""
    first: int | None = None
    for index, (group, is_kept) in enumerate(zip(groups, kept, strict=True)):
        is_near = index > 0 and group.new - groups[index - 1].new_end <= 2 * CONTEXT_LINES
        if first is not None and not (is_kept and is_near):
            yield first, index - 1
            first = None
        if is_kept and first is None:
            first = index
    if first is not None:
        yield first, len(groups) - 1


def _hunk(old: _Lines, new: _Lines, groups: Sequence[Group], first: int, last: int) -> Hunk:
    """Writes neighbouring groups with the context between and around them."""
    ceiling = groups[first - 1].new_end if first else 0
    floor = groups[last + 1].new if last + 1 < len(groups) else new.count
    above = min(CONTEXT_LINES, groups[first].new - ceiling)
    below = min(CONTEXT_LINES, floor - groups[last].new_end)
    old_start, new_start = groups[first].old - above, groups[first].new - above
    body: list[bytes] = []
    at = new_start
    for group in groups[first : last + 1]:
        body += new.signed(b" ", at, group.new)
        body += old.signed(b"-", group.old, group.old + group.old_lines)
        body += new.signed(b"+", group.new, group.new_end)
        at = group.new_end
    body += new.signed(b" ", at, at + below)
    old_lines = groups[last].old + groups[last].old_lines + below - old_start
    new_lines = groups[last].new_end + below - new_start
    return Hunk(
        old_start + 1 if old_lines else old_start,
        old_lines,
        new_start + 1 if new_lines else new_start,
        new_lines,
        hunks.FunctionLines(old.data).above(old.offset(old_start)),
        decode.text(b"\n".join(body)),
    )


class _Lines:
    """A text by lines, which end at "\\n" and nowhere else."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._lines = data.split(b"\n")
        self._is_complete = not self._lines[-1]
        if self._is_complete:
            self._lines.pop()
        self.count = len(self._lines)

    def signed(self, sign: bytes, start: int, end: int) -> list[bytes]:
        """Returns lines as a diff shows them."""
        shown = [sign + line for line in self._lines[start:end]]
        if end == self.count and start < end and not self._is_complete:
            shown.append(NO_NEWLINE.encode())
        return shown

    def offset(self, line: int) -> int:
        """Returns where a line starts, in bytes."""
        return sum(map(len, self._lines[:line])) + line
