"""Runs index jobs: one at a time, each in a niced process of its own, so that queries never wait for one.

What somebody asked for goes first, then what moved, then what has waited longest. A job that is stopped
leaves an index that the next one continues.
"""

from __future__ import annotations

import json
import logging
import math
import os
import signal
import subprocess
import sys
from contextlib import suppress
from enum import IntEnum
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from ohara.daemon.power import on_battery
from ohara.model import Pass, Progress
from ohara.store.locate import locate
from ohara.wire import JobState

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from anyio.abc import Process

    from ohara.daemon.events import Events

_log = logging.getLogger("ohara.daemon")

_STOP_S = 5.0  # a batch of commits is written well within this
_POWER_POLL_S = 30.0
_LINE_BYTES = 64 * 2**10
STOPPED = "stopped; what was read stays searchable"
LATER = "stopped; it goes on later"
PAUSED = "paused by ohara daemon pause"
BATTERY = "on battery"


class Reason(IntEnum):
    """Why a repository should be indexed; the smaller, the sooner."""

    ASKED = 0
    MOVED = 1
    DUE = 2


class Jobs:
    """What is to be indexed, and the one job that runs."""

    def __init__(self, events: Events, *, battery: Callable[[], bool] = on_battery) -> None:
        self._events = events
        self._battery = battery
        self._wanted: dict[Path, Reason] = {}
        self._news = anyio.Event()
        self._paused = False
        self._waits_for_power = False
        self._job_scope: anyio.CancelScope | None = None
        self._job_repository: Path | None = None  # what the scope is about; None when it shall not go on
        self.running: JobState | None = None
        self.running_reason: Reason | None = None

    @property
    def queued(self) -> tuple[str, ...]:
        """What waits for its turn, next first."""
        return tuple(str(repository) for repository in sorted(self._wanted, key=self._urgency))

    @property
    def paused(self) -> str:
        """Why nothing is indexed; empty when things are."""
        if self._paused:
            return PAUSED
        return BATTERY if self._waits_for_power else ""

    def want(self, repository: Path, reason: Reason) -> None:
        """Have a repository (its common git directory) indexed when its turn comes."""
        known = self._wanted.get(repository)
        if known is None:
            self._events.publish(JobState(str(repository), "queued", reason.name.lower()))
        self._wanted[repository] = reason if known is None else min(known, reason)
        self._news.set()

    def pause(self) -> None:
        """Index nothing; what runs now is stopped and goes on later."""
        self._paused = True
        if self._job_scope is not None:
            self._job_scope.cancel()

    def stop(self, repository: Path) -> None:
        """Index one repository no further, until it is wanted again; what is done of it stays."""
        if self._wanted.pop(repository, None) is not None and self._job_repository != repository:
            self._events.publish(JobState(str(repository), "failed", "asked", detail=STOPPED))
        if self._job_repository == repository and self._job_scope is not None:
            self._job_repository = None
            self._job_scope.cancel()

    def resume(self) -> None:
        """Index again."""
        self._paused = False
        self._news.set()

    async def run(self) -> None:
        """Do one job after the other, for ever."""
        while True:
            repository = await self._next()
            reason = self._wanted.pop(repository)
            self._job_repository = repository
            with anyio.CancelScope() as self._job_scope:
                await self._index(repository, reason)
            if self._job_scope.cancelled_caught and self._job_repository is not None:
                self._wanted.setdefault(repository, reason)
            self._job_repository = None
            self._job_scope = self.running = self.running_reason = None

    async def _next(self) -> Path:
        """Wait for something to do and the power to do it."""
        while True:
            self._news = anyio.Event()
            if self._wanted and not self._paused:
                first = min(self._wanted, key=self._urgency)
                asked = self._wanted[first] is Reason.ASKED
                self._waits_for_power = not asked and await anyio.to_thread.run_sync(self._battery)
                if not self._waits_for_power:
                    return first
            with anyio.move_on_after(_POWER_POLL_S if self._waits_for_power else math.inf):
                await self._news.wait()

    def _urgency(self, repository: Path) -> tuple[Reason, float]:
        """By reason, then by how long ago the index changed."""
        try:
            changed = locate(repository).database.stat().st_mtime
        except OSError:
            changed = 0.0
        return self._wanted[repository], changed

    # -- one job -----------------------------------------------------------------------------

    async def _index(self, repository: Path, reason: Reason) -> None:
        said = reason.name.lower()
        self.running_reason = reason
        self._tell(JobState(str(repository), "running", said))
        try:
            code, complaint = await self._process(repository, said)
        except OSError as error:
            code, complaint = -1, f"{error.strerror or error}"
        except anyio.get_cancelled_exc_class():
            detail = STOPPED if self._job_repository is None else LATER
            self._events.publish(JobState(str(repository), "failed", said, detail=detail))
            raise
        if code:
            _log.warning("indexing %s failed: %s", repository, complaint)
            self._tell(JobState(str(repository), "failed", said, detail=complaint))
        else:
            _log.info("indexed %s (%s)", repository, said)
            self._tell(JobState(str(repository), "done", said))

    async def _process(self, repository: Path, reason: str) -> tuple[int, str]:
        """Run the indexer to its end; its exit code and its last words."""
        process = await anyio.open_process(
            [
                sys.executable,
                "-P",
                "-m",
                "ohara",
                "index",
                "--scheduled",
                "--json",
                "--repo",
                str(repository),
            ],
            stdin=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
        complaint = bytearray()
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_collect, process, complaint)
                await self._follow(process, repository, reason)
            code = await process.wait()
        finally:
            with anyio.CancelScope(shield=True):
                await _end(process)
        first = complaint.decode("utf-8", "replace").strip().partition("\n")[0]
        return code, first.removeprefix("ohara: ") or f"exit code {code}"

    async def _follow(self, process: Process, repository: Path, reason: str) -> None:
        rest = b""
        if process.stdout is None:
            return
        async for piece in process.stdout:
            *lines, rest = (rest + piece)[-_LINE_BYTES:].split(b"\n")
            for line in lines:
                if progress := _progress(line):
                    self._tell(JobState(str(repository), "progress", reason, progress))

    def _tell(self, job: JobState) -> None:
        self.running = job
        self._events.publish(job)


async def _collect(process: Process, complaint: bytearray) -> None:
    if process.stderr is not None:
        async for piece in process.stderr:
            complaint += piece
            del complaint[_LINE_BYTES:]


async def _end(process: Process) -> None:
    """Stop a process that still runs: politely, so that it writes down how far it came, then at once."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGINT)
        with anyio.move_on_after(_STOP_S):
            await process.wait()
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # its workers too
        await process.wait()
    await process.aclose()


def _progress(line: bytes) -> Progress | None:
    try:
        said = json.loads(line)
        if said["event"] != "progress":
            return None
        return Progress(Pass(said["pass"]), said["done"], said["total"], said["hunks"], said["elapsed_s"])
    except (ValueError, KeyError, TypeError):
        return None
