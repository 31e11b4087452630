"""Answers one query, from its words to its hits.

There are four kinds of query: a name lists what it names, patterns alone list what they match, filters alone
list what they let through, and words rank. All results report what was searched and how each lane ended.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from ohara.model import LaneReport, LaneStatus, Order, QueryClass
from ohara.query import required_patterns, to_source
from ohara.records import replace
from ohara.retrieve import cursor
from ohara.retrieve.bounds import allow, without_terms
from ohara.retrieve.change_shown import with_changes_shown
from ohara.retrieve.cursor import Page
from ohara.retrieve.exact import (
    LITERAL,
    PATIENCE,
    exact_deadline_s,
    is_nowhere,
    lifetime_of,
    note_if_unfinished,
    search_exactly,
    terms_listed,
)
from ohara.retrieve.fates import asks_for_fates, in_fate
from ohara.retrieve.found import Answer, Found, results_of
from ohara.retrieve.listing import listing, read_entries
from ohara.retrieve.merge import keys_by_rank, keys_by_time
from ohara.retrieve.named import look_up
from ohara.retrieve.order_by_age import holding_every_word, in_order, newest_first
from ohara.retrieve.rank import ToRank, rank, rank_once
from ohara.retrieve.ranking import Candidate, Ranking
from ohara.retrieve.request import Opening, Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyio.streams.memory import MemoryObjectSendStream

    from ohara.model import LiteralSpan, Pattern, Query, Results
    from ohara.retrieve.found import Choose
    from ohara.retrieve.lanes.literal import LiteralAnswer, Verified
    from ohara.retrieve.named import Listed
    from ohara.retrieve.request import Plan, Sources
    from ohara.retrieve.sought_code import SoughtCode
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader

NEWEST_FIRST = "newest first"
_FUSION = {Order.OLDEST: "oldest first"}
STRUCTURAL = "structural"


async def find(
    sources: Sources, query: Query, plan: Plan, moments: MemoryObjectSendStream[Verified] | None = None
) -> Results:
    """Answer a query; the progress of an exact search is sent to `moments`."""
    return await results_of(await search(sources, query, plan, moments))


async def search(
    sources: Sources,
    query: Query,
    plan: Plan,
    moments: MemoryObjectSendStream[Verified] | None = None,
    *,
    page: Page | None = None,
) -> Found:
    """Find what answers a query; without a `page` it is the first, or that of the plan's cursor."""
    started = time.perf_counter()
    if query.filters.commits:  # of a commit that was named, all that answers is wanted
        plan = plan.showing_all_hunks()
    opening = await _open(sources, query, plan)
    name = cursor.asked(
        query,
        *plan.choices,
        opening.tip if asks_for_fates(query.filters) else "",
    )
    if page is None and plan.options.after is not None:
        page = cursor.read(plan.options.after, name, opening.state)
    page = page or Page(start=0, depth=plan.k, now=plan.now)
    request = Request(sources, query, plan.at(page.now), opening, page, moments)
    return Found(request, await _answer(request), name, started)


async def _open(sources: Sources, query: Query, plan: Plan) -> Opening:
    within_s = plan.settings.lane_timeout_s * PATIENCE

    def work(reader: Reader) -> Opening:
        bounds = allow(sources, reader, query.filters)
        tip = sources.tip(query.filters.refs)
        allowed, said = in_fate(sources, reader, query.filters, bounds.allowed, tip=tip, within_s=within_s)
        notes = (*bounds.notes, *filter(None, (said,)))
        return Opening(sources.status(reader), allowed, reader.state(), notes, tip, bounds.outside)

    opening = await sources.pool.read(work)
    if not query.excluded:
        return opening
    allowed = await without_terms(sources, query, opening.allowed, deadline_s=exact_deadline_s(plan))
    return replace(opening, allowed=allowed)


async def _answer(request: Request) -> Answer:
    query = request.query
    unread: tuple[str, ...] = ()
    if query.structure:
        from ohara.retrieve import structural  # late: its parser is for such questions alone

        reading = await structural.read_as_code(request.sources, request.sources.structures(), query)
        if reading.sought is not None:
            return await _structural(request, reading.sought, reading.notes)
        unread = reading.notes
    answer = await _by_words(request)
    return replace(answer, notes=(*unread, *answer.notes), is_fallback=True) if unread else answer


