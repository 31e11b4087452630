"""Runs lanes concurrently, each under its own deadline; a lane that fails does not affect the others."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import anyio

from ohara.errors import UsageError, reason_of
from ohara.model import LaneReport, LaneStatus
from ohara.records import dataclass
from ohara.retrieve.ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ohara.retrieve.lane import Lane, LaneQuery

# A transformer of a gigabyte is read in seconds; what takes longer than this will not come.
PREPARE_S = 30.0

# Half of a lane's time passes in the index and in numpy, without the interpreter's lock: two lanes keep it
# busy, and more wait for each other. Measured: four at once take half as long again.
AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class LaneAnswer:
    """A lane's ranking and its report."""

    ranking: Ranking
    report: LaneReport


async def run_lanes(
    lanes: Sequence[Lane],
    asked: LaneQuery,
    *,
    chosen: Collection[str],
    timeout_s: float,
    at_once: int = AT_ONCE,
) -> tuple[LaneAnswer, ...]:
    """The answers of all lanes, in their order; those that failed or timed out report it.

    So many run at once; the time of a lane begins when it does. Lanes that are not chosen do not run and are
    reported as off.
    """
    answers: dict[str, LaneAnswer] = {}
    mistakes: list[UsageError] = []
    waiting = iter(lanes)

    async def ask() -> None:
        for lane in waiting:
            try:
                answers[lane.name] = await _answer(lane, asked, timeout_s, runs=lane.name in chosen)
            except UsageError as mistake:
                mistakes.append(mistake)

    async with anyio.create_task_group() as group:
        for _ in range(at_once):
            group.start_soon(ask)
    for mistake in mistakes:
        raise mistake
    return tuple(answers[lane.name] for lane in lanes)


async def _answer(lane: Lane, asked: LaneQuery, timeout_s: float, *, runs: bool) -> LaneAnswer:
    """What a lane finds, or why it does not; raises what the user has to mend."""
    started = time.perf_counter()
    found, status = Ranking(lane.name), LaneStatus.OFF
    if runs:
        limit_s = max(timeout_s, PREPARE_S)
        try:
            if not lane.is_ready(asked):
                with anyio.fail_after(limit_s):
                    await lane.prepare(asked)
            limit_s = timeout_s
            with anyio.fail_after(limit_s):
                found = await lane.search(asked)
            status = LaneStatus.OK if found.candidates else LaneStatus.EMPTY
        except TimeoutError:
            status = LaneStatus.TIMEOUT
            found = Ranking(lane.name, detail=f"took longer than {limit_s:g} s")
        except UsageError:
            raise
        except Exception as fault:  # noqa: BLE001 - the other lanes still answer, and the report says why
            status = LaneStatus.FAILED
            found = Ranking(lane.name, detail=reason_of(fault))
    elapsed_ms = (time.perf_counter() - started) * 1_000
    report = LaneReport(lane.name, status, len(found.candidates), elapsed_ms, found.detail)
    return LaneAnswer(found, report)
