"""Compares a repository with its index and plans a run: which refs, what is new, what is gone.

A ref that is requested must exist. One that was chosen earlier may be gone, as a branch is once it is merged:
the others still count, and the status names those that are gone.
"""

from __future__ import annotations

import shlex
import time
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

from ohara import config
from ohara.embed.catalog import NONE, serving_embedder
from ohara.errors import RepositoryError
from ohara.git.walk import walk
from ohara.index.plan import NO_LIMITS, Limits, Plan, plan_forward, plan_whole
from ohara.model import Pass, Sha
from ohara.query import parse_date
from ohara.records import dataclass
from ohara.store.facts import COMPLETE, GRAFTS, REFS, SINCE, TIPS, TOTAL

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence, Set

    from ohara.git.repo import Repository
    from ohara.model import PassStatus
    from ohara.store.facts import KnowsFacts
    from ohara.store.writing import Writer

_SETTING = "index.refs"
_UNBORN = "HEAD"  # leads nowhere in a repository without commits, and is not gone


class ChosenBy(Enum):
    """Who chose the refs of an index."""

    REQUEST = "this run was asked for them"
    MEMORY = "an earlier run was"
    SETTING = "the setting index.refs names them"
    VISIT = "one search wants them, and forgets them again"


@dataclass(frozen=True, slots=True)
class RefChoice:
    """Which refs an index covers; neither names nor all: HEAD and the remote's default branch."""

    names: tuple[str, ...] = ()
    all_refs: bool = False
    by: ChosenBy = ChosenBy.REQUEST

    @property
    def is_default(self) -> bool:
        """True when nobody asked for refs: those that hold are the setting's, or HEAD, and not remembered."""
        return self.by is ChosenBy.SETTING or not (self.names or self.all_refs)

    def gone(self, tips: Mapping[str, Sha]) -> tuple[str, ...]:
        """The chosen refs that lead nowhere any more, told from where the others lead."""
        return tuple(name for name in self.names if name not in tips and name != _UNBORN)


DEFAULT_REFS = RefChoice()


def choose_refs(index: KnowsFacts | None, asked: RefChoice, configured: Sequence[str]) -> RefChoice:
    """What is asked for now, else what was asked for before, else the settings' refs, else the default."""
    if not asked.is_default:
        return asked
    before = index.fact(REFS) if index is not None else None
    if before is not None:
        return RefChoice(before.names, before.all_refs, ChosenBy.MEMORY)
    return RefChoice(tuple(configured), by=ChosenBy.SETTING)


def resolve_tips(repository: Repository, choice: RefChoice) -> dict[str, Sha]:
    """The commits that the chosen refs point at now."""
    if choice.all_refs:
        return repository.resolve(repository.all_refs())
    if not choice.names:
        return repository.resolve(repository.default_refs())
    if choice.by in {ChosenBy.REQUEST, ChosenBy.VISIT}:
        return repository.resolve(choice.names)
    found = repository.resolve_existing(choice.names)
    if not found:
        try:
            repository.resolve(choice.names)
        except RepositoryError as error:
            raise _nothing_left(repository, choice, error) from error
    return found


def _nothing_left(repository: Repository, choice: RefChoice, error: RepositoryError) -> RepositoryError:
    """The error when none of the refs chosen earlier exists any more."""
    if choice.by is ChosenBy.SETTING:
        origin = config.load(repository=repository.work_dir).origins[_SETTING]
        return RepositoryError(f"{origin}: {_SETTING}: {error.message}", hint=error.hint)
    return RepositoryError(
        f"{error.message}, and nothing else was chosen to be indexed",
        hint="choose again: ohara index --ref HEAD",
    )


def command_to_choose(repository: Repository, choice: RefChoice, more: Collection[str] = ()) -> str:
    """The command that indexes the chosen refs that still exist, and more; "" when all refs are chosen."""
    if choice.all_refs:
        return ""
    chosen = choice.names or repository.default_refs()
    there = [name for name in chosen if name == _UNBORN or repository.resolve_existing((name,))]
    together = dict.fromkeys((*(there or (_UNBORN,)), *more))
    return " ".join(("ohara index", *(f"--ref {shlex.quote(name)}" for name in together)))


def wanted_passes(passes: Iterable[PassStatus], embedder: str) -> tuple[PassStatus, ...]:
    """The status of the passes that will be done: without an embedder, none for vectors."""
    off = {Pass.VECTOR} if serving_embedder(embedder).name == NONE else set()
    return tuple(each for each in passes if each.stage not in off)


def regrafted(repository: Repository, index: KnowsFacts) -> set[Sha]:
    """The commits whose parents are others than when last looked: a clone was deepened, a graft was made."""
    before = index.fact(GRAFTS)
    now = repository.grafts.told()
    return {Sha(each) for each in before.keys() | now.keys() if before.get(each) != now.get(each)}


def earliest(setting: str) -> int | None:
    """The moment from which on the setting `index.since` wants commits."""
    return parse_date(setting, now=int(time.time())) if setting else None


def recount(repository: Repository, index: KnowsFacts, tips: Mapping[str, Sha], setting: str) -> int | None:
    """How many commits there are to index, if grafts or `index.since` changed since they were counted."""
    if not regrafted(repository, index) and index.fact(SINCE) == setting:
        return None
    since = earliest(setting)
    return sum(since is None or moment >= since for _, moment in walk(repository, set(tips.values())))


def survey(repository: Repository, writer: Writer, tips: Mapping[str, Sha], limits: Limits) -> Plan:
    """Compare the tips with the index and plan what to do."""
    _retry_incomplete(repository, writer)
    _reread_grafted(repository, writer)
    complete = writer.fact(COMPLETE)
    if complete and limits == NO_LIMITS:
        forward = _forward(repository, writer, complete, tips)
        if forward is not None:
            return forward
    lost: set[str] = set()
    reachable = list(walk(repository, set(tips.values()), missing=lost, known=writer.known_links()))
    for sha in sorted(lost):  # looked for again by every run, as blobs are that are not there
        writer.record_failure(
            Sha(sha), "it is missing or damaged, and what came before it is not known", (sha,)
        )
    whole = plan_whole(reachable, writer.known_shas(), limits=limits)
    return _failed_last(whole, set(writer.failed()))


def _failed_last(plan: Plan, failed: Set[Sha]) -> Plan:
    """The plan with the commits that failed before behind all others: they may fail again, and slowly."""
    again = tuple(sha for sha in plan.pending if sha in failed)
    return replace(plan, pending=(*(sha for sha in plan.pending if sha not in failed), *again))


def _forward(
    repository: Repository, writer: Writer, complete: Mapping[str, Sha], tips: Mapping[str, Sha]
) -> Plan | None:
    """The short plan, or None when history was rewritten or lost since."""
    total = writer.fact(TOTAL)
    if total is None or writer.fact(TIPS) != complete:
        return None
    old, new = set(complete.values()), set(tips.values())
    failed = writer.failed()
    if old == new and not failed:
        return Plan((), (), (), total, limited=False)
    missing: set[str] = set()
    if (old != new and any(True for _ in walk(repository, old, hide=new, missing=missing))) or missing:
        return None
    gained = list(walk(repository, new, hide=old)) if old != new else []
    plan = plan_forward(gained, writer.known_among(sha for sha, _ in gained), total_before=total)
    again = tuple(sha for sha in failed if sha not in plan.pending)
    return Plan(plan.pending + again, plan.dead, plan.revived, plan.total, limited=False)


def _retry_incomplete(repository: Repository, writer: Writer) -> None:
    """Take out commits that lacked blobs which have since arrived, so that they are read again."""
    arrived = [sha for sha, blob in writer.incomplete() if repository.has_object(blob)]
    if arrived:
        writer.remove_commits(arrived)
        writer.record(COMPLETE, {})
        writer.commit()


def _reread_grafted(repository: Repository, writer: Writer) -> None:
    """Take out commits that got other parents, so that they are read again and all history is looked at."""
    changed = regrafted(repository, writer)
    if changed:
        writer.remove_commits(changed)
        writer.record(GRAFTS, repository.grafts.told())
        writer.record(COMPLETE, {})
        writer.commit()
