"""Takes the room on the disk away from a run: a small file system of its own where root may mount one, else a
bound on the size of files."""

from __future__ import annotations

import os
import subprocess
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING

from tests.soak.victim import START

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path


def filled(
    home: Path, room: int, chance: random.Random, start: Callable[[int], tuple[subprocess.Popen[bytes], int]]
) -> tuple[str | None, list[str]]:
    """Run until the disk is full; the phase it was in (None: it was never full) and what was said wrongly."""
    disk = home / "data" if chance.random() < 0.5 else None
    if disk is not None and mounted(disk, room):
        process, pipe = start(0)
        ended = _ended(process, pipe)
        subprocess.run(["mount", "-o", "remount,size=1g", str(disk)], check=True, capture_output=True)
    else:
        process, pipe = start(room)
        ended = _ended(process, pipe)
    phase, code, said = ended
    if code == 0:
        return None, []
    wrong = []
    if code != 2 or not said.startswith("ohara: ") or "hint: " not in said or "Traceback" in said:
        wrong.append(f"ended with {code} and said {said[-1500:]!r}")
    return f"full disk, {phase}", wrong


def mounted(disk: Path, room: int) -> bool:
    """Put a file system of this size over a folder, with what is in it; False where that is not allowed."""
    with tempfile.TemporaryDirectory() as aside:
        disk.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", f"{disk}/.", aside], check=True)
        size = max(room + 256 * 1024, 512 * 1024)
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "ohara-soak", str(disk)]
        try:
            if subprocess.run(mount, check=False, capture_output=True).returncode:
                return False
        except OSError:
            return False
        if subprocess.run(["cp", "-a", f"{aside}/.", str(disk)], check=False, capture_output=True).returncode:
            unmounted(disk)
            return False
    return True


def unmounted(disk: Path) -> None:
    """Take a mounted file system away again, if there is one."""
    with suppress(OSError):
        if disk.is_mount():
            subprocess.run(["umount", "-l", str(disk)], check=False, capture_output=True)


def _ended(process: subprocess.Popen[bytes], pipe: int) -> tuple[str, int, str]:
    _, said = process.communicate(timeout=600)
    with os.fdopen(pipe, "rb") as heard:
        phases = heard.read().decode().split("\n")
    # What is announced last is that the run is recorded and ends; the disk was full before.
    doing = [
        phase for phase in phases if phase and phase not in {"between passes", "ending", "recording the run"}
    ]
    return doing[-1] if doing else START, process.returncode, said.decode(errors="replace")