async def _by_words(request: Request) -> Answer:
    query = request.query
    named = await look_up(request.sources, query, request.opening.allowed)
    if named is not None:
        return await _named(request, named)
    if not query.words and query.patterns:
        return await _matches(request)
    if not query.words:
        return await _recent(request)
    return await _ranked(request)


async def _ranked(request: Request) -> Answer:
    """What words find, best first; patterns beside them are required."""
    plan, page, allowed = request.plan, request.page, request.opening.allowed
    exact: tuple[LaneReport, ...] = ()
    notes: tuple[str, ...] = ()
    span: LiteralSpan | None = None
    matched: Ranking | None = None
    if request.query.patterns:
        required, report = await search_exactly(request)
        exact, span, notes = (report,), await lifetime_of(request, required), note_if_unfinished(required)
        if not required.hunks:
            unmet = await _unmet(request, required)
            return Answer(
                (), {}, more=False, lanes=exact, fusion=plan.profile.fusion.value, notes=notes + unmet
            )
        allowed = allowed.among(found.hunk for found in required.hunks)
        matched = Ranking(
            LITERAL,
            required.hunks,
        )
    end = page.start + plan.k
    to_rank = ToRank(request.sources, request.query, plan, allowed, matched, page.lanes)
    if plan.order is not Order.RANK:
        listed = await _by_age(request, allowed)
        if listed is not None:
            return replace(listed, lanes=exact, span=span, notes=(*notes, *listed.notes))
        ranked = await rank_once(to_rank, depth=page.depth)
        shown = await request.sources.pool.read(lambda reader: in_order(reader, ranked.shown, plan.order))
        keys = keys_by_time(shown, plan.order)
    else:
        ranked = await rank(to_rank, hits=end)
        shown = ranked.shown
        keys = keys_by_rank(shown, ranked.compared)
    return Answer(
        shown=shown[page.start : end],
        rows=ranked.rows,
        more=len(shown) > end or ranked.more,
        lanes=(*exact, *ranked.lanes),
        fusion=plan.profile.fusion.value,
        span=span,
        notes=(*notes, *ranked.notes),
        answered=ranked.answered,
        keys=keys[page.start : end],
        is_fallback=plan.order is not Order.RANK,
        allowed=None if plan.options.all_hunks else allowed,
        choose=_choosing(request, allowed) if shown[page.start : end] else None,
    )


def _choosing(request: Request, allowed: Allowed) -> Choose | None:
    """What chooses the hunks that the hits of a page show; None where all are shown, or none is judged."""
    plan = request.plan
    if plan.options.all_hunks or not plan.profile.judges:
        return None
    return partial(with_changes_shown, query=request.query, allowed=allowed)


async def _by_age(request: Request, allowed: Allowed) -> Answer | None:
    """All that hold every word, by their age; None when nothing does."""
    query, order = request.query, request.plan.order
    found = await request.sources.pool.read(lambda reader: holding_every_word(reader, query, allowed, order))
    return await _listed(request, found) if found else None


# -- lists ---------------------------------------------------------------------------------------


async def _matches(request: Request) -> Answer:
    """What patterns match, newest first."""
    answer, report = await search_exactly(request)
    listed = await _listed(request, answer.hunks, lane=LITERAL)
    notes = (*note_if_unfinished(answer), *await _unmet(request, answer))
    return replace(listed, lanes=(report,), span=await lifetime_of(request, answer), notes=notes)


