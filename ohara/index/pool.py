"""Runs tasks in several worker processes and yields their results as they come.

Bounded: a worker has at most two tasks and a few messages in hand. A worker that dies (a crash in a
native library, the out-of-memory killer) is an exception that names what it was working on: what was
not written yet is the caller's to try again.
"""

from __future__ import annotations

import itertools
import os
import selectors
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import ohara
from ohara.errors import InternalError, OharaError
from ohara.index.ipc import (
    Broken,
    Failed,
    Finished,
    Frames,
    Part,
    Ready,
    Task,
    frame_of,
    widen,
    write_frame,
)
from ohara.index.parent_exit import OF_MAIN_THREAD
from ohara.index.worker import OUT_OF_MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Set
    from types import TracebackType

    from ohara.index.ipc import WorkerSetup

# A worker runs the ohara that started it. Never from the current folder (-P): that may be a repository which
# has a `zstandard.py` of its own, and what lies in a repository is not to be run.
_SOURCE = Path(ohara.__file__).resolve().parents[1]
_START = "import sys; sys.path.insert(0, sys.argv[1]); from ohara.index.worker import main; sys.exit(main())"

_SILENCE_S = 300.0  # nothing takes this long without a word; a worker that is stuck counts as dead
_LOOK_S = 5.0
ENDS_IT = "ends the indexing process"
TOO_LONG = f"takes longer than {_SILENCE_S:.0f} s"
_TASKS_AHEAD = 2  # one being worked on, one waiting, so that a worker never idles between tasks
_TASKS_MEANWHILE = 8  # where this process does something else in between, which may take two seconds


class _Worker:
    """One process and the tasks it has in hand."""

    def __init__(self, setup: WorkerSetup) -> None:
        debug = bool(os.environ.get("OHARA_DEBUG"))
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, str(_SOURCE), *_started_by()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if debug else subprocess.DEVNULL,
            bufsize=0,
        )
        assert self.process.stdin is not None  # noqa: S101 - asked for two lines above
        assert self.process.stdout is not None  # noqa: S101
        self.input = self.process.stdin.fileno()
        self.output = self.process.stdout.fileno()
        widen(self.output)
        self.frames = Frames(self.output)
        self.tasks: deque[Task] = deque()
        self.ready = False
        self.spent = False
        self.silence_s = 0.0
        self._unsent = bytearray()
        write_frame(self.input, setup)
        os.set_blocking(self.input, False)

    def give(self, task: Task) -> bool:
        """Queue a task and `send` it; a worker that is dead shows up as end of file on its output."""
        if not self.tasks:
            self.silence_s = 0.0
        self.tasks.append(task)
        self._unsent += frame_of(task)
        return self.send()

    @property
    def has_all(self) -> bool:
        """True when all that was given to it has been sent."""
        return not self._unsent

    def send(self) -> bool:
        """Send what the pipe takes: who waits for a worker that waits to be heard would wait for ever.

        True when all is sent.
        """
        try:
            while self._unsent:
                del self._unsent[: os.write(self.input, self._unsent)]
        except BlockingIOError:
            return False
        except BrokenPipeError:
            self._unsent.clear()
        return True

    def close(self) -> None:
        """End the process at once."""
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        self.process.wait()


def _started_by() -> list[str]:
    return [OF_MAIN_THREAD] if threading.current_thread() is threading.main_thread() else []


class WorkerDied(Exception):
    """A worker ended in the middle of a task; `items` are what it may have died of, `reason` is how."""

    def __init__(self, items: tuple[object, ...], reason: str = ENDS_IT) -> None:
        super().__init__(f"a worker died with {len(items)} items in hand: {reason}")
        self.items = items
        self.reason = reason


