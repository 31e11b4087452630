"""Turns ranked hunks into hits worth reading: one for each commit, identical changes shown once. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ohara.model import Sha
    from ohara.store.hydrate import StoredHit


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hunk with its final score and how that came about.

    `worth` is what choosing among hunks of one commit goes by: the score, less for tests and docs.
    """

    row: StoredHit
    score: float
    worth: float
    pinned: bool = False
    fused: float = 0.0
    rerank: float | None = None
    recency: float = 1.0
    lanes: Mapping[str, int] = field(default_factory=dict)
    lane_scores: Mapping[str, float] = field(default_factory=dict)
    below: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """A hit to be: the hunk shown, how many others of its commit were found, which commits did the same."""

    ranked: Ranked
    more: int = 0
    also_in: tuple[Sha, ...] = ()


def in_order(found: Iterable[Ranked]) -> list[Ranked]:
    """Pinned before all others, then what was reranked before what was not, then by score.

    Ties go to the newest commit, then by its name, then by the hunk's place in the commit.
    """
    by_place = sorted(found, key=lambda one: one.row.hunk)
    return sorted(
        by_place,
        key=lambda one: (
            one.pinned,
            not one.below,
            one.score,
            one.row.commit.committer_time,
            one.row.commit.sha,
        ),
        reverse=True,
    )


def one_for_each_commit(found: Sequence[Ranked]) -> list[Shown]:
    """A commit stands where its best hunk stands, and shows the hunk that is worth most.

    A pinned hunk is never given up for one that is not.
    """
    by_commit: dict[Sha, list[Ranked]] = {}
    for one in found:
        by_commit.setdefault(one.row.commit.sha, []).append(one)
    shown: list[Shown] = []
    for hunks in by_commit.values():
        best = max(hunks, key=lambda one: (one.pinned, one.worth, -one.row.hunk))
        shown.append(Shown(best, more=len(hunks) - 1))
    return shown


def collapsed(
    hits: Sequence[Shown], occurrences: Mapping[int, Sequence[Sha]], above: Sequence[Shown] = ()
) -> list[Shown]:
    """Identical changes once: the best stays and names the other commits that made the same change.

    `occurrences` gives for each content the commits that may answer, newest first. A commit that is a hit of
    its own by another change is not named. `above` are hits that rank higher and stay as they are.
    """
    kept: list[Shown] = []
    seen = {hit.ranked.row.content for hit in above if hit.ranked.row.content is not None}
    for hit in hits:
        content = hit.ranked.row.content
        if content is None or content not in seen:
            kept.append(hit)
        if content is not None:
            seen.add(content)
    own = {hit.ranked.row.commit.sha for hit in (*above, *kept)}
    named: list[Shown] = []
    for hit in kept:
        content = hit.ranked.row.content
        others = occurrences.get(content, ()) if content is not None else ()
        named.append(Shown(hit.ranked, hit.more, tuple(sha for sha in others if sha not in own)))
    return named
