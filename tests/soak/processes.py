"""Finds the processes that belong to a folder of the soak, and ends them by their numbers."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    with suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def of_home(home: Path) -> list[int]:
    """Every process that was told to keep its files in this folder, except this one."""
    wanted = f"OHARA_HOME={home}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if wanted in (folder / "environ").read_bytes().split(b"\0") and int(folder.name) != os.getpid():
                found.append(int(folder.name))
    return found


def end_all_of(home: Path, *, within_s: float = 10.0) -> None:
    """Kill what still runs in a folder."""
    deadline = time.monotonic() + within_s
    while (left := of_home(home)) and time.monotonic() < deadline:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def end_all_below(folder: Path) -> None:
    """Kill whatever still runs in any home below a folder, and take away what is mounted there."""
    from tests.soak.full import unmounted

    wanted = f"OHARA_HOME={folder}/".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if any(each.startswith(wanted) for each in (entry / "environ").read_bytes().split(b"\0")):
                os.kill(int(entry.name), signal.SIGKILL)
    for disk in folder.glob("*/homes/*/data"):
        unmounted(disk)
