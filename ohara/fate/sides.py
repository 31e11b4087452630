"""Which commits only one side of a merge has. Pure."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

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
