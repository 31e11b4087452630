"""How fast a history becomes searchable, beside `git log -p` of the same history in the same run.

Everything runs on a bare copy that borrows the objects of the repository given, because one of the figures
needs a new commit and nothing here writes into what it was handed.
"""

from __future__ import annotations

import shutil
import sqlite3
import time
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from tests.bench.githistory import borrow, commit_count, git
from tests.bench.machine import load_now
from tests.bench.measure import environment, ohara_command, weigh
from tests.bench.metrics import median
from tests.bench.report import talk

if TYPE_CHECKING:
    from tests.bench.measure import Weighed

FIRST_COMMITS = 1_000
_IDLE_RUNS = 5  # runs with nothing to do are short: their median needs a few
_NEW_COMMITS = 3
_QUARTERS = 4


@dataclass(slots=True)
class Watched:
    """How many commits and hunks were searchable at which second of a run."""

    database_home: Path
    samples: list[tuple[float, int, int]] = field(default_factory=list)

    def __call__(self, elapsed_s: float) -> None:
        """Look into the index as any reader could: what is committed is searchable."""
        database = next(self.database_home.glob("data/indexes/*/index.db"), None)
        if database is None:
            return
        try:
            connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=0.5)
        except sqlite3.Error:
            return
        try:
            commits = connection.execute("SELECT count(*) FROM commits WHERE passes & 3 = 3").fetchone()[0]
            hunks = connection.execute("SELECT coalesce(max(id), 0) FROM hunk").fetchone()[0]
        except sqlite3.Error:  # not created yet
            return
        finally:
            connection.close()
        self.samples.append((elapsed_s, int(commits), int(hunks)))

    def seconds_to(self, commits: int) -> float | None:
        """When so many commits were first seen searchable."""
        return next((elapsed for elapsed, seen, _ in self.samples if seen >= commits), None)

    def pace_by_quarter(self) -> list[float]:
        """Hunks a second in each quarter of the hunks, oldest commits last."""
        first_seen: dict[int, float] = {0: 0.0}
        for elapsed, _, hunks in self.samples:
            first_seen.setdefault(hunks, elapsed)
        total = max(first_seen)
        if not total:
            return []
        # Batches end far apart: between two of them the pace is taken to be even.
        wanted = [total * quarter / _QUARTERS for quarter in range(_QUARTERS + 1)]
        reached = np.interp(wanted, list(first_seen), list(first_seen.values()))
        return [total / _QUARTERS / max(1e-9, float(after - before)) for before, after in pairwise(reached)]


@dataclass(frozen=True, slots=True)
class IndexFigures:
    """The medians of one history, in seconds and bytes."""

    name: str
    commits: int
    hunks: int
    git_log_s: float
    git_log_cpu_s: float
    first_s: float
    searchable_s: float
    searchable_cpu_s: float
    everything_s: float
    everything_cpu_s: float
    unchanged_s: float
    one_commit_s: float
    first_question_s: float  # after a commit, with nothing running; 0 where not all passes were made
    next_question_s: float
    peak_pss: int
    index_bytes: int
    pack_bytes: int
    pace_by_quarter: tuple[float, ...]
    loads: tuple[float, ...]


def measure_indexing(name: str, repo: Path, *, rounds: int, everything: bool = True) -> IndexFigures:
    """Index a history from nothing, alternating with git, and take medians."""
    with TemporaryDirectory(prefix="ohara-bench-") as folder:
        copy = Path(folder) / "copy.git"
        borrow(copy, [repo])
        git(copy, "update-ref", "refs/heads/main", git(repo, "rev-parse", "HEAD").decode().strip())
        git(copy, "symbolic-ref", "HEAD", "refs/heads/main")
        return _measured(name, repo, copy, Path(folder), rounds=rounds, everything=everything)


