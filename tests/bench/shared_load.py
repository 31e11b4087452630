"""Two hundred clients of one PostgreSQL server, first alone, then while somebody pushes another history.

A client is a connection of its own in a thread of one of four processes. It asks subjects of its repository's
commits by words and reads the ten best hits whole; every fourth question is a literal text whose candidates
are read. Clients pause between questions as people do; once, all of them ask at the same moment.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ohara.engine import Engine
from ohara.errors import OharaError
from ohara.index.push import push
from ohara.model import Filters
from ohara.query import parse
from ohara.retrieve.lanes.text import rank
from ohara.retrieve.profile import DEFAULT
from ohara.settings import Settings
from ohara.store.locate import IndexLocation
from ohara.store.postgres.connection import Server
from ohara.store.postgres.index import PostgresIndex
from ohara.store.postgres.reader import Reader
from ohara.store.postgres.server import initialise
from ohara.store.trigram_query import All
from tests.bench import machine as machines
from tests.bench.literals import draw_patterns
from tests.bench.measure import ROOT
from tests.bench.metrics import percentile
from tests.bench.report import Report, Table, millis, talk
from tests.bench.shared import Meter, served
from tests.bench.workspace import Indexed, at_home, bring_up_to_date

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.bench.workspace import Subject

_PROCESSES = 4
_QUESTIONS = 3  # of each client, after the one that all ask at once
_PAUSE_S = 8.0  # on average, between a client's questions
_AHEAD_S = 10.0  # for all of them to be connected
_LITERAL_EVERY = 4
_HITS = 10
_VERIFIED = 200  # candidates of a literal that are read
_NOW = 1_790_000_000
_SPARE = "load-push"  # what is pushed meanwhile, and dropped again


@dataclass(frozen=True, slots=True)
class Phase:
    """How long answers took, all at once and one by one, and what went wrong."""

    burst_ms: tuple[float, ...]
    paced_ms: tuple[float, ...]
    faults: tuple[str, ...]
    server_s: float
    wall_s: float


def measure_load(
    subjects: Sequence[Subject], work: Path, *, dsn: str | None, clients: int, as_is: bool = False
) -> Report:
    """Push all histories but the last (text and trigrams), then ask, alone and while that one is pushed.

    `as_is` brings no index up to date first, here or on the server.
    """
    machine = machines.look()
    home = work / "load"
    for subject in () if as_is else subjects:
        bring_up_to_date(Indexed(subject.repo, home, Settings()), "--passes", "text,literal")
    *asked, spare = subjects
    with at_home(home), served(dsn) as reached:
        server = Server("bench", reached)
        initialise(server)
        hunks = sum(_pushed(subject, server, as_is=as_is) for subject in asked)
        questions = [_questions(subject) for subject in asked]
        meter = Meter(reached)
        idle = _phase(reached, questions, clients, meter)
        with _pushing(spare, server, home):
            busy = _phase(reached, questions, clients, meter)
    table = _table(
        f"{clients} clients of a server with {hunks:,} hunks of {len(asked)} histories", idle, busy
    )
    return Report("shared-load", machine, (table,), {"hunks": hunks})


def _pushed(subject: Subject, server: Server, *, as_is: bool) -> int:
    engine = Engine.open(subject.repo)
    target = PostgresIndex(engine.location, server, subject.name)
    for moment in () if as_is else push(engine.store, target):
        talk(f"  {subject.name} {moment.stage}: {moment.done:,} of {moment.total:,}")
    with target.statistics() as known:
        return known.hunks()


def _questions(subject: Subject) -> tuple[str, list[str], list[str]]:
    """A repository's name, questions in words (its commits' subjects), and literal texts."""
    told = subprocess.run(
        ["git", "-C", str(subject.repo), "log", "--no-merges", "--format=%s", "-n", "20000"],
        check=True, capture_output=True, text=True, errors="replace",
    ).stdout.splitlines()  # fmt: skip
    chance = random.Random(7)  # noqa: S311 - a repeatable draw
    texts = chance.sample([text for text in told if len(text.split()) > 4], 200)
    literals = [each.expression for each in draw_patterns(subject.repo, 60) if not each.is_regex]
    return subject.name, texts, [text for text in literals if len(text) > 4]


@contextmanager
def _pushing(spare: Subject, server: Server, home: Path) -> Iterator[None]:
    """Push a history again and again meanwhile, in a process of its own."""
    started = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.shared_load", "push", str(spare.repo), server.dsn], cwd=ROOT,
    )  # fmt: skip
    try:
        yield
        if started.poll() is not None:
            raise RuntimeError("the push ended before the clients did")
    finally:
        started.kill()
        started.wait()
        PostgresIndex(IndexLocation(spare.repo, home / "none"), server, _SPARE).forget(wait_s=30)


def _phase(
    dsn: str, questions: Sequence[tuple[str, list[str], list[str]]], clients: int, meter: Meter
) -> Phase:
    start = time.time() + _AHEAD_S
    began, server = time.perf_counter(), meter.server_s()
    groups = []
    for number in range(_PROCESSES):
        group = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.shared_load", "ask"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        )  # fmt: skip
        assert group.stdin is not None
        mine = list(range(number, clients, _PROCESSES))
        group.stdin.write(json.dumps([dsn, start, mine, questions]))
        group.stdin.close()
        groups.append(group)
    told: list[tuple[str, float, str]] = []
    for group in groups:
        assert group.stdout is not None
        told += json.loads(group.stdout.read())
        group.wait()
    phase = Phase(
        tuple(ms for kind, ms, fault in told if kind == "burst" and not fault),
        tuple(ms for kind, ms, fault in told if kind == "paced" and not fault),
        tuple(fault for _, _, fault in told if fault),
        meter.server_s() - server,
        time.perf_counter() - began,
    )
    talk(
        f"  {len(told)} questions, {len(phase.faults)} faults, p95 {percentile(phase.paced_ms, 0.95):.0f} ms"
    )
    return phase


def _table(title: str, idle: Phase, busy: Phase) -> Table:
    phases = (idle, busy)
    rows = (
        (
            "questions",
            *(f"{len(each.burst_ms) + len(each.paced_ms) + len(each.faults):,}" for each in phases),
        ),
        ("errors", *(str(len(each.faults)) for each in phases)),
        ("p50", *(millis(percentile(each.paced_ms, 0.5)) for each in phases)),
        ("p95", *(millis(percentile(each.paced_ms, 0.95)) for each in phases)),
        ("slowest", *(millis(max(each.paced_ms)) for each in phases)),
        ("all at the same moment: p50", *(millis(percentile(each.burst_ms, 0.5)) for each in phases)),
        ("all at the same moment: slowest", *(millis(max(each.burst_ms)) for each in phases)),
        ("processors used by the server", *(f"{each.server_s / each.wall_s:.2f}" for each in phases)),
    )
    faults = Counter(fault for each in phases for fault in each.faults)
    notes = tuple(f"{count} x {fault}" for fault, count in faults.most_common(5))
    return Table(title, ("", "alone", "while a push runs"), rows, notes)


# -- the processes of the clients ----------------------------------------------------------------


def _ask_all(
    dsn: str, start: float, mine: Sequence[int], questions: Sequence[tuple[str, list[str], list[str]]]
) -> list[tuple[str, float, str]]:
    told: list[tuple[str, float, str]] = []
    threads = [
        threading.Thread(target=_client, args=(dsn, start, number, questions[number % len(questions)], told))
        for number in mine
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told


def _client(
    dsn: str,
    start: float,
    number: int,
    questions: tuple[str, list[str], list[str]],
    told: list[tuple[str, float, str]],
) -> None:
    name, texts, literals = questions
    chance = random.Random(number)  # noqa: S311 - a repeatable draw
    try:
        with closing(Reader(Server("bench", dsn), name)) as reader:
            time.sleep(max(0.0, start - time.time()))
            for turn in range(1 + _QUESTIONS):
                if turn:
                    time.sleep(chance.uniform(0, 2 * _PAUSE_S))
                began = time.perf_counter()
                fault = ""
                try:
                    if turn % _LITERAL_EVERY == _LITERAL_EVERY - 1:
                        _literal(reader, chance.choice(literals))
                    else:
                        _by_words(reader, chance.choice(texts))
                except OharaError as error:
                    fault = f"{type(error).__name__}: {error.message}"
                told.append(("paced" if turn else "burst", 1_000 * (time.perf_counter() - began), fault))
    except OharaError as error:
        told.append(("connect", 0.0, f"{type(error).__name__}: {error.message}"))


def _by_words(reader: Reader, text: str) -> None:
    found = rank(reader, parse(text, now=_NOW), DEFAULT, reader.allow(Filters()), limit=50)
    reader.hydrate([each.hunk for each in found.candidates[:_HITS]])


def _literal(reader: Reader, text: str) -> None:
    formula = All(tuple(text[at : at + 3] for at in range(len(text) - 2)))
    found = reader.by_trigrams(formula, reader.allow(Filters()))
    reader.bodies([each.content for each in found[:_VERIFIED]])


def _push(repo: str, dsn: str) -> None:
    engine = Engine.open(repo)
    target = PostgresIndex(engine.location, Server("bench", dsn), _SPARE)
    while True:
        for _ in push(engine.store, target):
            pass
        target.forget(wait_s=30)


if __name__ == "__main__":
    if sys.argv[1] == "push":
        _push(*sys.argv[2:])
    print(json.dumps(_ask_all(*json.load(sys.stdin))))
