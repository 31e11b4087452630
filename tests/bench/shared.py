"""A team's index on PostgreSQL beside SQLite's: what it costs to push, each lane's time, and the answers.

Both engines hold the same history and are asked the same questions in the same process, one after the other.
A server is started for the run, or named by `--dsn` (on this machine: its processor time is read from /proc).
"""

from __future__ import annotations

import resource
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import psycopg

from fixtures import postgres
from ohara.embed.encoder import TextKind
from ohara.embed.quantise import Probe
from ohara.engine import Engine
from ohara.index.push import push
from ohara.model import Filters, Mode, SearchOptions
from ohara.query import parse
from ohara.retrieve.lanes.text import choose_words
from ohara.store.postgres.connection import Server
from ohara.store.postgres.hybrid import hybrid
from ohara.store.postgres.index import PostgresIndex
from ohara.store.postgres.reader import Reader
from ohara.store.postgres.server import initialise
from ohara.words import query_terms
from tests.bench import machine as machines
from tests.bench.changelog import draw_queries
from tests.bench.evaluate import Asked, quality_table
from tests.bench.literals import draw_patterns
from tests.bench.metrics import percentile, rank_of
from tests.bench.peers import Answer
from tests.bench.report import Report, Table, millis, talk
from tests.bench.workspace import at_home, with_messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ohara.model import Results
    from tests.bench.changelog import ChangelogQuery
    from tests.bench.workspace import Indexed, Subject

NOW = 1_790_000_000
_PATIENCE_S = 60.0
_TIMED = 60  # questions a lane is timed by
_DEPTH = 50
_HYBRID_HUNKS = 400
_WEIGHED = 100  # questions that the single statement is asked
_SHARES = (0.1, 0.3)  # of meaning, in the single statement
_SETTINGS = ("shared_buffers=1GB", "max_wal_size=4GB", "max_connections=50")
_TICKS = 100  # a second, in /proc

_SIZES = """SELECT CASE WHEN relname IN ('posting', 'literal', 'hunk_text', 'content', 'hunk', 'word',
      'vec_content', 'vec_commit', 'hunk_symbol', 'line_end', 'line_count') THEN relname
      ELSE 'all others' END,
    sum(pg_total_relation_size(pg_class.oid))::bigint, sum(pg_indexes_size(pg_class.oid))::bigint
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = %s AND relkind = 'r' GROUP BY 1 ORDER BY 2 DESC"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What something took on the clock and of processors, here and on the server."""

    wall_ms: float
    here_ms: float
    server_ms: float


