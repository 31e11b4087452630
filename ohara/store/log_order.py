"""The order in which `git log` lists commits, told by their times as far as these tell it.

The log goes from child to parent and always takes the newest commit that it has met. Where the clock of a
commit was behind that of a parent, a slip, the parent is met late. Of two commits the log lists the newer
first, unless the time of the older lies within a slip. Only then, and for commits of one second, the whole
order is worked out: in a new process that would take longer than all else that an answer needs.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache, total_ordering
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ohara.model import Sha
    from ohara.store.history import History

F = TypeVar("F")


class ClockSlips:
    """The times that lie between a commit and a parent of it that is newer."""

    def __init__(self, slips: Iterable[tuple[int, int]]) -> None:
        """Each slip is the time of a commit and that of the parent."""
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(slips):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._starts.append(start)
                self._ends.append(end)

    def hold(self, time: int) -> bool:
        """True when a commit of this time may be listed before newer ones."""
        at = bisect_right(self._starts, time) - 1
        return at >= 0 and time < self._ends[at]


class LogOrder:
    """Puts commits in the order of the log; for one reader and one question."""

    def __init__(self, reader: History) -> None:
        self._slips = cache(reader.clock_slips)
        self._whole = cache(reader.log_order)

    def place(self, sha: Sha, time: int) -> LogPlace:
        """What sorts a commit among others, the newest first."""
        return LogPlace(self, sha, time)

    def newest_first(self, found: Sequence[F], commit: Callable[[F], tuple[Sha, int]]) -> list[F]:
        """What was found in some commits, of each the sha and the time, in their order."""
        times = dict(map(commit, found))
        distinct = set(times.values())
        if len(distinct) == len(times) and not any(map(self._slips().hold, distinct)):
            return sorted(found, key=lambda one: -commit(one)[1])
        whole = self._whole()
        if whole is None:
            return sorted(found, key=lambda one: -commit(one)[1])
        return sorted(found, key=lambda one: whole.get(commit(one)[0], len(whole)))

    def lists_first(self, one: LogPlace, other: LogPlace) -> bool:
        """True when the log lists a commit before another."""
        if one.time != other.time and not self._slips().hold(min(one.time, other.time)):
            return one.time > other.time
        whole = self._whole()
        if whole is None:
            return one.time > other.time
        return whole.get(one.sha, len(whole)) < whole.get(other.sha, len(whole))


@total_ordering
class LogPlace:
    """A commit's place in the log; the smaller, the newer."""

    __slots__ = ("_order", "sha", "time")

    def __init__(self, order: LogOrder, sha: Sha, time: int) -> None:
        self._order = order
        self.sha = sha
        self.time = time

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LogPlace) and self.sha == other.sha

    def __hash__(self) -> int:
        return hash(self.sha)

    def __lt__(self, other: LogPlace) -> bool:
        return self.sha != other.sha and self._order.lists_first(self, other)
