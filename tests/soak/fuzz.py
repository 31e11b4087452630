"""Fuzzed inputs by the block: each is told by seed, entrance and number, bounded in time, and looked at."""

from __future__ import annotations

import signal
import time
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ohara.errors import OharaError
from tests.soak.entrances import ENTRANCES, Entrance
from tests.soak.outcome import Outcome, chance_of
from tests.soak.programs import PROGRAMS, traceback_of_service

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.soak.inputs import Input

PART = "inputs"
BLOCK = 2_000  # inputs in a unit
_LONGEST_S = 10.0  # of this process's own work, for one input
_LONGEST_WAIT_S = 300.0  # by the clock, where others work for it; the machine may be busy
_MOST_FAILURES = 3  # told of one block
ALL = (*ENTRANCES, *PROGRAMS)


class Hang(BaseException):
    """An input took longer than any may."""


def blocks(inputs: int) -> list[tuple[int, int]]:
    """How many inputs of which entrance make up so many: (number of the entrance, inputs) for each unit."""
    shares = sum(entrance.share for entrance in ALL)
    planned = []
    for number, entrance in enumerate(ALL):
        left = round(inputs * entrance.share / shares) or max(1, inputs // 4_000)
        size = BLOCK if number < len(ENTRANCES) else BLOCK // 8
        while left > 0:
            planned.append((number, min(size, left)))
            left -= size
    return planned


def run(seed: str, unit: int, scratch: Path, *, entrance: int, count: int) -> Outcome:  # noqa: ARG001 - as the others
    """Put one block of inputs to an entrance."""
    started = time.monotonic()
    way = ALL[entrance]
    counts: Counter[str] = Counter()
    failures: list[str] = []
    for number in range(unit * BLOCK, unit * BLOCK + count):
        given = way.make(chance_of(seed, way.name, number))
        fault = met(way, given, counts)
        if fault is not None and len(failures) < _MOST_FAILURES:
            failures.append(
                f"{way.name} {seed}/{number}: {fault}\n  input: {_shrunk(way, given, fault)!r}"[:4_000]
            )
    if said := traceback_of_service():
        failures.append(f"{way.name}, block {unit}: {said}")
    counts["inputs"] += count
    counts[f"in: {way.name}"] += count
    return Outcome(PART, unit, dict(counts), tuple(failures), time.monotonic() - started)


def met(way: Entrance, given: Input, counts: Counter[str] | None = None) -> str | None:
    """What fell when an input was put in; None when it was answered or refused as it should be."""
    try:
        with _bounded():
            answered = way.meet(given)
    except OharaError as error:
        return f"{type(error).__name__} outside the way it is looked for: {error}"
    except (Exception, Hang) as fault:  # noqa: BLE001 - whatever it is, it must not come out
        return f"{type(fault).__name__}: {fault}"
    if counts is not None:
        counts["answered" if answered else "refused"] += 1
    return None


@contextmanager
def _bounded() -> Iterator[None]:
    def over(number: int, _frame: object) -> None:
        raise Hang(f"more than {_LONGEST_S if number == signal.SIGPROF else _LONGEST_WAIT_S:.0f} s")

    limits = (
        (signal.SIGPROF, signal.ITIMER_PROF, _LONGEST_S),
        (signal.SIGALRM, signal.ITIMER_REAL, _LONGEST_WAIT_S),
    )
    before = [signal.signal(number, over) for number, _, _ in limits]
    for _, timer, seconds in limits:
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for _, timer, _ in limits:
            signal.setitimer(timer, 0)
        for (number, _, _), handler in zip(limits, before, strict=True):
            signal.signal(number, handler)


def _shrunk(way: Entrance, given: Input, fault: str) -> Input:
    """A smaller input that falls in the same manner; the same one where none is found quickly."""
    kind = fault.split(":", maxsplit=1)[0]
    if kind == "Hang":
        return given
    deadline = time.monotonic() + 5

    def falls(candidate: Input) -> bool:
        said = met(way, candidate)
        return said is not None and said.split(":")[0] == kind

    parts: list[str | bytes] = list(given) if isinstance(given, tuple) else [given]

    def whole() -> Input:
        return tuple(parts) if isinstance(given, tuple) else parts[0]  # type: ignore[return-value]

    for place in range(len(parts)):
        step = max(1, len(parts[place]) // 2)
        while step and time.monotonic() < deadline:
            at = 0
            while at < len(parts[place]) and time.monotonic() < deadline:
                kept = parts[place]
                parts[place] = kept[:at] + kept[at + step :]  # type: ignore[operator]
                if not falls(whole()):
                    parts[place] = kept
                    at += step
            step //= 2
    return whole()
