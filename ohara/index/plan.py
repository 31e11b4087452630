"""Decides what an index run has to do, from what is reachable and what is there. Pure.

Two ways lead to the same plan. The whole way compares everything reachable with everything indexed.
The short way applies when the index was complete for some tips and the new tips contain them all, as
after a commit or a pull: then only what the tips gained is looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set

    from ohara.model import Sha


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one run: only commits this new, and only so many of them."""

    since: int | None = None
    max_commits: int | None = None


NO_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Plan:
    """What to read (newest first), what to hide, what to show again; `total` is all that is reachable.

    `older` of them are not indexed and will not be, because they are older than the limit.
    """

    pending: tuple[Sha, ...]
    dead: tuple[Sha, ...]
    revived: tuple[Sha, ...]
    total: int
    limited: bool
    older: int = 0

    @property
    def changes_nothing(self) -> bool:
        """True when the index already shows exactly what is reachable."""
        return not (self.pending or self.dead or self.revived)


def plan_whole(
    reachable: Sequence[tuple[Sha, int]], indexed: Mapping[Sha, bool], *, limits: Limits = NO_LIMITS
) -> Plan:
    """Plan from everything reachable (newest first) and everything indexed (sha → live).

    Limits bound the history that is looked at, so that the same limits twice find nothing to do.
    """
    wanted = {sha for sha, _ in reachable}
    within = [
        sha for sha, time in reachable[: limits.max_commits] if limits.since is None or time >= limits.since
    ]
    pending = tuple(sha for sha in within if sha not in indexed)
    missing = sum(sha not in indexed for sha, _ in reachable)
    return Plan(
        pending=pending,
        dead=tuple(sorted(sha for sha, live in indexed.items() if live and sha not in wanted)),
        revived=tuple(sorted(sha for sha, live in indexed.items() if not live and sha in wanted)),
        total=len(reachable),
        limited=len(pending) < missing,
        older=sum(
            limits.since is not None and time < limits.since and sha not in indexed for sha, time in reachable
        ),
    )


def plan_forward(
    gained: Sequence[tuple[Sha, int]], indexed: Mapping[Sha, bool], *, total_before: int
) -> Plan:
    """Plan when the tips only moved forward from tips the index was complete for.

    `gained` is newest first and may hold a few commits that are not new; `indexed` need cover only those.
    """
    return Plan(
        pending=tuple(sha for sha, _ in gained if sha not in indexed),
        dead=(),
        revived=tuple(sorted(sha for sha, _ in gained if indexed.get(sha) is False)),
        total=total_before + sum(not indexed.get(sha, False) for sha, _ in gained),
        limited=False,
    )


LARGEST_TASK_COMMITS = 128


def task_sizes(*, first: int, largest: int) -> Iterator[int]:
    """How many commits each task takes: small ones first, so that the newest are searchable at once."""
    size = first
    while True:
        yield size
        size = min(size * 2, largest)


def into_tasks(
    items: Sequence[Sha],
    alone: Set[Sha] = frozenset(),
    *,
    first: int = 16,
    largest: int = LARGEST_TASK_COMMITS,
) -> Iterator[tuple[Sha, ...]]:
    """Cut the work into tasks, in order; items in `alone` get a task of their own, before the others."""
    for item in items:
        if item in alone:
            yield (item,)
    rest = [item for item in items if item not in alone]
    start = 0
    for size in task_sizes(first=first, largest=largest):
        if start >= len(rest):
            return
        yield tuple(rest[start : start + size])
        start += size
