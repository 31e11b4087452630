"""Decides what became of hunks' added lines, from how runs of them ended and where they stand. Pure.

A line that was moved, joined or restored goes on as a line of another hunk, and so on from there. Only what
the commits of one history did counts: those that lead to the tip from which all is seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ohara.model import Fate, FateState
from ohara.store.lines import How

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

    from ohara.store.lines import HeadLines, LineEnd

_GOES_ON = frozenset({How.MOVED, How.JOINED, How.RESTORED, How.SHIFTED})
FARTHEST = 500  # times that a line is followed on: no history moves one so often


class Place(NamedTuple):
    """Where a line stands, whether it came there from another file, and who brought it back, if anybody."""

    path: str
    line: int
    is_moved: bool
    restored_by: int | None


class Ending(NamedTuple):
    """How a line ended, in which commit."""

    commit: int
    how: How


@dataclass(slots=True)
class Known:
    """All that is known of the lines of some hunks, and of those that they became."""

    ends: dict[int, list[LineEnd]] = field(default_factory=dict)
    heads: dict[int, list[HeadLines]] = field(default_factory=dict)

    def add(self, ends: Iterable[LineEnd], heads: Iterable[HeadLines]) -> set[int]:
        """Take more in; which hunks their lines became."""
        further: set[int] = set()
        for end in ends:
            self.ends.setdefault(end.hunk, []).append(end)
            if end.how in _GOES_ON and end.to_hunk is not None:
                further.add(end.to_hunk)
        for head in heads:
            self.heads.setdefault(head.hunk, []).append(head)
        return further


class Judge:
    """Judges lines by what is known, as seen from one tip."""

    def __init__(self, known: Known, below: Container[int], newest: Callable[[int], int]) -> None:
        """`below` are the commits that lead to the tip; `newest` puts commits in order, the newest first."""
        self._known = known
        self._below = below
        self._newest = newest

    def line(self, hunk: int, line: int) -> tuple[Place | None, Ending | None]:
        """Where an added line stands, or how it ended; neither when nothing is known of its end."""
        return self._follow(hunk, line, set())

    def _follow(self, hunk: int, line: int, seen: set[tuple[int, int]]) -> tuple[Place | None, Ending | None]:
        # Merges of merges may join two origins either way round.
        if (hunk, line) in seen or len(seen) >= FARTHEST:
            return None, None
        seen.add((hunk, line))
        for head in self._known.heads.get(hunk, ()):
            if head.first <= line < head.first + head.lines:
                return Place(head.path, head.line + line - head.first, False, None), None
        endings: list[Ending] = []
        for end in self._known.ends.get(hunk, ()):
            if not end.first <= line < end.end or end.commit not in self._below:
                continue
            if end.how not in _GOES_ON or end.to_hunk is None:
                endings.append(Ending(end.commit, end.how))
                continue
            place, ending = self._follow(end.to_hunk, end.to_first + line - end.first, seen)
            if place is not None:
                restored = end.commit if end.how is How.RESTORED else place.restored_by
                return Place(place.path, place.line, place.is_moved or end.how is How.MOVED, restored), None
            if ending is not None:
                endings.append(ending)
        # What a merge did not take over was mostly taken away by a commit of the other side.
        endings.sort(key=lambda each: (each.how is How.DROPPED, self._newest(each.commit)))
        return None, endings[0] if endings else None


class Verdict(NamedTuple):
    """A fate whose commit is named by its number in the index."""

    fate: Fate
    by: int | None


def judge(judge_of: Judge, hunk: int, solid: Sequence[int], newest: Callable[[int], int]) -> Verdict:
    """The fate of a hunk's added lines, of which `solid` are not blank."""
    places: list[Place] = []
    endings: list[Ending] = []
    for line in solid:
        place, ending = judge_of.line(hunk, line)
        if place is not None:
            places.append(place)
        elif ending is not None:
            endings.append(ending)
    here = [place for place in places if not place.is_moved]
    first = here[0] if here else places[0] if places else None
    taken_back = [ending for ending in endings if ending.how is How.REVERTED]
    if len(places) == len(solid) and here:
        state = FateState.ALIVE
    elif here:
        state = FateState.CHANGED
    elif places:
        state = FateState.MOVED
    elif taken_back:
        state, endings = FateState.REVERTED, taken_back
    else:
        state = FateState.GONE
    by = min((ending.commit for ending in endings), key=newest, default=None)
    if state is FateState.ALIVE:
        by = next((place.restored_by for place in places if place.restored_by is not None), None)
    path, line_now = (first.path, first.line) if first else (None, None)
    return Verdict(Fate(state, len(places), len(solid), path, line_now), by)


def solid_lines(body: str) -> list[int]:
    """Which of a hunk's added lines (from 0) are not blank."""
    added = [line[1:] for line in body.split("\n") if line[:1] == "+"]
    return [at for at, line in enumerate(added) if line.strip()]


def removed_lines(body: str) -> list[str]:
    """A hunk's removed lines."""
    return [line[1:] for line in body.split("\n") if line[:1] == "-"]
