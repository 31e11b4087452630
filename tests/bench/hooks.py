"""What ohara's git hook adds to a commit."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.bench.measure import environment, ohara_command
from tests.bench.metrics import median
from tests.bench.report import Table, millis, talk

if TYPE_CHECKING:
    from pathlib import Path

_COMMITS = 40
_REST_S = 0.1  # what a hook left running is then past its busiest moment


@dataclass(frozen=True, slots=True)
class Hooks:
    """How long `git commit` took without the hook and with it, in milliseconds."""

    without: tuple[float, ...]
    hooked: tuple[float, ...]

    @property
    def added(self) -> float:
        """What the hook adds, in the median."""
        return median(self.hooked) - median(self.without)


def measure_hooks(folder: Path, home: Path, *, commits: int = _COMMITS) -> Hooks:
    """Commit with and without the hook by turns, so that a busy moment hits both."""
    env = environment(home) | {
        f"GIT_{role}_{part}": "bench" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")
    }
    if not folder.exists():
        subprocess.run(["git", "init", "-q", str(folder)], env=env, check=True)
    subprocess.run(
        ohara_command("hook", "install", "--repo", str(folder)),
        env=env,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    without, hooked = [], []
    for number in range(commits):
        without.append(_commit_ms(folder, env, number, "-c", f"core.hooksPath={os.devnull}"))
        hooked.append(_commit_ms(folder, env, number))
    measured = Hooks(tuple(without), tuple(hooked))
    talk(f"  the hook adds {millis(measured.added)} to a commit")
    return measured


def _commit_ms(folder: Path, env: dict[str, str], number: int, *settings: str) -> float:
    time.sleep(_REST_S)
    command = ["git", *settings, "-C", str(folder), "commit", "-q", "--allow-empty", "-m", f"Commit {number}"]
    started = time.perf_counter()
    subprocess.run(command, env=env, check=True)
    return (time.perf_counter() - started) * 1_000


def hooks_table(with_service: Hooks, alone: Hooks) -> Table:
    """While a service lives, and without one."""
    return Table(
        "`git commit` with ohara's hook",
        ("", "commits", "without the hook", "with it", "added", "to reach"),
        tuple(
            (
                name,
                str(len(hooks.hooked)),
                millis(median(hooks.without)),
                millis(median(hooks.hooked)),
                millis(hooks.added),
                "30 ms",
            )
            for name, hooks in (("a service runs", with_service), ("none runs", alone))
        ),
    )
