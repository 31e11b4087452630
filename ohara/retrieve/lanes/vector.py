"""The vector lane: the hunks whose changed lines mean what the query says, by cosine of their vectors.

Vectors are asked with the model that made them, whatever the setting says by now: two models' vectors are
never compared. While those of another embedder are being made, the former ones serve, as long as their model
is on this machine. What the vector pass has not reached cannot answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio.to_thread

from ohara.embed.encoder import TextKind, VectorBlock, VectorForm
from ohara.embed.prepare import document_text
from ohara.model import QueryClass
from ohara.retrieve.ranking import Placed, Ranking, ranking
from ohara.store.literal import bodies
from ohara.store.ranked import contents_of, nearest, newest_occurrences, vector_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ohara.embed.encoder import Embedder
    from ohara.embed.quantise import Bits, Probe
    from ohara.model import Query
    from ohara.store.filters import HunkFilter
    from ohara.store.generations import Generations
    from ohara.store.pool import ReaderPool
    from ohara.store.reader import Reader

NAME = "vector"

# The former vectors may go while a query is being embedded for them; the new ones are complete then.
_ATTEMPTS = 2


@dataclass(frozen=True, slots=True)
class Models:
    """The ways to embedders: the one the settings mean (none: the lane is off), and the maker of vectors."""

    wanted: Callable[[], Embedder | None]
    maker: Callable[[str], Embedder | None]


async def prepare(pool: ReaderPool, models: Models) -> None:
    """Read the model that will be asked from disk, if it is not in memory yet."""
    found = await pool.read(lambda reader: reader.vectors())

    def load() -> None:
        model, _ = choose(found, models)
        if model is not None:
            model.embed([], TextKind.QUERY)

    await anyio.to_thread.run_sync(load, abandon_on_cancel=True)


async def search(
    pool: ReaderPool, models: Models, query: Query, allowed: HunkFilter, *, limit: int
) -> Ranking:
    """The hunks nearest to a query's words; none when the embedder is switched off."""
    for _ in range(_ATTEMPTS):
        found = await pool.read(lambda reader: reader.vectors())
        model, detail = await anyio.to_thread.run_sync(choose, found, models, abandon_on_cancel=True)
        if model is None:
            return Ranking(NAME, detail=detail)
        probe = await anyio.to_thread.run_sync(probe_of, model, query, abandon_on_cancel=True)
        if probe is None:
            return Ranking(NAME, detail="no word that the model knows")
        chosen = model
        ranked = await pool.read(lambda reader: rank(reader, chosen, probe, allowed, limit=limit))  # noqa: B023 - awaited here
        if ranked is not None:
            return replace(ranked, detail=detail) if detail else ranked
    return Ranking(NAME, detail="the vectors are being replaced: ask again")


def choose(found: Generations, models: Models) -> tuple[Embedder | None, str]:
    """The model to ask with, and what to say about it; the former one until the new vectors are all made."""
    wanted = models.wanted()
    if wanted is None:
        return None, "the embedder is switched off"
    if found.current is None and found.kept is None:
        return None, "no vectors yet: ohara index makes them"
    for generation in (found.kept, found.current):
        if generation is None:
            continue
        if generation.embedder == wanted.id:
            return wanted, ""
        model = models.maker(generation.embedder)
        if model is not None:
            return model, f"by the vectors of {generation.embedder} until those of {wanted.id} are made"
    there = found.current or found.kept
    return None, f"the vectors are of {there and there.embedder}: ohara index makes those of {wanted.id}"


def probe_of(model: Embedder, query: Query) -> Probe | None:
    """The query as a vector; pasted code is embedded as the index embeds code."""
    from ohara.embed.quantise import Probe  # brings numpy, which a search by text alone must not pay for

    if query.query_class is QueryClass.SNIPPET:
        text = document_text(query.words) or query.words
        return Probe.of(model.embed([text], TextKind.DOCUMENT)[0], model)
    return Probe.of(model.embed([query.words], TextKind.QUERY)[0], model)


def rank(reader: Reader, model: Embedder, probe: Probe, allowed: HunkFilter, *, limit: int) -> Ranking | None:
    """The search itself, in this thread; None when the model's vectors are gone by now."""
    with reader.connection:  # one state of the index for all: which table, what is in it, and whose it is
        generation = reader.vectors().of(model.id)
        if generation is None:
            return None
        if probe.form is VectorForm.BIT:
            among = None if allowed.everything else contents_of(reader, allowed)
            best = probe.best(_bits(reader, generation.table), limit, among)
            scores = _exact(reader, model, probe, best)
        else:
            near = nearest(reader, probe.packed, allowed, limit, generation.table)
            best = [content for content, _ in near]
            scores = dict(zip(best, probe.likeness([stored for _, stored in near]), strict=True))
        newest = newest_occurrences(reader, best, allowed)
    placed = ((scores[content], newest[content]) for content in best if content in newest)
    return ranking(NAME, (Placed(score, at.time, at.sha, at.hunk) for score, at in placed), limit)


def _bits(reader: Reader, table: str) -> Bits:
    """All bits of a table, read once for as long as the index does not change."""
    from ohara.embed.quantise import Bits  # as above

    return reader.remembered(
        f"bits of {table}", lambda: Bits.of([VectorBlock(*block) for block in vector_blocks(reader, table)])
    )


def _exact(reader: Reader, model: Embedder, probe: Probe, contents: Sequence[int]) -> dict[int, float]:
    """The cosines to some contents, embedded again: bits guess them too roughly for the first places."""
    texts = {
        content: document_text(body.decode("utf-8", "surrogatepass"))
        for content, body in bodies(reader, contents).items()
    }
    return dict(zip(texts, probe.cosines(model.embed(list(texts.values()), TextKind.DOCUMENT)), strict=True))
