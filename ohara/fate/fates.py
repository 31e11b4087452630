"""Decides what became of hunks' added lines, from how runs of them ended and where they stand. Pure.

A line that was moved, joined or restored goes on as a line of another hunk, and so on from there. Only what
the commits of one history did counts: those that lead to the tip from which all is seen.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

from ohara.model import Fate, FateState
from ohara.records import dataclass
from ohara.store.lines import How

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

    from _typeshed import SupportsRichComparison

    from ohara.store.lines import HeadLines, LineEnd

    Newest = Callable[[int], SupportsRichComparison]
    """What sorts commits, given by their numbers, the newest first."""

_GOES_ON = frozenset({How.MOVED, How.JOINED, How.RESTORED, How.SHIFTED})
FARTHEST = 500  # times that a line is followed on: no history moves one so often


class Place(NamedTuple):
    """Where a line stands, who moved it there from another file, and who brought it back, if anybody."""

    path: str
    line: int
    moved_by: int | None = None
    restored_by: int | None = None


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

    def __init__(self, known: Known, below: Container[int], newest: Newest) -> None:
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
                return Place(head.path, head.line + line - head.first), None
        endings: list[Ending] = []
        for end in self._known.ends.get(hunk, ()):
            if not end.first <= line < end.end or end.commit not in self._below:
                continue
            if end.how not in _GOES_ON or end.to_hunk is None:
                endings.append(Ending(end.commit, end.how))
                continue
            place, ending = self._follow(end.to_hunk, end.to_first + line - end.first, seen)
            if place is not None:
                return _by_way_of(end, place), None
            if ending is not None:
                endings.append(ending)
        if len(endings) < 2:
            return None, endings[0] if endings else None
        return None, min(endings, key=lambda each: self._newest(each.commit))


def _by_way_of(end: LineEnd, place: Place) -> Place:
    """The place with who brought a line there; of several moves the last is named."""
    if end.how is How.RESTORED:
        return place._replace(restored_by=end.commit)
    if end.how is How.MOVED and place.moved_by is None:
        return place._replace(moved_by=end.commit)
    return place


class Outcome(NamedTuple):
    """What became of added lines that are not blank: how many there are, and how many of them stand.

    `here` is the first that stands where it was put, `moved` the first that stands in another file.
    """

    of: int
    kept: int = 0
    here: Place | None = None
    moved: Place | None = None
    restored_by: int | None = None
    endings: frozenset[Ending] = frozenset()


def of_lines(judge_of: Judge, hunk: int, solid: Sequence[int]) -> Outcome:
    """What became of a hunk's added lines, of which `solid` are not blank, line by line."""
    places: list[Place] = []
    endings: set[Ending] = set()
    for line in solid:
        place, ending = judge_of.line(hunk, line)
        if place is not None:
            places.append(place)
        elif ending is not None:
            endings.add(ending)
    return Outcome(
        of=len(solid),
        kept=len(places),
        here=next((place for place in places if place.moved_by is None), None),
        moved=next((place for place in places if place.moved_by is not None), None),
        restored_by=next((place.restored_by for place in places if place.restored_by is not None), None),
        endings=frozenset(endings),
    )


def of_runs(known: Known, below: Container[int], hunk: int, of: int) -> Outcome | None:
    """The same by whole runs, without reading the lines; None where runs do not tell.

    They do not where lines went on as others, and where they stand although some commit ended them.
    """
    ends = [end for end in known.ends.get(hunk, ()) if end.commit in below]
    if any(end.how in _GOES_ON for end in ends):
        return None
    heads = sorted(known.heads.get(hunk, ()), key=lambda head: head.first)
    if any(end.first < head.first + head.lines and head.first < end.end for end in ends for head in heads):
        return None
    first = next((head for head in heads if head.solid), None)
    return Outcome(
        of=of,
        kept=sum(head.solid for head in heads),
        here=Place(first.path, first.line) if first else None,
        endings=frozenset(Ending(end.commit, end.how) for end in ends if end.solid),
    )


def added_up(outcomes: Iterable[Outcome]) -> Outcome:
    """What became of the lines of several hunks; the first place of all is that of the first."""
    total = Outcome(0)
    for each in outcomes:
        total = Outcome(
            of=total.of + each.of,
            kept=total.kept + each.kept,
            here=total.here or each.here,
            moved=total.moved or each.moved,
            restored_by=each.restored_by if total.restored_by is None else total.restored_by,
            endings=total.endings | each.endings,
        )
    return total


class Verdict(NamedTuple):
    """A fate whose commit is named by its number in the index."""

    fate: Fate
    by: int | None


def verdict(outcome: Outcome, newest: Newest) -> Verdict:
    """The fate of lines of which this became."""
    endings = outcome.endings
    taken_back = frozenset(ending for ending in endings if ending.how is How.REVERTED)
    if outcome.here and outcome.kept == outcome.of:
        state = FateState.ALIVE
    elif outcome.here:
        state = FateState.CHANGED
    elif outcome.moved:
        state = FateState.MOVED
    elif taken_back:
        state, endings = FateState.REVERTED, taken_back
    else:
        state = FateState.GONE
    by = min((ending.commit for ending in endings), key=newest, default=None)
    if state is FateState.ALIVE:
        by = outcome.restored_by
    elif state is FateState.MOVED and outcome.moved:
        by = outcome.moved.moved_by
    first = outcome.here or outcome.moved
    path, line_now = (first.path, first.line) if first else (None, None)
    return Verdict(Fate(state, outcome.kept, outcome.of, path, line_now), by)


def judge(judge_of: Judge, hunk: int, solid: Sequence[int], newest: Newest) -> Verdict:
    """The fate of a hunk's added lines, of which `solid` are not blank."""
    return verdict(of_lines(judge_of, hunk, solid), newest)


def solid_lines(body: str) -> list[int]:
    """Which of a hunk's added lines (from 0) are not blank."""
    added = [line[1:] for line in body.split("\n") if line[:1] == "+"]
    return [at for at, line in enumerate(added) if line.strip()]


def removed_lines(body: str) -> list[str]:
    """A hunk's removed lines."""
    return [line[1:] for line in body.split("\n") if line[:1] == "-"]
