"""The parts of the benchmark, each from repositories to a report; the command line chooses among them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from ohara.engine import Engine
from ohara.model import Mode
from ohara.settings import Settings
from tests.bench.asking import as_numbers, batch, cold, latency_table, second, warm
from tests.bench.changelog import draw_queries
from tests.bench.compare import compare, compared_tables
from tests.bench.githistory import commit_count
from tests.bench.indexing import measure_indexing
from tests.bench.indexing_report import figures_table, growth_table
from tests.bench.literals import draw_patterns
from tests.bench.machine import look
from tests.bench.measure import environment, ohara_command, weigh
from tests.bench.peers import GitPickaxe, count_words
from tests.bench.report import Report, Table, talk
from tests.bench.scale import combine, measure_scale, scale_tables
from tests.bench.systems import OURS, OURS_RERANKED, Ohara, Way, reranker_missing
from tests.bench.workspace import Indexed, at_home, with_messages

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.bench.asking import Latency
    from tests.bench.evaluate import System
    from tests.bench.workspace import Subject

_SHOWN = 10  # a page of hits: how deep the speed of asking is measured


def indexing(subjects: Sequence[Subject], *, rounds: int, everything: bool = True) -> Report:
    """The figures of indexing for each history, and their growth."""
    machine = look()
    many = [
        measure_indexing(subject.name, subject.repo, rounds=rounds, everything=everything)
        for subject in subjects
    ]
    tables = [figures_table(figures) for figures in many]
    if len(many) > 1:
        tables.append(growth_table(many))
    return Report("index", machine, tuple(tables), {figures.name: asdict(figures) for figures in many})


def asking(subject: Subject, work: Path, *, queries: int = 200, git_queries: int = 10) -> Report:
    """How soon a question is answered, warm and cold."""
    machine = look()
    missing = reranker_missing()
    indexed = with_messages(subject, work)
    texts = [query.text for query in draw_queries(subject.repo, limit=queries).queries]
    with at_home(indexed.home):
        latencies = [
            warm("text lane", Ohara(indexed, Way("text", Mode.TEXT), depth=_SHOWN), texts),
            warm("vector lane", Ohara(indexed, Way("vector", Mode.SEMANTIC), depth=_SHOWN), texts),
            warm("hybrid, warm", Ohara(indexed, OURS, depth=_SHOWN), texts, "p50 30 ms, p95 60 ms"),
        ]
        if not missing:
            reranked = Ohara(indexed, OURS_RERANKED, depth=_SHOWN)
            latencies.append(warm("hybrid and rerank, warm", reranked, texts, "p50 180 ms"))
    latencies.append(cold("`ohara find --no-rerank`, cold", indexed, texts, "--no-rerank", reach="0.35 s"))
    if not missing:
        latencies.append(cold("`ohara find`, cold", indexed, texts, reach="0.8 s"))
    latencies.append(batch("`ohara find --batch --no-rerank`, each", indexed, texts, "--no-rerank"))
    in_a_row = "`ohara find --no-rerank`, the second in a row"
    latencies.append(second(in_a_row, indexed, texts, "--no-rerank", reach="0.15 s"))
    if not missing:
        latencies.append(second("`ohara find`, the second in a row", indexed, texts))
    counts = count_words(indexed.repo, texts[:git_queries])
    pickaxe: System = GitPickaxe(indexed.repo, counts, "-S")
    peer = warm("git log -S", pickaxe, texts[:git_queries])
    notes = [f"Nothing was reranked: {missing}."] if missing else []
    table = latency_table(f"Asking {subject.name} ({_size(indexed)})", latencies, peer, notes)
    return Report(f"find-{subject.name}", machine, (table,), as_numbers([*latencies, peer]))


def literal(subject: Subject, work: Path, *, patterns: int = 50) -> Report:
    """The same patterns to git and to ohara."""
    machine = look()
    home = work / "literal"
    weigh(
        ohara_command("index", "-q", "--repo", str(subject.repo), "--passes", "text,literal"),
        env=environment(home),
    )
    indexed = Indexed(subject.repo, home, Settings())
    with at_home(home):
        asked = Ohara(indexed, OURS)
        found = compare(subject.repo, asked.database, draw_patterns(subject.repo, patterns), asked.commits)
    tables = compared_tables(f"{subject.name} ({_size(indexed)})", found)
    return Report(f"literal-{subject.name}", machine, tables, {"patterns": [asdict(each) for each in found]})


def scale(subjects: Sequence[Subject], work: Path, *, everything: bool = True, queries: int = 100) -> Report:
    """Many histories in one index."""
    machine = look()
    repo, home = work / "scale.git", work / "scale"
    combine(subjects, repo)
    figures = measure_scale(subjects, repo, home, everything=everything)
    texts = [
        query.text
        for subject in subjects
        for query in draw_queries(subject.repo, limit=queries // len(subjects) + 1).queries
    ]
    latencies: list[Latency] = []
    indexed = Indexed(repo, home, Settings())
    with at_home(home):
        ways: tuple[Way, ...] = (Way("text lane", Mode.TEXT), Way("vector lane", Mode.SEMANTIC), OURS)
        ways = ways if reranker_missing() else (*ways, OURS_RERANKED)
        latencies += [warm(way.name, Ohara(indexed, way, depth=_SHOWN), texts) for way in ways]
        patterns = [pattern.query for pattern in draw_patterns(subjects[0].repo, 21)]
        latencies.append(warm("literal and regex", Ohara(indexed, OURS, depth=_SHOWN), patterns))
    return Report(
        "scale", machine, scale_tables(figures, latencies), {**asdict(figures), **as_numbers(latencies)}
    )


def queries_table(subjects: Sequence[Subject], *, limit: int) -> Report:
    """How many questions each history yields."""
    rows = []
    for subject in subjects:
        drawn = draw_queries(subject.repo, limit=limit)
        rows.append(
            (
                subject.name,
                f"{commit_count(subject.repo):,}",
                f"{drawn.commits_with_fragments:,}",
                f"{drawn.available:,}",
                f"{sum(len(query.text.split()) for query in drawn.queries) / max(1, len(drawn.queries)):.0f}",
            )
        )
        talk("\n".join(f"  {query.answers[0][:9]} {query.text}" for query in drawn.queries[:30]))
    columns = ("history", "commits", "with fragments", "queries", "words each")
    return Report("queries", look(), (Table("Changelog queries", columns, tuple(rows)),))


def _size(indexed: Indexed) -> str:
    with at_home(indexed.home):
        return f"{Engine.open(indexed.repo, indexed.settings).status().hunks:,} hunks"
