"""Takes stored hunks apart into what they replace and what they put there. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.fate.segments import Replaced
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.store.lines import ChangedHunk


@dataclass(frozen=True, slots=True)
class HunkLines:
    """The added and the removed lines of a hunk, and where they stand in both texts (from 0)."""

    hunk: int
    changes: list[Replaced]
    added: list[str]
    removed: list[str]
    added_at: list[int]

    @property
    def solid(self) -> int:
        """How many added lines are not blank."""
        return count_solid(self.added)


def count_solid(lines: Iterable[str]) -> int:
    """How many lines are not blank."""
    return sum(map(bool, map(str.strip, lines)))


def take_apart(hunks: Iterable[ChangedHunk]) -> list[HunkLines]:
    """The lines of a file's hunks, in the order of the file.

    Positions follow from the sides that have lines, and from how much the new text has grown so far: a side
    without any is numbered differently in a whole hunk and in a piece of one.
    """
    found: list[HunkLines] = []
    grown = 0
    for hunk in hunks:
        if hunk.old_lines:
            old = hunk.old_start - 1
            new = old + grown
        else:
            new = hunk.new_start - 1
            old = new - grown
        found.append(_apart(hunk, old, new))
        grown += hunk.new_lines - hunk.old_lines
    return found


def own_lines(hunk: ChangedHunk) -> HunkLines:
    """The lines of a merge's own hunk, whose place in the new text alone is known."""
    new = hunk.new_start - 1 if hunk.new_lines else hunk.new_start
    return _apart(hunk, max(0, hunk.old_start - 1), new)


def _apart(hunk: ChangedHunk, old: int, new: int) -> HunkLines:
    if (alone := _one_side(hunk, old, new)) is not None:
        return alone
    changes: list[Replaced] = []
    added: list[str] = []
    removed: list[str] = []
    places: list[int] = []
    gone = come = 0  # of the run of changed lines that is being read
    for line in hunk.body.split("\n") if hunk.body else ():
        sign = line[:1]
        if sign == "+":
            added.append(line[1:])
            places.append(new)
            come += 1
            new += 1
        elif sign == "-":
            if come:  # a run begins with what it takes away
                changes.append(Replaced(old - gone, gone, come, hunk.hunk, len(added) - come))
                gone = come = 0
            removed.append(line[1:])
            gone += 1
            old += 1
        elif sign == " ":
            if gone or come:
                changes.append(Replaced(old - gone, gone, come, hunk.hunk, len(added) - come))
                gone = come = 0
            old += 1
            new += 1
    if gone or come:
        changes.append(Replaced(old - gone, gone, come, hunk.hunk, len(added) - come))
    return HunkLines(hunk.hunk, changes, added, removed, places)


def _one_side(hunk: ChangedHunk, old: int, new: int) -> HunkLines | None:
    """The lines of a hunk that has one sign alone, as that of a new file: no line is looked at."""
    body = hunk.body
    sign = body[:1]
    if sign not in {"+", "-"} or body.count("\n") != body.count(f"\n{sign}"):
        return None
    lines = body[1:].split(f"\n{sign}")
    if sign == "+":
        places = list(range(new, new + len(lines)))
        return HunkLines(hunk.hunk, [Replaced(old, 0, len(lines), hunk.hunk, 0)], lines, [], places)
    return HunkLines(hunk.hunk, [Replaced(old, len(lines), 0, hunk.hunk, 0)], [], lines, [])
