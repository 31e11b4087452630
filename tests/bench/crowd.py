"""Many clients at once: whether each of them gets its answer, and how long the unluckiest waits."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass
from itertools import cycle, islice
from typing import TYPE_CHECKING

from ohara import client, wire
from ohara.errors import OharaError
from ohara.model import SearchOptions
from tests.bench.metrics import median, percentile
from tests.bench.report import Table, seconds, talk

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CLIENTS = 300
_PROCESSES = 6  # so that the clients do not wait for each other
_AHEAD_S = 3.0  # for all of them to be ready


@dataclass(frozen=True, slots=True)
class Crowd:
    """How long each answered client waited, and what the others were told."""

    waited_s: tuple[float, ...]
    with_all_lanes: int
    faults: tuple[str, ...]


def measure_crowd(repo: Path, texts: Sequence[str], *, clients: int = CLIENTS) -> Crowd:
    """Let so many clients connect and ask at the same moment, each a question of its own."""
    asked = list(islice(cycle(texts), clients))
    start = time.time() + _AHEAD_S
    groups = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.bench.crowd"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(_PROCESSES)
    ]
    for number, group in enumerate(groups):
        assert group.stdin is not None
        group.stdin.write(json.dumps([str(repo), start, asked[number::_PROCESSES]]))
        group.stdin.close()
    told: list[tuple[float, bool, str]] = []
    for group in groups:
        assert group.stdout is not None
        told += json.loads(group.stdout.read())
        group.wait()
    crowd = Crowd(
        tuple(waited for waited, _, fault in told if not fault),
        sum(whole for _, whole, _ in told),
        tuple(fault for _, _, fault in told if fault),
    )
    talk(f"  {clients} clients: {len(crowd.waited_s)} answered, {len(crowd.faults)} faults")
    return crowd


def crowd_table(name: str, measured: Crowd) -> Table:
    """Answered, faults, and the slowest beside the median."""
    waited = measured.waited_s
    rows = (
        ("clients at once", str(len(waited) + len(measured.faults)), ""),
        ("answered", str(len(waited)), "all"),
        ("… by all lanes", str(measured.with_all_lanes), "all"),
        ("faults", str(len(measured.faults)), "0"),
        ("median", seconds(median(waited)), ""),
        ("p95", seconds(percentile(waited, 0.95)), ""),
        ("slowest", seconds(max(waited)), "3 x the median"),
    )
    notes = tuple(f"{count} x {fault}" for fault, count in Counter(measured.faults).most_common(5))
    return Table(f"A crowd of clients asks {name}", ("", "measured", "to reach"), rows, notes)


def _ask_all(repo: str, start: float, texts: Sequence[str]) -> list[tuple[float, bool, str]]:
    told: list[tuple[float, bool, str]] = []
    threads = [threading.Thread(target=_ask, args=(repo, start, text, told)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told


def _ask(repo: str, start: float, text: str, told: list[tuple[float, bool, str]]) -> None:
    time.sleep(max(0.0, start - time.time()))
    began = time.monotonic()
    fault, whole = "", False
    try:
        with client.connect() as there:
            results = there.send(
                wire.Find(repo=str(repo), query=text, options=SearchOptions(rerank=False))
            ).results
            whole = all(lane.status != "timeout" for lane in results.lanes)
    except (OharaError, OSError) as error:
        fault = f"{type(error).__name__}: {error}"
    told.append((time.monotonic() - began, whole, fault))


if __name__ == "__main__":
    _repo, _start, _texts = json.load(sys.stdin)
    print(json.dumps(_ask_all(_repo, _start, _texts)))
