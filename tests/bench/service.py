"""The background service as one part of the benchmark, from a history to a report."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from ohara import wire
from tests.bench.beside import beside_table, measure_beside
from tests.bench.changelog import draw_queries
from tests.bench.crowd import crowd_table, measure_crowd
from tests.bench.hooks import hooks_table, measure_hooks
from tests.bench.load import copied, load_table, measure_load
from tests.bench.machine import look
from tests.bench.overhead import measure_overhead, overhead_table
from tests.bench.report import Report
from tests.bench.serving import service, settle
from tests.bench.soak import measure_soak, soak_table

if TYPE_CHECKING:
    from pathlib import Path

    from tests.bench.workspace import Subject


def measure_service(subject: Subject, work: Path, *, queries: int = 100, use: float = 1.0) -> Report:
    """What asking the service costs, how it bears indexing and crowds, what its hook costs, what it keeps."""
    machine = look()
    folder = work / "daemon"
    home = folder / "home"
    texts = [query.text for query in draw_queries(subject.repo, limit=queries).queries]
    hooks_alone = measure_hooks(folder / "hooked", folder / "alone")
    with service(home) as there:
        there.send(wire.Index(repo=str(subject.repo)))
        settle(there)
        hunks = there.send(wire.Status(repo=str(subject.repo))).status.hunks
        overhead = measure_overhead(subject.repo, home, there, texts)
        hooks = measure_hooks(folder / "hooked", home)
        crowd = measure_crowd(subject.repo, texts)
        beside = measure_beside(there, subject.repo, texts)
        load = measure_load(there, subject.repo, copied(subject.repo, folder / "other.git"), texts)
    with service(home) as there:
        settle(there)
        soak = measure_soak(there, subject.repo, folder, texts, scale=use)
    tables = (
        overhead_table(f"{subject.name} ({hunks:,} hunks)", overhead),
        load_table(subject.name, load),
        beside_table(subject.name, beside),
        crowd_table(subject.name, crowd),
        hooks_table(hooks, hooks_alone),
        soak_table(soak),
    )
    numbers = {
        "overhead": asdict(overhead),
        "load": asdict(load),
        "beside": asdict(beside),
        "crowd": asdict(crowd),
        "hooks": {"service": asdict(hooks), "alone": asdict(hooks_alone)},
        "soak": asdict(soak),
    }
    return Report(f"daemon-{subject.name}", machine, tables, numbers)
