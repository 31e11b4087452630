"""Makes what the first question of a process needs after its lanes, while they run.

Lanes hardly run side by side: most of their time they hold the interpreter's lock. Reading the weights of the
cross-encoder and looking for clocks that were wrong do so for a small part of theirs, and another core has
time for them. Later questions find both in memory.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread

from ohara.errors import UsageError
from ohara.retrieve.run_lanes import PREPARE_S

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ohara.embed.encoder import Reranker
    from ohara.retrieve.request import Sources

T = TypeVar("T")


async def with_head_start(ask: Callable[[], Awaitable[T]], sources: Sources, *, reranks: bool) -> T:
    """What lanes answer; of a first question, when the rest has what it needs as well, or fails later."""
    if sources.models.loaded:
        return await ask()
    answers: list[T] = []
    mistakes: list[UsageError] = []
    async with anyio.create_task_group() as group:
        if reranks:
            group.start_soon(_read_weights, sources.reranker)
        if not sources.is_served:
            group.start_soon(_find_slips, sources)
        try:
            answers.append(await ask())
        except UsageError as mistake:  # which a group would hide in another exception
            mistakes.append(mistake)
    if mistakes:
        raise mistakes[0]
    return answers[0]


async def _read_weights(reranker: Callable[[], Reranker | None]) -> None:
    def load() -> None:
        with suppress(Exception):  # who needs it reports why it does not work
            model = reranker()
            if model is not None:
                model.score("", [])

    with anyio.move_on_after(PREPARE_S):
        await anyio.to_thread.run_sync(load, abandon_on_cancel=True)


async def _find_slips(sources: Sources) -> None:
    with suppress(Exception):  # as above
        await sources.pool.read(lambda reader: reader.clock_slips())
