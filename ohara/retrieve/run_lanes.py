"""Runs lanes, each under its own deadline; a lane that fails does not affect the others.

Most of a lane's time it holds the interpreter's lock: beside each other lanes take as long as one after the
other, and the processors an eighth more, to hand that lock from thread to thread. So they all run in one
visit to a thread, and only what could not be done there is done by lane.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import anyio

from ohara.errors import UsageError, reason_of
from ohara.model import LaneReport, LaneStatus
from ohara.records import dataclass
from ohara.retrieve.ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from ohara.retrieve.lane import Lane, LaneQuery
    from ohara.store.reading import Reader

# A transformer of a gigabyte is read in seconds; what takes longer than this will not come.
PREPARE_S = 30.0

# Of a first question, half of a lane's time passes without the interpreter's lock, to read what later ones
# find in memory: two lanes keep it busy, and more wait for each other.
AT_ONCE = 2

# From so many hunks on numpy has enough to do to keep a second processor busy: in 350,000 of vector's history
# both ways take the same time.
IN_ONE_VISIT = 500_000


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
    then: Callable[[Reader, tuple[LaneAnswer, ...]], None] | None = None,
) -> tuple[LaneAnswer, ...]:
    """The answers of all lanes, in their order; those that failed or timed out report it.

    With `then`, lanes run one after the other in one visit to a thread, for no longer than one of them may
    take, and `then` is done there when all have answered; not in a very large index. Of what is left, so many
    run at once; the time of a lane begins when it does. Lanes that are not chosen do not run and are reported
    as off.
    """
    answers: dict[str, LaneAnswer] = {}
    mistakes: list[UsageError] = []
    if then is not None:
        await _visit(lanes, asked, answers, chosen=chosen, timeout_s=timeout_s, then=then)
    waiting = iter([lane for lane in lanes if lane.name not in answers])

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


async def _visit(
    lanes: Sequence[Lane],
    asked: LaneQuery,
    answers: dict[str, LaneAnswer],
    *,
    chosen: Collection[str],
    timeout_s: float,
    then: Callable[[Reader, tuple[LaneAnswer, ...]], None],
) -> None:
    """Fill in the answers of lanes that answer in one visit to a thread, up to the first that does not."""

    def work(reader: Reader) -> None:
        if reader.hunk_count() > IN_ONE_VISIT:
            return
        for lane in lanes:
            started = time.perf_counter()
            found = lane.find(reader, asked) if lane.name in chosen else Ranking(lane.name)
            if found is None:
                return
            status = LaneStatus.OK if found.candidates else LaneStatus.EMPTY
            answers[lane.name] = _answered(found, status if lane.name in chosen else LaneStatus.OFF, started)
        then(reader, tuple(answers[lane.name] for lane in lanes))

    try:
        with anyio.move_on_after(timeout_s):
            await asked.pool.read(work)
    except UsageError:
        raise
    except Exception:  # noqa: BLE001, S110 - what failed is done again by itself, and that says why
        pass


def _answered(found: Ranking, status: LaneStatus, started: float) -> LaneAnswer:
    elapsed_ms = (time.perf_counter() - started) * 1_000
    return LaneAnswer(found, LaneReport(found.lane, status, len(found.candidates), elapsed_ms, found.detail))


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
    return _answered(found, status, started)
