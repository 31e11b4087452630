"""Runs programs of the system: systemctl, launchctl, crontab, git. Never through a shell."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from ohara.errors import OharaError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TIMEOUT_S = 30.0  # these programs answer in milliseconds or hang on a broken session bus


def ohara_command(*arguments: str) -> tuple[str, ...]:
    """The command line that runs this installation of ohara, from any folder and with any PATH.

    `-P` keeps the interpreter from importing modules from the current folder, which may hold anything.
    """
    return (sys.executable, "-P", "-m", "ohara", *arguments)


def has(program: str) -> bool:
    """True when a program is on PATH."""
    return shutil.which(program) is not None


def run(
    arguments: Sequence[str], *, stdin: str = "", environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program and return its result, whatever its exit code."""
    try:
        return subprocess.run(
            list(arguments),
            input=stdin,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            check=False,
            timeout=_TIMEOUT_S,
        )
    except FileNotFoundError as error:
        raise OharaError(
            f"{arguments[0]} is not installed", hint=f"install {arguments[0]}, or choose another way"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise OharaError(
            f"{arguments[0]} did not answer for {_TIMEOUT_S:.0f} seconds",
            hint=f"try it by hand: {' '.join(arguments)}",
        ) from error


def must(arguments: Sequence[str], *, stdin: str = "") -> str:
    """Run a program that must succeed; returns its output."""
    done = run(arguments, stdin=stdin)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()[0]
        raise OharaError(f"{arguments[0]} refused: {said}", hint=f"try it by hand: {' '.join(arguments)}")
    return done.stdout
