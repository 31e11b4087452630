"""Whether what changes together should count in the ranking: a trial, beside the ranking as it is.

A hit counts more when its files are those of the other hits, or change together with them. The measure is
that of `ohara related` (`ohara/history/cochange.py`), without the age, because questions are about any time.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import anyio

from ohara.engine import Engine
from ohara.history.cochange import PRIOR, is_sweep
from ohara.retrieve import rank
from tests.bench.ablation import ablation_table
from tests.bench.changelog import draw_queries
from tests.bench.evaluate import ask_all
from tests.bench.machine import look
from tests.bench.remembered import Memory, lanes_remembered, side_by_side
from tests.bench.report import Report
from tests.bench.reworded import without_messages
from tests.bench.systems import OURS, Ohara
from tests.bench.variations import AS_IT_IS
from tests.bench.workspace import at_home, with_messages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from ohara.model import HunkId, Query
    from ohara.retrieve.comparing import WordCounts
    from ohara.retrieve.hearing import Titles
    from ohara.retrieve.ranking import ScoredHunk
    from ohara.retrieve.request import Plan
    from ohara.store.answers import StoredHunk
    from ohara.store.reading import Reader
    from tests.bench.changelog import ChangelogQuery
    from tests.bench.evaluate import Asked
    from tests.bench.workspace import Indexed, Subject

_DEPTH = 10
_FIRST = 15  # hits that speak for each other
_READ = "_read"

Paths = frozenset[str]


@dataclass(frozen=True, slots=True)
class Trial:
    """How much the signal counts, and whether files that change together count beside equal ones."""

    name: str
    weight: float
    cochange: bool = True


TRIALS = (
    Trial("what changes together counts .1", 0.1),
    Trial("… .3", 0.3),
    Trial("… .6", 0.6),
    Trial("the same files alone count .3", 0.3, cochange=False),
)


class Cochanges:
    """How surely each file of a history changes with each other."""

    def __init__(self, commits: Sequence[Paths]) -> None:
        near: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        changed: dict[str, int] = defaultdict(int)
        for paths in commits:
            if is_sweep(len(paths)):
                continue
            share = 1 / max(1, len(paths) - 1) ** 0.5
            for path in paths:
                changed[path] += 1
                for other in paths - {path}:
                    near[path][other] += share
        self._near = {
            path: {other: weight / (changed[path] + PRIOR) for other, weight in others.items()}
            for path, others in near.items()
        }

    def closeness(self, paths: Paths, others: Paths, *, cochange: bool) -> float:
        """How close two changes are, from 0 to 1: of each file the closest of the other change."""
        if not paths or is_sweep(len(paths)) or is_sweep(len(others)):
            return 0.0
        total = 0.0
        for path in paths:
            if path in others:
                total += 1.0
            elif cochange:
                known = self._near.get(path, {})
                total += max((known.get(other, 0.0) for other in others), default=0.0)
        return total / len(paths)


def measure_cochange(
    subject: Subject, work: Path, *, patterns: Sequence[str] = (), limit: int = 300
) -> Report:
    """A row for each trial."""
    machine = look()
    drawn = draw_queries(subject.repo, patterns=patterns, limit=limit)
    indexes = {
        "with messages": with_messages(subject, work, patterns),
        "message-blind": without_messages(subject, work, patterns),
    }
    answers = side_by_side(lambda indexed: _ask(indexed, drawn.queries), list(indexes.values()))
    found = dict(zip(indexes, answers, strict=True))
    notes = [f"{len(drawn.queries)} queries, no rerank. A plus means that the signal would help."]
    table = ablation_table(f"{subject.name}: what changes together, as a signal", found, notes)
    numbers = {title: [asdict(each) for each in asked] for title, asked in found.items()}
    return Report(f"cochange-{subject.name}", machine, (table,), numbers)


def _ask(indexed: Indexed, queries: Sequence[ChangelogQuery]) -> list[Asked]:
    memory: Memory = {}
    with at_home(indexed.home):
        known = _known(indexed)
        with lanes_remembered(memory):
            asked = [ask_all(AS_IT_IS.name, Ohara(indexed, OURS, depth=_DEPTH), queries)]
            for trial in TRIALS:
                with _counted(trial, known):
                    asked.append(ask_all(trial.name, Ohara(indexed, OURS, depth=_DEPTH), queries))
    return asked


def _known(indexed: Indexed) -> Cochanges:
    def read(reader: Reader) -> Cochanges:
        commits = [link.commit for link in reader.links()]
        return Cochanges([frozenset(paths) for paths in reader.paths_of_commits(commits).values()])

    readers = Engine.open(indexed.repo, indexed.settings).store.readers(size=1)
    try:
        return anyio.run(readers.read, read)
    finally:
        readers.close()


@contextmanager
def _counted(trial: Trial, known: Cochanges) -> Iterator[None]:
    """While this lasts, hits speak for each other."""
    before = rank._read
    setattr(rank, _READ, partial(_reading, trial=trial, known=known))
    try:
        yield
    finally:
        setattr(rank, _READ, before)


_as_it_is = rank._read


def _reading(
    reader: Reader,
    *,
    query: Query,
    pooled: Sequence[ScoredHunk],
    plan: Plan,
    trial: Trial,
    known: Cochanges,
) -> tuple[list[ScoredHunk], dict[HunkId, StoredHunk], WordCounts, Titles]:
    found, rows, counts, titles = _as_it_is(reader, query=query, pooled=pooled, plan=plan)
    touched = reader.paths_of_commits({row.commit_id for row in rows.values()})
    paths = {hunk: frozenset(touched.get(row.commit_id, ())) for hunk, row in rows.items()}
    return boosted(found, paths, trial, known), rows, counts, titles


def boosted(
    found: Sequence[ScoredHunk], paths: Mapping[HunkId, Paths], trial: Trial, known: Cochanges
) -> list[ScoredHunk]:
    """The hits, each scored up by how close it is to the other first ones, weighed by their scores."""
    best: dict[bytes, ScoredHunk] = {}
    for one in sorted(found, key=lambda one: -one.score):
        best.setdefault(one.sha, one)
    first = list(best.values())[:_FIRST]
    support: dict[bytes, float] = {}
    for sha, one in best.items():
        others = [other for other in first if other.sha != sha]
        whole = sum(other.score for other in others)
        near = sum(
            other.score * known.closeness(paths[one.hunk], paths[other.hunk], cochange=trial.cochange)
            for other in others
        )
        support[sha] = near / whole if whole > 0 else 0.0
    return [replace(one, score=one.score * (1 + trial.weight * support[one.sha])) for one in found]
