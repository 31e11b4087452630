"""How soon an answer comes: warm in one process, cold from a shell, and from git, on the same questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.bench.measure import environment, ohara_command, weigh
from tests.bench.metrics import median, percentile
from tests.bench.report import Table, millis, ratio, talk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.bench.evaluate import System
    from tests.bench.workspace import Indexed

_WARMING = 10  # queries until caches and models are as they are for every later one
_COLD_RUNS = 5


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
