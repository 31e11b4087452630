"""Commits by position, parents before children, for what has to look at every commit in one sweep. Pure."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ABSENT = -1  # the position of a parent that is not indexed


@dataclass(frozen=True, slots=True)
class CommitGraph:
    """The commits of an index in an order in which every parent comes before its children, else by time.

    Of each the sha, the committer time and the positions of its parents, ABSENT for one that is not indexed;
    `position` finds them by sha.
    """

    shas: Sequence[bytes]
    times: Sequence[int]
    parents: Sequence[tuple[int, ...]]
    position: Mapping[bytes, int]


def commit_graph(commits: Iterable[tuple[bytes, int, tuple[bytes, ...]]]) -> CommitGraph:
    """Order commits, each given with its committer time and the shas of its parents."""
    shas: list[bytes] = []
    times: list[int] = []
    named: list[tuple[bytes, ...]] = []
    for sha, time, parents in commits:
        shas.append(sha)
        times.append(time)
        named.append(parents)
    number = {sha: at for at, sha in enumerate(shas)}
    links = [tuple([number.get(parent, ABSENT) for parent in parents]) for parents in named]
    order = _parents_first(times, links, shas)
    place = [0] * len(order)
    for at, one in enumerate(order):
        place[one] = at
    place.append(ABSENT)  # which ABSENT, the last position, stands for
    return CommitGraph(
        shas=[shas[one] for one in order],
        times=[times[one] for one in order],
        parents=[tuple([place[parent] for parent in links[one]]) for one in order],
        position={shas[one]: at for at, one in enumerate(order)},
    )


def _parents_first(times: list[int], links: list[tuple[int, ...]], shas: list[bytes]) -> list[int]:
    """Commits taken newest first, none before its children, and then turned round."""
    children = [0] * len(links)
    for parents in links:
        for parent in parents:
            if parent >= 0:
                children[parent] += 1
    waiting = [(-times[at], shas[at], at) for at, count in enumerate(children) if not count]
    heapq.heapify(waiting)
    order: list[int] = []
    while waiting:
        at = heapq.heappop(waiting)[2]
        order.append(at)
        for parent in links[at]:
            if parent >= 0:
                children[parent] -= 1
                if not children[parent]:
                    heapq.heappush(waiting, (-times[parent], shas[parent], parent))
    order.reverse()
    return order
