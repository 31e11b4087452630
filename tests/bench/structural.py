"""Structural search against brute force: the same changes and counts, and how much sooner.

Brute force parses every version of every file that the newest commits changed. Both are weighed in processor
time, the parser's included: a machine on which others work does not change that.
"""

from __future__ import annotations

import resource
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from statistics import median
from typing import TYPE_CHECKING

import anyio

from ohara.engine import Engine
from ohara.model import Mode, SearchOptions
from ohara.structural.pool import Task
from tests.bench.githistory import git
from tests.bench.machine import look
from tests.bench.measure import environment, ohara_command, weigh
from tests.bench.report import Report, Table, talk
from tests.bench.structural_truth import changed_counts
from tests.bench.workspace import at_home

if TYPE_CHECKING:
    from pathlib import Path

    from tests.bench.workspace import Subject

NEWEST = 1_500
_EVERYTHING = SearchOptions(k=0, mode=Mode.STRUCTURAL, all_hunks=True, within_s=3_600.0)

# What people look for when they look for a shape; of each history, those in its main languages.
PATTERNS = {
    "python": (
        "pytest.raises($E, match=$M)",
        "warnings.warn($$$A)",
        "except $E: pass",
        "isinstance($A, ($$$B))",
        "subprocess.run($$$A)",
        "def $F(self): pass",
    ),
    "typescript": (
        "expect($A).toBe($B)",
        "const $A = await import($B)",
        "JSON.parse($X)",
        "throw new Error($M)",
    ),
    "javascript": ("expect($A).toBe($B)", "require($X)", "JSON.stringify($$$A)", "throw new Error($M)"),
    "go": ("fmt.Errorf($$$A)", "if err != nil { return $E }", "context.Background()", "panic($X)"),
    "rust": ("$A.unwrap()", "unsafe { $$$ }", "vec![$$$A]", "panic!($$$A)"),
    "c": ("zmalloc($N)", "memcpy($A, $B, sizeof($C))", "if ($A == NULL) return $B;", "addReplyError($C, $M)"),
}


@dataclass(frozen=True, slots=True)
class Compared:
    """One pattern: how many changes both found, how many only one did, and what each took."""

    language: str
    pattern: str
    changes: int
    differ: int
    brute_cpu_s: float
    cold_cpu_s: float
    warm_cpu_s: float
    warm_s: float


def measure_structural(subject: Subject, work: Path, *, newest: int = NEWEST) -> Report:
    """The patterns of a history's own languages, asked of both."""
    machine = look()
    home = work / f"structural-{newest}"
    weigh(
        ohara_command(
            "index",
            "-q",
            "--repo",
            str(subject.repo),
            "--passes",
            "text,literal",
            "--max-commits",
            str(newest),
        ),
        env=environment(home),
    )
    with at_home(home):
        shas = _indexed(subject.repo, newest)
        compared = [
            _compare(subject.repo, language, pattern, shas)
            for language in _languages(subject.repo)
            for pattern in PATTERNS[language]
        ]
    columns = (
        "pattern",
        "changes",
        "differ",
        "brute force",
        "first time",
        "ratio",
        "again",
        "ratio",
        "again, wall",
    )
    rows = tuple(
        (
            f"`{each.pattern}` ({each.language})",
            f"{each.changes:,}",
            f"{each.differ:,}",
            f"{each.brute_cpu_s:.1f} s",
            f"{each.cold_cpu_s:.2f} s",
            f"{each.brute_cpu_s / each.cold_cpu_s:.0f}",
            f"{each.warm_cpu_s:.3f} s",
            f"{each.brute_cpu_s / each.warm_cpu_s:.0f}",
            f"{each.warm_s * 1000:.0f} ms",
        )
        for each in compared
    )
    cold = median(each.brute_cpu_s / each.cold_cpu_s for each in compared)
    warm = median(each.brute_cpu_s / each.warm_cpu_s for each in compared)
    title = f"{subject.name}, newest {newest:,} commits: processor time"
    note = f"Median ratio: {cold:.0f} the first time, {warm:.0f} again."
    numbers = {"patterns": [asdict(each) for each in compared], "cold": cold, "warm": warm}
    return Report(f"structural-{subject.name}", machine, (Table(title, columns, rows, (note,)),), numbers)


def _indexed(repo: Path, newest: int) -> frozenset[str]:
    """The newest commits as both know them."""
    asked = git(repo, "rev-list", "-n", str(newest), "HEAD").decode().split()
    with closing(Engine.open(repo)) as engine:
        readers = engine.store.readers()

        async def known() -> frozenset[str]:
            return await readers.read(lambda reader: frozenset(reader.indexed(asked)))  # type: ignore[arg-type]

        found = anyio.run(known)
        readers.close()
    return found


def _languages(repo: Path) -> list[str]:
    """At most two languages that there are patterns for and that a history has many files in."""
    with closing(Engine.open(repo)) as engine:
        readers = engine.store.readers()

        async def there() -> dict[str, int]:
            return await readers.read(lambda reader: reader.languages())

        counts = anyio.run(there)
        readers.close()
    most = max(counts.values(), default=0)
    return [each for each, count in counts.items() if each in PATTERNS and count * 10 >= most][:2]


def _compare(repo: Path, language: str, pattern: str, shas: frozenset[str]) -> Compared:
    before = _cpu()
    counted = changed_counts(repo, {language: Task(language, pattern)}, commits=shas)
    brute = _cpu() - before
    query = f"{pattern} lang:{language}"
    before = _cpu()
    with closing(Engine.open(repo)) as engine:
        results = engine.find_pattern(query, _EVERYTHING)
    cold = _cpu() - before
    with closing(Engine.open(repo)) as engine:
        engine.find_pattern(query, _EVERYTHING)
        before, started = _cpu(), time.perf_counter()
        engine.find_pattern(query, _EVERYTHING)
        warm, wall = _cpu() - before, time.perf_counter() - started
    found: dict[tuple[str, str], tuple[int, int]] = {
        (hit.commit.sha, hit.path): (hit.structural.before, hit.structural.after)
        for hit in results.hits
        if hit.structural and hit.commit.sha in shas
    }
    differ = sum(found.get(key) != counted.get(key) for key in found.keys() | counted.keys())
    for key in found.keys() | counted.keys():
        if found.get(key) != counted.get(key):
            talk(f"  {pattern}: {key}: brute force {counted.get(key)}, ohara {found.get(key)}")
    talk(f"  {pattern}: {len(counted):,} changes, {differ} differ, {brute:.1f} / {cold:.2f} / {warm:.3f} s")
    return Compared(language, pattern, len(counted), differ, brute, cold, warm, wall)


def _cpu() -> float:
    """Processor time of this process and of those that it has waited for."""
    own, ended = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime
