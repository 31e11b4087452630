"""Does the workers' steps in this process, for runs too small to be worth starting any.

Starting a worker takes a third of a second, as long as reading a dozen commits. The price is that a
crash in a native library takes the run with it, so a run leaves a mark first and removes it with its
rows: a mark that is still there tells the next run to use workers.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ohara.index.ipc import Task
from ohara.index.pool import WorkerDied
from ohara.index.worker import STEPS, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from ohara.index.ipc import Failed, Part, WorkerSetup

SMALL_RUN_COMMITS = 24  # about what a worker could read in the time it takes to start one


class Inline:
    """Does the work of a pool in this process, one task after the other."""

    def __init__(self, setup: WorkerSetup) -> None:
        self._setup = setup
        self._steps: dict[str, Step] = {}

    def __enter__(self) -> Inline:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._steps.clear()

    @contextmanager
    def meanwhile(self, _: Iterator[object]) -> Iterator[None]:
        """Do nothing meanwhile: this process has no one to wait for."""
        yield

    def dismiss(self) -> None:
        """Do nothing: there is no other process."""

    def run(self, kind: str, tasks: Iterable[tuple[object, ...]]) -> Iterator[Part | Failed]:
        """Yield the answers to the tasks, in order."""
        for number, items in enumerate(tasks):
            if kind not in self._steps:
                self._steps[kind] = STEPS[kind](self._setup)
            try:
                yield from self._steps[kind](Task(kind, number, items))
            except MemoryError:
                raise WorkerDied(items, "takes more memory than there is") from None
