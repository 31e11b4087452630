"""Joins the answers of several indexes to one. Pure."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.model import IndexStatus, LaneReport, LaneStatus, Part, PassStatus, Results, Unread
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ohara.model import Hit, Query, Unanswered
    from ohara.retrieve.found import Found

_SHORT_OF = frozenset({LaneStatus.TIMEOUT, LaneStatus.FAILED})
_BY_WORTH = (LaneStatus.OK, LaneStatus.EMPTY, LaneStatus.OFF)


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, and when."""

    query: Query
    now: int
    started: float


@dataclass(frozen=True, slots=True)
class Answered:
    """What one index found and, in the end, answered; `is_left_out` when others have what was asked for."""

    found: Found
    results: Results | None
    is_left_out: bool = False


def joined(
    question: Question,
    answers: Mapping[int, Answered],
    order: Sequence[int],
    unanswered: tuple[Unanswered, ...],
    next_cursor: str | None,
) -> Results:
    """One answer: hits in the order in which the indexes take turns, and what each of them says."""
    told = {number: each.results for number, each in sorted(answers.items()) if each.results is not None}
    start = sum(each.found.request.page.start for each in answers.values())
    hits = _hits(told, order, start)
    counts = Counter(order)
    main = told[order[0]] if order else next(iter(told.values()))
    return Results(
        query=replace(question.query, query_class=main.query.query_class, intent=main.query.intent),
        hits=hits,
        lanes=_lanes(told.values()),
        took_ms=(time.perf_counter() - question.started) * 1_000,
        fusion=main.fusion,
        index=_together([each.index for each in told.values()]),
        next_cursor=next_cursor,
        notes=_notes(question.query, told, counts),
        threads=tuple(thread for each in told.values() for thread in each.threads),
        parts=tuple(Part(each.index, counts[number], each.literal) for number, each in told.items()),
        unanswered=unanswered,
        total=_total(told.values()),
        unmatched=() if hits else _unmatched(list(told.values())),
        outside=sum(each.outside for each in told.values()),
        unread=_unread(told.values()),
    )


def _total(told: Iterable[Results]) -> int | None:
    """How many hits there are in all, where every answer is a list."""
    totals = [each.total for each in told]
    return None if None in totals else sum(filter(None, totals))


def _unmatched(told: Sequence[Results]) -> tuple[str, ...]:
    """The filters that let nothing through in any of the repositories."""
    return tuple(
        each for each in (told[0].unmatched if told else ()) if all(each in other.unmatched for other in told)
    )


def _hits(told: Mapping[int, Results], order: Sequence[int], start: int) -> tuple[Hit, ...]:
    streams = {number: iter(each.hits) for number, each in told.items()}
    ordered = [next(streams[number]) for number in order if number in streams]
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(ordered, start + 1))


def _lanes(told: Iterable[Results]) -> tuple[LaneReport, ...]:
    """One report for each lane, and one for each that fell short in some repository."""
    whole: dict[str, LaneReport] = {}
    short: list[LaneReport] = []
    for each in told:
        for lane in each.lanes:
            if lane.status in _SHORT_OF:
                short.append(replace(lane, repository=each.index.repository))
                continue
            known = whole.setdefault(lane.name, replace(lane, count=0, elapsed_ms=0.0, detail=""))
            status = min(known.status, lane.status, key=_BY_WORTH.index)
            count = max(known.count, lane.count) if lane.name == "rerank" else known.count + lane.count
            whole[lane.name] = replace(
                known, status=status, count=count, elapsed_ms=max(known.elapsed_ms, lane.elapsed_ms)
            )
    return (*whole.values(), *short)


def _notes(query: Query, told: Mapping[int, Results], counts: Counter[int]) -> tuple[str, ...]:
    """What is to be said: of the repositories that answered, or, when none did, what all of them say."""
    speaking = {number: each for number, each in told.items() if counts[number] or not counts}
    own = [
        (each.index.repository, note)
        for each in speaking.values()
        for note in each.notes
        if note not in query.notes and note != _reason(each)
    ]
    times = Counter(note for _, note in own)
    notes = dict.fromkeys(query.notes)
    for repository, note in own:
        notes[note if times[note] == len(speaking) else f"{repository}: {note}"] = None
    # What was not read may hold hits of a repository that has none.
    return (*notes, *(f"{each.index.repository}: {_reason(each)}" for each in told.values() if each.unread))


def _reason(results: Results) -> str | None:
    return results.unread.reason if results.unread else None


def _unread(told: Iterable[Results]) -> Unread | None:
    """What was not read in all repositories together."""
    found = {each.index.repository: each.unread for each in told if each.unread is not None}
    if not found:
        return None
    return Unread(
        sum(each.commits for each in found.values()),
        "; ".join(f"{repository}: {each.reason}" for repository, each in found.items()),
        next(iter(found.values())).hint,
    )


def _together(indexes: Sequence[IndexStatus]) -> IndexStatus:
    """The sum of several indexes."""
    done: Counter[str] = Counter()
    total: Counter[str] = Counter()
    stages = dict.fromkeys(part.stage for index in indexes for part in index.passes)
    for part in (part for index in indexes for part in index.passes):
        done[part.stage] += part.done
        total[part.stage] += part.total
    return IndexStatus(
        repository="",
        commits=sum(index.commits for index in indexes),
        indexed=sum(index.indexed for index in indexes),
        behind=sum(index.behind for index in indexes),
        hunks=sum(index.hunks for index in indexes),
        contents=sum(index.contents for index in indexes),
        symbols=sum(index.symbols for index in indexes),
        size_bytes=sum(index.size_bytes for index in indexes),
        passes=tuple(PassStatus(stage, done[stage], total[stage]) for stage in stages),
        left_out=(),
        failures=tuple(failure for index in indexes for failure in index.failures),
        refs=(),
        last_run=None,
        shallow=any(index.shallow for index in indexes),
        older=sum(index.older for index in indexes),
    )
