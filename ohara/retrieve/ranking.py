"""What a lane answers with, and the rule that no commit fills a lane. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from ohara.model import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ohara.model import HunkId

# More hunks than this say nothing new about a commit, and one that touched a thousand files would be all
# there is to see.
HUNKS_PER_COMMIT = 3


class Placed(NamedTuple):
    """A scored hunk with what settles ties: its commit's time and name, and its own place in the commit."""

    score: float
    time: int
    sha: bytes
    hunk: HunkId


@dataclass(frozen=True, slots=True)
class Ranking:
    """One lane's answer, best first. `pinned` hunks match exactly and rank above all that do not.

    `of_commits` says that a score is the commit's, and holds for all of its hunks.
    """

    lane: str
    candidates: tuple[Candidate, ...] = ()
    pinned: frozenset[HunkId] = frozenset()
    detail: str = ""
    commits: Mapping[HunkId, bytes] = field(default_factory=dict)
    of_commits: bool = False


def ordered(found: Iterable[Placed]) -> list[Placed]:
    """Best first; equal scores by the newest commit, then by its name, then by the hunk's place in it."""
    by_place = sorted(found, key=lambda placed: placed.hunk)
    return sorted(by_place, key=lambda placed: (placed.score, placed.time, placed.sha), reverse=True)


def capped(found: Sequence[Placed], limit: int, per_commit: int = HUNKS_PER_COMMIT) -> list[Placed]:
    """The first ones, up to a limit, with no more than so many of one commit."""
    taken: dict[bytes, int] = {}
    kept: list[Placed] = []
    for placed in found:
        if len(kept) >= limit:
            break
        seen = taken.get(placed.sha, 0)
        if seen < per_commit:
            taken[placed.sha] = seen + 1
            kept.append(placed)
    return kept


def ranking(
    lane: str,
    found: Iterable[Placed],
    limit: int,
    *,
    pinned: Iterable[HunkId] = (),
    detail: str = "",
    of_commits: bool = False,
) -> Ranking:
    """A lane's answer from what it found, in order, capped and cut; pinned hunks come first."""
    exact = frozenset(pinned)
    best = ordered(found)
    best.sort(key=lambda placed: placed.hunk not in exact)
    kept = capped(best, limit)
    return Ranking(
        lane,
        tuple(Candidate(placed.hunk, placed.score) for placed in kept),
        exact.intersection(placed.hunk for placed in kept),
        detail,
        {placed.hunk: placed.sha for placed in kept},
        of_commits,
    )


def spread(rankings: Sequence[Ranking]) -> list[Ranking]:
    """The rankings, with every commit's score given to all hunks of that commit which a lane of hunks found.

    The hunk that such a lane names itself stands only for a commit that no other lane knows.
    """
    known: dict[bytes, list[HunkId]] = {}
    for one in rankings:
        if not one.of_commits:
            for candidate in one.candidates:
                hunks = known.setdefault(one.commits[candidate.hunk], [])
                if candidate.hunk not in hunks:
                    hunks.append(candidate.hunk)
    return [_spread(one, known) if one.of_commits else one for one in rankings]


def _spread(ranking: Ranking, known: Mapping[bytes, Sequence[HunkId]]) -> Ranking:
    shas = [ranking.commits[candidate.hunk] for candidate in ranking.candidates]
    given = [
        (Candidate(hunk, candidate.score), sha)
        for candidate, sha in zip(ranking.candidates, shas, strict=True)
        for hunk in known.get(sha, (candidate.hunk,))
    ]
    return replace(
        ranking,
        candidates=tuple(candidate for candidate, _ in given),
        commits={candidate.hunk: sha for candidate, sha in given},
    )
