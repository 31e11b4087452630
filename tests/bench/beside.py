"""Whether long exact searches yield: the same questions to an idle service and beside ten endless ones.

How long the processor goes on working for clients that have left is measured too.
"""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ohara import wire
from ohara.model import LaneStatus, SearchOptions
from tests.bench.metrics import median, percentile
from tests.bench.report import Table, millis, ratio, seconds, talk
from tests.daemon import raw_connection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.client import Client

EXPRESSION = "/[a-z].{0,999}[^q].{0,999}[A-Z]{9}#/"  # no trigram to look up, and slow for each letter
SEARCHES = 10
_SHOWN = 10
_WARMING = 10
_WORD = '"def test_"'
_AT_REST = 0.02  # of a processor
_LOOK_S = 0.5
_DEADLINE_MS = 120_000
_MOST_LOOKS = 60


@dataclass(frozen=True, slots=True)
class Beside:
    """How long each question took, in milliseconds; which lost lanes; what was worked after all had left."""

    idle: tuple[float, ...]
    beside: tuple[float, ...]
    exact: tuple[float, ...]
    lost_lanes: int
    worked_on_s: float


def measure_beside(there: Client, repo: Path, texts: Sequence[str]) -> Beside:
    """Ask at leisure, then beside ten searches that do not end; let them go, and look at the processor."""
    for text in texts[:_WARMING]:
        _ask(there, repo, text)
    idle = [_ask(there, repo, text)[0] for text in texts]
    talk(f"  idle: p95 {millis(percentile(idle, 0.95))}")
    pid = there.send(wire.HealthCheck()).pid
    with ExitStack() as clients:
        for number in range(SEARCHES):
            connection = clients.enter_context(raw_connection())
            sought = wire.Find(id=number + 2, repo=str(repo), query=EXPRESSION, deadline_ms=600_000)
            connection.sendall(wire.frame(sought))
        time.sleep(1.0)
        asked = [_ask(there, repo, text) for text in texts]
        exact = [_ask(there, repo, _WORD)[0] for _ in range(_WARMING)]
    worked = _processor_s(pid)
    for _ in range(_MOST_LOOKS):
        before = _processor_s(pid)
        time.sleep(_LOOK_S)
        if _processor_s(pid) - before <= _AT_REST * _LOOK_S:
            break
    took = [each for each, _ in asked]
    talk(f"  beside {SEARCHES}: p95 {millis(percentile(took, 0.95))}")
    return Beside(
        tuple(idle), tuple(took), tuple(exact), sum(lost for _, lost in asked), _processor_s(pid) - worked
    )


def _ask(there: Client, repo: Path, text: str) -> tuple[float, bool]:
    """How long a question took, and whether it lost a lane."""
    started = time.perf_counter()
    options = SearchOptions(k=_SHOWN, rerank=False)
    found = there.send(wire.Find(repo=str(repo), query=text, options=options, deadline_ms=_DEADLINE_MS))
    lost = any(lane.status is LaneStatus.TIMEOUT for lane in found.results.lanes)
    return (time.perf_counter() - started) * 1_000, lost


def _processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def beside_table(name: str, measured: Beside) -> Table:
    """Idle, beside endless searches, and how they compare."""
    half = median(measured.beside) / median(measured.idle)
    most = percentile(measured.beside, 0.95) / percentile(measured.idle, 0.95)
    rows = (
        *(
            (state, str(len(took)), millis(median(took)), millis(percentile(took, 0.95)), "")
            for state, took in (
                ("idle", measured.idle),
                (f"searching {SEARCHES} endless expressions", measured.beside),
            )
        ),
        ("… times as long", "", ratio(half), ratio(most), "p95 3 x"),
        (
            "… a short exact search beside them",
            str(len(measured.exact)),
            millis(median(measured.exact)),
            millis(percentile(measured.exact, 0.95)),
            "",
        ),
    )
    notes = (
        f"{measured.lost_lanes} of the questions beside them lost a lane.",
        f"For clients that had left, the service worked {seconds(measured.worked_on_s)} more.",
    )
    return Table(
        f"Asking {name} beside endless exact searches",
        ("the service is", "queries", "p50", "p95", "to reach"),
        rows,
        notes,
    )
