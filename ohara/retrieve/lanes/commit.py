"""The commit lane: the commits whose subject or whole change means what the query says.

A hunk is a few lines; what a change is about is spread over all that it touched, and over its paths. Each
commit has two vectors of the vector lane's model, one of its subject and one of all its changed lines, paths
and headers, and is as near as the nearer of them. What it scores holds for every hunk of the commit that
another lane found (`of_commits`); the one hunk named here, the nearest of the commit's own, stands for it
where no other lane knows it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ohara.embed.encoder import VectorForm
from ohara.embed.prepare import CHANGE_HUNKS
from ohara.retrieve.query_vector import NearestLane
from ohara.retrieve.ranking import Candidate, Ranking, ranking
from ohara.store.sqlite.generations import has_commits
from ohara.store.sqlite.lane_queries import commit_vectors, commits_of, hunks_of, places, stored_vectors

if TYPE_CHECKING:
    from ohara.embed.encoder import Embedder
    from ohara.embed.quantise import Bits, Probe
    from ohara.model import HunkId
    from ohara.retrieve.lane import LaneQuery
    from ohara.store.sqlite.filters import HunkFilter
    from ohara.store.sqlite.generations import Generation
    from ohara.store.sqlite.lane_queries import Occurrence
    from ohara.store.sqlite.reader import Reader

# Below this cosine two texts share no more than the tone of code: the same as for hunks, and
# measured for itself.
FLOOR = 0.45

_UNKNOWN = -1.0  # as far as can be: no lines, or none that the model knows a word of


class CommitLane(NearestLane):
    """Finds commits by the vectors of their subject and of their whole change."""

    name = "commit"

    @property
    def floor(self) -> float:
        """The cosine that a commit must have which no other lane found."""
        return FLOOR

    async def search(self, asked: LaneQuery) -> Ranking:
        """The commits nearest to a query's words; none when the embedder is switched off."""
        return await self.nearest(asked, partial(rank, allowed=asked.sided, limit=asked.limit))


def rank(reader: Reader, model: Embedder, probe: Probe, allowed: HunkFilter, *, limit: int) -> Ranking | None:
    """The search itself, in this thread; None when the model's vectors are gone by now."""
    with reader.connection:  # one state of the index for all, as in the vector lane
        generation = reader.vectors().of(model.id)
        if generation is None:
            return None
        if not has_commits(reader.connection, generation):
            return Ranking(CommitLane.name, detail="no vectors of commits yet: ohara index makes them")
        among = None if allowed.everything else commits_of(reader, allowed)
        near = _nearest(reader, probe, generation, among, limit)
        hunks = _standing_for(reader, probe, generation, list(near), allowed)
    found = (Candidate(at.hunk, near[at.commit], at.time, at.sha) for at in hunks)
    return ranking(CommitLane.name, found, limit, of_commits=True, whole=len(near) < limit)


def _nearest(
    reader: Reader, probe: Probe, generation: Generation, among: list[int] | None, limit: int
) -> dict[int, float]:
    """The commits that are nearest, with how near they are."""
    stored = reader.remembered(f"vectors in {generation.commits}", lambda: _read(reader, generation, probe))
    if isinstance(stored, list):
        allowed = None if among is None else set(among)
        rows = [row for row in stored if allowed is None or row[0] in allowed]
        scores = probe.likeness([vector for _, vector in rows])
        near = [(commit, score) for (commit, _), score in zip(rows, scores, strict=True)]
        near.sort(key=lambda one: (-one[1], one[0]))
    else:
        near = probe.nearest(stored, 2 * limit, among)  # a commit may be there twice
    found: dict[int, float] = {}
    for commit, score in near:
        if len(found) >= limit:
            break
        found.setdefault(commit, score)
    return found


def _read(reader: Reader, generation: Generation, probe: Probe) -> Bits | list[tuple[int, bytes]]:
    """All vectors of commits, with whose each is: as bits, or one by one."""
    from ohara.embed.quantise import Bits  # brings numpy, which a search by text alone must not pay for

    rows = [
        (commit, stored)
        for commit, *both in commit_vectors(reader, generation.commits)
        for stored in both
        if stored
    ]
    if probe.form is not VectorForm.BIT:
        return rows
    return Bits.packed([commit for commit, _ in rows], [vector for _, vector in rows])


def _standing_for(
    reader: Reader, probe: Probe, generation: Generation, commits: list[int], allowed: HunkFilter
) -> list[Occurrence]:
    """Of each commit the hunk that is nearest by itself, or else its first."""
    hunks = hunks_of(reader, commits, allowed, CHANGE_HUNKS)
    stored = stored_vectors(
        reader, {content for _, _, content in hunks if content is not None}, generation.table
    )
    near = dict(zip(stored, probe.likeness(list(stored.values())), strict=True))
    nearest: dict[int, tuple[float, HunkId]] = {}
    for commit, hunk, content in hunks:
        likeness = near.get(content, _UNKNOWN) if content is not None else _UNKNOWN
        if commit not in nearest or likeness > nearest[commit][0]:
            nearest[commit] = (likeness, hunk)
    return places(reader, (hunk for _, hunk in nearest.values()))
