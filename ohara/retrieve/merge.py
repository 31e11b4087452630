"""Puts the hits of several indexes in one order. Pure.

Each index has its own order, which is kept: of the first hits that are left, the one with the smallest key
comes next. So a page is told by how many hits of each index came before it, and no hit is lost or shown
twice however pages are cut.

Scores of a ranking are scaled by query and index, so they compare nothing; what was compared with the hunks
of all indexes (`comparing`) has a score that does. What was not follows below, by its place in its index.
"""

from __future__ import annotations

from heapq import heapify, heappop, heapreplace
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from ohara.model import Order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.retrieve.ranking import ScoredHunk

T = TypeVar("T")

SortKey: TypeAlias = tuple[float, ...]
"""Smaller comes first; only keys of one query are compared."""


_NOT_COMPARED = (1.0, 1.0)


def keys_by_time(shown: Sequence[ScoredHunk], order: Order) -> tuple[SortKey, ...]:
    """The keys of a list in the order of time, newest first unless the oldest are wanted."""
    sign = 1 if order is Order.OLDEST else -1
    return tuple((float(sign * one.time),) for one in shown)


def keys_by_rank(shown: Sequence[ScoredHunk], compared: int) -> tuple[SortKey, ...]:
    """The keys of a ranking of which the first `compared` were compared with those of other indexes.

    A hit that its index prefers to a better score (it holds the one rare word) counts as that score.
    """
    keys: list[SortKey] = []
    best: SortKey | None = None
    for place, one in reversed(list(enumerate(shown))):
        if one.below or place >= compared:
            keys.append((*_NOT_COMPARED, float(place)))
            continue
        own = (float(not one.pinned), 0.0, -one.score)
        best = own if best is None else min(own, best)
        keys.append(best)
    return tuple(reversed(keys))


def is_compared(key: SortKey) -> bool:
    """False for the key of a hit of a ranking that was not compared with those of other indexes."""
    return key[:2] != _NOT_COMPARED


def merged(
    lists: Sequence[Sequence[T]], keys: Sequence[Sequence[SortKey]], count: int
) -> list[tuple[int, T]]:
    """The first `count` of several lists in one order (0 for all), each with the number of its list."""
    heads = [(keys[number][0], number, 0) for number, each in enumerate(lists) if each]
    heapify(heads)
    taken: list[tuple[int, T]] = []
    while heads and (not count or len(taken) < count):
        _, number, place = heads[0]
        taken.append((number, lists[number][place]))
        if place + 1 < len(lists[number]):
            heapreplace(heads, (keys[number][place + 1], number, place + 1))
        else:
            heappop(heads)
    return taken
