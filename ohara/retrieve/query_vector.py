"""Embeds a query for the lanes that compare vectors.

A query is embedded with the model that made the stored vectors, whatever the setting is by now: vectors of
two models are never compared. While another embedder's vectors are being made, the old ones are used, as long
as their model is on this machine. Hunks that the vector pass has not reached are not found.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import field
from typing import TYPE_CHECKING

import anyio.to_thread

from ohara.embed.encoder import TextKind
from ohara.embed.model_text import document_text
from ohara.model import Mode, QueryClass
from ohara.records import dataclass, replace
from ohara.retrieve.lane import Lane
from ohara.retrieve.ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ohara.embed.encoder import Embedder
    from ohara.embed.quantise import Probe
    from ohara.model import Query
    from ohara.retrieve.lane import LaneQuery
    from ohara.store.answers import VectorSets
    from ohara.store.reading import Reader

# The former vectors may go while a query is being embedded for them; the new ones are complete then.
_ATTEMPTS = 3

_KEPT_PROBES = 8  # questions that may be answered at the same time


@dataclass(frozen=True, slots=True)
class Models:
    """Loads embedders: that of the settings (None: vectors are off), or by the id of stored vectors.

    `loaded` are the vectors whose model is in memory by now, `probes` the last queries as vectors: two lanes
    ask for the same.
    """

    wanted: Callable[[], Embedder | None]
    maker: Callable[[str], Embedder | None]
    loaded: set[VectorSets] = field(default_factory=set)
    probes: dict[tuple[str, str, bool], Probe | None] = field(default_factory=dict)


class NearestLane(Lane):
    """The common part of lanes that compare a query's vector with stored ones."""

    modes = frozenset({Mode.SEMANTIC})

    def zero(self, scores: Sequence[float]) -> float:
        """The lowest score: the cosines of a hundred neighbours differ little from each other."""
        return min(scores, default=0.0)

    def is_ready(self, asked: LaneQuery) -> bool:
        """False while no model is in memory."""
        return bool(asked.models.loaded)

    async def prepare(self, asked: LaneQuery) -> None:
        """Load the model."""
        await self._load(asked)

    async def _load(self, asked: LaneQuery) -> None:
        found = await asked.pool.read(lambda reader: reader.vector_sets())

        def load() -> None:
            model, _ = choose(found, asked.models)
            if model is not None:
                model.embed([], TextKind.QUERY)
            asked.models.loaded.add(found)

        await anyio.to_thread.run_sync(load, abandon_on_cancel=True)

    @abstractmethod
    def ranked(self, reader: Reader, model: Embedder, probe: Probe, asked: LaneQuery) -> Ranking | None:
        """What is nearest to a query's vector; None when the model's vectors are gone by now."""

    async def search(self, asked: LaneQuery) -> Ranking:
        """Search the stored vectors with a query embedded by the model that made them."""
        for _ in range(_ATTEMPTS):
            ranked = await asked.pool.read(lambda reader: self.find(reader, asked))
            if ranked is not None:
                return ranked
            await self._load(asked)  # the vectors are others than they were
        return Ranking(self.name, detail="the vectors are being replaced: ask again")

    def find(self, reader: Reader, asked: LaneQuery) -> Ranking | None:
        """Search in this thread; None when the model is not in memory, nothing when it is switched off."""
        found = reader.vector_sets()
        if found not in asked.models.loaded:
            return None
        model, detail = choose(found, asked.models)
        if model is None:
            return Ranking(self.name, detail=detail)
        probe = _probe(asked.models, model, asked.query)
        if probe is None:
            return Ranking(self.name, detail="no word that the model knows")
        ranked = self.ranked(reader, model, probe, asked)
        return replace(ranked, detail=detail) if ranked is not None and detail else ranked


def choose(found: VectorSets, models: Models) -> tuple[Embedder | None, str]:
    """The model to embed the query with, and a note about it; the old one until all new vectors are made."""
    wanted = models.wanted()
    if wanted is None:
        return None, "the embedder is switched off"
    if found.current is None and found.kept is None:
        return None, "no vectors yet: ohara index makes them"
    for made_by in (found.kept, found.current):
        if made_by is None:
            continue
        if made_by == wanted.id:
            return wanted, ""
        model = models.maker(made_by)
        if model is not None:
            return model, f"by the vectors of {made_by} until those of {wanted.id} are made"
    there = found.current if found.current is not None else found.kept
    return None, f"the vectors are of {there}: ohara index makes those of {wanted.id}"


def _probe(models: Models, model: Embedder, query: Query) -> Probe | None:
    """The query as a vector, made once for all lanes."""
    key = (model.id, query.words, query.query_class is QueryClass.SNIPPET)
    known = models.probes.copy()  # which other questions change meanwhile
    if key not in known:
        if len(known) >= _KEPT_PROBES:
            models.probes.clear()
        known[key] = models.probes[key] = probe_of(model, query)
    return known[key]


def probe_of(model: Embedder, query: Query) -> Probe | None:
    """The query as a vector; pasted code is embedded as the index embeds code."""
    from ohara.embed.quantise import Probe  # brings numpy, which a search by text alone must not pay for

    if query.query_class is QueryClass.SNIPPET:
        text = document_text(query.words) or query.words
        return Probe.of(model.embed([text], TextKind.DOCUMENT)[0], model)
    return Probe.of(model.embed([query.words], TextKind.QUERY)[0], model)
