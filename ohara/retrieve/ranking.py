"""Candidates of a lane, its ranking of them, and the scored hunks that fusion makes of them. Pure."""

from __future__ import annotations

from dataclasses import field
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from ohara.records import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ohara.model import HunkId, Sha

# More hunks than this say nothing new about a commit, and one that touched a thousand files would be all
# there is to see.
HUNKS_PER_COMMIT = 3


class Candidate(NamedTuple):
    """A hunk that a lane found: its score (larger is better), and its commit's time and object name."""

    hunk: HunkId
    score: float
    time: int
    sha: bytes


# What `_make` does, without a call of Python for each of some hundreds.
made_candidate: Callable[[tuple[HunkId, float, int, bytes]], Candidate] = partial(tuple.__new__, Candidate)

_BY_PLACE = itemgetter(Candidate._fields.index("hunk"))
_BY_SCORE = itemgetter(*map(Candidate._fields.index, ("score", "time", "sha")))


@dataclass(frozen=True, slots=True)
class Ranking:
    """One lane's answer, best first. `pinned` hunks match exactly and rank above all that do not.

    `of_commits` says that a score is the commit's, and holds for all of its hunks; `whole`, that a larger
    limit would find no more.
    """

    lane: str
    candidates: tuple[Candidate, ...] = ()
    pinned: frozenset[HunkId] = frozenset()
    detail: str = ""
    of_commits: bool = False
    whole: bool = True


@dataclass(frozen=True, slots=True)
class ScoredHunk:
    """A hunk, its commit's time and object name, and its score; its lines are read and carried beside it.

    `fused` is what the lanes gave it (the best is 1), `lanes` and `lane_scores` its rank and score in each.
    `worth` is what choosing among hunks of one commit goes by: the score, less for tests and docs. `below`
    says that it was not reranked where others were. `more` hunks of its commit were found, and the commits
    `also_in` made the same change. Where hits are grouped by thread, `matched` of its thread were found, too.
    """

    hunk: HunkId
    time: int
    sha: bytes
    fused: float = 0.0
    score: float = 0.0
    worth: float = 0.0
    pinned: bool = False
    rerank: float | None = None
    recency: float = 1.0
    lanes: Mapping[str, int] = field(default_factory=dict)
    lane_scores: Mapping[str, float] = field(default_factory=dict)
    below: bool = False
    more: int = 0
    also_in: tuple[Sha, ...] = ()
    matched: tuple[Sha, ...] = ()


def ordered(found: Iterable[Candidate]) -> list[Candidate]:
    """Best first; equal scores by the newest commit, then by its sha, then by the hunk's position in it."""
    return sorted(sorted(found, key=_BY_PLACE), key=_BY_SCORE, reverse=True)


def capped(found: Sequence[Candidate], limit: int, per_commit: int = HUNKS_PER_COMMIT) -> list[Candidate]:
    """The first candidates, up to a limit, with at most `per_commit` of one commit."""
    taken: dict[bytes, int] = {}
    kept: list[Candidate] = []
    for one in found:
        if len(kept) >= limit:
            break
        _, _, _, sha = one
        seen = taken.get(sha, 0)
        if seen < per_commit:
            taken[sha] = seen + 1
            kept.append(one)
    return kept


def ranking(
    lane: str,
    found: Iterable[Candidate],
    limit: int,
    *,
    pinned: Iterable[HunkId] = (),
    detail: str = "",
    of_commits: bool = False,
    whole: bool = True,
) -> Ranking:
    """Make a lane's ranking: sorted, capped and cut; pinned hunks come first.

    `whole` is False when there is more than what was found.
    """
    exact = frozenset(pinned)
    best = ordered(found)
    if exact:
        best.sort(key=lambda one: one.hunk not in exact)
    kept = tuple(capped(best, limit))
    return Ranking(
        lane,
        kept,
        exact.intersection(one.hunk for one in kept),
        detail,
        of_commits,
        whole=whole and len(kept) < limit,
    )


def spread(rankings: Sequence[Ranking]) -> list[Ranking]:
    """The rankings, with each score of a commit given to all of its hunks that another lane found.

    The hunk that such a lane names itself is used only for a commit that no other lane found.
    """
    known: dict[bytes, dict[HunkId, None]] = {}
    for one in rankings:
        if not one.of_commits:
            for candidate in one.candidates:
                known.setdefault(candidate.sha, {})[candidate.hunk] = None
    return [_spread(one, known) if one.of_commits else one for one in rankings]


def _spread(ranking: Ranking, known: Mapping[bytes, Iterable[HunkId]]) -> Ranking:
    given = [
        (hunk, score, time, sha)
        for own, score, time, sha in ranking.candidates
        for hunk in known.get(sha, (own,))
    ]
    return replace(ranking, candidates=tuple(map(made_candidate, given)))
