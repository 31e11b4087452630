"""Ranks hunks for a query's words: runs the lanes, fuses, applies priors, reranks, one hit per commit."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ohara.errors import QueryError
from ohara.model import Intent, LaneReport, LaneStatus, Order, Polarity, Sha
from ohara.records import dataclass, replace
from ohara.retrieve import rerank as reranking
from ohara.retrieve.commit_memory import touched_by
from ohara.retrieve.comparing import UNCOMPARED, WordCounts
from ohara.retrieve.diversify import collapsed, in_order, one_for_each_commit
from ohara.retrieve.head_start import with_head_start
from ohara.retrieve.hearing import hear_silent
from ohara.retrieve.judging import Verdict, judge
from ohara.retrieve.lane import LaneQuery
from ohara.retrieve.merge import keys_by_rank
from ohara.retrieve.pool import pool, with_priors
from ohara.retrieve.priors import Priors
from ohara.retrieve.ranking import HUNKS_PER_COMMIT
from ohara.retrieve.registry import LANES
from ohara.retrieve.removals import by_side, tells_of_removal
from ohara.retrieve.rerank_stage import is_reranked, reranked
from ohara.retrieve.run_lanes import AT_ONCE, run_lanes
from ohara.retrieve.together import Together, fold
from ohara.store.answers import WordQuery, holds_change
from ohara.words import query_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.model import HunkId, Mode, Query
    from ohara.retrieve.hearing import Titles
    from ohara.retrieve.lane import Lane
    from ohara.retrieve.profile import LaneWeights
    from ohara.retrieve.ranking import Ranking, ScoredHunk
    from ohara.retrieve.request import Plan, Sources
    from ohara.retrieve.run_lanes import LaneAnswer
    from ohara.store.answers import StoredHunk
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader

    _Read = tuple[list[ScoredHunk], dict[HunkId, StoredHunk], WordCounts, Titles]
    _Finished = tuple[list[ScoredHunk], dict[HunkId, StoredHunk], list[ScoredHunk], Verdict]

# A ranking is made in tiers, each deeper than the one before, until there are enough hits: so the first hits
# are the same however many are requested, and pages follow each other. A lane's limit and the pool's size are
# multiples of a tier's depth.
FIRST_DEPTH, DEEPER = 25, 4
LANE_TIMES, POOL_TIMES = 4, 2

_SIDE = {Polarity.ADDED: ("added",), Polarity.REMOVED: ("removed",)}


@dataclass(frozen=True, slots=True)
class ToRank:
    """A query to rank, and the hunks that may be found.

    `required` names hunks that answer even if no lane finds them: they follow below all that are found.
    `lanes` are those whose answers made the pages before this one, the reranker among them; None on a first
    page. They must answer again, and no others may: the order would be another.
    """

    sources: Sources
    query: Query
    plan: Plan
    allowed: Allowed
    required: Ranking | None = None
    lanes: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class RankedAnswer:
    """The hits of a ranking, best first, their lines, whether there may be more, and the lanes' reports.

    `answered` names the lanes, and the reranker, that made the order; the first `compared` hits are those of
    the first tier, which alone is reranked.
    """

    shown: list[ScoredHunk]
    rows: Mapping[HunkId, StoredHunk]
    more: bool
    lanes: tuple[LaneReport, ...]
    answered: frozenset[str]
    notes: tuple[str, ...] = ()
    compared: int = 0


@dataclass(frozen=True, slots=True)
class _Tier:
    """The hits that one tier adds, the commits that it looked at, and whether nothing lies below it.

    `stands` is what was judged to be an answer, in the first tier; `unwanted`, that other indexes have hits
    enough.
    """

    shown: list[ScoredHunk]
    stands: Verdict
    rows: Mapping[HunkId, StoredHunk]
    commits: frozenset[bytes]
    reports: tuple[LaneReport, ...]
    last: bool
    unwanted: bool = False


@dataclass(frozen=True, slots=True)
class _Above:
    """What the tiers above have: their hits with their lines, and the commits that they looked at."""

    shown: Sequence[ScoredHunk]
    rows: Mapping[HunkId, StoredHunk]
    commits: frozenset[bytes]


async def rank(asked: ToRank, *, hits: int) -> RankedAnswer:
    """Rank hunks for a query's words, deep enough for `hits` hits and one more."""
    beside = asked.sources.beside
    depth = FIRST_DEPTH
    first = await _tier(asked, depth)
    answered = frozenset(report.name for report in first.reports if report.status in _ANSWERED)
    _same_lanes(asked, answered)
    if first.unwanted:
        return RankedAnswer([], {}, more=not first.last, lanes=first.reports, answered=answered)
    verdict = first.stands
    shown, rows, commits, reports, last = verdict.shown, first.rows, first.commits, first.reports, first.last
    if beside is not None and asked.lanes is None:
        none_left = last or not shown
        share = await beside.share(keys_by_rank(shown, len(shown)), is_all=none_left)
        if share is not None:
            more = share < len(shown) or not none_left
            return RankedAnswer(shown[:share], rows, more, reports, answered, verdict.notes, share)
    if not shown and first.shown:
        return RankedAnswer([], {}, more=False, lanes=reports, answered=answered, notes=verdict.notes)
    while len(shown) <= hits and not last:
        depth *= DEEPER
        deeper = await _tier(replace(asked, lanes=answered), depth, below=_Above(shown, rows, commits))
        reports = (*deeper.reports, *(one for one in first.reports if one.name == reranking.NAME))
        late = {report.name for report in reports if report.status in _LATE}
        if answered & late:
            if len(shown) < hits and asked.lanes is not None:
                raise _cannot_follow(answered & late)
            break  # what is here stands; a next page asks the lane once more
        shown, rows = [*shown, *deeper.shown], {**rows, **deeper.rows}
        commits, last = commits | deeper.commits, deeper.last
    more = len(shown) > hits or not last
    return RankedAnswer(shown, rows, more, reports, answered, verdict.notes, len(verdict.shown))


