"""Several repositories searched as one, asked each other's changelog questions.

A question comes from one of them and is put to all: whether its repository stands first, how the commit ranks
beside where it ranks when its own repository alone is asked, and what that takes beside the slowest alone.
"""

from __future__ import annotations

import resource
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

import anyio

from ohara.engine import Engine
from ohara.federation.asking import ask
from ohara.model import SearchOptions
from ohara.retrieve.reading import read_query
from ohara.settings import Settings
from tests.bench import machine as machines
from tests.bench.changelog import draw_queries, ignore_patterns
from tests.bench.metrics import quality, rank_of
from tests.bench.report import Report, Table, millis, score, talk
from tests.bench.workspace import Indexed, at_home, bring_up_to_date

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from ohara.model import Results
    from tests.bench.changelog import ChangelogQuery
    from tests.bench.workspace import Subject

NOW = 1_790_000_000
_DEPTH = 10
_TIMED = 30  # questions for which every repository is asked alone
_READING_S = 2.5  # in which the rows of a question's words are read for the next one
_PASSES = ("--passes", "text,literal,symbol,vector")


@dataclass(frozen=True, slots=True)
class Member:
    """An open repository; nothing is indexed meanwhile."""

    name: str
    key: str
    engine: Engine

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Engine]:
        """The engine as it is."""
        yield self.engine


@dataclass(frozen=True, slots=True)
class Answered:
    """How one question was answered: the commit's rank alone and among all, whose the first hit was."""

    subject: str
    alone: int | None
    together: int | None
    first: str
    at_first: tuple[float, float]  # on the clock and of processors, in ms
    again: tuple[float, float]


def measure_federation(subjects: Sequence[Subject], work: Path, *, limit: int, as_is: bool = False) -> Report:
    """Ask several repositories at once; `as_is` brings no index up to date first."""
    machine = machines.look()
    settings = Settings()
    settings = replace(settings, index=replace(settings.index, ignore=ignore_patterns()))
    home = work / "with-messages"
    for subject in () if as_is else subjects:
        bring_up_to_date(Indexed(subject.repo, home, settings), *_PASSES)
    questions = [
        (subject, question)
        for subject in subjects
        for question in draw_queries(subject.repo, limit=limit).queries
    ]
    with at_home(home):
        members = [Member(each.name, each.name, Engine.open(each.repo, settings)) for each in subjects]
        hunks = sum(member.engine.status().hunks for member in members)
        answered = anyio.run(_ask_all, members, questions)
        some = [each for _, each in questions][:: max(1, len(questions) // _TIMED)]
        slowest, alone_ms, alone_cpu_ms = anyio.run(_slowest, members, some)
    return Report(
        f"federation-{len(members)}",
        machine,
        (
            _quality(answered, len(members), hunks),
            _times(answered, slowest, alone_ms, alone_cpu_ms),
        ),
        {"answered": len(answered), "hunks": hunks, "repositories": len(members)},
    )


async def _ask_all(
    members: Sequence[Member], questions: Sequence[tuple[Subject, ChangelogQuery]]
) -> list[Answered]:
    by_name = {member.name: member for member in members}
    answered: list[Answered] = []
    for number, (subject, question) in enumerate(questions):
        own = by_name[subject.name]
        alone = await own.engine.find(question.text, _options())
        took = []
        for _ in range(2):
            cpu, started = _cpu(), time.perf_counter()
            together = await _together(members, question.text)
            took.append(((time.perf_counter() - started) * 1_000, (_cpu() - cpu) * 1_000))
            await anyio.sleep(_READING_S)
        first = together.hits[0].repository if together.hits else ""
        owner = next((each.name for each in members if str(each.engine.repository.path) == first), "")
        answered.append(
            Answered(
                subject.name,
                rank_of([hit.commit.sha for hit in alone.hits], question.answers),
                rank_of([hit.commit.sha for hit in together.hits], question.answers),
                owner,
                *took,
            )
        )
        if number % 25 == 24:
            talk(f"  {number + 1} of {len(questions)} questions")
    return answered


async def _together(members: Sequence[Member], text: str) -> Results:
    options = _options()
    return await ask(members, read_query(text, options), options)


def _options() -> SearchOptions:
    return SearchOptions(k=_DEPTH, now=NOW)


async def _slowest(
    members: Sequence[Member], questions: Sequence[ChangelogQuery]
) -> tuple[str, float, float]:
    """The repository that takes longest alone, and its medians of wall and processor time."""
    found = []
    for member in members:
        walls, processors = [], []
        for question in questions:
            cpu, started = _cpu(), time.perf_counter()
            await member.engine.find(question.text, _options())
            walls.append((time.perf_counter() - started) * 1_000)
            processors.append((_cpu() - cpu) * 1_000)
        found.append((median(processors), median(walls), member.name))
    processor, wall, name = max(found)
    return name, wall, processor


def _quality(answered: Sequence[Answered], repositories: int, hunks: int) -> Table:
    rows = []
    for name in [*dict.fromkeys(each.subject for each in answered), ""]:
        those = [each for each in answered if not name or each.subject == name]
        right = sum(each.first == each.subject for each in those)
        rows.append(
            (
                name or "all",
                f"{len(those)}",
                f"{right} ({right / max(1, len(those)):.0%})",
                score(quality([each.together for each in those]).mrr.mean),
                score(quality([each.alone for each in those]).mrr.mean),
            )
        )
    columns = ("questions of", "asked", "its repository first", "MRR@10, all searched", "MRR@10, it alone")
    return Table(f"{repositories} repositories, {hunks:,} hunks searched as one", columns, tuple(rows))


def _times(answered: Sequence[Answered], slowest: str, wall_ms: float, cpu_ms: float) -> Table:
    together_ms, together_cpu_ms = (median(each.again[which] for each in answered) for which in (0, 1))
    first_ms, first_cpu_ms = (median(each.at_first[which] for each in answered) for which in (0, 1))
    return Table(
        "What a question takes (p50)",
        ("", "time", "processor time"),
        (
            ("all searched as one", millis(together_ms), millis(together_cpu_ms)),
            (f"the slowest alone ({slowest})", millis(wall_ms), millis(cpu_ms)),
            ("ratio", f"{together_ms / wall_ms:.1f}", f"{together_cpu_ms / cpu_ms:.1f}"),
            ("all, when its words are asked for the first time", millis(first_ms), millis(first_cpu_ms)),
        ),
    )


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