class Pool:
    """A fixed number of workers. Use as a context manager: leaving it ends every process."""

    def __init__(self, setup: WorkerSetup, jobs: int) -> None:
        self._setup = setup
        self._jobs = jobs
        self._workers: list[_Worker] = []
        self._numbers = itertools.count()
        self._selector = selectors.DefaultSelector()
        self._meanwhile: Iterator[object] | None = None
        self._looked = time.monotonic()

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End every process, for good; also when that was done before."""
        self._close_all()
        self._selector.close()

    def dismiss(self) -> None:
        """End every process, which gives its memory back; the next task starts others."""
        self._close_all()

    def run(self, kind: str, tasks: Iterable[tuple[object, ...]]) -> Iterator[Part | Failed]:
        """Yield what the workers answer; each element of `tasks` is one task's items.

        Raises WorkerDied when a worker ends by itself. Whoever stops listening before the end loses
        the workers and what they had in hand, so that no late answer mixes with the next run's.
        """
        waiting = iter(tasks)
        complete = False
        try:
            while True:
                self._replace_spent()
                self._feed(kind, waiting)
                if not any(worker.tasks for worker in self._workers):
                    complete = True
                    return
                ready = self._answering()
                self._look_for_the_stuck(set(ready))
                for worker in ready:
                    message = self._receive(worker)
                    if message is not None:
                        yield message
        finally:
            if not complete:
                self._close_all()

    @contextmanager
    def meanwhile(self, steps: Iterator[object]) -> Iterator[None]:
        """Take steps of something else in this process whenever no worker has an answer ready.

        What a step raises comes out of `run`.
        """
        self._meanwhile = steps
        try:
            yield
        finally:
            self._meanwhile = None

    def _answering(self) -> list[_Worker]:
        """The workers that have said something, waited for as long as there is nothing else to do."""
        while True:
            found = self._selector.select(min(_LOOK_S, _SILENCE_S) if self._meanwhile is None else 0)
            for worker in [key.data for key, _ in found if key.fd == key.data.input]:
                if worker.send():
                    self._selector.unregister(worker.input)
            if found or self._meanwhile is None:
                return [key.data for key, _ in found if key.fd == key.data.output]
            if next(self._meanwhile, None) is None:
                self._meanwhile = None

    def _feed(self, kind: str, waiting: Iterator[tuple[object, ...]]) -> None:
        ahead = _TASKS_AHEAD if self._meanwhile is None else _TASKS_MEANWHILE
        for _ in range(ahead):
            for worker in self._workers:
                if worker.spent or len(worker.tasks) >= ahead or not worker.has_all:
                    continue
                if (items := next(waiting, None)) is not None:
                    is_sent = worker.give(Task(kind, next(self._numbers), items))
                    if not is_sent:
                        self._selector.register(worker.input, selectors.EVENT_WRITE, worker)

    def _receive(self, worker: _Worker) -> Part | Failed | None:
        """The next answer of a worker that has sent something; None when it is not whole yet, or is none."""
        worker.silence_s = 0.0
        try:
            message = worker.frames.take()
        except EOFError:
            if not worker.ready and worker.process.wait() >= 0:  # a negative code: killed from outside
                raise InternalError(
                    "index workers do not start", hint="OHARA_DEBUG=1 shows what they say"
                ) from None
            raise WorkerDied(
                worker.tasks[0].items if worker.tasks else (), self._last_words(worker)
            ) from None
        match message:
            case None:
                return None
            case Part() | Failed():
                return message
            case Finished():
                worker.tasks.popleft()
                worker.spent = worker.spent or message.spent
            case Ready():
                worker.ready = True
            case Broken(error=OharaError() as error):
                raise error
            case Broken():
                raise InternalError(
                    f"an index worker gave up: {message.reason}", hint="OHARA_DEBUG=1 shows more"
                )
            case _:
                raise InternalError("a worker sent an unknown message", hint="OHARA_DEBUG=1 shows its output")
        return None

    def _last_words(self, worker: _Worker) -> str:
        if worker.process.wait() == OUT_OF_MEMORY:
            return f"takes more than {self._setup.memory_bytes / 2**20:,.0f} MiB of memory"
        return ENDS_IT

    def _look_for_the_stuck(self, heard: Set[_Worker]) -> None:
        """Treat a worker that was silent for too long as dead.

        A look counts for the time between two looks at most: a run that is stopped (Ctrl-Z) and goes on an
        hour later was not listening, and its workers were stopped with it.
        """
        now = time.monotonic()
        passed = min(now - self._looked, _LOOK_S)
        self._looked = now
        for worker in self._workers:
            if worker in heard or not worker.tasks:
                worker.silence_s = 0.0
                continue
            worker.silence_s += passed
            if worker.silence_s > _SILENCE_S:
                raise WorkerDied(worker.tasks[0].items, TOO_LONG)

    def start(self) -> None:
        """Start the workers; the first task starts those that are missing."""
        while len(self._workers) < self._jobs:
            worker = _Worker(self._setup)
            self._workers.append(worker)
            self._selector.register(worker.output, selectors.EVENT_READ, worker)

    def _replace_spent(self) -> None:
        """End the workers that asked for it, once nothing is left in their hands."""
        for worker in [worker for worker in self._workers if worker.spent and not worker.tasks]:
            self._close(worker)
            self._workers.remove(worker)
        self.start()

    def _close_all(self) -> None:
        for worker in self._workers:
            self._close(worker)
        self._workers.clear()

    def _close(self, worker: _Worker) -> None:
        self._selector.unregister(worker.output)
        if worker.input in self._selector.get_map():
            self._selector.unregister(worker.input)
        worker.close()
