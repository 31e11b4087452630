"""Which commits only one side of a merge has. Pure.

A branch that began long ago shares none of what came to the others since, and to go back from both sides of
a merge is to visit all of that, for every such merge. So whoever goes through history from its beginning
keeps of each commit that may still be merged which commits lead to it, a bit for each (`Sides`).
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ohara.model import Sha
    from ohara.store.lines import CommitLink

_OURS, _THEIRS, _BOTH = 1, 2, 3


class Exclusive(NamedTuple):
    """The commits that lead to one parent and not to the other, by their number in the index."""

    ours: frozenset[int]
    theirs: frozenset[int]


def exclusive(
    links: Mapping[Sha, CommitLink], positions: Mapping[Sha, int], ours: Sha, theirs: Sha
) -> Exclusive:
    """Goes back from both parents until only common commits are left; children have higher positions."""
    sides: dict[Sha, int] = {}
    waiting: list[tuple[int, Sha]] = []
    single = 0  # commits that wait and were reached from one side only

    def reach(sha: Sha, side: int) -> None:
        nonlocal single
        if sha not in links:
            return
        before = sides.get(sha, 0)
        after = before | side
        if after == before:
            return
        sides[sha] = after
        if not before:
            heapq.heappush(waiting, (-positions[sha], sha))
            single += after != _BOTH
        elif after == _BOTH:
            single -= 1

    reach(ours, _OURS)
    reach(theirs, _THEIRS)
    while waiting and single:
        sha = heapq.heappop(waiting)[1]
        side = sides[sha]
        single -= side != _BOTH
        for parent in links[sha].parents:
            reach(parent, side)
    return Exclusive(
        frozenset(links[sha].commit for sha, side in sides.items() if side == _OURS),
        frozenset(links[sha].commit for sha, side in sides.items() if side == _THEIRS),
    )


class Sides:
    """What commits consist of, as far as they were added, parents before children."""

    def __init__(
        self, links: Mapping[Sha, CommitLink], order: Sequence[CommitLink], positions: Mapping[Sha, int]
    ) -> None:
        self._links = links
        self._order = order
        self._positions = positions
        self._ancestors: dict[Sha, int] = {}  # and the commit itself; the lowest bit is the first in order

    def add(self, link: CommitLink) -> None:
        """Remember what a commit consists of, if that is known of its parents."""
        parents = [parent for parent in link.parents if parent in self._links]
        if all(parent in self._ancestors for parent in parents):
            reached = 1 << self._positions[link.sha]
            for parent in parents:
                reached |= self._ancestors[parent]
            self._ancestors[link.sha] = reached

    def forget(self, sha: Sha) -> None:
        """Forget a commit that nothing will be asked of any more."""
        self._ancestors.pop(sha, None)

    def only_in(self, one: Sha, other: Sha) -> frozenset[int]:
        """The commits that lead to one commit and not to the other, by their number in the index."""
        mine, theirs = self._ancestors.get(one), self._ancestors.get(other)
        if mine is None or theirs is None:
            return exclusive(self._links, self._positions, one, other).ours
        return frozenset(self._order[at].commit for at in _bits(mine & ~theirs))


def _bits(number: int) -> Iterator[int]:
    """Which bits of a number are set, from the lowest on."""
    if not number:
        return
    lowest = (number & -number).bit_length() - 1
    digits = f"{number >> lowest:b}"[::-1]
    at = 0
    while at >= 0:
        yield lowest + at
        at = digits.find("1", at + 1)


def in_order(links: Mapping[Sha, CommitLink]) -> list[CommitLink]:
    """Commits after all of their parents; of those that could come next, the oldest comes first."""
    children: dict[Sha, list[Sha]] = {}
    missing: dict[Sha, int] = {}
    for sha, link in links.items():
        parents = {parent for parent in link.parents if parent in links}
        missing[sha] = len(parents)
        for parent in parents:
            children.setdefault(parent, []).append(sha)
    ready = [(links[sha].time, sha) for sha, count in missing.items() if not count]
    heapq.heapify(ready)
    found: list[CommitLink] = []
    while ready:
        sha = heapq.heappop(ready)[1]
        found.append(links[sha])
        for child in children.get(sha, ()):
            missing[child] -= 1
            if not missing[child]:
                heapq.heappush(ready, (links[child].time, child))
    return found
