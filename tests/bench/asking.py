"""How soon an answer comes: warm in one process, cold from a shell, and from git, on the same questions."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from itertools import pairwise
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from tests.bench.measure import environment, ohara_command, weigh
from tests.bench.metrics import median, percentile
from tests.bench.report import Table, millis, ratio, talk
from tests.daemon import end_whatever_runs
from tests.process import on_a_terminal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.bench.evaluate import System
    from tests.bench.workspace import Indexed

_WARMING = 10  # queries until caches and models are as they are for every later one
_COLD_RUNS = 5
_READING_S = 4.0  # a page of hits is not read sooner


@dataclass(frozen=True, slots=True)
class Latency:
    """How long a system took for each of some questions, in milliseconds."""

    name: str
    elapsed_ms: tuple[float, ...]
    reach: str = ""

    @property
    def p50(self) -> float:
        """The median."""
        return median(self.elapsed_ms)

    @property
    def p95(self) -> float:
        """What all but one in twenty stay below."""
        return percentile(self.elapsed_ms, 0.95)


def warm(name: str, system: System, texts: Sequence[str], reach: str = "") -> Latency:
    """Ask in this process, after some questions that do not count."""
    for text in texts[:_WARMING]:
        system.ask(text)
    latency = Latency(name, tuple(system.ask(text).elapsed_ms for text in texts), reach)
    talk(f"  {name}: p50 {millis(latency.p50)}, p95 {millis(latency.p95)}")
    return latency


def cold(name: str, indexed: Indexed, texts: Sequence[str], *options: str, reach: str = "") -> Latency:
    """Ask from a shell: a new process for each question, and no service in the background."""
    ignore = ",".join(indexed.settings.index.ignore)
    elapsed = [
        weigh(
            ohara_command("find", "--no-daemon", "--repo", str(indexed.repo), *options, "--", text),
            env=environment(indexed.home, **({"OHARA_INDEX_IGNORE": ignore} if ignore else {})),
            allowed=(0, 1),
        ).wall_s
        * 1_000
        for text in texts[:_COLD_RUNS]
    ]
    latency = Latency(name, tuple(elapsed), reach)
    talk(f"  {name}: median {millis(latency.p50)}")
    return latency


def batch(name: str, indexed: Indexed, texts: Sequence[str], *options: str, reach: str = "") -> Latency:
    """Ask a batch: one process reads the questions as lines, and answers them one after another."""
    ignore = ",".join(indexed.settings.index.ignore)
    with TemporaryFile() as questions:
        questions.write("".join(json.dumps({"query": text}) + "\n" for text in texts).encode())
        questions.seek(0)
        with subprocess.Popen(
            ohara_command("find", "--batch", "--repo", str(indexed.repo), *options),
            stdin=questions,
            stdout=subprocess.PIPE,
            env=environment(indexed.home, **({"OHARA_INDEX_IGNORE": ignore} if ignore else {})),
        ) as asked:
            moments = [time.perf_counter() for _ in asked.stdout or ()]
    if len(moments) != len(texts):
        raise AssertionError(f"{len(moments)} answers to {len(texts)} questions")
    elapsed = tuple((after - before) * 1_000 for before, after in pairwise(moments[_WARMING - 1 :]))
    latency = Latency(name, elapsed, reach)
    talk(f"  {name}: p50 {millis(latency.p50)}, p95 {millis(latency.p95)}")
    return latency


def second(name: str, indexed: Indexed, texts: Sequence[str], *options: str, reach: str = "") -> Latency:
    """Ask twice in a row on a terminal, nothing running before: how long the second answer takes.

    The first search starts the service. In between a person reads the first answer.
    """
    env = environment(indexed.home)
    env.pop("CI", None)
    ignore = ",".join(indexed.settings.index.ignore)
    if ignore:  # not in the environment: a shell with settings of its own starts no service
        weigh(ohara_command("config", "set", "index.ignore", ignore), env=env)
    elapsed: list[float] = []
    try:
        for before, text in pairwise(texts[: _COLD_RUNS + 1]):
            end_whatever_runs(indexed.home)
            asked = ohara_command("find", "--no-pager", "--repo", str(indexed.repo), *options, "--")
            on_a_terminal([*asked, before], env)
            time.sleep(_READING_S)
            started = time.perf_counter()
            on_a_terminal([*asked, text], env)
            elapsed.append((time.perf_counter() - started) * 1_000)
    finally:
        end_whatever_runs(indexed.home)
        if ignore:
            weigh(ohara_command("config", "unset", "index.ignore"), env=env)
    latency = Latency(name, tuple(elapsed), reach)
    talk(f"  {name}: median {millis(latency.p50)}")
    return latency


def latency_table(
    title: str, latencies: Sequence[Latency], peer: Latency, notes: Sequence[str] = ()
) -> Table:
    """One row a system, with how many times sooner it answers than git."""
    rows = [
        (
            each.name,
            str(len(each.elapsed_ms)),
            millis(each.p50),
            millis(each.p95),
            ratio(peer.p50 / each.p50) if each.p50 else "",
            each.reach,
        )
        for each in (*latencies, peer)
    ]
    columns = ("system", "queries", "p50", "p95", f"sooner than {peer.name}", "to reach")
    return Table(title, columns, tuple(rows), tuple(notes))


def as_numbers(latencies: Sequence[Latency]) -> Mapping[str, object]:
    """The raw times, for whoever wants other percentiles."""
    return {each.name: each.elapsed_ms for each in latencies}
