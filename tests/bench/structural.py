"""Structural search against brute force: the same changes and counts, and how much sooner.

Brute force parses every version of every file that the newest commits changed, each once. Both are weighed in
processor time, the parser's included: a machine on which others work does not change that. The first time
nothing is known of the pattern and no parser runs; again, the same process is asked once more.
"""

from __future__ import annotations

import json
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

    from ohara.model import Results
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

# Each has a word that few changes touch.
RARE = {
    "python": (
        "monkeypatch.syspath_prepend($P)",
        "subprocess.run($$$A)",
        "pytest.deprecated_call($$$A)",
        "functools.total_ordering",
        "warnings.catch_warnings($$$A)",
        "inspect.unwrap($$$A)",
    ),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What asking costs, in processor time and by the clock: the first time, and again."""

    cold_cpu_s: float
    cold_s: float
    warm_cpu_s: float
    warm_s: float


@dataclass(frozen=True, slots=True)
class Compared:
    """One pattern: how many changes both found, how many only one did, and what each took."""

    history: str
    language: str
    pattern: str
    changes: int
    differ: int
    brute_cpu_s: float
    asked: Asked

    @property
    def cold(self) -> float:
        """How many times as much brute force costs, the first time."""
        return self.brute_cpu_s / self.asked.cold_cpu_s

    @property
    def warm(self) -> float:
        """How many times as much brute force costs, later."""
        return self.brute_cpu_s / self.asked.warm_cpu_s


def measure_structural(subject: Subject, work: Path, *, newest: int = NEWEST) -> Report:
    """The patterns of a history's own languages, asked of both."""
    machine = look()
    home = _home(subject, work / f"structural-{newest}", "--max-commits", str(newest))
    with at_home(home):
        shas = _indexed(subject.repo, newest)
        compared = [
            _compare(subject, home, language, pattern, shas)
            for language in _languages(subject.repo)
            for pattern in PATTERNS[language]
        ]
    columns = ("pattern", "changes", "differ", "brute force", "first time", "ratio", "again", "ratio")
    rows = tuple(
        (
            f"`{each.pattern}` ({each.language})",
            f"{each.changes:,}",
            f"{each.differ:,}",
            f"{each.brute_cpu_s:.1f} s",
            f"{each.asked.cold_cpu_s:.2f} s",
            f"{each.cold:.1f}",
            f"{each.asked.warm_cpu_s:.3f} s",
            f"{each.warm:.0f}",
        )
        for each in compared
    )
    title = f"{subject.name}, newest {newest:,} commits: processor time"
    numbers = {
        "patterns": [{**asdict(each), "cold": each.cold, "warm": each.warm} for each in compared],
        "commits": len(shas),
    }
    return Report(f"structural-{subject.name}", machine, (Table(title, columns, rows),), numbers)


def structural_together(out: Path) -> Report:
    """The medians of what the last runs of all histories say."""
    files = sorted(out.glob("structural-*.json"))
    told = {file.stem.removeprefix("structural-"): json.loads(file.read_text())["numbers"] for file in files}
    compared = {
        name: each["patterns"] for name, each in told.items() if "commits" in each and each["patterns"]
    }
    every = [one for each in compared.values() for one in each]
    rows = tuple(
        (
            name,
            f"{len(each)}",
            f"{sum(one['differ'] for one in each):,}",
            f"{median(one['cold'] for one in each):.1f}",
            f"{median(one['warm'] for one in each):.0f}",
        )
        for name, each in (*compared.items(), *([("all", every)] if every else ()))
    )
    columns = ("history", "patterns", "differ", "ratio the first time", "ratio again")
    table = Table("medians over patterns: processor time of brute force beside ohara's", columns, rows)
    return Report("structural", look(), (table,), {"histories": list(compared)})


def measure_rare(subject: Subject, work: Path) -> Report:
    """Patterns with a word that is rare, in a whole history."""
    machine = look()
    home = _home(subject, work / "structural-whole")
    rows: list[tuple[str, ...]] = []
    numbers: list[dict[str, object]] = []
    with at_home(home):
        for language in _languages(subject.repo):
            for pattern in RARE.get(language, ()):
                asked, results = _ask(subject.repo, home, f"{pattern} lang:{language}")
                found = len({(hit.commit.sha, hit.path) for hit in results.hits})
                numbers.append({"pattern": pattern, "changes": found, **asdict(asked)})
                rows.append(
                    (
                        f"`{pattern}` ({language})",
                        f"{found:,}",
                        f"{asked.cold_cpu_s:.2f} s",
                        f"{asked.cold_s:.2f} s",
                        f"{asked.warm_cpu_s * 1000:.0f} ms",
                        f"{asked.warm_s * 1000:.0f} ms",
                    )
                )
    columns = ("pattern", "changes", "first time", "by the clock", "again", "by the clock")
    title = f"{subject.name}, the whole history: processor time, and by the clock"
    table = Table(title, columns, tuple(rows))
    return Report(f"structural-whole-{subject.name}", machine, (table,), {"patterns": numbers})


def _home(subject: Subject, home: Path, *options: str) -> Path:
    """A place with an index of a history that can be searched by text."""
    talk(f"{subject.name}: indexing")
    weigh(
        ohara_command(
            "index", "-q", "--repo", str(subject.repo), "--passes", "text,literal", *options
        ),
        env=environment(home),
    )  # fmt: skip
    return home


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


def _compare(subject: Subject, home: Path, language: str, pattern: str, shas: frozenset[str]) -> Compared:
    before = _cpu()
    counted = changed_counts(subject.repo, {language: Task((language,), pattern)}, commits=shas)
    brute = _cpu() - before
    asked, results = _ask(subject.repo, home, f"{pattern} lang:{language}")
    found: dict[tuple[str, str], tuple[int, int]] = {
        (hit.commit.sha, hit.path): (hit.structural.before, hit.structural.after)
        for hit in results.hits
        if hit.structural and hit.commit.sha in shas
    }
    different = [key for key in found.keys() | counted.keys() if found.get(key) != counted.get(key)]
    for key in different:
        talk(f"  {pattern}: {key}: brute force {counted.get(key)}, ohara {found.get(key)}")
    talk(
        f"  {pattern}: {len(counted):,} changes, {len(different)} differ,"
        f" {brute:.1f} / {asked.cold_cpu_s:.2f} / {asked.warm_cpu_s:.3f} s"
    )
    return Compared(subject.name, language, pattern, len(counted), len(different), brute, asked)


def _ask(repo: Path, home: Path, query: str) -> tuple[Asked, Results]:
    """Ask with nothing known of the pattern, and again in a process that has asked it before."""
    for kept in home.rglob("*.matches*"):
        kept.unlink()
    cpu, started = _cpu(), time.perf_counter()
    with closing(Engine.open(repo)) as engine:
        results = engine.find_pattern(query, _EVERYTHING)
        cold_s = time.perf_counter() - started
    cold = _cpu() - cpu
    with closing(Engine.open(repo)) as engine:
        engine.find_pattern(query, _EVERYTHING)
        cpu, started = _cpu(), time.perf_counter()
        engine.find_pattern(query, _EVERYTHING)
        warm, warm_s = _cpu() - cpu, time.perf_counter() - started
    return Asked(cold, cold_s, warm, warm_s), results


def _cpu() -> float:
    """Processor time of this process and of those that it has waited for."""
    own, ended = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime
