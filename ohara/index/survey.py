"""Looks at a repository and its index, and plans a run: which refs, what is new, what is gone."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ohara.git.walk import walk
from ohara.index.plan import NO_LIMITS, Limits, Plan, plan_forward, plan_whole
from ohara.model import Sha
from ohara.query import parse_date
from ohara.store.collect import remove_commits
from ohara.store.facts import read_failed, read_meta, read_tips

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.git.repo import Repository
    from ohara.store.connection import Connection
    from ohara.store.writer import Writer

# What a run stores about the refs, in the index's own words.
REFS = "refs"  # what was asked for: {"all": bool, "names": [...]}
TIPS = "tips"  # what the refs pointed at when last looked
TOTAL = "total"  # how many commits they reach, without those that a setting leaves out
SINCE = "since"  # that setting, index.since
OLDER = "older"  # how many it leaves out
GRAFTS = "grafts"  # where history was not what its objects say
COMPLETE = "complete"  # the tips whose every commit is indexed (or recorded as failed)


@dataclass(frozen=True, slots=True)
class RefChoice:
    """Which refs an index covers; neither names nor all: HEAD and the remote's default branch."""

    names: tuple[str, ...] = ()
    all_refs: bool = False

    @property
    def is_default(self) -> bool:
        """True when nobody chose."""
        return not (self.names or self.all_refs)


DEFAULT_REFS = RefChoice()


def choose_refs(connection: Connection, asked: RefChoice, configured: Sequence[str]) -> RefChoice:
    """What is asked for now, else what was asked for before, else the settings' refs, else the default."""
    if not asked.is_default:
        return asked
    stored = read_meta(connection, REFS)
    if isinstance(stored, dict):
        return RefChoice(tuple(str(name) for name in stored["names"]), bool(stored["all"]))
    return RefChoice(tuple(configured))


def resolve_tips(repository: Repository, choice: RefChoice) -> dict[str, Sha]:
    """The commits that the chosen refs point at now."""
    if choice.all_refs:
        return repository.resolve(repository.all_refs())
    return repository.resolve(choice.names or repository.default_refs())


def regrafted(repository: Repository, connection: Connection) -> set[Sha]:
    """The commits whose parents are others than when last looked: a clone was deepened, a graft was made."""
    stored = read_meta(connection, GRAFTS)
    before = stored if isinstance(stored, dict) else {}
    now = repository.grafts.told()
    return {Sha(each) for each in before.keys() | now.keys() if before.get(each) != now.get(each)}


def earliest(setting: str) -> int | None:
    """The moment from which on the setting `index.since` wants commits."""
    return parse_date(setting, now=int(time.time())) if setting else None


def recount(
    repository: Repository, connection: Connection, tips: Mapping[str, Sha], setting: str
) -> int | None:
    """How many commits there are to index, if grafts or `index.since` changed since they were counted."""
    if not regrafted(repository, connection) and (read_meta(connection, SINCE) or "") == setting:
        return None
    since = earliest(setting)
    return sum(since is None or moment >= since for _, moment in walk(repository, set(tips.values())))


def survey(repository: Repository, writer: Writer, tips: Mapping[str, Sha], limits: Limits) -> Plan:
    """Compare the tips with the index and plan what to do."""
    _retry_incomplete(repository, writer)
    _reread_grafted(repository, writer)
    connection = writer.connection
    complete = read_tips(connection, COMPLETE)
    if complete and limits == NO_LIMITS:
        forward = _forward(repository, writer, complete, tips)
        if forward is not None:
            return forward
    return plan_whole(list(walk(repository, set(tips.values()))), writer.known_shas(), limits=limits)


def _forward(
    repository: Repository, writer: Writer, complete: Mapping[str, Sha], tips: Mapping[str, Sha]
) -> Plan | None:
    """The short plan, or None when history was rewritten or lost since."""
    connection = writer.connection
    total = read_meta(connection, TOTAL)
    if not isinstance(total, int) or read_tips(connection, TIPS) != dict(complete):
        return None
    old, new = set(complete.values()), set(tips.values())
    failed = read_failed(connection)
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
        remove_commits(writer, arrived)
        writer.set_meta(COMPLETE, {})
        writer.commit()
        writer.reload()


def _reread_grafted(repository: Repository, writer: Writer) -> None:
    """Take out commits that got other parents, so that they are read again and all history is looked at."""
    changed = regrafted(repository, writer.connection)
    if changed:
        remove_commits(writer, changed)
        writer.set_meta(GRAFTS, repository.grafts.told())
        writer.set_meta(COMPLETE, {})
        writer.commit()
        writer.reload()