def _measured(
    name: str, repo: Path, copy: Path, folder: Path, *, rounds: int, everything: bool
) -> IndexFigures:
    peer, runs, watches, wholes, loads = [], [], [], [], []
    for number in range(rounds):
        loads.append(load_now())
        peer.append(weigh(["sh", "-c", f"git -C '{copy}' log -p --no-merges | wc -c"]))
        talk(f"{name}, round {number + 1}: git log -p {peer[-1].wall_s:.1f} s")
        home = folder / f"home-{number}"
        watch = Watched(home)
        runs.append(_index(copy, home, "--passes", "text,literal", watch=watch))
        watch(runs[-1].wall_s)  # a short run ends between two looks: what it left is looked at once more
        watches.append(watch)
        talk(f"{name}, round {number + 1}: text and literal {runs[-1].wall_s:.1f} s")
        if everything:
            wholes.append(_index(copy, home))  # the later passes only: the first two are there already
            talk(f"{name}, round {number + 1}: the other passes {wholes[-1].wall_s:.1f} s")
        if number + 1 < rounds:
            shutil.rmtree(home)
    size = index_bytes(home)
    unchanged = [_index(copy, home).wall_s for _ in range(_IDLE_RUNS)]
    one_commit = []
    for number in range(_NEW_COMMITS):
        grow(copy, number)
        one_commit.append(_index(copy, home, "--passes", "text,literal").wall_s)
    questions = _questions_after_commits(copy, home) if everything else [(0.0, 0.0)]
    first = [watch.seconds_to(min(FIRST_COMMITS, commit_count(copy, merges=True))) for watch in watches]
    return IndexFigures(
        name=name,
        commits=watches[-1].samples[-1][1],
        hunks=watches[-1].samples[-1][2],
        git_log_s=median([run.wall_s for run in peer]),
        git_log_cpu_s=median([run.cpu_s for run in peer]),
        first_s=median([run.wall_s if at is None else at for at, run in zip(first, runs, strict=True)]),
        searchable_s=median([run.wall_s for run in runs]),
        searchable_cpu_s=median([run.cpu_s for run in runs]),
        everything_s=median([run.wall_s + whole.wall_s for run, whole in zip(runs, wholes, strict=False)]),
        everything_cpu_s=median([run.cpu_s + whole.cpu_s for run, whole in zip(runs, wholes, strict=False)]),
        unchanged_s=median(unchanged),
        one_commit_s=median(one_commit),
        first_question_s=median([first for first, _ in questions]),
        next_question_s=median([again for _, again in questions]),
        peak_pss=max(run.peak_pss for run in (*runs, *wholes)),
        index_bytes=size,
        pack_bytes=pack_bytes(repo),
        pace_by_quarter=tuple(watches[-1].pace_by_quarter()),
        loads=tuple(loads),
    )


def _questions_after_commits(copy: Path, home: Path) -> list[tuple[float, float]]:
    """How long the first question after a commit takes, which reads it, and the same one again."""
    _index(copy, home)
    ask = ohara_command("find", "--no-daemon", "-q", "--repo", str(copy), "One change")
    taken = []
    for number in range(_NEW_COMMITS, 2 * _NEW_COMMITS):
        grow(copy, number)
        first, again = (weigh(ask, env=environment(home)).wall_s for _ in range(2))
        taken.append((first, again))
    return taken


def _index(copy: Path, home: Path, *options: str, watch: Watched | None = None) -> Weighed:
    return weigh(
        ohara_command("index", "-q", "--repo", str(copy), *options), env=environment(home), on_sample=watch
    )


def grow(copy: Path, number: int, branch: str = "main") -> None:
    """Add one ordinary commit on top: a few lines of a new file."""
    lines = "".join(f"def step_{number}_{line}() -> int:\n    return {line}\n" for line in range(10))
    parent = git(copy, "rev-parse", f"refs/heads/{branch}").decode().strip()
    stamp = int(time.time()) + number
    git(
        copy,
        "fast-import",
        "--quiet",
        given=(
            f"commit refs/heads/{branch}\ncommitter Bench <bench@example.invalid> {stamp} +0000\n"
            f"data 12\nOne change.\n\nfrom {parent}\nM 644 inline bench/step_{number}.py\n"
            f"data {len(lines)}\n{lines}\n"
        ).encode(),
    )


def pack_bytes(repo: Path) -> int:
    """What git itself needs for the history, packed."""
    said = dict(line.split(": ") for line in git(repo, "count-objects", "-v").decode().splitlines())
    return (int(said["size-pack"]) + int(said["size"])) * 1024


def index_bytes(home: Path) -> int:
    """What the index takes on disk."""
    return sum(file.stat().st_size for file in home.glob("data/indexes/*/index.db*"))
