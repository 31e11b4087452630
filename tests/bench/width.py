"""Histories that are wide instead of long: thousands of branches, a commit of tens of thousands of files.

Beside `git log -p --all` of the same history, and a plain history of as many commits: what a branch costs is
the difference. Each is indexed from nothing, killed half-way and gone on with, and run with nothing new.
"""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.bench.indexing import index_bytes
from tests.bench.machine import look
from tests.bench.measure import environment, ohara_command, weigh
from tests.bench.metrics import median
from tests.bench.report import Report, Table, megabytes, ratio, seconds, talk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_BRANCHES = 5_000
_FILES = 50_000
_LINES = 12
_IDLE_RUNS = 5
_FIRST_COMMIT = 1_600_000_000


@dataclass(frozen=True, slots=True)
class WidthFigures:
    """What one history cost."""

    name: str
    git_s: float
    searchable_s: float
    searchable_cpu_s: float
    killed_after_s: float
    rest_s: float
    unchanged_s: float
    peak_pss: int
    index_bytes: int


def measure_width() -> Report:
    """Many commits in a row, as many branches of one each, and one commit of many files."""
    machine = look()
    histories: dict[str, Callable[[], Iterator[str]]] = {
        f"{_BRANCHES:,} commits in a row": _row_of_commits,
        f"{_BRANCHES:,} branches of a commit each": _branches,
        f"one commit of {_FILES:,} files": _many_files,
    }
    figures = [_measured(name, write) for name, write in histories.items()]
    return Report("width", machine, (_table(figures),), {each.name: asdict(each) for each in figures})


def _measured(name: str, write: Callable[[], Iterator[str]]) -> WidthFigures:
    with TemporaryDirectory(prefix="ohara-bench-") as folder:
        repo, home, killed_home = (Path(folder) / each for each in ("history.git", "home", "killed"))
        _import(repo, write())
        shown = weigh(["sh", "-c", f"git -C '{repo}' log -p --all | wc -c"])
        index = ohara_command("index", "-q", "--all", "--passes", "text,literal", "--repo", str(repo))
        whole = weigh(index, env=environment(home))
        unchanged = [weigh(index, env=environment(home)).wall_s for _ in range(_IDLE_RUNS)]
        half = whole.wall_s / 2
        _kill_after(half, index, killed_home)
        rest = weigh(index, env=environment(killed_home))
        if _commits(killed_home) != _commits(home):
            raise RuntimeError(f"{name}: what was killed and gone on with has other commits")
        figures = WidthFigures(
            name, shown.wall_s, whole.wall_s, whole.cpu_s, half, rest.wall_s, median(unchanged),
            whole.peak_pss, index_bytes(home),
        )  # fmt: skip
    talk(" ".join(_cells(figures)))
    return figures


def _kill_after(wait_s: float, command: list[str], home: Path) -> None:
    started = subprocess.Popen(command, env=environment(home), start_new_session=True)
    time.sleep(wait_s)
    started.send_signal(signal.SIGKILL)
    started.wait()


def _commits(home: Path) -> list[tuple[bytes, int]]:
    """The commits that an index has, and whether they are shown."""
    database = next(home.glob("data/indexes/*/index.db"))
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return connection.execute("SELECT sha, live FROM commits ORDER BY sha").fetchall()


def _import(repo: Path, commands: Iterator[str]) -> None:
    subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", str(repo)], check=True, timeout=60)
    importing = subprocess.Popen(
        ["git", "-C", str(repo), "fast-import", "--quiet"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    assert importing.stdin is not None
    for command in commands:
        importing.stdin.write(command.encode())
    importing.stdin.close()
    if importing.wait(timeout=600):
        raise RuntimeError("git fast-import failed")


def _row_of_commits() -> Iterator[str]:
    for number in range(_BRANCHES):
        yield _commit("main", number) + _file(f"src/part{number % 40}.py", number)


def _branches() -> Iterator[str]:
    yield _commit("main", 0) + "".join(_file(f"src/part{number}.py", number) for number in range(40))
    for number in range(1, _BRANCHES):
        yield (
            _commit(f"topic/{number}", number)
            + "from refs/heads/main\n"
            + _file(f"src/part{number % 40}.py", number)
        )


def _many_files() -> Iterator[str]:
    yield _commit("main", 0)
    for number in range(_FILES):
        yield _file(f"src/package{number // 500}/part{number}.py", number)


def _commit(branch: str, number: int) -> str:
    return (
        f"commit refs/heads/{branch}\n"
        f"committer Bench <bench@example.invalid> {_FIRST_COMMIT + 60 * number} +0000\n"
        f"data <<END\nChange number {number}\nEND\n"
    )


def _file(path: str, number: int) -> str:
    lines = "".join(
        f"value_{number}_{line} = compute_{(number * 7 + line) % 997}({line})\n" for line in range(_LINES)
    )
    return f"M 644 inline {path}\ndata {len(lines)}\n{lines}\n"


def _cells(figures: WidthFigures) -> tuple[str, ...]:
    return (
        figures.name,
        seconds(figures.git_s),
        seconds(figures.searchable_s),
        ratio(figures.searchable_s / figures.git_s),
        seconds(figures.searchable_cpu_s),
        f"{seconds(figures.killed_after_s)} and {seconds(figures.rest_s)}",
        seconds(figures.unchanged_s),
        megabytes(figures.peak_pss),
        megabytes(figures.index_bytes),
    )


def _table(figures: list[WidthFigures]) -> Table:
    return Table(
        "Wide histories, text and literal",
        (
            "history",
            "git log -p --all",
            "searchable",
            "x git",
            "processor time",
            "killed after, and the rest",
            "nothing changed",
            "memory",
            "index",
        ),
        tuple(map(_cells, figures)),
        ("All branches. Killed half-way (the main process, by signal 9), and run again: the same commits.",),
    )
