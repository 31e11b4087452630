"""The first pass as a bounded stream: workers read commits, the one writer writes, progress is yielded.

A stage ends a batch (one transaction) when enough hunks are waiting, between whole commits only. It
can stop early at a deadline; what it wrote stays and the next run continues. The passes that work from
what is stored are in `ohara.index.derived_passes`.
"""

from __future__ import annotations

import time
from itertools import count
from typing import TYPE_CHECKING, cast

from ohara.index.ipc import Failed
from ohara.index.memory import trim
from ohara.index.plan import LARGEST_TASK_COMMITS, into_tasks
from ohara.index.pool import WorkerDied
from ohara.model import Pass, Progress
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from threading import Event

    from ohara.index.inline import Inline
    from ohara.index.ipc import Part
    from ohara.index.pool import Pool
    from ohara.model import Sha
    from ohara.store.prepared import PreparedCommit
    from ohara.store.writing import Writer

# A batch is searchable when it ends: the first ends early, later ones grow because every end costs a
# merge of the word index. The largest is about three seconds of work, which a kill can lose. While a person
# may be waiting for the newest commits, batches stay small: about a third of a second each.
_FIRST_BATCH_HUNKS = 500
_AWAITED_BATCH_HUNKS = 2_000
_AWAITED_HUNKS = 20_000
_UNAWAITED_BATCH_HUNKS = 8_000  # the first, when the newest are in: then there is enough to learn to compress
LARGEST_BATCH_HUNKS = 16_000


@dataclass(slots=True)
class Clock:
    """When a run began and when it has to stop: at its deadline, when told, or when `place` is gone."""

    started: float
    deadline: float | None = None
    stop: Event | None = None
    place: Path | None = None

    @property
    def elapsed_s(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self.started

    @property
    def expired(self) -> bool:
        """True when the run has to stop."""
        if (self.stop is not None and self.stop.is_set()) or self.is_astray:
            return True
        return self.deadline is not None and time.monotonic() >= self.deadline

    @property
    def is_astray(self) -> bool:
        """True when the repository is gone: moved, and its index is wanted where it is now."""
        return self.place is not None and not self.place.exists()


class Batches:
    """Ends the writer's batches at growing sizes."""

    def __init__(
        self, writer: Writer, *, largest: int = LARGEST_BATCH_HUNKS, is_awaited: bool = True
    ) -> None:
        """`is_awaited`: somebody may be waiting for the first of what is written."""
        self._writer = writer
        self._largest = largest
        self._limit = min(_FIRST_BATCH_HUNKS if is_awaited else _UNAWAITED_BATCH_HUNKS, largest)
        self._written = 0 if is_awaited else _AWAITED_HUNKS

    def end_if_full(self) -> None:
        """End the batch when it is large enough and no commit is half-written."""
        pending = self._writer.hunks_pending
        if pending >= self._limit and self._writer.between_commits:
            self._writer.commit()
            self._written += pending
            largest = self._largest if self._written >= _AWAITED_HUNKS else _AWAITED_BATCH_HUNKS
            self._limit = min(self._limit * 2, self._largest, largest)
            if pending >= LARGEST_BATCH_HUNKS:  # sorting its words took some hundred bytes for each
                trim()


def surviving(
    writer: Writer,
    attempt: Callable[[frozenset[object]], Iterator[Progress]],
    give_up: Callable[[object, str], None],
) -> Iterator[Progress]:
    """Run an attempt again after each death of a worker, until one comes to its end.

    A death costs the open batch, if a commit is half-written in it. What the dead worker had in hand are the
    next attempt's suspects, each to be tried alone; the one that then kills a worker by itself is given up,
    so every death is the last of its kind.
    """
    suspects: frozenset[object] = frozenset()
    while True:
        try:
            yield from attempt(suspects)
        except WorkerDied as death:
            if writer.between_commits:
                writer.commit()
            else:
                writer.rollback()
            suspects = frozenset(death.items)
            if len(suspects) == 1:
                give_up(next(iter(suspects)), death.reason)
                writer.commit()
        else:
            return


def extract(
    writer: Writer,
    pool: Pool | Inline,
    pending: Sequence[Sha],
    clock: Clock,
    *,
    largest_task: int = LARGEST_TASK_COMMITS,
    is_awaited: bool = True,
) -> Iterator[Progress]:
    """Read commits, newest first, into the text and literal passes; somebody may wait for the first."""
    given_up: set[object] = set()
    attempts = count()

    def attempt(suspects: frozenset[object]) -> Iterator[Progress]:
        known = writer.known_among(pending) if next(attempts) else {}
        left = [sha for sha in pending if sha not in known and sha not in given_up]
        tasks = into_tasks(left, cast("frozenset[Sha]", suspects), largest=largest_task)
        batches = Batches(writer, is_awaited=is_awaited)
        answers = pool.run("extract", tasks)
        done = len(pending) - len(left)
        return _extract(writer, batches, answers, clock, done=done, total=len(pending))

    def give_up(sha: object, reason: str) -> None:
        given_up.add(sha)
        writer.record_failure(cast("Sha", sha), f"reading it {reason}")

    yield from surviving(writer, attempt, give_up)


def _extract(
    writer: Writer,
    batches: Batches,
    answers: Iterator[Part | Failed],
    clock: Clock,
    *,
    done: int,
    total: int,
) -> Iterator[Progress]:
    hunks = 0
    for message in answers:
        if isinstance(message, Failed):
            sha = cast("Sha", message.item)
            if writer.holds_part_of(sha):  # what it has written so far must go
                raise WorkerDied((sha,), f"fails: {message.reason}")
            writer.record_failure(sha, message.reason)
            done += 1
            if clock.expired and writer.between_commits:
                break
            continue
        prepared = cast("tuple[PreparedCommit, ...]", message.results)
        writer.add(prepared)
        done += sum(part.last for part in prepared)
        hunks += sum(len(file.hunks) for part in prepared for file in part.files)
        batches.end_if_full()
        yield Progress(Pass.TEXT, done, total, hunks, clock.elapsed_s)
        if clock.expired and writer.between_commits:
            break
    writer.commit()
