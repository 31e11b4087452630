"""Where the background service listens, how it is started, and which of two versions is older."""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ohara import paths
from ohara.errors import DaemonError

if TYPE_CHECKING:
    from collections.abc import Callable

SOCKET = "ohara.sock"
ERRORS = "daemon.err"  # what a service said that died before it had a log

_START_S = 30.0  # a laptop that has just woken up takes its time
_POLL_S = 0.02
_LEAST_BYTES = 64 * 1024  # for a pid, a socket and what there is to say
_LONGEST_PATH = 100  # of the 104 bytes that macOS allows and the 108 of Linux


def socket_path() -> Path:
    """The socket's place, in a folder that belongs to this user alone, if there is one yet."""
    path = paths.runtime_dir(create=False) / SOCKET
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise DaemonError(
            f"the path of the socket is too long for this system: {path}",
            hint=f"set {paths.HOME_VARIABLE} to a shorter path",
        )
    return path


def start_daemon(*, answers: Callable[[], bool], idle_exit_s: float | None = None) -> None:
    """Start the service in a session of its own and wait until it answers.

    Several may try at once: the service itself sees to it that one of them stays.
    """
    import subprocess  # late: a client that finds the service running starts nothing

    errors = paths.runtime_dir() / ERRORS
    socket_path()  # says at once what would keep the service from listening
    command = [sys.executable, "-P", "-m", "ohara", "daemon", "run"]
    if idle_exit_s is not None:
        command += ["--idle-exit", str(idle_exit_s)]
    with errors.open("wb") as said:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            cwd="/",
            env=_environment(),
            start_new_session=True,
        )
    deadline = time.monotonic() + _START_S
    while not answers():
        code = process.poll()
        if time.monotonic() > deadline or code not in {None, 0}:
            raise _not_started(errors, code)
        time.sleep(_POLL_S)
    process.returncode = process.returncode or 0  # it outlives this process, which does not wait for it


def _environment() -> dict[str, str]:
    """This process's environment without settings of this moment: the service outlives them."""
    kept = (paths.HOME_VARIABLE, "OHARA_DEBUG")
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("OHARA_") or name in kept or name.startswith("OHARA_DAEMON_")
    }


def _not_started(errors: Path, code: int | None) -> DaemonError:
    said = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    silent = f"it did not answer for {_START_S:.0f} seconds" if code is None else f"it ended with code {code}"
    reason = said[0].removeprefix("ohara: ") if said else silent
    import shutil  # late: only a disk that is full needs it

    if not said and shutil.disk_usage(errors.parent).free < _LEAST_BYTES:
        return DaemonError(
            f"the daemon did not start: the disk of {errors.parent} is full", hint="free some space there"
        )
    return DaemonError(f"the daemon did not start: {reason}", hint="ohara daemon run shows what it does")


def absolute(repo: Path | str) -> str:
    """The path of a repository as the service, which stands elsewhere, understands it."""
    return str(Path(repo).absolute())


def is_older(version: str, than: str) -> bool:
    """True when one version came before another; only their numbers count."""
    return _numbers(version) < _numbers(than)


def _numbers(version: str) -> tuple[int, ...]:
    leading = re.match(r"[0-9]{1,9}(?:\.[0-9]{1,9})*", version)
    return tuple(map(int, leading[0].split("."))) if leading else ()
