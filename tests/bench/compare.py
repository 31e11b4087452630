"""Puts the same patterns to git and to ohara, and accounts for every commit that only one of them names."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.bench.githistory import git
from tests.bench.literals import git_commits
from tests.bench.metrics import median, percentile
from tests.bench.report import Table, millis, ratio, talk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.bench.literals import HistoryPattern

_UNREAD = frozenset({"binary", "oversized", "missing"})
_REPEATS = 3  # the median of three: the first may find a cold page cache


@dataclass(frozen=True, slots=True)
class Compared:
    """One pattern: how long each took, and which commits only one of them named."""

    pattern: HistoryPattern
    commits: int
    git_ms: float
    ours_ms: float
    unread: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]

    @property
    def same(self) -> bool:
        """True when nothing is left to explain."""
        return not (self.missing or self.extra)


def compare(
    repo: Path, database: Path, patterns: Sequence[HistoryPattern], find: Callable[[str], frozenset[str]]
) -> list[Compared]:
    """Ask both about every pattern; `find` names every commit that ohara finds for a query."""
    merges = frozenset(git(repo, "rev-list", "--merges", "HEAD").decode().split())
    compared = []
    for pattern in patterns:
        started = time.perf_counter()
        theirs = git_commits(repo, pattern)
        git_ms = (time.perf_counter() - started) * 1_000
        times = []
        for _ in range(_REPEATS):
            started = time.perf_counter()
            ours = find(pattern.query)
            times.append((time.perf_counter() - started) * 1_000)
        lacking = sorted(theirs - ours)
        unread = [sha for sha in lacking if _is_unread(repo, database, sha, pattern)]
        compared.append(
            Compared(
                pattern,
                len(theirs),
                git_ms,
                median(times),
                tuple(unread),
                tuple(sha for sha in lacking if sha not in unread),
                tuple(sorted(ours - theirs - merges)),
            )
        )
        talk(
            f"  {pattern.query}: git {git_ms:.0f}, ohara {compared[-1].ours_ms:.1f} ms, {len(theirs)} commits"
        )
    return compared


def _is_unread(repo: Path, database: Path, sha: str, pattern: HistoryPattern) -> bool:
    """Whether the pattern is only in files of the commit that `ohara status` counts as unread."""
    shown = git(repo, "show", "--format=", "--name-only", "-z", "-E", f"-G{pattern.expression}", sha)
    paths = {path.decode("utf-8", "surrogateescape") for path in shown.split(b"\0") if path}
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        rows = connection.execute(
            "SELECT path.path, file.left_out FROM file JOIN path ON path.id = file.path_id "
            "JOIN commits ON commits.id = file.commit_id WHERE commits.sha = ?",
            (bytes.fromhex(sha),),
        ).fetchall()
    finally:
        connection.close()
    unread = {path for path, reason in rows if reason in _UNREAD}
    return bool(paths) and paths <= unread


def compared_tables(name: str, compared: Sequence[Compared]) -> tuple[Table, ...]:
    """Speed by kind of pattern, and what only one of them found, if anything."""
    kinds = sorted({each.pattern.kind for each in compared})
    rows = [_speed_row(kind, [each for each in compared if each.pattern.kind == kind]) for kind in kinds]
    rows.append(_speed_row("all", compared))
    speed = Table(
        f"Literal and regex search of {name} against `git log -G`",
        ("pattern", "patterns", "git, median", "ohara p50", "ohara p95", "sooner, median", "same commits"),
        tuple(rows),
        ("To reach: at least 100 times sooner (median), and the same commits.",),
    )
    different = Table(
        "Commits that only one of them names",
        ("pattern", "git's", "unread by ohara", "only git", "only ohara"),
        tuple(
            (
                f"`{each.pattern.expression.replace('|', chr(92) + '|')}`",
                str(each.commits),
                str(len(each.unread)),
                _some(each.missing),
                _some(each.extra),
            )
            for each in compared
            if each.unread or not each.same
        ),
    )
    return (speed, different) if different.rows else (speed,)


def _speed_row(kind: str, compared: Sequence[Compared]) -> tuple[str, ...]:
    ours = [each.ours_ms for each in compared]
    return (
        kind,
        str(len(compared)),
        millis(median([each.git_ms for each in compared])),
        millis(median(ours)),
        millis(percentile(ours, 0.95)),
        ratio(median([each.git_ms / each.ours_ms for each in compared])),
        f"{sum(each.same for each in compared)} of {len(compared)}",
    )


def _some(shas: Sequence[str]) -> str:
    shown = " ".join(sha[:9] for sha in shas[:3])
    return f"{len(shas)}: {shown}" if shas else "0"
