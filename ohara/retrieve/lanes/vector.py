"""The vector lane: the hunks whose changed lines mean what the query says, by cosine of their vectors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ohara.embed.encoder import TextKind, VectorBlock, VectorForm
from ohara.embed.prepare import document_text
from ohara.retrieve.query_vector import NearestLane
from ohara.retrieve.ranking import Candidate, ranking
from ohara.store.sqlite.lane_queries import contents_of, nearest, newest_occurrences, vector_blocks
from ohara.store.sqlite.literal import bodies

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.embed.encoder import Embedder
    from ohara.embed.quantise import Bits, Probe
    from ohara.retrieve.lane import LaneQuery
    from ohara.retrieve.ranking import Ranking
    from ohara.store.sqlite.filters import HunkFilter
    from ohara.store.sqlite.reader import Reader

# Below this cosine two texts share no more than the tone of code: what only vectors found, and not even
# nearly, is no answer.
FLOOR = 0.45


class VectorLane(NearestLane):
    """Finds hunks by the vectors of their changed lines."""

    name = "vector"

    @property
    def floor(self) -> float:
        """The cosine that a hunk must have which no other lane found."""
        return FLOOR

    async def search(self, asked: LaneQuery) -> Ranking:
        """The hunks nearest to a query's words; none when the embedder is switched off."""
        return await self.nearest(asked, partial(rank, allowed=asked.sided, limit=asked.limit))


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
    found = (Candidate(at.hunk, score, at.time, at.sha) for score, at in placed)
    return ranking(VectorLane.name, found, limit, whole=len(best) < limit)


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
