"""What a search found, and the results that are made of it: hits with their excerpts, threads and fates."""

from __future__ import annotations

import time
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

import anyio.to_thread

from ohara.model import CUT_OFF, Filters, Intent, LaneReport, QueryClass, Results
from ohara.records import dataclass, replace
from ohara.retrieve import cursor
from ohara.retrieve.bounds import not_searched, unmatched, unread
from ohara.retrieve.exact import PATIENCE
from ohara.retrieve.fates import fates_of, threads_with_fates
from ohara.retrieve.hits import Sought, make_hits
from ohara.retrieve.more_hunks import more_allowed
from ohara.retrieve.together import annotate, read_threads, unthreaded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.model import Hit, HunkId, LiteralSpan, Query, Thread, Unread
    from ohara.retrieve.merge import SortKey
    from ohara.retrieve.pickaxe import Change
    from ohara.retrieve.ranking import ScoredHunk
    from ohara.retrieve.request import Opening, Request, TracedHunk
    from ohara.store.answers import StoredHunk
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader

_MARKING_S = 2.0  # for marking what matched in all hits; later ones are then marked at their first place


class Choose(Protocol):
    """Chooses the hunks that the hits of a page show."""

    def __call__(
        self, reader: Reader, *, shown: Sequence[ScoredHunk], rows: Mapping[HunkId, StoredHunk]
    ) -> tuple[Sequence[ScoredHunk], Mapping[HunkId, StoredHunk]]:
        """The hits, and the lines of all that they may show."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """A page of hunks that were found, with reports and notes."""

    shown: Sequence[ScoredHunk]
    rows: Mapping[HunkId, StoredHunk]
    more: bool
    lanes: tuple[LaneReport, ...]
    fusion: str
    span: LiteralSpan | None = None
    notes: tuple[str, ...] = ()
    answered: frozenset[str] = frozenset()
    query_class: QueryClass | None = None  # what the query turned out to be, where its shape does not tell
    changes: Mapping[HunkId, Change] = field(default_factory=dict)  # by which code came or went
    traced: Mapping[HunkId, TracedHunk] = field(default_factory=dict)  # with the lines that are asked about
    keys: tuple[SortKey, ...] = ()  # of `shown`, by which hits of several indexes are put in one order
    is_fallback: bool = False  # nothing is what was asked for, and this comes near
    total: int | None = None  # how many hits there are in all; a ranking has no such number
    allowed: Allowed | None = None  # what of their commits is counted beside hits that were ranked
    choose: Choose | None = None  # which hunk of each commit is shown, where that is left to be chosen

    def as_shown(self, reader: Reader) -> Answer:
        """The same with the hunks that are shown."""
        if self.choose is None:
            return self
        shown, rows = self.choose(reader, shown=self.shown, rows=self.rows)
        return replace(self, shown=shown, rows=rows, choose=None)


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, before hits are made of it; `name` is that of the query in cursors."""

    request: Request
    answer: Answer
    name: str
    started: float

    @property
    def opening(self) -> Opening:
        """The index as it was when the search began."""
        return self.request.opening

    def first(self, count: int) -> Found:
        """The same with no more than the first hits."""
        answer = replace(
            self.answer,
            shown=self.answer.shown[:count],
            keys=self.answer.keys[:count],
            more=self.answer.more or count < len(self.answer.shown),
        )
        return replace(self, answer=answer)


