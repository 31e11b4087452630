"""A million hunks: several real histories in one repository, one index.

The repository borrows the objects of those given and holds a branch for each, so the hunks are as people
wrote them and none is there twice by construction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.bench.githistory import borrow, git
from tests.bench.indexing import Watched, grow, index_bytes, pack_bytes
from tests.bench.measure import environment, ohara_command, weigh
from tests.bench.metrics import median
from tests.bench.report import Table, megabytes, millis, ratio, seconds, talk

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.bench.asking import Latency
    from tests.bench.workspace import Subject

_RUNS = 3


@dataclass(frozen=True, slots=True)
class ScaleFigures:
    """What an index of many histories costs to build, to keep and to extend."""

    repositories: tuple[str, ...]
    commits: int
    hunks: int
    searchable_s: float
    everything_s: float
    pace_by_quarter: tuple[float, ...]
    peak_pss: int
    index_bytes: int
    pack_bytes: int
    unchanged_s: float
    one_commit_s: float


def combine(subjects: Sequence[Subject], into: Path) -> None:
    """One bare repository with a branch for each history; the first one is HEAD."""
    if (into / "HEAD").exists():
        return
    borrow(into, [subject.repo for subject in subjects])
    for subject in subjects:
        tip = git(subject.repo, "rev-parse", "HEAD").decode().strip()
        git(into, "update-ref", f"refs/heads/{subject.name}", tip)
    git(into, "symbolic-ref", "HEAD", f"refs/heads/{subjects[0].name}")


def measure_scale(subjects: Sequence[Subject], repo: Path, home: Path, *, everything: bool) -> ScaleFigures:
    """Index the combined repository from nothing, then again, then with one commit more."""
    watch = Watched(home)
    index = ohara_command("index", "-q", "--repo", str(repo))
    quick = ("--passes", "text,literal")
    whole = ("--passes", "text,literal,symbol,vector")  # what became of lines has figures of its own
    env = environment(home)
    first = weigh([*index, "--all", *quick], env=env, on_sample=watch, timeout_s=4 * 3_600)
    watch(first.wall_s)  # what it left, not what the last look saw
    talk(f"text and literal: {first.wall_s:.0f} s, {watch.samples[-1][2]:,} hunks")
    later = weigh([*index, *whole], env=env, timeout_s=8 * 3_600) if everything else None
    size = index_bytes(home)
    unchanged = [weigh([*index, *quick], env=env).wall_s for _ in range(_RUNS)]
    one_commit = []
    for number in range(_RUNS):
        grow(repo, number, branch=subjects[0].name)
        one_commit.append(weigh([*index, *quick], env=env).wall_s)
    return ScaleFigures(
        tuple(subject.name for subject in subjects),
        watch.samples[-1][1],
        watch.samples[-1][2],
        first.wall_s,
        first.wall_s + (later.wall_s if later else 0.0),
        tuple(watch.pace_by_quarter()),
        max(first.peak_pss, later.peak_pss if later else 0),
        size,
        sum(pack_bytes(subject.repo) for subject in subjects),
        median(unchanged),
        median(one_commit),
    )


def scale_tables(figures: ScaleFigures, latencies: Sequence[Latency]) -> tuple[Table, Table]:
    """What it cost, and how soon it answers."""
    size = f"{megabytes(figures.index_bytes)}, {ratio(figures.index_bytes / figures.pack_bytes)} the packs"
    built = Table(
        f"{figures.hunks:,} hunks of {figures.commits:,} commits in one index",
        ("what", "measured"),
        (
            ("searchable (text, literal)", seconds(figures.searchable_s)),
            ("symbols and vectors, too", seconds(figures.everything_s)),
            ("hunks a second, by quarter", " ".join(f"{pace:,.0f}" for pace in figures.pace_by_quarter)),
            ("peak memory of all processes (PSS)", megabytes(figures.peak_pss)),
            (
                "index size",
                size,
            ),
            ("nothing changed", seconds(figures.unchanged_s)),
            ("one new commit (text, literal)", seconds(figures.one_commit_s)),
        ),
        (f"Histories: {', '.join(figures.repositories)}.",),
    )
    rows = tuple(
        (each.name, str(len(each.elapsed_ms)), millis(each.p50), millis(each.p95)) for each in latencies
    )
    asked = Table("Asking it", ("system", "queries", "p50", "p95"), rows)
    return built, asked
