"""The whole benchmark on a small scripted history: does it work, and are its numbers sane?

It says nothing about how good or how fast ohara is. It fails when a part cannot run, when a search that knows
the messages finds less than half of what it should, or when git and ohara disagree about a pattern.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.bench import parts, quality
from tests.bench.lazy_report import KEPT_HALF, LAZY_HALF
from tests.bench.metrics import quality as measured
from tests.bench.rehearsal import CHANGES, write_rehearsal
from tests.bench.report import publish, talk
from tests.bench.service import measure_service
from tests.bench.systems import OURS, OURS_RERANKED
from tests.bench.workspace import Subject

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.bench.report import Report

_LEAST_MRR = 0.5
_LEAST_BLIND_MRR = 0.25
_LEAST = {
    "with messages": _LEAST_MRR,
    "message-blind": _LEAST_BLIND_MRR,
    LAZY_HALF: _LEAST_BLIND_MRR,
    KEPT_HALF: _LEAST_MRR,
}


def rehearse(out: Path) -> int:
    """Run every part; 0 when all of them ran and nothing is out of bounds."""
    with TemporaryDirectory(prefix="ohara-bench-") as folder:
        complaints = list(_complaints(Path(folder), out / "quick"))
    for complaint in complaints:
        talk(f"not sane: {complaint}")
    talk("the benchmark works" if not complaints else f"{len(complaints)} numbers are not sane")
    return 1 if complaints else 0


def _complaints(folder: Path, out: Path) -> Iterator[str]:
    repo = write_rehearsal(folder / "rehearsal.git")
    subject = Subject("rehearsal", repo.path)
    work = folder / "work"
    asked = quality.measure_quality(subject, work, git_queries=3)
    publish(asked, out)
    yield from quality_complaints(asked.numbers)
    patterns = parts.literal(subject, work, patterns=14)
    publish(patterns, out)
    yield from literal_complaints(patterns.numbers)
    publish(parts.asking(subject, work, git_queries=2), out)
    served = measure_service(subject, work, use=0.05)
    publish(served, out)
    yield from service_complaints(served.numbers)
    index = parts.indexing([subject], rounds=1)
    publish(index, out)
    yield from index_complaints(index)


def quality_complaints(numbers: Mapping[str, object]) -> Iterator[str]:
    """What is wrong with the answers."""
    queries = numbers["queries"]
    assert isinstance(queries, list)
    if len(queries) != len(CHANGES):
        yield f"{len(queries)} queries of {len(CHANGES)} fragments"
    for title, least in _LEAST.items():
        systems = numbers[title]
        assert isinstance(systems, list)
        for system in systems:
            for fault in system["faults"]:
                yield f"{title}, {system['name']}: {fault}"
            found = measured(system["ranks"]).mrr.mean
            if system["name"] in {OURS.name, OURS_RERANKED.name} and found < least:
                yield f"{title}, {system['name']}: MRR@10 {found:.3f} is below {least}"


def literal_complaints(numbers: Mapping[str, object]) -> Iterator[str]:
    """Where git and ohara name other commits."""
    patterns = numbers["patterns"]
    assert isinstance(patterns, list)
    for each in patterns:
        if each["missing"] or each["extra"]:
            yield f"{each['pattern']['query']}: only git {each['missing']}, only ohara {each['extra']}"


def service_complaints(numbers: Mapping[str, object]) -> Iterator[str]:
    """What the service keeps that it should have let go."""
    soak = numbers["soak"]
    assert isinstance(soak, dict)
    first, last = soak["looks"][0], soak["looks"][-1]
    for name, allowed in (("threads", 16), ("descriptors", 16), ("memory_bytes", 64 * 2**20)):
        if last[name] > first[name] + allowed:
            yield f"the service: {name} grew from {first[name]:,} to {last[name]:,}"


def index_complaints(report: Report) -> Iterator[str]:
    """Figures that cannot be."""
    (figures,) = report.numbers.values()
    assert isinstance(figures, dict)
    for name in ("commits", "hunks", "first_s", "searchable_s", "everything_s", "peak_pss", "index_bytes"):
        if not figures[name] > 0:
            yield f"index: {name} is {figures[name]}"
    if figures["first_s"] > figures["searchable_s"]:
        yield "index: the first commits came after the last"
