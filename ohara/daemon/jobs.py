"""Runs index jobs, each in its own niced process, so that queries never wait for one.

Jobs take turns, as `ohara.daemon.jobqueue` decides: a job that yields stops between two commits and continues
at its next turn. A job that cannot stop soon, inside a commit of a gigabyte, runs on beside the next one. A
job that is stopped leaves an index that the next job continues.
"""

from __future__ import annotations

import json
import logging
import math
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

import anyio
import anyio.to_thread

from ohara.daemon.jobqueue import TURN_S, Queue, Reason, gives_way, is_later
from ohara.daemon.power import on_battery
from ohara.model import Pass, Progress
from ohara.records import dataclass
from ohara.store.engines import index_at
from ohara.store.locate import locate
from ohara.wire import JobState

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from anyio.abc import Process

    from ohara.daemon.events import Events
    from ohara.daemon.jobqueue import Wanted

__all__ = ["Jobs", "Reason"]

_log = logging.getLogger("ohara.daemon")

_STOP_S = 5.0  # a batch of commits is written well within this
_POWER_POLL_S = 30.0
_LOOK_S = 0.25
_GRACE_S = 10.0  # for a job to end its turn before the next one starts beside it
_AT_ONCE = 2  # jobs, when one cannot end its turn: they share the processors, and each has its own workers
GIVE_WAY = signal.SIGUSR1  # tells an indexer to stop between two commits
GAVE_WAY = "gives way to others; it goes on at its next turn"
_LINE_BYTES = 64 * 2**10
STOPPED = "stopped; what was read stays searchable"
LATER = "stopped; it goes on later"
PAUSED = "paused by ohara daemon pause"
BATTERY = "on battery"


@dataclass(slots=True, eq=False)
class _Job:
    """A running job: its progress, and how it should end or ended."""

    repository: Path
    wanted: Wanted
    started: float
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    state: JobState | None = None
    begun: float | None = None  # when its first batch was written: from then on a stop loses nothing
    later: bool = False  # its text pass is done
    told_to_stop: bool = False
    overstays: bool = False  # told to stop, but inside a long commit: another job may run beside it
    ended: bool = False  # the indexer reported its end
    stopped: bool = False  # it ended as told, before everything was done
    goes_on: bool = True

    @property
    def reason(self) -> str:
        return self.wanted.reason.name.lower()