async def rank_once(asked: ToRank, *, depth: int) -> RankedAnswer:
    """Rank hunks in one tier of this depth."""
    tier = await _tier(asked, max(FIRST_DEPTH, depth))
    answered = frozenset(report.name for report in tier.reports if report.status in _ANSWERED)
    _same_lanes(asked, answered)
    verdict = tier.stands
    return RankedAnswer(
        verdict.shown,
        tier.rows,
        more=False,
        lanes=tier.reports,
        answered=answered,
        notes=verdict.notes,
        compared=len(verdict.shown),
    )


_ANSWERED = frozenset({LaneStatus.OK, LaneStatus.EMPTY})
_LATE = frozenset({LaneStatus.TIMEOUT, LaneStatus.FAILED})


def _same_lanes(asked: ToRank, answered: frozenset[str]) -> None:
    if asked.lanes is not None and asked.lanes - answered:
        raise _cannot_follow(asked.lanes - answered)


def _cannot_follow(lanes: frozenset[str]) -> QueryError:
    return QueryError(
        f"the {' and the '.join(sorted(lanes))} lane did not answer, so this page would not follow the last",
        hint="ask for it once more, or ask again without a cursor",
    )


async def _tier(asked: ToRank, depth: int, below: _Above | None = None) -> _Tier:
    """What the lanes find at a depth, below the hits of other tiers and without the commits these looked at.

    Only the first tier is reranked. Where nothing is compared in between, all is done in one visit to a
    thread.
    """
    above = below or _Above((), {}, frozenset())
    sources, query, plan, allowed = asked.sources, asked.query, asked.plan, asked.allowed
    weights = plan.profile.weights(query.query_class)
    chosen = chosen_lanes(query.mode, weights)
    reranks = below is None and sources.beside is None and is_reranked(asked)
    is_compared = below is not None or sources.beside is not None or reranks
    done: list[tuple[bool, _Read, _Finished | None]] = []

    def go_on(reader: Reader, answers: Sequence[LaneAnswer]) -> None:
        fresh, last = _pooled(asked, answers, depth, above)
        read = _read(reader, query=query, pooled=fresh, plan=plan)
        finish = partial(_finished, asked=asked, found=read[0], rows=read[1], known=UNCOMPARED.known)
        done.append((last, read, None if is_compared else finish(reader)))

    ask = partial(
        run_lanes,
        LANES,
        _lane_query(sources, query, plan, allowed, limit=LANE_TIMES * depth),
        chosen=chosen if asked.lanes is None else chosen & asked.lanes,
        timeout_s=plan.settings.lane_timeout_s,
        at_once=len(LANES) if sources.is_served else AT_ONCE,
        then=go_on if sources.models.loaded and not sources.is_served else None,
    )
    answers = await with_head_start(ask, sources, reranks=reranks)
    if not done:
        await sources.pool.read(partial(go_on, answers=answers))
    last, (found, rows, counts, titles), finished = done[-1]
    reports = tuple(answer.report for answer in answers)
    if finished is not None:
        found, rows, shown, stands = finished
        commits = frozenset(one.sha for one in found)
        return _Tier(shown, stands, rows, commits, (*reports, UNCOMPARED.report), last)
    found = [one for one in found if plan.options.all_hunks or one.sha not in above.commits]
    if below is not None:
        diversify = partial(_diversified, found=found, rows=rows, above=above, plan=plan, allowed=allowed)
        shown = await sources.pool.read(diversify)
        return _Tier(shown, Verdict(shown), rows, frozenset(one.sha for one in found), reports, last)
    found, compared = await reranked(asked, found, rows, counts, titles)
    reports = (*reports, compared.report)
    if not compared.opinions and await _is_unwanted(asked):
        return _Tier([], Verdict([]), {}, frozenset(), reports, last and not found, unwanted=True)
    finish = partial(_finished, asked=asked, found=found, rows=rows, known=compared.known)
    found, rows, shown, stands = await sources.pool.read(finish)
    return _Tier(shown, stands, rows, frozenset(one.sha for one in found), reports, last)


