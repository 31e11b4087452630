"""Runs ohara as a shell would: a real process, from this source tree, wherever it stands."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).parents[1]


def ohara(
    *arguments: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdout: IO[bytes] | int = subprocess.PIPE,
) -> subprocess.CompletedProcess[str]:
    """Run one command to its end; `env` adds to the environment of the test."""
    return python("-m", "ohara", *arguments, cwd=cwd, env=env, stdout=stdout)


def python(
    *arguments: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdout: IO[bytes] | int = subprocess.PIPE,
) -> subprocess.CompletedProcess[str]:
    """Run the test's own interpreter with this source tree first on its path."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT), **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


def on_a_terminal(
    command: Sequence[str], env: Mapping[str, str], *, stdin: bool = True, stderr: bool = True
) -> bytes:
    """Run a command that believes a person to be watching; what it wrote on its terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command,
        env=env,
        stdin=theirs if stdin else subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs if stderr else subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(theirs)
    said = bytearray()
    try:
        while piece := os.read(ours, 65_536):
            said += piece
    except OSError:  # the other end is closed
        pass
    process.wait(timeout=30)
    os.close(ours)
    return bytes(said)


class Terminal:
    """A program at work on a terminal of its own: keys are sent to it, and what it writes is waited for."""

    def __init__(self, command: Sequence[str], cwd: Path, env: Mapping[str, str]) -> None:
        self._command = command
        self._cwd = cwd
        self._env = env
        self.seen = ""

    def __enter__(self) -> Terminal:
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            self._command,
            cwd=self._cwd,
            env=self._env,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait(timeout=30)
        os.close(self._ours)

    def send(self, keys: str) -> None:
        """Type something; what was written before is no longer seen."""
        self.seen = ""
        os.write(self._ours, keys.encode())

    def wait_for(self, text: str, *, at_most_s: float = 60.0) -> None:
        """Read until a text is seen."""
        deadline = time.monotonic() + at_most_s
        while text not in self.seen:
            ready, _, _ = select.select([self._ours], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"{text!r} never came: {self.seen!r}"
            self.seen += os.read(self._ours, 65_536).decode("utf-8", "replace")