class Jobs:
    """The queue of repositories to index, and the jobs that are running."""

    def __init__(self, events: Events, *, battery: Callable[[], bool] = on_battery) -> None:
        self._events = events
        self._battery = battery
        self._queue = Queue(_changed)
        self._running: dict[Path, _Job] = {}
        self._news = anyio.Event()
        self._paused = False
        self._waits_for_power = False

    @property
    def running(self) -> JobState | None:
        """The running job; of two, the one whose turn it is."""
        jobs = sorted(self._running.values(), key=lambda job: job.overstays)
        return jobs[0].state if jobs else None

    @property
    def queued(self) -> tuple[str, ...]:
        """The queued repositories, next first."""
        return tuple(str(repository) for repository, _ in self._queue.ordered(time.monotonic()))

    @property
    def paused(self) -> str:
        """Why indexing is paused; empty when it is not."""
        if self._paused:
            return PAUSED
        return BATTERY if self._waits_for_power else ""

    def want(self, repository: Path, reason: Reason) -> None:
        """Queue a repository, given by its common git directory."""
        if self._queue.add(repository, reason, time.monotonic()):
            self._events.publish(JobState(str(repository), "queued", reason.name.lower()))
        self._news.set()

    def hurry(self, repository: Path) -> None:
        """Index a repository next, after a search found many commits missing; unless it is queued already."""
        if repository not in self._running and repository not in self._queue:
            self.want(repository, Reason.ASKED)

    def pause(self) -> None:
        """Pause indexing; running jobs are stopped and continue later."""
        self._paused = True
        for job in self._running.values():
            job.scope.cancel()

    def knows(self, repository: Path) -> bool:
        """True when a repository is being indexed, or is queued for it."""
        return repository in self._running or repository in self._queue

    def stop(self, repository: Path) -> None:
        """Stop indexing one repository until it is queued again; what is indexed stays."""
        job = self._running.get(repository)
        if self._queue.take(repository) is not None and job is None:
            self._events.publish(JobState(str(repository), "failed", "asked", detail=STOPPED))
        if job is not None:
            job.goes_on = False
            job.scope.cancel()

    def resume(self) -> None:
        """End the pause."""
        self._paused = False
        self._news.set()

    async def run(self) -> None:
        """Run queued jobs one after another, for ever."""
        async with anyio.create_task_group() as group:
            while True:
                repository = await self._next()
                wanted = self._queue.take(repository)
                if wanted is not None:
                    job = self._running[repository] = _Job(repository, wanted, time.monotonic())
                    group.start_soon(self._do, job)

    async def _next(self) -> Path:
        """Wait until a repository is queued, a job may start, and the machine is not on battery."""
        while True:
            self._news = anyio.Event()
            self._waits_for_power = False
            waiting = self._queue.ordered(time.monotonic(), but=self._running)
            if waiting and not self._paused and self._has_room():
                first, wanted = waiting[0]
                asked = wanted.reason is Reason.ASKED
                self._waits_for_power = not asked and await anyio.to_thread.run_sync(self._battery)
                if not self._waits_for_power:
                    return first
            with anyio.move_on_after(_POWER_POLL_S if self._waits_for_power else math.inf):
                await self._news.wait()

    def _has_room(self) -> bool:
        return len(self._running) < _AT_ONCE and all(job.overstays for job in self._running.values())

    # -- one job -----------------------------------------------------------------------------

    async def _do(self, job: _Job) -> None:
        try:
            with job.scope:
                await self._index(job)
            if (job.scope.cancelled_caught or job.stopped) and job.goes_on:
                self._queue.put_back(job.repository, job.wanted, time.monotonic(), later=job.later)
        finally:
            del self._running[job.repository]
            self._news.set()

    async def _index(self, job: _Job) -> None:
        name = str(job.repository)
        self._publish(job, JobState(name, "running", job.reason))
        try:
            code, complaint = await self._process(job)
        except OSError as error:
            code, complaint = -1, f"{error.strerror or error}"
        except anyio.get_cancelled_exc_class():
            detail = LATER if job.goes_on else STOPPED
            self._events.publish(JobState(name, "failed", job.reason, detail=detail))
            raise
        if code:
            _log.warning("indexing %s failed: %s", job.repository, complaint)
            self._publish(job, JobState(name, "failed", job.reason, detail=complaint))
        elif job.stopped:
            _log.info("%s gives way (%s)", job.repository, job.reason)
            self._publish(job, JobState(name, "queued", job.reason, detail=GAVE_WAY))
        else:
            _log.info("indexed %s (%s)", job.repository, job.reason)
            self._publish(job, JobState(name, "done", job.reason))

    async def _process(self, job: _Job) -> tuple[int, str]:
        """Run the indexer to its end; returns its exit code and the first line of its stderr."""
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
                str(job.repository),
            ],
            stdin=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
        complaint = bytearray()
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_collect, process, complaint)
                group.start_soon(self._limit, process, job)
                await self._follow(process, job)
                code = await process.wait()
                group.cancel_scope.cancel()
            if code == -GIVE_WAY:  # the signal came while its handler was not installed: nothing is lost
                code, job.stopped = 0, job.stopped or not job.ended
        finally:
            with anyio.CancelScope(shield=True):
                await _end(process)
        first = complaint.decode("utf-8", "replace").strip().partition("\n")[0]
        return code, first.removeprefix("ohara: ") or f"exit code {code}"

    async def _limit(self, process: Process, job: _Job) -> None:
        """End a job's turn when others wait: it stops between two commits and continues at its next turn."""
        while True:
            await anyio.sleep(_LOOK_S)
            now = time.monotonic()
            others = self._queue.ordered(now, but=self._running)
            if not others or self._paused or job.ended:
                continue
            ran_s = now - job.begun if job.begun is not None else 0.0
            if not job.told_to_stop and gives_way(job.wanted, ran_s, later=job.later, to=others[0][1]):
                job.told_to_stop = True
                with suppress(ProcessLookupError):
                    process.send_signal(GIVE_WAY)
            if not job.overstays and now - job.started >= TURN_S + _GRACE_S:
                job.overstays = True
                self._news.set()

    async def _follow(self, process: Process, job: _Job) -> None:
        rest = b""
        if process.stdout is None:
            return
        async for piece in process.stdout:
            *lines, rest = (rest + piece)[-_LINE_BYTES:].split(b"\n")
            for line in lines:
                event = _parsed(line)
                if isinstance(event, Progress):
                    if job.begun is None and event.done:
                        job.begun = time.monotonic()
                    job.later = is_later(event.stage)
                    self._publish(job, JobState(str(job.repository), "progress", job.reason, event))
                elif event is not None:
                    job.ended, job.stopped = True, event.stopped

    def _publish(self, job: _Job, state: JobState) -> None:
        job.state = state
        self._events.publish(state)


def _changed(repository: Path) -> float:
    """When the index of a repository was last written; 0 without one."""
    return index_at(locate(repository)).last_written()


async def _collect(process: Process, complaint: bytearray) -> None:
    if process.stderr is not None:
        async for piece in process.stderr:
            complaint += piece
            del complaint[_LINE_BYTES:]


async def _end(process: Process) -> None:
    """Stop a process that still runs: by SIGINT, so that it commits its progress, then by SIGKILL."""
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


class _Ended(NamedTuple):
    """The last event of an indexer: whether it stopped before everything was done."""

    stopped: bool


def _parsed(line: bytes) -> Progress | _Ended | None:
    try:
        event = json.loads(line)
        if event["event"] == "done":
            return _Ended(bool(event["stopped"]))
        if event["event"] != "progress":
            return None
        return Progress(
            Pass(event["pass"]),
            event["done"],
            event["total"],
            event["hunks"],
            event["elapsed_s"],
            of_head=event["of"] == "files",
        )
    except (ValueError, KeyError, TypeError):
        return None
