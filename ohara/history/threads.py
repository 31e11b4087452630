"""Threads of work: commits that belong together, from what is certain first and what is likely second. Pure.

Links are taken in the order of how sure they are. A link that would make a thread larger than any piece of
work is not taken, so that no weak reason ever costs a strong one, and no number that many commits mention
makes half a history one thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.history.likely import likely_links
from ohara.history.links import certain_links
from ohara.history.reasons import Reason
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.history.reasons import Link, Node

# More commits than this are a line of development and no thread that anybody would read.
MOST_IN_THREAD = 150

THREADS_VERSION = 1  # of the rules; another one has all threads found anew

COPIES = frozenset({Reason.PICKED, Reason.SAME_PATCH, Reason.SAME_CHANGE})


@dataclass(frozen=True, slots=True)
class Member:
    """A commit of a thread, and the surest reason why it belongs there."""

    commit: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Found:
    """The threads of a history, and the commits that make the same change, each in order."""

    threads: list[tuple[Member, ...]]
    copies: list[tuple[int, ...]]


def find_threads(nodes: Sequence[Node], tips: Sequence[int]) -> Found:
    """The threads and copies of a history; commits come oldest first."""
    certain = certain_links(nodes, tips)
    order = in_order(nodes)
    same = grouped(order, (link for link in certain if link.reason in COPIES), most=MOST_IN_THREAD)
    return Found(
        threads=grouped(order, [*certain, *likely_links(nodes, certain)], most=MOST_IN_THREAD),
        copies=[tuple(member.commit for member in each) for each in same],
    )


def in_order(nodes: Sequence[Node]) -> list[int]:
    """Commits by time; those of one second, as a rebase makes them, with parents before children."""
    times = {node.id: node.time for node in nodes}
    # Of each commit, the parents of the same second: of most, none.
    before = {node.id: [each for each in node.parents if times.get(each) == node.time] for node in nodes}
    depth: dict[int, int] = {}
    for node in nodes:
        waiting = [node.id]
        while waiting:
            at = waiting[-1]
            if unknown := [each for each in before[at] if each not in depth]:
                waiting += unknown
                continue
            waiting.pop()
            depth[at] = 1 + max((depth[each] for each in before[at]), default=0)
    places = {node.id: place for place, node in enumerate(nodes)}
    return sorted(places, key=lambda commit: (times[commit], depth[commit], places[commit]))


def grouped(commits: Sequence[int], links: Iterable[Link], *, most: int) -> list[tuple[Member, ...]]:
    """The groups of two or more that links make, none larger than `most`, in the order of `commits`."""
    groups = _Groups(commits, most)
    reasons: dict[int, Reason] = {}
    for link in links:
        if groups.join(link.commits):
            for commit in link.commits:
                reasons[commit] = min(link.reason, reasons.get(commit, link.reason))
    members: dict[int, list[Member]] = {}
    for commit in commits:
        if commit in reasons:
            members.setdefault(groups.of(commit), []).append(Member(commit, reasons[commit]))
    return [tuple(each) for each in members.values()]


class _Groups:
    """Commits in groups that can be joined."""

    def __init__(self, commits: Iterable[int], most: int) -> None:
        self._above: dict[int, int] = {commit: commit for commit in commits}
        self._size: dict[int, int] = dict.fromkeys(self._above, 1)
        self._most = most

    def of(self, commit: int) -> int:
        """The commit that stands for the group."""
        while (above := self._above[commit]) != commit:
            self._above[commit] = self._above[above]
            commit = above
        return commit

    def join(self, commits: Sequence[int]) -> bool:
        """Make the groups of commits one, unless it would be too large; True when they are one."""
        first, *others = dict.fromkeys(self.of(commit) for commit in commits)
        size = self._size[first] + sum(self._size[other] for other in others)
        if size > self._most:
            return False
        for other in others:
            self._above[other] = first
        self._size[first] = size
        return True
