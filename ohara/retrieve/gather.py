"""Runs lanes side by side, each under its own deadline, and never lets one spoil the answer of another."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from ohara.errors import UsageError, reason_of
from ohara.model import LaneReport, LaneStatus
from ohara.retrieve.ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

# A transformer of a gigabyte is read in seconds; what takes longer than this will not come.
PREPARE_S = 30.0


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane that may be asked; `search` is not called when the query's mode leaves the lane out.

    What `prepare` does once for many queries, such as reading a model from disk, has a clock of its own.
    """

    name: str
    search: Callable[[], Awaitable[Ranking]]
    asked: bool = True
    prepare: Callable[[], Awaitable[object]] | None = None


@dataclass(frozen=True, slots=True)
class Gathered:
    """What one lane answered and how it went."""

    ranking: Ranking
    report: LaneReport


async def gather(lanes: Sequence[Lane], *, timeout_s: float) -> tuple[Gathered, ...]:
    """Every lane's answer, in the order of the lanes; what failed or took too long says so."""
    answers: dict[str, Gathered] = {}
    mistakes: list[UsageError] = []

    async def ask(lane: Lane) -> None:
        started = time.perf_counter()
        found, status = Ranking(lane.name), LaneStatus.OFF
        if lane.asked:
            limit_s = timeout_s
            try:
                if lane.prepare is not None:
                    limit_s = max(timeout_s, PREPARE_S)
                    with anyio.fail_after(limit_s):
                        await lane.prepare()
                limit_s = timeout_s
                with anyio.fail_after(timeout_s):
                    found = await lane.search()
                status = LaneStatus.OK if found.candidates else LaneStatus.EMPTY
            except TimeoutError:
                status = LaneStatus.TIMEOUT
                found = Ranking(lane.name, detail=f"took longer than {limit_s:g} s")
            except UsageError as mistake:
                mistakes.append(mistake)
            except Exception as fault:  # noqa: BLE001 - the other lanes still answer, and the report says why
                status = LaneStatus.FAILED
                found = Ranking(lane.name, detail=reason_of(fault))
        elapsed_ms = (time.perf_counter() - started) * 1_000
        report = LaneReport(lane.name, status, len(found.candidates), elapsed_ms, found.detail)
        answers[lane.name] = Gathered(found, report)

    async with anyio.create_task_group() as group:
        for lane in lanes:
            group.start_soon(ask, lane)
    for mistake in mistakes:
        raise mistake
    return tuple(answers[lane.name] for lane in lanes)