async def results_of(found: Found) -> Results:
    """The results with the hits of a page."""
    request, answer = found.request, found.answer
    sources, query, plan, opening, page = (
        request.sources,
        request.query,
        request.plan,
        request.opening,
        request.page,
    )
    sought = Sought.by(query, plan.options.context)

    def excerpts(shown: Answer) -> tuple[Hit, ...]:
        until = time.monotonic() + _MARKING_S
        return make_hits(
            shown.shown,
            shown.rows,
            sought,
            repository=sources.repository,
            first_rank=page.start + 1,
            until=until,
            changes=shown.changes,
            traced=shown.traced,
        )

    marked: tuple[Hit, ...] | None = None
    if answer.shown and sought.patterns:
        # Marking what patterns match may take its time: no reader waits for that.
        answer = await sources.pool.read(answer.as_shown) if answer.choose is not None else answer
        marked = await anyio.to_thread.run_sync(excerpts, answer)
    in_threads = plan.by_thread or query.query_class is QueryClass.SHA

    def finish(reader: Reader) -> tuple[tuple[Hit, ...], tuple[Thread, ...], tuple[str, ...]]:
        within_s = plan.settings.lane_timeout_s
        chosen = answer.as_shown(reader)
        hits = annotate(reader, excerpts(chosen) if marked is None else marked)
        shown = [chosen.rows[hit.hunk] for hit in hits]
        if answer.allowed is not None:
            more = more_allowed(reader, shown, answer.allowed)
            hits = tuple(replace(hit, more_in_commit=more[hit.hunk]) for hit in hits)
        fates = fates_of(sources.fates, reader, shown, opening.tip, within_s)
        if fates.found:
            hits = tuple(replace(hit, fate=fates.found.get(hit.hunk)) for hit in hits)
        if not in_threads:
            return hits, (), tuple(filter(None, (fates.note,)))
        matched = {sha for one in answer.shown for sha in one.matched} | {hit.commit.sha for hit in hits}
        names = list(dict.fromkeys(hit.thread for hit in hits if hit.thread))
        read = read_threads(reader, names, matched)
        threads, why = threads_with_fates(
            sources.fates, reader, [read[name] for name in names if name in read], opening.tip, within_s
        )
        return hits, threads, (*unthreaded(reader), *filter(None, (why, fates.note)))

    hits, threads, apart = await sources.pool.read(finish) if answer.shown or in_threads else ((), (), ())
    beyond = replace(page, start=page.start + len(hits), lanes=answer.answered)
    unread = await _unread(request, answer)
    said = [unread.reason] if unread else []
    if opening.status.shallow and _may_lie_before(query, answer):
        said.append(CUT_OFF)
    said += await _not_searched(request, is_empty=not hits)
    return Results(
        query=replace(query, query_class=answer.query_class or query.query_class),
        hits=hits,
        lanes=answer.lanes,
        took_ms=(time.perf_counter() - found.started) * 1_000,
        fusion=answer.fusion,
        index=opening.status,
        literal=answer.span,
        next_cursor=cursor.write(beyond, found.name, opening.state) if answer.more else None,
        notes=tuple(dict.fromkeys((*query.notes, *opening.notes, *answer.notes, *apart, *said))),
        threads=threads,
        unmatched=() if hits or query.filters == Filters() else await _unmatched(request),
        total=answer.total,
        outside=opening.outside,
        unread=unread,
    )


async def _unread(request: Request, answer: Answer) -> Unread | None:
    """What was not read, where it may be missing from an answer: from a list, or where nothing was found."""
    query = request.query
    is_list = answer.total is not None and answer.query_class is not QueryClass.SHA
    if answer.shown and not (is_list or query.patterns):
        return None
    return await request.sources.pool.read(lambda reader: unread(request.sources, reader, query))


def _may_lie_before(query: Query, answer: Answer) -> bool:
    """True where what was asked for may lie before the first commits that are there."""
    return query.intent is Intent.BEGINNING or (bool(query.patterns) and not answer.shown)


async def _not_searched(request: Request, *, is_empty: bool) -> tuple[str, ...]:
    """A note about what has no lines, where filters alone are a query, or let nothing through."""
    query, sources = request.query, request.sources
    is_alone = not (query.words or query.patterns or query.structure)
    if query.filters == Filters() or not (is_alone or is_empty):
        return ()

    def work(reader: Reader) -> str:
        may_be_others = not is_alone and reader.lets_any(request.opening.allowed)
        return "" if may_be_others else not_searched(sources, reader, query.filters)

    note = await sources.pool.read(work)
    return (note,) if note else ()


async def _unmatched(request: Request) -> tuple[str, ...]:
    """The filters that let nothing through."""
    sources, filters, tip = request.sources, request.query.filters, request.opening.tip
    within_s = request.plan.settings.lane_timeout_s * PATIENCE
    return await sources.pool.read(
        lambda reader: unmatched(sources, reader, filters, tip=tip, within_s=within_s)
    )
