"""Asks each lane once: what a way of asking or a variation does not touch answers as it did before.

Most of them change how lanes are joined, not what they answer. Only for rankings: times mean nothing here.
"""

from __future__ import annotations

import multiprocessing
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.model import Mode, Query
from ohara.retrieve.lanes import commit, symbol, text, vector
from ohara.retrieve.profile import Profile

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
    from multiprocessing.connection import Connection

    from ohara.retrieve.ranking import Ranking
    from tests.bench.evaluate import Asked
    from tests.bench.workspace import Indexed

Memory = dict[tuple[object, ...], "Ranking"]

_LANES = (vector, text, symbol, commit)
_SEARCH = "search"


@contextmanager
def lanes_remembered(memory: Memory, name: str = "", constants: Collection[str] = ()) -> Iterator[None]:
    """While this lasts, lanes answer from memory; a lane whose constants a variation changes has its own."""
    before = [lane.search for lane in _LANES]
    for lane in _LANES:
        touched = any(dotted.startswith(f"{lane.__name__}.") for dotted in constants)
        remembering = _remembering(lane.search, memory, (lane.NAME, name if touched else ""))
        setattr(lane, _SEARCH, remembering)
    try:
        yield
    finally:
        for lane, search in zip(_LANES, before, strict=True):
            setattr(lane, _SEARCH, search)


def _remembering(
    search: Callable[..., Awaitable[Ranking]], memory: Memory, kind: tuple[str, str]
) -> Callable[..., Awaitable[Ranking]]:
    async def ask(*given: object, limit: int) -> Ranking:
        (query,) = (one for one in given if isinstance(one, Query))
        scored = [
            (one.weightings, one.columns, one.lineless_merge) for one in given if isinstance(one, Profile)
        ]
        key = (*kind, replace(query, mode=Mode.AUTO), limit, *scored)
        if key not in memory:
            memory[key] = await search(*given, limit=limit)
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
