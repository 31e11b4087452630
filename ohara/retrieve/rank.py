"""The ranking way: lanes side by side, fused, reranked, nudged by recency, one hit for each commit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from ohara.model import LaneReport, LaneStatus, Polarity
from ohara.retrieve import rerank as reranking
from ohara.retrieve.diversify import Shown, collapsed, in_order, one_for_each_commit
from ohara.retrieve.judge import Judge
from ohara.retrieve.lane import LaneQuery
from ohara.retrieve.pooled import judged, pool
from ohara.retrieve.query_vector import Models
from ohara.retrieve.ranking import HUNKS_PER_COMMIT
from ohara.retrieve.registry import LANES
from ohara.retrieve.run_lanes import run_lanes
from ohara.retrieve.wording import rarities, wordings
from ohara.store.hydrate import commits_with_content, hunks_in_commits, hydrate, paths_of_commits
from ohara.store.match import any_of, within
from ohara.store.pieces import holds_change
from ohara.words import query_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import Mode, Query
    from ohara.retrieve.diversify import Ranked
    from ohara.retrieve.pooled import Pooled
    from ohara.retrieve.profile import LaneWeights
    from ohara.retrieve.ranking import Ranking
    from ohara.retrieve.request import Sources, Wishes
    from ohara.store.filters import HunkFilter
    from ohara.store.reader import Reader

# A lane's limit and the pool's size: the least of them, and how often the wished number of hits.
LANE_LEAST, LANE_TIMES = 100, 4
POOL_LEAST, POOL_TIMES = 50, 2

_SIDE = {Polarity.ADDED: ("added",), Polarity.REMOVED: ("removed",)}


@dataclass(frozen=True, slots=True)
class RankedAnswer:
    """All hits of a ranking, best first, and how the lanes went."""

    shown: list[Shown]
    lanes: tuple[LaneReport, ...]
    notes: tuple[str, ...] = ()


async def rank(
    sources: Sources,
    query: Query,
    wishes: Wishes,
    allowed: HunkFilter,
    *,
    depth: int,
    required: Ranking | None = None,
) -> RankedAnswer:
    """Rank hunks for a query's words, as deep as so many hits need.

    `required` names hunks that answer even if no lane finds them: they follow below all that are found.
    """
    profile = wishes.profile
    weights = profile.weights(query.query_class)
    asked = _lane_query(sources, query, wishes, allowed, limit=max(LANE_LEAST, LANE_TIMES * depth))
    answers = await run_lanes(
        LANES, asked, chosen=chosen_lanes(query.mode, weights), timeout_s=wishes.timeout_s
    )
    size = max(POOL_LEAST, POOL_TIMES * depth)
    pooled = pool(
        [*(answer.ranking for answer in answers), *([required] if required else [])],
        weights,
        profile,
        size,
        per_commit=size if wishes.all_hunks else HUNKS_PER_COMMIT,
    )
    found = await sources.pool.read(partial(_read, query=query, pooled=pooled, wishes=wishes))
    found, report = await _reranked(sources, query, wishes, found)
    shown = await sources.pool.read(partial(_diversified, found=found, wishes=wishes, allowed=allowed))
    return RankedAnswer(shown, (*(answer.report for answer in answers), report), _notes(shown))


def chosen_lanes(mode: Mode, weights: LaneWeights) -> frozenset[str]:
    """The lanes that are asked: those that claim the mode, or else all that have a weight."""
    claiming = frozenset(lane.name for lane in LANES if mode in lane.modes)
    return claiming or frozenset(lane.name for lane in LANES if weights.get(lane.name, 0.0) > 0)


def _lane_query(
    sources: Sources, query: Query, wishes: Wishes, allowed: HunkFilter, *, limit: int
) -> LaneQuery:
    sided = allowed
    if query.polarity is not Polarity.ANY and (terms := query_terms(query.words)):
        sided = allowed.saying(within(_SIDE[query.polarity], any_of(terms)))
    models = Models(sources.embedder, sources.maker)
    return LaneQuery(query, wishes.profile, sources.pool, models, allowed, sided, limit)


def _read(reader: Reader, *, query: Query, pooled: Sequence[Pooled], wishes: Wishes) -> list[Ranked]:
    read = hydrate(reader, (one.hunk for one in pooled))
    # An index of an earlier version may hold pieces of context alone until its next run: they are no answer.
    rows = {hunk: row for hunk, row in read.items() if not row.body or holds_change(row.body)}
    judge = Judge.of(query) if wishes.profile.judges else None
    touched = paths_of_commits(reader, {row.commit_id for row in rows.values()}) if judge else {}
    return judged(pooled, rows, touched, judge, now=wishes.now, recency_weight=wishes.recency_weight)


async def _reranked(
    sources: Sources, query: Query, wishes: Wishes, found: list[Ranked]
) -> tuple[list[Ranked], LaneReport]:
    """The first hunks with the model's opinion mixed in; the others follow below them."""
    if not wishes.rerank:
        return found, LaneReport(reranking.NAME, LaneStatus.OFF, 0, 0.0)
    first = in_order(found)[: reranking.DEPTH]
    documents = reranking.documents_of(query.words, [one.row for one in first])
    answer = await reranking.rerank(sources.reranker, query.words, documents, timeout_s=wishes.timeout_s * 5)
    if answer.opinions is None:
        return found, answer.report
    rarity = await sources.pool.read(partial(_rarities, words=query_terms(query.words)))
    said = wordings(query.words, rarity, documents, [one.row.commit_id for one in first])
    ranked: list[Ranked] = []
    for one, opinion, wording in zip(first, answer.opinions, said, strict=True):
        value = wishes.profile.blend.value(one.fused, opinion, wording)
        lift = value / one.fused if one.fused else 0.0
        ranked.append(replace(one, score=one.score * lift, worth=one.worth * lift, rerank=value))
    chosen = {one.row.hunk for one in first}
    return [
        *ranked,
        *(replace(one, below=True) for one in found if one.row.hunk not in chosen),
    ], answer.report


def _rarities(reader: Reader, *, words: Sequence[str]) -> dict[str, float]:
    return rarities(words, reader.word_rows(words).__getitem__, reader.last_hunk())


def _diversified(
    reader: Reader, *, found: Sequence[Ranked], wishes: Wishes, allowed: HunkFilter
) -> list[Shown]:
    best = in_order(found)
    if wishes.all_hunks:
        return [Shown(one) for one in best]
    hits = one_for_each_commit(best)
    contents = {hit.ranked.row.content for hit in hits if hit.ranked.row.content is not None}
    occurrences = commits_with_content(reader, contents, allowed)
    counts = hunks_in_commits(reader, {hit.ranked.row.commit_id for hit in hits}, allowed)
    return [
        replace(hit, more=counts.get(hit.ranked.row.commit_id, 1) - 1) for hit in collapsed(hits, occurrences)
    ]


def _notes(shown: Sequence[Shown]) -> tuple[str, ...]:
    if shown:
        return ()
    return (
        'nothing relevant was found: try other words, fewer filters, or "quoted text" for an exact search',
    )
