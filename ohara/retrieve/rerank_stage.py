"""The stage of a ranking that reads its first hunks, and puts what was made of them into their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.records import replace
from ohara.retrieve import rerank as reranking
from ohara.retrieve.comparing import Alone, Shortlist
from ohara.retrieve.diversify import in_order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.model import HunkId
    from ohara.retrieve.comparing import Compared, WordCounts
    from ohara.retrieve.hearing import Titles
    from ohara.retrieve.rank import ToRank
    from ohara.retrieve.ranking import ScoredHunk
    from ohara.store.answers import StoredHunk


def is_reranked(asked: ToRank) -> bool:
    """True when the cross-encoder is asked: as on the pages before, if there were any."""
    return asked.plan.rerank and (asked.lanes is None or reranking.NAME in asked.lanes)


async def reranked(
    asked: ToRank,
    found: list[ScoredHunk],
    rows: Mapping[HunkId, StoredHunk],
    counts: WordCounts,
    titles: Titles,
) -> tuple[list[ScoredHunk], Compared]:
    """The first hunks with what they were compared by blended in; the others follow below them.

    `titles` are those that silent commits are read under.
    """
    sources, plan = asked.sources, asked.plan
    comparer = sources.beside or Alone(sources.reranker)
    first = in_order(found)[: comparer.depth]
    compared = await comparer.compare(_shortlist(asked, first, rows, counts, titles))
    if compared.opinions is None:
        return found, compared
    ranked: list[ScoredHunk] = []
    for place, one in enumerate(first):
        opinion = compared.opinions.get(place)
        if opinion is None:
            ranked.append(replace(one, below=True))
            continue
        value = plan.profile.blend.value(one.fused, opinion.model, opinion.wording)
        lift = value / one.fused if one.fused else 0.0
        read = value if opinion.model is not None else None
        ranked.append(replace(one, score=one.score * lift, worth=one.worth * lift, rerank=read))
    chosen = {one.hunk for one in first}
    return [
        *ranked,
        *(replace(one, below=True) for one in found if one.hunk not in chosen),
    ], compared


def _shortlist(
    asked: ToRank,
    first: Sequence[ScoredHunk],
    rows: Mapping[HunkId, StoredHunk],
    counts: WordCounts,
    titles: Titles,
) -> Shortlist:
    sources, query, plan = asked.sources, asked.query, asked.plan
    reads = is_reranked(asked)
    is_read = reads or sources.beside is not None
    return Shortlist(
        words=query.words,
        documents=tuple(reranking.documents_of(query.words, [rows[one.hunk] for one in first], titles))
        if is_read
        else (),
        commits=tuple(rows[one.hunk].commit_id for one in first),
        fused=tuple(one.fused for one in first),
        counts=counts,
        reads=reads,
        timeout_s=plan.settings.lane_timeout_s * 5,
    )
