"""Where and with what a benchmark ran: a number without its machine is worth nothing."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import time
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ohara import __version__

_PACKAGES = ("apsw", "sqlite-vec", "pygit2", "onnxruntime", "fastembed")

# Above this many runnable tasks for each core, seconds say more about the neighbours than about ohara.
_BUSY_LOAD = 0.5

# Likewise, above this share of the processors' time, of the moment before: the load still counts what the
# benchmark itself did in the last minute.
_BUSY_SHARE = 0.2
_WATCHED_S = 1.0


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine, what it runs, and how busy it was with other work when the measuring began."""

    processor: str
    cores: int
    memory_gb: float
    system: str
    python: str
    git: str
    packages: dict[str, str]
    load: float
    used_by_others: float | None = None  # a share of the processors' time; None where it was not looked at

    @property
    def busy(self) -> bool:
        """True when others used so much of the machine that times cannot be trusted."""
        if self.used_by_others is None:
            return self.load > _BUSY_LOAD * self.cores
        return self.used_by_others > _BUSY_SHARE

    def sentence(self) -> str:
        """One line for a table's caption."""
        packages = ", ".join(f"{name} {number}" for name, number in self.packages.items())
        line = (
            f"{self.processor}, {self.cores} cores, {self.memory_gb:.0f} GB; {self.system}; "
            f"Python {self.python}; git {self.git}; {packages}; load {self.load:.1f} when it began"
        )
        if self.used_by_others is not None:
            line += f", others used {self.used_by_others:.0%} of the processors"
        return line + (": **the machine was busy with other work**" if self.busy else "")


def look() -> Machine:
    """Look at the machine now."""
    return Machine(
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)),
        memory_gb=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30,
        system=f"{platform.system()} {platform.release().partition('-')[0]}",
        python=platform.python_version(),
        git=subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.split()[
            2
        ],
        packages={"ohara": __version__} | {name: number for name in _PACKAGES if (number := _version(name))},
        load=os.getloadavg()[0],
        used_by_others=_used_by_others(),
    )


def load_now() -> float:
    """How many tasks wanted a core in the last minute."""
    return os.getloadavg()[0]


def _used_by_others() -> float | None:
    """Which share of all processors' time others use while this process waits; None where nobody tells."""
    try:
        before = _processor_time()
        time.sleep(_WATCHED_S)
        idle, total = (after - was for after, was in zip(_processor_time(), before, strict=True))
    except OSError:
        return None
    return max(0.0, 1 - idle / total) if total else None


def _processor_time() -> tuple[int, int]:
    """How long the processors had nothing to do, and all of their time, since the machine began."""
    first = Path("/proc/stat").read_text(encoding="ascii").partition("\n")[0]
    user, nice, system, idle, waiting, *others = map(int, first.split()[1:9])
    return idle + waiting, user + nice + system + idle + waiting + sum(others)


def _processor() -> str:
    try:
        said = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    named = re.search(r"^model name\s*:\s*(.+)$", said, flags=re.MULTILINE)
    return named[1].strip() if named else platform.machine()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
