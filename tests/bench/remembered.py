"""Asks each lane once: what a way of asking or a variation does not touch answers as it did before.

Most of them change how lanes are joined, not what they answer. Only for rankings: times mean nothing here.
"""

from __future__ import annotations

import multiprocessing
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.model import Mode
from ohara.retrieve.profile import LEADING_LANE
from ohara.retrieve.registry import LANES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
    from multiprocessing.connection import Connection

    from ohara.retrieve.lane import Lane, LaneQuery
    from ohara.retrieve.ranking import Ranking
    from tests.bench.evaluate import Asked
    from tests.bench.workspace import Indexed

Memory = dict[tuple[object, ...], "Ranking"]

_SEARCH = "search"


@contextmanager
def lanes_remembered(memory: Memory, name: str = "", constants: Collection[str] = ()) -> Iterator[None]:
    """While this lasts, lanes answer from memory; a lane whose constants a variation changes has its own."""
    kinds = [type(lane) for lane in LANES]
    before = [kind.search for kind in kinds]
    for kind, search in zip(kinds, before, strict=True):
        touched = any(dotted.startswith(f"{kind.__module__}.") for dotted in constants)
        setattr(kind, _SEARCH, _remembering(search, memory, (kind.name, name if touched else "")))
    try:
        yield
    finally:
        for kind, search in zip(kinds, before, strict=True):
            setattr(kind, _SEARCH, search)


def _remembering(
    search: Callable[[Lane, LaneQuery], Awaitable[Ranking]], memory: Memory, kind: tuple[str, str]
) -> Callable[[Lane, LaneQuery], Awaitable[Ranking]]:
    async def ask(lane: Lane, asked: LaneQuery) -> Ranking:
        profile = asked.profile
        # Of all lanes, only that of words reads the profile's numbers.
        is_words = lane.name == LEADING_LANE
        scored = (profile.weightings, profile.columns, profile.lineless_merge) if is_words else ()
        key = (*kind, replace(asked.query, mode=Mode.AUTO), asked.limit, scored)
        if key not in memory:
            memory[key] = await search(lane, asked)
        return memory[key]

    return ask


def side_by_side(ask: Callable[[Indexed], list[Asked]], indexes: Sequence[Indexed]) -> list[list[Asked]]:
    """Ask several indexes at once, each in a process of its own that ends with its answer."""
    forked = multiprocessing.get_context("fork")

    def answer(indexed: Indexed, into: Connection) -> None:
        into.send(ask(indexed))
        into.close()

    running = []
    for indexed in indexes:
        receive, send = forked.Pipe(duplex=False)
        process = forked.Process(target=answer, args=(indexed, send))
        process.start()
        send.close()  # so that a process that dies without an answer is an end of file, not a wait
        running.append((process, receive))
    answers: list[list[Asked]] = []
    for process, receive in running:
        answers.append(receive.recv())
        process.join()
    return answers
