"""A background service of the benchmark's own, and a shell's way of asking it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ohara import client, wire
from tests.bench.measure import environment, ohara_command
from tests.bench.workspace import at_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_START_S = 60.0
_STOP_S = 30.0
_POLL_S = 0.02
_SETTLE_POLL_S = 0.2

# What an installer writes into the folder of programs, without the line that names the interpreter.
_SCRIPT = """import sys
from ohara.cli.entry import main
if __name__ == "__main__":
    sys.exit(main())
"""


@contextmanager
def service(home: Path) -> Iterator[client.Client]:
    """Run a service in a home of the benchmark and yield a connection to it."""
    home.mkdir(parents=True, exist_ok=True)
    with at_home(home), (home / "service.err").open("wb") as said:
        process = subprocess.Popen(
            ohara_command("daemon", "run"),
            env=environment(home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
        )
        try:
            with _connected(process) as there:
                yield there
        finally:
            process.terminate()
            process.wait(_STOP_S)


def _connected(process: subprocess.Popen[bytes]) -> client.Client:
    deadline = time.monotonic() + _START_S
    while (there := client.running(replace=False)) is None:
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("the service does not start")
        time.sleep(_POLL_S)
    return there


def settle(there: client.Client, *, at_most_s: float = 3_600.0) -> None:
    """Wait until the service has nothing to index."""
    deadline = time.monotonic() + at_most_s
    while (vitals := there.send(wire.HealthCheck())).running is not None or vitals.queued:
        if time.monotonic() > deadline:
            raise RuntimeError(f"the service is still indexing {vitals.running}")
        time.sleep(_SETTLE_POLL_S)


def shell_command(folder: Path, *arguments: str) -> list[str]:
    """The command line of ohara as it is installed: a small script, not a module to be looked up."""
    script = folder / "ohara"
    if not script.exists():
        folder.mkdir(parents=True, exist_ok=True)
        script.write_text(_SCRIPT, encoding="utf-8")
    return [sys.executable, str(script), *arguments]


def stopwatch_ms(command: list[str], env: dict[str, str], *, codes: tuple[int, ...] = (0,)) -> float:
    """How long a shell waits for a command that prints into nothing."""
    started = time.perf_counter()
    done = subprocess.run(
        command,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    elapsed = (time.perf_counter() - started) * 1_000
    if done.returncode not in codes:
        raise RuntimeError(f"{command} ended with {done.returncode}: {os.fsdecode(done.stderr)[-2_000:]}")
    return elapsed
