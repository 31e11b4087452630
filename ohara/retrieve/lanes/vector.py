"""The vector lane: hunks whose changed lines are near to the query, by cosine of their vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.embed.encoder import TextKind
from ohara.embed.model_text import document_text
from ohara.model import VectorForm
from ohara.retrieve.query_vector import NearestLane
from ohara.retrieve.ranking import Candidate, ranking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.embed.encoder import Embedder, Matrix
    from ohara.embed.quantise import Probe
    from ohara.retrieve.lane import LaneQuery
    from ohara.retrieve.ranking import Ranking
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader

# Below this cosine two texts share no more than the tone of code: what only vectors found, and not even
# nearly, is no answer.
FLOOR = 0.45

_KEPT = (
    16_384  # vectors of contents that were near to a question, of a kilobyte each: half are near to others
)


class VectorLane(NearestLane):
    """Finds hunks by the vectors of their changed lines."""

    name = "vector"

    @property
    def floor(self) -> float:
        """The lowest cosine of a hunk that no other lane found."""
        return FLOOR

    def ranked(self, reader: Reader, model: Embedder, probe: Probe, asked: LaneQuery) -> Ranking | None:
        """The hunks nearest to a query's words."""
        return rank(reader, model, probe, asked.sided, limit=asked.limit)


def rank(reader: Reader, model: Embedder, probe: Probe, allowed: Allowed, *, limit: int) -> Ranking | None:
    """Search in this thread; None when the model's vectors were removed meanwhile."""
    with reader.snapshot():  # one state of the index for all: which vectors there are, and whose
        near = reader.nearest_contents(probe, model.id, allowed, limit)
        if near is None:
            return None
        best = [content for content, _ in near]
        scores = _exact(reader, model, probe, best) if probe.form is VectorForm.BIT else dict(near)
        newest = reader.newest_occurrences(best, allowed)
    placed = ((scores[content], newest[content]) for content in best if content in newest)
    found = (Candidate(at.hunk, score, at.time, at.sha) for score, at in placed)
    return ranking(VectorLane.name, found, limit, whole=len(best) < limit)


def _exact(reader: Reader, model: Embedder, probe: Probe, contents: Sequence[int]) -> dict[int, float]:
    """Exact cosines of some contents, embedded again: stored bits are too coarse for the first ranks."""
    kept: dict[int, Matrix] = reader.remembered(f"vectors by {model.id}", dict)
    vectors = {content: vector for content in contents if (vector := kept.get(content)) is not None}
    texts = {
        content: document_text(body.decode("utf-8", "surrogatepass"))
        for content, body in reader.bodies([one for one in contents if one not in vectors]).items()
    }
    made = dict(zip(texts, model.embed(list(texts.values()), TextKind.DOCUMENT), strict=True))
    if len(kept) > _KEPT:
        kept.clear()
    kept.update((content, vector.copy()) for content, vector in made.items())
    vectors |= made
    return dict(zip(vectors, probe.cosines(list(vectors.values())), strict=True))
