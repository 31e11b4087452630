"""The status of an index compared with its repository: what is indexed, what is not, of which refs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.git.walk import walk
from ohara.index.survey import (
    RefChoice,
    choose_refs,
    recount,
    resolve_tips,
    wanted_passes,
)
from ohara.model import IndexStatus
from ohara.store.facts import OLDER, THREADED, TIPS, TOTAL

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ohara.git.repo import Repository
    from ohara.model import PassStatus, Sha
    from ohara.settings import Settings
    from ohara.store.facts import KnowsFacts

    CountUnseen = Callable[[Collection[Sha], Collection[Sha]], int]
    """How many commits some tips lead to that others do not."""


def brief_status(
    repository: Repository,
    index: KnowsFacts,
    settings: Settings,
    passes: tuple[PassStatus, ...],
    count_unseen: CountUnseen,
    *,
    recounts: bool = False,
    shared: str = "",
) -> IndexStatus:
    """The part of the status that is cheap to compute; counts of rows and the like are left at 0.

    `recounts` checks whether a shallow clone was deepened or the setting index.since has changed; `shared`
    names the server that keeps the index.
    """
    choice = choose_refs(index, RefChoice(), settings.index.refs)
    tips = resolve_tips(repository.shared, choice)
    recounted = recount(repository, index, tips, settings.index.since) if recounts else None
    indexed = passes[0].total
    total, unseen = index.fact(TOTAL), count_unseen(tips.values(), index.fact(TIPS).values())
    if recounted is not None:  # what is indexed stays so, also what is older than index.since by now
        total, unseen = max(recounted, indexed + unseen), 0
    if total is None:  # a first run reads the newest commits before it counts them all
        total, unseen = unseen, 0
    return IndexStatus(
        repository=str(repository.path),
        commits=total + unseen,
        indexed=indexed,
        behind=max(0, total - indexed) + unseen,
        hunks=0,
        contents=0,
        symbols=0,
        size_bytes=0,
        passes=wanted_passes(passes, settings.models.embedder),
        left_out=(),
        failures=(),
        refs=tuple(sorted(tips.items())),
        last_run=None,
        shallow=repository.is_shallow,
        older=index.fact(OLDER),
        gone=choice.gone(tips),
        threaded=min(indexed, index.fact(THREADED)),
        shared=shared,
    )


def count_unseen(repository: Repository, tips: Collection[Sha], seen: Collection[Sha]) -> int:
    """How many commits some tips lead to that others do not."""
    if set(tips) <= set(seen):
        return 0
    return sum(1 for _ in walk(repository, set(tips), hide=set(seen)))


class UnseenCommits:
    """Counts as `count_unseen`, and keeps the last count: a walk through history takes its time."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._counts: dict[tuple[str, ...], int] = {}

    def count(self, tips: Collection[Sha], seen: Collection[Sha]) -> int:
        """How many commits some tips lead to that others do not."""
        key = (*sorted(tips), "", *sorted(seen))
        if key not in self._counts:
            self._counts = {key: count_unseen(self._repository, tips, seen)}
        return self._counts[key]
