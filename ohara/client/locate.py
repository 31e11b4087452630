"""Finds the socket of the background service, starts the service, and compares versions."""

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
    import subprocess
    from collections.abc import Callable

SOCKET = "ohara.sock"
ERRORS = "daemon.err"  # stderr of a service that ended before it opened its log

_START_S = 30.0  # a laptop that has just woken up takes its time
_POLL_S = 0.02
_LEAST_BYTES = 64 * 1024  # for a pid file, a socket and the error output
_LONGEST_PATH = 100  # macOS allows 104 bytes and Linux 108


def socket_path() -> Path:
    """The path of the socket, in the runtime folder that only this user can read; it need not exist yet."""
    path = paths.runtime_dir(create=False) / SOCKET
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise DaemonError(
            f"the path of the socket is too long for this system: {path}",
            hint=f"set {paths.HOME_VARIABLE} to a shorter path",
        )
    return path


def start_daemon(*, answers: Callable[[], bool], idle_exit_s: float | None = None) -> None:
    """Start the service in its own session and wait until it answers.

    Several clients may do so at once: the service's lock lets only one of them stay.
    """
    process, errors = _spawned(idle_exit_s)
    deadline = time.monotonic() + _START_S
    while not answers():
        code = process.poll()
        if time.monotonic() > deadline or code not in {None, 0}:
            raise _not_started(errors, code)
        time.sleep(_POLL_S)
    process.returncode = process.returncode or 0  # it outlives this process; without a code, Popen would warn


def start_daemon_behind(*, idle_exit_s: float, ready_for: str | None) -> None:
    """Start the service and do not wait for it: it is for whoever asks next about a repository."""
    process, _ = _spawned(idle_exit_s, *(("--ready-for", ready_for) if ready_for else ()))
    process.returncode = 0


def _spawned(idle_exit_s: float | None, *others: str) -> tuple[subprocess.Popen[bytes], Path]:
    """The service's process in a session of its own, and the file that takes its error output."""
    import subprocess  # late: not needed when the service is already running

    errors = paths.runtime_dir() / ERRORS
    socket_path()  # raises at once when the service could not listen there
    command = [sys.executable, "-P", "-m", "ohara", "daemon", "run"]
    if idle_exit_s is not None:
        command += ["--idle-exit", str(idle_exit_s)]
    command += others
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
    return process, errors


def _environment() -> dict[str, str]:
    """This process's environment without settings for one shell: the service outlives it."""
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
    import shutil  # late: only needed here

    if not said and shutil.disk_usage(errors.parent).free < _LEAST_BYTES:
        return DaemonError(
            f"the daemon did not start: the disk of {errors.parent} is full", hint="free some space there"
        )
    return DaemonError(f"the daemon did not start: {reason}", hint="ohara daemon run shows what it does")


def absolute(repo: Path | str) -> str:
    """The absolute path of a repository, as the service has another working folder; a group as it is."""
    return str(repo) if str(repo).startswith("@") else str(Path(repo).absolute())


def is_older(version: str, than: str) -> bool:
    """True when one version is older than another, by their numbers alone."""
    return _numbers(version) < _numbers(than)


def _numbers(version: str) -> tuple[int, ...]:
    leading = re.match(r"[0-9]{1,9}(?:\.[0-9]{1,9})*", version)
    return tuple(map(int, leading[0].split("."))) if leading else ()