async def _structural(request: Request, sought: SoughtCode, notes: tuple[str, ...]) -> Answer:
    """The changes in which matches of a pattern of syntax came or went, newest first."""
    from ohara.retrieve import structural

    started = time.perf_counter()
    answer = await structural.search(
        request.sources,
        request.sources.structures(),
        request.query,
        sought,
        request.opening.allowed,
        deadline_s=exact_deadline_s(request.plan),
        moments=request.moments,
    )
    listed = await _listed(request, list(answer.hunks), lane=STRUCTURAL)
    status = (
        LaneStatus.TIMEOUT if not answer.complete else LaneStatus.OK if answer.total else LaneStatus.EMPTY
    )
    read = "every version was read" if answer.complete else "versions are read one by one"
    detail = f"no word to look up: {read}" if answer.scanned else ""
    elapsed_ms = (time.perf_counter() - started) * 1_000
    report = LaneReport(STRUCTURAL, status, answer.total, elapsed_ms, detail)
    return replace(
        listed,
        lanes=(report,),
        span=answer.span,
        notes=(*notes, *answer.notes),
        query_class=QueryClass.STRUCTURAL,
        changes=answer.changes,
    )


async def _recent(request: Request) -> Answer:
    """What filters let through, newest first."""
    newest = await request.sources.pool.read(lambda reader: reader.recent(request.opening.allowed))
    return await _listed(request, [Candidate(at.hunk, 0.0, at.time, at.sha) for at in newest])


async def _named(request: Request, named: Listed) -> Answer:
    """What a name stands for, or where there is no such thing, what its words find."""
    if named.found is None:
        ranked = await _ranked(replace(request, query=named.instead or request.query))
        return replace(ranked, notes=(*named.notes, *ranked.notes), is_fallback=True)
    plan = request.plan.showing_all_hunks() if named.all_hunks else request.plan
    listed = await _listed(replace(request, plan=plan), named.found, is_ordered=True)
    return replace(listed, notes=named.notes, query_class=named.query_class, traced=named.traced)


async def _listed(
    request: Request, found: Sequence[Candidate], *, lane: str | None = None, is_ordered: bool = False
) -> Answer:
    """A page of what an index gave newest first, or of what has an order of its own."""
    plan, start = request.plan, request.page.start

    def work(reader: Reader) -> Answer:
        is_by_index = plan.order is Order.RANK and not is_ordered
        ordered = newest_first(reader, found) if is_by_index else in_order(reader, found, plan.order)
        entries = listing(reader, ordered, all_hunks=plan.options.all_hunks, by_thread=plan.by_thread)
        end = start + plan.k if plan.k else len(entries)
        shown, rows = read_entries(reader, entries[start:end], lane, first_rank=start + 1)
        return Answer(
            shown,
            rows,
            more=end < len(entries),
            lanes=(),
            fusion=_FUSION.get(plan.order, NEWEST_FIRST),
            keys=keys_by_time(shown, plan.order),
            total=len(entries),
        )

    return await request.sources.pool.read(work)


async def _unmet(request: Request, answer: LiteralAnswer) -> tuple[str, ...]:
    """When nothing was found: a note about which of the required terms match nothing."""
    patterns = required_patterns(request.query)
    if answer.hunks or not answer.complete or (len(patterns) == 1 and not request.query.words):
        return ()  # of one term alone, an answer without hits says it all
    alone = patterns
    if len(patterns) > 1:
        alone = tuple([each for each in patterns if await is_nowhere(request, each)])
    bounds = " within the filters" if request.query.is_filtered else ""
    if not alone:
        return (f"no change holds {terms_listed(patterns)} together{bounds}; each of them is required",)
    required = "it is" if len(alone) == 1 else "they are"
    said = f"nothing holds {terms_listed(alone)}{bounds}; {required} required"
    return (said, *(await _offer_without(request, alone) if request.query.words else ()))


async def _offer_without(request: Request, nowhere: Sequence[Pattern]) -> tuple[str, ...]:
    """What the rest of a query would find without terms that are nowhere: an offer, not an answer."""
    if request.sources.beside is not None:  # another index may hold them
        return ()
    texts = {pattern.text for pattern in nowhere}
    kept = tuple(pattern for pattern in request.query.patterns if pattern.text not in texts)
    query = replace(request.query, patterns=kept)
    answer = await _ranked(replace(request, query=query))
    if not answer.shown:
        return ()
    best = answer.rows[answer.shown[0].hunk].commit
    them = "it" if len(nowhere) == 1 else "them"
    return (
        f"without {them}, {best.sha[:10]} ({best.subject[:60]}) answers best: ask for {to_source(query)}",
    )
