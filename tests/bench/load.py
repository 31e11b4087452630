"""Whether indexing yields: the same questions to an idle service and to one that indexes another history."""

from __future__ import annotations

import shutil
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING

from ohara import wire
from ohara.engine import Engine
from ohara.errors import IndexMissing
from ohara.model import SearchOptions
from tests.bench.metrics import median, percentile
from tests.bench.report import Table, millis, ratio, seconds, talk
from tests.bench.serving import settle

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ohara.client import Client

_SHOWN = 10
_WARMING = 10
_PAUSE_S = 0.05  # a person, or a program that reads what it gets
_FEWEST = 100  # questions under load, or the 95th percentile says nothing
_MOST = 500  # more of them say nothing new


@dataclass(frozen=True, slots=True)
class Load:
    """How long each question took, in milliseconds, and what was indexed meanwhile."""

    idle: tuple[float, ...]
    indexing: tuple[float, ...]
    commits: int
    indexed_s: float

    @property
    def p95_ratio(self) -> float:
        """How many times as long the slowest answers take while a full index runs."""
        return percentile(self.indexing, 0.95) / percentile(self.idle, 0.95)


def copied(repo: Path, folder: Path) -> Path:
    """A bare copy of a history, new to the service: what an earlier run indexed of it is gone."""
    if folder.exists():
        with suppress(IndexMissing):
            Engine.open(folder).forget()
        shutil.rmtree(folder)
    subprocess.run(["git", "clone", "-q", "--bare", "--local", str(repo), str(folder)], check=True)
    return folder


def measure_load(there: Client, asked: Path, other: Path, texts: Sequence[str]) -> Load:
    """Ask at leisure, then while the service indexes the other history from its first commit to its last."""
    settle(there)
    for text in texts[:_WARMING]:
        _ask(there, asked, text)
    idle = [_ask(there, asked, text) for text in texts]
    talk(f"  idle: p95 {millis(percentile(idle, 0.95))}")
    started = time.perf_counter()
    there.send(wire.Index(repo=str(other)))
    busy: list[float] = []
    for text in cycle(texts):
        if (running := there.send(wire.HealthCheck()).running) is None or running.repository != str(other):
            if busy:
                break
            continue  # it has not begun yet
        busy.append(_ask(there, asked, text))
        if len(busy) == _MOST:
            break
    elapsed = time.perf_counter() - started
    talk(f"  indexing: p95 {millis(percentile(busy, 0.95))} over {len(busy)} questions in {elapsed:.0f} s")
    return Load(tuple(idle), tuple(busy), there.send(wire.Status(repo=str(other))).status.indexed, elapsed)


def _ask(there: Client, repo: Path, text: str) -> float:
    time.sleep(_PAUSE_S)
    started = time.perf_counter()
    there.send(wire.Find(repo=str(repo), query=text, options=SearchOptions(k=_SHOWN, rerank=False)))
    return (time.perf_counter() - started) * 1_000


def load_table(name: str, measured: Load) -> Table:
    """Idle, under load, and how they compare."""
    half = median(measured.indexing) / median(measured.idle)
    rows = (
        *(
            (state, str(len(took)), millis(median(took)), millis(percentile(took, 0.95)), "")
            for state, took in (("idle", measured.idle), ("while a full index runs", measured.indexing))
        ),
        ("… times as long", "", ratio(half), ratio(measured.p95_ratio), "p95 3 x"),
    )
    notes = [f"{measured.commits:,} commits were indexed meanwhile, in {seconds(measured.indexed_s)}."]
    if len(measured.indexing) < _FEWEST:
        notes.append(f"**Fewer than {_FEWEST} questions under load: take a larger history.**")
    return Table(
        f"Asking {name} while the service indexes",
        ("the service is", "queries", "p50", "p95", "to reach"),
        rows,
        tuple(notes),
    )