def _pooled(
    asked: ToRank, answers: Sequence[LaneAnswer], depth: int, above: _Above
) -> tuple[list[ScoredHunk], bool]:
    """The best hunks of all lanes that no tier above has, and whether nothing lies below them."""
    plan, size = asked.plan, POOL_TIMES * depth
    pooled = pool(
        [*(answer.ranking for answer in answers), *([asked.required] if asked.required else [])],
        plan.profile.weights(asked.query.query_class),
        plan.profile,
        size,
        per_commit=size if plan.options.all_hunks else HUNKS_PER_COMMIT,
    )
    last = len(pooled) < size and all(
        _is_whole(lane, answer.ranking) for lane, answer in zip(LANES, answers, strict=True)
    )
    there = {hit.hunk for hit in above.shown}
    return [one for one in pooled if one.hunk not in there], last


async def _is_unwanted(asked: ToRank) -> bool:
    """True when other indexes have enough hits; asked of a first page, when nothing of this one was read."""
    beside = asked.sources.beside
    ranks = asked.plan.order is Order.RANK
    return beside is not None and ranks and asked.lanes is None and not await beside.is_wanted()


def _is_whole(lane: Lane, found: Ranking) -> bool:
    """True when a lane cannot find more: scores below its floor do not count."""
    return found.whole or min((one.score for one in found.candidates), default=0.0) < lane.floor


def chosen_lanes(mode: Mode, weights: LaneWeights) -> frozenset[str]:
    """The lanes to run: those that list the mode, or else all that have a weight."""
    claiming = frozenset(lane.name for lane in LANES if mode in lane.modes)
    return claiming or frozenset(lane.name for lane in LANES if weights.get(lane.name, 0.0) > 0)


def _lane_query(sources: Sources, query: Query, plan: Plan, allowed: Allowed, *, limit: int) -> LaneQuery:
    sided = allowed
    if query.polarity is not Polarity.ANY and (terms := query_terms(query.words)):
        sided = allowed.holding(WordQuery(terms, columns=_SIDE[query.polarity]))
    profile = (
        plan.profile.on_both_sides() if plan.profile.judges and tells_of_removal(query) else plan.profile
    )
    return LaneQuery(query, profile, sources.pool, sources.models, allowed, sided, limit)


def _read(reader: Reader, *, query: Query, pooled: Sequence[ScoredHunk], plan: Plan) -> _Read:
    read = reader.hydrate(one.hunk for one in pooled)
    # An index of an earlier version may hold pieces of context alone until its next run: they are no answer.
    rows = {hunk: row for hunk, row in read.items() if not row.body or holds_change(row.body)}
    priors = Priors.of(query) if plan.profile.judges else None
    touched = touched_by(reader, {row.commit_id: row.commit for row in rows.values()}) if priors else {}
    counts = WordCounts(reader.document_frequencies(query_terms(query.words)), reader.hunk_count())
    heard, titles = hear_silent(reader, pooled, rows, counts) if plan.profile.judges else (pooled, {})
    if plan.profile.judges and tells_of_removal(query):
        heard = by_side(heard, rows, query_terms(query.words))
    found = with_priors(
        heard, rows, touched, priors, now=plan.now, recency_weight=plan.settings.recency_weight
    )
    return found, rows, counts, titles


def _finished(
    reader: Reader,
    *,
    asked: ToRank,
    found: list[ScoredHunk],
    rows: dict[HunkId, StoredHunk],
    known: frozenset[str],
) -> _Finished:
    """The hunks of a first tier by what is asked for, one hit for each commit, and what stands of these."""
    query, plan, allowed = asked.query, asked.plan, asked.allowed
    if query.intent is not Intent.NONE:
        from ohara.retrieve.intent_ranking import turned  # late: its patterns are for such questions alone

        found, rows = turned(reader, query=query, found=found, rows=rows, allowed=allowed)
    above = _Above((), {}, frozenset())
    shown = _diversified(reader, found=found, rows=rows, above=above, plan=plan, allowed=allowed)
    stands = judge(reader, query=query, shown=shown, rows=rows, allowed=allowed, known=known)
    if query.intent is Intent.ENDING and stands.shown:
        from ohara.retrieve.still_at_head import still_at_head  # late, as above

        noted = still_at_head(reader, query, asked.sources.tip(()))
        stands = replace(stands, notes=(*stands.notes, *noted))
    return found, rows, shown, stands


def _diversified(
    reader: Reader,
    *,
    found: Sequence[ScoredHunk],
    rows: Mapping[HunkId, StoredHunk],
    above: _Above,
    plan: Plan,
    allowed: Allowed,
) -> list[ScoredHunk]:
    best = in_order(found)
    if plan.options.all_hunks:
        return best
    hits = one_for_each_commit(best)
    known = {**above.rows, **rows}
    contents = {hunk: row.content for hunk, row in known.items() if row.content is not None}
    occurrences = reader.commits_with_content(
        {contents[hit.hunk] for hit in hits if hit.hunk in contents}, allowed
    )
    single = collapsed(hits, contents, occurrences, above.shown)
    commits = {Sha(hit.sha.hex()) for hit in (*above.shown, *single)}
    together = Together.read(reader, commits, by_thread=plan.by_thread)
    return fold(single, together, above.shown)
