"""The commit lane: commits whose subject or whole change is near to the query, by vectors.

A hunk is a few lines; what a change is about is spread over all that it touched, and over its paths. Each
commit has two vectors of the vector lane's model, one of its subject and one of all its changed lines, paths
and headers, and is as near as the nearer of them. What it scores holds for every hunk of the commit that
another lane found (`of_commits`); the one hunk named here, the nearest of the commit's own, stands for it
where no other lane knows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.embed.model_text import CHANGE_HUNKS
from ohara.retrieve.query_vector import NearestLane
from ohara.retrieve.ranking import Candidate, Ranking, ranking

if TYPE_CHECKING:
    from ohara.embed.encoder import Embedder
    from ohara.embed.quantise import Probe
    from ohara.model import HunkId
    from ohara.retrieve.lane import LaneQuery
    from ohara.store.answers import Occurrence
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader

# Below this cosine two texts share no more than the tone of code: the same as for hunks, and
# measured for itself.
FLOOR = 0.45

_UNKNOWN = -1.0  # as far as can be: no lines, or none that the model knows a word of


class CommitLane(NearestLane):
    """Finds commits by the vectors of their subject and of their whole change."""

    name = "commit"

    @property
    def floor(self) -> float:
        """The lowest cosine of a commit that no other lane found."""
        return FLOOR

    def ranked(self, reader: Reader, model: Embedder, probe: Probe, asked: LaneQuery) -> Ranking | None:
        """The commits nearest to a query's words."""
        return rank(reader, model, probe, asked.sided, limit=asked.limit)


def rank(reader: Reader, model: Embedder, probe: Probe, allowed: Allowed, *, limit: int) -> Ranking | None:
    """Search in this thread; None when the model's vectors were removed meanwhile."""
    with reader.snapshot():  # one state of the index for all, as in the vector lane
        made = reader.vector_sets()
        if model.id not in {made.current, made.kept}:
            return None
        if not reader.has_commit_vectors(model.id):
            return Ranking(CommitLane.name, detail="no vectors of commits yet: ohara index makes them")
        near = dict(reader.nearest_commits(probe, model.id, allowed, limit))
        hunks = _representatives(reader, probe, model.id, list(near), allowed)
    found = (Candidate(at.hunk, near[at.commit], at.time, at.sha) for at in hunks)
    return ranking(CommitLane.name, found, limit, of_commits=True, whole=len(near) < limit)


def _representatives(
    reader: Reader, probe: Probe, model: str, commits: list[int], allowed: Allowed
) -> list[Occurrence]:
    """The hunk of each commit that is nearest to the query, or else its first."""
    hunks = reader.hunks_of(commits, allowed, CHANGE_HUNKS)
    contents = {content for _, _, content in hunks if content is not None}
    near = reader.content_likeness(probe, contents, model)
    nearest: dict[int, tuple[float, HunkId]] = {}
    for commit, hunk, content in hunks:
        likeness = near.get(content, _UNKNOWN) if content is not None else _UNKNOWN
        if commit not in nearest or likeness > nearest[commit][0]:
            nearest[commit] = (likeness, hunk)
    return reader.occurrences(hunk for _, hunk in nearest.values())
