"""Does units in several processes; one that dies or hangs is told as fallen, and the others go on."""

from __future__ import annotations

import faulthandler
import multiprocessing
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.soak.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_UNIT_LIMIT_S = 3_600.0  # a unit takes seconds, on a busy machine minutes; one that takes this long hangs
_UNITS_A_PROCESS = 60  # then another one takes over, and gives its memory back


@dataclass(frozen=True, slots=True)
class Job:
    """One unit to do."""

    part: str
    unit: int
    do: Callable[[], Outcome]


def done_by(wanted: Sequence[Job], processes: int, deadline: float | None) -> Iterator[Outcome]:
    """Do jobs, yielding what came of each as it comes; after the deadline no new one is begun."""
    waiting = list(wanted)
    while waiting:
        pool = ProcessPoolExecutor(
            processes, mp_context=multiprocessing.get_context("spawn"), max_tasks_per_child=_UNITS_A_PROCESS
        )
        running: dict[Future[Outcome], Job] = {}
        try:
            with pool:
                while waiting or running:
                    while waiting and len(running) < processes and not _over(deadline):
                        job = waiting.pop(0)
                        running[pool.submit(_watched, job)] = job
                    if not running:
                        return
                    finished, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in finished:
                        outcome = future.result()
                        del running[future]
                        yield outcome
        except BrokenProcessPool:
            for job in running.values():
                yield Outcome(
                    job.part, job.unit, {}, ("the process died or hung (its traceback is on stderr)",)
                )


def _watched(job: Job) -> Outcome:
    faulthandler.dump_traceback_later(_UNIT_LIMIT_S, exit=True)
    try:
        return job.do()
    finally:
        faulthandler.cancel_dump_traceback_later()


def _over(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline
