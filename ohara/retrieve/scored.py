"""A hunk on its way from the lanes that found it to a hit: its scores, and how they came about. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ohara.model import HunkId, Sha


@dataclass(frozen=True, slots=True)
class ScoredHunk:
    """A hunk, its commit's time and object name, and its score; its lines are read and carried beside it.

    `fused` is what the lanes gave it (the best is 1), `lanes` and `lane_scores` its rank and score in each.
    `worth` is what choosing among hunks of one commit goes by: the score, less for tests and docs. `below`
    says that it was not reranked where others were. `more` hunks of its commit were found, and the commits
    `also_in` made the same change.
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