class Meter:
    """Reads the processor time of this process and of a server on this machine."""

    def __init__(self, dsn: str) -> None:
        with psycopg.connect(dsn) as connection:
            row = connection.execute("SELECT pg_backend_pid()").fetchone()
            assert row is not None
            self._postmaster = int(_stat(int(row[0]))[1])

    def server_s(self) -> float:
        """Of all processes of the server, those that ended included."""
        ticks = sum(int(value) for value in _stat(self._postmaster)[11:15])
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    told = _stat(int(entry.name))
                except OSError:
                    continue
                if int(told[1]) == self._postmaster:
                    ticks += int(told[11]) + int(told[12])
        return ticks / _TICKS

    def cost(self, work: Callable[[], object]) -> Cost:
        """What some work costs."""
        server, here, wall = self.server_s(), _own_s(), time.perf_counter()
        work()
        return Cost(
            1_000 * (time.perf_counter() - wall),
            1_000 * (_own_s() - here),
            1_000 * (self.server_s() - server),
        )


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name: state, parent, …"""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _own_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@contextmanager
def served(dsn: str | None) -> Iterator[str]:
    """The server to measure: the one that is named, or one that ends with this run."""
    if dsn is not None:
        yield dsn
        return
    with postgres.running(_SETTINGS) as server:
        yield server.dsn


def measure_shared(
    subject: Subject, work: Path, *, limit: int, dsn: str | None = None, answers: bool = False
) -> Report:
    """Push a history, then ask both engines the same: for time, or else for the quality of their answers."""
    machine = machines.look()
    indexed = with_messages(subject, work)
    with at_home(indexed.home), served(dsn) as reached:
        server = Server("bench", reached)
        initialise(server)
        own = _engine(indexed, None)
        target = PostgresIndex(own.location, server, subject.name)
        meter = Meter(reached)
        pushed = _pushed(own, target, meter)
        shared = _engine(indexed, target)
        with closing(own), closing(shared):
            queries = draw_queries(subject.repo, limit=limit).queries
            tables = (
                _answers(subject, own, shared, queries)
                if answers
                else [
                    *_cost_tables(subject, own, target, pushed),
                    _lanes(subject, own, shared, queries, meter),
                ]
            )
    name = f"shared-{'quality-' if answers else ''}{subject.name}"
    return Report(name, machine, tuple(tables), {"hunks": own.status().hunks})


def _engine(indexed: Indexed, store: PostgresIndex | None) -> Engine:
    settings = replace(indexed.settings, find=replace(indexed.settings.find, lane_timeout_s=_PATIENCE_S))
    own = Engine.open(indexed.repo, settings)
    return own if store is None else Engine(own.repository, settings, store)


# -- what a push costs ---------------------------------------------------------------------------


def _pushed(own: Engine, target: PostgresIndex, meter: Meter) -> Cost | None:
    """Push, and say what that cost; nothing of an index that was there already."""
    new = not target.exists
    talk("pushing")

    def work() -> None:
        for moment in push(own.store, target):
            talk(f"  {moment.stage}: {moment.done:,} of {moment.total:,}")

    cost = meter.cost(work)
    return cost if new else None


def _cost_tables(subject: Subject, own: Engine, target: PostgresIndex, pushed: Cost | None) -> list[Table]:
    with target.statistics() as known:
        hunks = known.hunks()
    with psycopg.connect(target.server.dsn) as connection:
        row = connection.execute("SELECT id FROM ohara.repository WHERE name = %s", (target.name,)).fetchone()
        assert row is not None
        sizes = connection.execute(_SIZES, (f"ohara_r{row[0]}",)).fetchall()
    rows = [(name, f"{size / hunks:,.0f}", f"{indexes / hunks:,.0f}") for name, size, indexes in sizes]
    total = sum(size for _, size, _ in sizes)
    rows.append(("all tables", f"{total / hunks:,.0f}", f"{sum(each[2] for each in sizes) / hunks:,.0f}"))
    rows.append(("SQLite, all of it", f"{own.store.size_bytes() / hunks:,.0f}", ""))
    tables = [
        Table(
            f"{subject.name}, {hunks:,} hunks, all passes: bytes a hunk",
            ("table", "bytes a hunk", "of which indexes"),
            tuple(rows),
        )
    ]
    if pushed is not None:
        cpu = (("who pushes", pushed.here_ms), ("the server", pushed.server_ms))
        tables.append(
            Table(
                f"A push of {subject.name}: processor time",
                ("", "all", "a hunk"),
                tuple((who, f"{ms / 1_000:.0f} s", f"{ms / hunks:.2f} ms") for who, ms in cpu),
            )
        )
    return tables


# -- lanes ---------------------------------------------------------------------------------------


def _lanes(
    subject: Subject, own: Engine, shared: Engine, queries: Sequence[ChangelogQuery], meter: Meter
) -> Table:
    """Each lane by itself: the median of its look-ups on the clock, and processor time a question."""
    texts = [query.text for query in queries[:_TIMED]]
    patterns = draw_patterns(subject.repo, _TIMED)
    kinds: list[tuple[str, Mode, list[str]]] = [
        ("text", Mode.TEXT, texts),
        ("vector and commit", Mode.SEMANTIC, texts),
        ("symbol", Mode.SYMBOL, _names(shared)),
        ("literal", Mode.AUTO, [each.query for each in patterns if not each.is_regex]),
        ("regex", Mode.AUTO, [each.query for each in patterns if each.is_regex]),
        ("all lanes, fused", Mode.HYBRID, texts),
    ]
    rows = []
    for name, mode, asked in kinds:
        cells = []
        for engine in (own, shared):
            for text in asked[:5]:
                _ask(engine, text, mode)
            cost, times = _timed(engine, asked, mode, meter)
            cells += [millis(percentile(times, 0.5)), millis(percentile(times, 0.95))]
            cells.append(f"{cost.here_ms / len(asked):.1f} ms")
            if engine is shared:
                cells.append(f"{cost.server_ms / len(asked):.1f} ms")
        rows.append((f"{name} ({len(asked)})", *cells))
        talk(f"  {rows[-1]}")
    whole: list[Asked] = []
    cost = meter.cost(lambda: whole.append(_in_one_statement(shared, queries[:_TIMED], semantic=0.3)))
    times = list(whole[0].elapsed_ms)
    rows.append(
        (
            f"words and meaning in one statement ({len(times)})",
            "",
            "",
            "",
            millis(percentile(times, 0.5)),
            millis(percentile(times, 0.95)),
            f"{cost.here_ms / len(times):.1f} ms",
            f"{cost.server_ms / len(times):.1f} ms",
        )
    )
    columns = (
        "questions", "SQLite p50", "p95", "processor",
        "PostgreSQL p50", "p95", "processor here", "on the server",
    )  # fmt: skip
    return Table(f"{subject.name}: a whole question that one lane answers, ten hits", columns, tuple(rows))


def _names(engine: Engine) -> list[str]:
    """Names of symbols, drawn evenly from all."""
    assert isinstance(engine.store, PostgresIndex)
    with closing(Reader(engine.store.server, engine.store.name)) as reader:
        names = [row[0] for row in reader.rows("SELECT DISTINCT name FROM symbol ORDER BY name")]
    return names[:: max(1, len(names) // _TIMED)][:_TIMED]


def _timed(engine: Engine, asked: Sequence[str], mode: Mode, meter: Meter) -> tuple[Cost, list[float]]:
    times: list[float] = []

    def work() -> None:
        for text in asked:
            began = time.perf_counter()
            _ask(engine, text, mode)
            times.append(1_000 * (time.perf_counter() - began))

    return meter.cost(work), times


def _ask(engine: Engine, text: str, mode: Mode, *, k: int = 10, rerank: bool = False) -> Results:
    plan = engine.search.plan(SearchOptions(now=NOW, k=k, rerank=rerank))
    return anyio.run(engine.search.find, parse(text, now=NOW, mode=mode), plan)


# -- answers -------------------------------------------------------------------------------------


def _answers(subject: Subject, own: Engine, shared: Engine, queries: Sequence[ChangelogQuery]) -> list[Table]:
    """The whole pipeline on both; then, on some questions, lanes and fusion beside the single statement."""
    own_asked, own_lists = _whole("SQLite", own, queries, rerank=True)
    shared_asked, shared_lists = _whole("PostgreSQL", shared, queries, rerank=True)
    same = sum(one[:10] == other[:10] for one, other in zip(own_lists, shared_lists, strict=True))
    whole = quality_table(
        f"{subject.name}, {len(queries)} changelog questions, the whole pipeline, reranked",
        [own_asked, shared_asked],
        own_asked.name,
        [f"the same first ten commits: {same} of {len(queries)}"],
    )
    some = queries[:_WEIGHED]
    fused = [
        _whole(f"{name}, lanes then fused", engine, some, rerank=False)[0]
        for name, engine in (("SQLite", own), ("PostgreSQL", shared))
    ]
    one = [_in_one_statement(shared, some, semantic=share) for share in _SHARES]
    beside = quality_table(
        f"{subject.name}, {len(some)} of them: lanes then fused, beside one statement, not reranked",
        [*fused, *one],
        fused[-1].name,
    )
    return [whole, beside]


def _whole(
    name: str, engine: Engine, queries: Sequence[ChangelogQuery], *, rerank: bool
) -> tuple[Asked, list[tuple[str, ...]]]:
    lists: list[tuple[str, ...]] = []
    times: list[float] = []
    for query in queries:
        began = time.perf_counter()
        results = _ask(engine, query.text, Mode.AUTO, k=_DEPTH, rerank=rerank)
        times.append(1_000 * (time.perf_counter() - began))
        lists.append(tuple(hit.commit.sha for hit in results.hits))
    ranks = [rank_of(found, query.answers) for found, query in zip(lists, queries, strict=True)]
    talk(f"  {name}: {millis(percentile(times, 0.5))}")
    return Asked(name, tuple(ranks), tuple(times), ()), lists


def _in_one_statement(shared: Engine, queries: Sequence[ChangelogQuery], *, semantic: float) -> Asked:
    """One statement that scores meaning and words over all hunks."""
    assert isinstance(shared.store, PostgresIndex)
    embedder = shared.search._load_embedder()
    assert embedder is not None
    answers: list[Answer] = []
    with closing(Reader(shared.store.server, shared.store.name)) as reader:
        for query in queries:
            began = time.perf_counter()
            probe = Probe.of(embedder.embed([query.text], TextKind.QUERY)[0], embedder)
            words = choose_words(reader, query_terms(query.text))
            hits = (
                hybrid(
                    reader, words, probe, weights=(3, 1, 1, 1, 1, 1), model=embedder.id,
                    allowed=reader.allow(Filters()), limit=_HYBRID_HUNKS,
                    semantic_weight=semantic, fulltext_weight=1 - semantic,
                )
                if probe is not None
                else []
            )  # fmt: skip
            commits = dict.fromkeys(hit.at.sha.hex() for hit in hits)
            answers.append(Answer(tuple(commits), 1_000 * (time.perf_counter() - began)))
    ranks = [rank_of(each.commits, query.answers) for each, query in zip(answers, queries, strict=True)]
    name = f"one statement, {semantic:.1f} meaning, {1 - semantic:.1f} words"
    return Asked(name, tuple(ranks), tuple(each.elapsed_ms for each in answers), ())
