"""What each filter of a query costs: the first time, when its hunks are looked up, and every time after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.bench.asking import Latency, as_numbers
from tests.bench.changelog import draw_queries
from tests.bench.githistory import git
from tests.bench.machine import look
from tests.bench.metrics import median
from tests.bench.report import Report, Table, millis, ratio, talk
from tests.bench.systems import OURS, Ohara
from tests.bench.workspace import at_home, with_messages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.bench.workspace import Subject

_SHOWN = 10
_WARMING = 6  # questions until every reader is open and knows the words
_ROUNDS = 3
_QUESTIONS = 15


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


def measure_filters(subject: Subject, work: Path) -> Report:
    """The same questions with and without each filter, nothing reranked."""
    machine = look()
    indexed = with_messages(subject, work)
    texts = [query.text for query in draw_queries(subject.repo, limit=_QUESTIONS).queries]
    asked: list[tuple[str, Latency, Latency, int]] = []
    with at_home(indexed.home):
        system = Ohara(indexed, OURS, depth=_SHOWN)
        for text in texts:
            system.ask(text)
        without = Latency("", tuple(system.ask(text).elapsed_ms for text in texts))
        for each in every_filter(subject.repo):
            queries = [f"{text} {each}" for text in texts]
            first = []
            for at in range(_ROUNDS):
                system = Ohara(indexed, OURS, depth=_SHOWN)
                for text in texts[:_WARMING]:
                    system.ask(text)
                first.append(system.ask(queries[at]).elapsed_ms)
            answers = [system.ask(query) for query in queries]
            again = Latency(each, tuple(answer.elapsed_ms for answer in answers))
            asked.append(
                (each, Latency(each, tuple(first)), again, sum(bool(one.commits) for one in answers))
            )
            talk(
                f"  {each}: {millis(median(first))}, then {millis(again.p50)} ({millis(without.p50)} without)"
            )
    rows = [("none", "", millis(without.p50), "1.0 x", millis(without.p95), str(len(texts)))]
    rows += [
        (
            f"`{name}`",
            millis(first.p50),
            millis(again.p50),
            ratio(again.p50 / without.p50),
            millis(again.p95),
            str(answered),
        )
        for name, first, again, answered in asked
    ]
    columns = ("filter", "first time", "again, p50", "beside none", "again, p95", "questions answered")
    title = f"Every filter, {len(texts)} changelog questions to {subject.name}, nothing reranked"
    numbers = as_numbers([without, *(again for _, _, again, _ in asked)])
    return Report(f"filters-{subject.name}", machine, (Table(title, columns, tuple(rows)),), numbers)
