"""Reads the newest commits of a long history before the rest of it has been looked at.

What a person waits for is the newest commits; how many there are in all takes a long history seconds to
tell. Nothing else is recorded before the whole is known, so a run that ends here is one that has only begun.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from ohara.errors import OharaError
from ohara.git.walk import walk
from ohara.index import stages
from ohara.index.inline import SMALL_RUN_COMMITS
from ohara.index.plan import NO_LIMITS
from ohara.index.survey import choose_refs, resolve_tips
from ohara.store.facts import LONG_RUN, TIPS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ohara.git.repo import Repository
    from ohara.index.plan import Limits, Plan
    from ohara.index.pool import Pool
    from ohara.index.stages import Clock
    from ohara.index.survey import RefChoice
    from ohara.model import Progress, Sha
    from ohara.store.writing import Writer

NEWEST_COMMITS = 1_024
_LARGEST_TASK = 48  # commits: the last are not to keep one worker busy while the others have nothing to do


def newest_commits(
    repository: Repository, writer: Writer, tips: Mapping[str, Sha], limits: Limits
) -> tuple[Sha, ...]:
    """The newest commits, one more than are read ahead, when nothing is indexed yet; none otherwise."""
    if writer.fact(TIPS) or limits != NO_LIMITS:
        return ()
    return tuple(sha for sha, _ in islice(walk(repository, set(tips.values())), NEWEST_COMMITS + 1))


def is_long(repository: Repository, refs: RefChoice, configured: Sequence[str]) -> bool:
    """True when a history that has no index yet is worth workers, told by its first few commits.

    All refs may be thousands, which are not looked up twice for a tenth of a second: then nothing is told.
    """
    if refs.all_refs:
        return False
    try:
        tips = resolve_tips(repository, choose_refs(None, refs, configured))
    except OharaError:  # told when they are asked for again, and noted in the index
        return False
    return wants_workers(tuple(islice(walk(repository, set(tips.values())), SMALL_RUN_COMMITS + 1)))


def wants_workers(newest: tuple[object, ...]) -> bool:
    """True when there is more to read than a process would read by itself."""
    return len(newest) > SMALL_RUN_COMMITS


def reads_ahead(newest: tuple[Sha, ...]) -> bool:
    """True when the newest are read first: there are more than those."""
    return len(newest) > NEWEST_COMMITS


def not_failed_ahead(plan: Plan, writer: Writer, newest: tuple[Sha, ...]) -> Plan:
    """The plan without commits that were tried a moment ago and failed: the next run tries them again."""
    failed = set(writer.failed()) & set(newest)
    return replace(plan, pending=tuple(sha for sha in plan.pending if sha not in failed)) if failed else plan


def read_ahead(writer: Writer, pool: Pool, newest: tuple[Sha, ...], clock: Clock) -> Iterator[Progress]:
    """Read the newest commits of a history that has more of them."""
    if not reads_ahead(newest):
        return
    writer.record(LONG_RUN, True)
    writer.upkeep.merge_late(late=True)
    known = writer.known_among(newest)  # of a run that was killed here
    pending = [sha for sha in newest[:NEWEST_COMMITS] if sha not in known]
    yield from stages.extract(writer, pool, pending, clock, largest_task=_LARGEST_TASK)
