"""What a shell pays for asking the service: the wall clock of a new process against the query itself."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ohara import wire
from ohara.model import SearchOptions
from ohara.settings import Settings
from tests.bench.measure import environment
from tests.bench.metrics import median, percentile
from tests.bench.report import Table, millis, talk
from tests.bench.serving import shell_command, stopwatch_ms
from tests.bench.systems import OURS, Ohara
from tests.bench.workspace import Indexed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ohara.client import Client

_SHOWN = 10
_WARMING = 5


@dataclass(frozen=True, slots=True)
class Overhead:
    """The same questions, each in three ways and beside an interpreter that does nothing, in milliseconds."""

    interpreter: tuple[float, ...]
    in_process: tuple[float, ...]
    connected: tuple[float, ...]
    one_shot: tuple[float, ...]

    @property
    def added(self) -> tuple[float, ...]:
        """How much longer a shell waits for each answer than the query takes in a warm process."""
        return tuple(whole - query for whole, query in zip(self.one_shot, self.in_process, strict=True))

    @property
    def avoidable(self) -> tuple[float, ...]:
        """The part of it that is not the start of an interpreter."""
        return tuple(added - bare for added, bare in zip(self.added, self.interpreter, strict=True))


def measure_overhead(repo: Path, home: Path, there: Client, texts: Sequence[str]) -> Overhead:
    """Ask each question in every way before the next, so that a busy moment hits all of them."""
    system = Ohara(Indexed(repo, home, Settings()), OURS, depth=_SHOWN)
    env = environment(home)
    rows: list[tuple[float, float, float, float]] = []
    for number, text in enumerate([*texts[:_WARMING], *texts]):
        bare = stopwatch_ms([sys.executable, "-c", "pass"], env)
        inside = system.ask(text).elapsed_ms
        through = _connected_ms(there, repo, text)
        words = ("find", "--no-rerank", "-k", str(_SHOWN), "--repo", str(repo), "--", text)
        whole = stopwatch_ms(shell_command(home, *words), env, codes=(0, 1))
        if number >= len(texts[:_WARMING]):
            rows.append((bare, inside, through, whole))
    measured = Overhead(*zip(*rows, strict=True))
    talk(f"  a shell waits {millis(median(measured.added))} longer than the query takes")
    return measured


def _connected_ms(there: Client, repo: Path, text: str) -> float:
    started = time.perf_counter()
    there.send(wire.Find(repo=str(repo), query=text, options=SearchOptions(k=_SHOWN, rerank=False)))
    return (time.perf_counter() - started) * 1_000


def overhead_table(name: str, measured: Overhead) -> Table:
    """One row a way of asking."""
    rows = (
        ("`python -c pass`: the least any new process takes", measured.interpreter, ""),
        ("the query in a warm process", measured.in_process, ""),
        ("the query through an open connection", measured.connected, ""),
        ("`ohara find --no-rerank` from a shell, through the service", measured.one_shot, ""),
        ("… and how much longer that is than the query", measured.added, "p50 80 ms"),
        ("… of which not the start of an interpreter", measured.avoidable, ""),
    )
    return Table(
        f"Asking {name} through the service",
        ("way", "queries", "p50", "p95", "to reach"),
        tuple(
            (way, str(len(took)), millis(median(took)), millis(percentile(took, 0.95)), reach)
            for way, took, reach in rows
        ),
    )
