"""What each filter of a query costs: the first time, when its hunks are looked up, and every time after."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.bench.asking import Latency, as_numbers
from tests.bench.changelog import draw_queries
from tests.bench.githistory import git
from tests.bench.machine import look
from tests.bench.report import Report, Table, millis, ratio, talk
from tests.bench.systems import OURS, Ohara
from tests.bench.workspace import at_home, with_messages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.bench.workspace import Indexed, Subject

_SHOWN = 10
_WARMING = 6  # questions until every reader is open and knows the words
_ROUNDS = 1
_QUESTIONS = 12


def _most(lines: str, count: int = 1) -> list[str]:
    """The lines that come most often."""
    seen: dict[str, int] = {}
    for line in filter(None, lines.splitlines()):
        seen[line] = seen.get(line, 0) + 1
    return sorted(seen, key=lambda line: -seen[line])[:count]


def every_filter(repo: Path) -> Iterator[str]:
    """Each filter of the grammar and its opposite, with values that fit much of a history."""
    authors = git(repo, "log", "--format=%an").decode(errors="replace")
    paths = git(repo, "ls-tree", "-r", "--name-only", "HEAD").decode(errors="replace")
    folders = _most("\n".join(path.partition("/")[0] for path in paths.splitlines() if "/" in path), 3)
    middle = git(repo, "log", "--format=%cs").decode().splitlines()
    half = middle[len(middle) // 2]
    author = _most(authors)[0].split()[0]
    commit = git(repo, "rev-parse", "HEAD~200").decode().strip()[:12]
    ending = _most("\n".join(path.rpartition(".")[2] for path in paths.splitlines()))[0]
    yield " ".join(f"-path:{folder}/**" for folder in folders)
    for value in (
        f"path:{folders[0]}/**",
        f"author:{author}",
        "lang:python",
        f"ext:{ending}",
        "kind:modified",
        "message:fix",
        "symbol:main",
        "ref:HEAD~200",
        f"commit:{commit}",
        "is:alive",
        "is:gone",
    ):
        yield value
        yield f"-{value}"
    yield f"since:{half}"
    yield f"until:{half}"
    yield "added:"
    yield "removed:"
    yield f"author:{author} since:{half} lang:python -path:{folders[0]}/**"


@dataclass(frozen=True, slots=True)
class _Asked:
    """Some questions: how long each took, and the processor time of one on average, in milliseconds."""

    latency: Latency
    cpu_ms: float
    answered: int


def _ask(system: Ohara, name: str, queries: Sequence[str]) -> _Asked:
    before = time.process_time()
    answers = [system.ask(query) for query in queries]
    cpu_ms = (time.process_time() - before) * 1_000 / len(queries)
    elapsed = Latency(name, tuple(answer.elapsed_ms for answer in answers))
    return _Asked(elapsed, cpu_ms, sum(bool(answer.commits) for answer in answers))


def measure_filters(subject: Subject, work: Path) -> Report:
    """The same questions with and without each filter, nothing reranked."""
    machine = look()
    indexed = with_messages(subject, work)
    texts = [query.text for query in draw_queries(subject.repo, limit=_QUESTIONS).queries]
    rows: list[tuple[str, ...]] = []
    latencies: list[Latency] = []
    with at_home(indexed.home):
        system = Ohara(indexed, OURS, depth=_SHOWN)
        _ask(system, "", texts)
        without = _ask(system, "none", texts)
        for each in (None, *every_filter(subject.repo)):
            first = _first(indexed, texts, each) if each else None
            again = _again(indexed, texts, each) if each else without
            latencies.append(again.latency)
            rows.append(
                (
                    f"`{each}`" if each else "none",
                    millis(first.cpu_ms) if first else "",
                    millis(again.cpu_ms),
                    ratio(again.cpu_ms / without.cpu_ms),
                    millis(again.latency.p50),
                    millis(again.latency.p95),
                    str(again.answered),
                )
            )
            talk(f"  {' '.join(rows[-1])}")
    columns = ("filter", "first, processor", "again, processor", "beside none", "p50", "p95", "answered")
    title = f"Every filter, {len(texts)} changelog questions to {subject.name}, nothing reranked"
    table = Table(title, columns, tuple(rows))
    return Report(f"filters-{subject.name}", machine, (table,), as_numbers(latencies))


def _first(indexed: Indexed, texts: Sequence[str], each: str) -> _Asked:
    """One question with a filter that is not known yet, where the words are."""
    rounds = []
    for text in texts[:_ROUNDS]:
        system = Ohara(indexed, OURS, depth=_SHOWN)
        _ask(system, "", texts[:_WARMING])
        rounds.append(_ask(system, each, [f"{text} {each}"]))
    return sorted(rounds, key=lambda one: one.cpu_ms)[len(rounds) // 2]


def _again(indexed: Indexed, texts: Sequence[str], each: str) -> _Asked:
    system = Ohara(indexed, OURS, depth=_SHOWN)
    queries = [f"{text} {each}" for text in texts]
    _ask(system, "", queries)
    return _ask(system, each, queries)
