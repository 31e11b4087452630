"""Runs a command and weighs it: wall clock, processor time, and memory of all its processes together."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ROOT = Path(__file__).parents[2]

# Installers compile what they install; a checkout whose user does not want its bytecode beside the source is
# compiled once, elsewhere, or every process that is measured would do it again.
_BYTECODE = Path(tempfile.gettempdir()) / f"ohara-bench-bytecode-{os.getuid()}"

_SAMPLE_S = 0.1

# The kernel walks all pages of a process to answer; ten times a second that was 7 % of a core.
_SAMPLES_TO_A_WEIGHING = 5


@dataclass(frozen=True, slots=True)
class Weighed:
    """What a command cost."""

    wall_s: float
    cpu_s: float
    peak_pss: int
    exit_code: int
    said: str


def ohara_command(*arguments: str) -> list[str]:
    """The command line of this checkout's ohara."""
    return [sys.executable, "-m", "ohara", *arguments]


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a measured ohara: nobody's settings, its own home, and compiled modules."""
    kept = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith(("OHARA_", "GIT_", "PYTHONDONTWRITEBYTECODE"))
    }
    return kept | {
        "OHARA_HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "PYTHONPYCACHEPREFIX": str(_BYTECODE),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **more,
    }


def weigh(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    timeout_s: float = 3_600.0,
    on_sample: Callable[[float], None] | None = None,
    allowed: Sequence[int] = (0,),
) -> Weighed:
    """Run a command to its end; `on_sample` is told the seconds since its start, many times a second."""
    before = _children_cpu_s()
    started = time.perf_counter()
    process = subprocess.Popen(
        list(command),
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    peak = _Peak(process.pid, started, on_sample)
    peak.start()
    try:
        said, _ = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    finally:
        wall = time.perf_counter() - started
        peak.stop()
    cpu = _children_cpu_s() - before
    if process.returncode not in allowed:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {said[-2_000:]}")
    return Weighed(wall, cpu, peak.bytes, process.returncode, said)


def _children_cpu_s() -> float:
    """Microseconds count: `os.times` ticks a hundred times a second, and a small command ends between two."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class _Peak(threading.Thread):
    """Watches the processes of one command until told to stop."""

    def __init__(self, pid: int, started: float, on_sample: Callable[[float], None] | None) -> None:
        super().__init__(daemon=True)
        self.bytes = 0
        self._pid = pid
        self._begun = started
        self._on_sample = on_sample
        self._ended = threading.Event()

    def run(self) -> None:
        samples = 0
        while not self._ended.wait(_SAMPLE_S):
            if samples % _SAMPLES_TO_A_WEIGHING == 0:
                self.bytes = max(self.bytes, sum(pss(pid) for pid in family(self._pid)))
            samples += 1
            if self._on_sample is not None:
                self._on_sample(time.perf_counter() - self._begun)

    def stop(self) -> None:
        self._ended.set()
        self.join()


def family(pid: int) -> list[int]:
    """A process and all that descend from it, as far as they still live."""
    found, unseen = [], [pid]
    while unseen:
        parent = unseen.pop()
        found.append(parent)
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                unseen.extend(map(int, task.read_text(encoding="ascii").split()))
            except OSError:
                continue
    return found


def pss(pid: int) -> int:
    """The proportional share of memory of one process in bytes; 0 when it is gone."""
    try:
        said = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0
    line = next((line for line in said.splitlines() if line.startswith("Pss:")), "")
    return int(line.split()[1]) * 1024 if line else 0
