"""The answer of find_pattern: the best hits within a budget, as text or JSON. Pure.

Every hit gets its share before any gets much: when all do not fit, each is shown in fewer lines, and only
then are the last ones left out, from where the next page begins.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.mcp.diffs import Detail, clipped, hit_lines
from ohara.mcp.frame import checked, coverage, error_line, framed, note
from ohara.model import LaneStatus
from ohara.plural import counted
from ohara.present.advice import advice, doubtful
from ohara.present.budget import tokens
from ohara.present.json import results_object, written
from ohara.present.text import Page, span_lines, what_matches
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import Hit, LaneReport, Results

_DETAILS = (Detail(30, 8), Detail(20, 6), Detail(12, 4), Detail(8, 2), Detail(4, 0), Detail(0, 0))
_MOST_NOTES = 4
_ENDED = {LaneStatus.TIMEOUT: "ran out of time", LaneStatus.FAILED: "failed"}
_CURSOR_TOKENS = 120  # kept free for a cursor that is only known once the hits are chosen


@dataclass(frozen=True, slots=True)
class Fitted:
    """How many of the hits are shown, and in which detail."""

    count: int
    detail: Detail


def fitted(results: Results, budget: int, *, now: float, remarks: Sequence[str] = ()) -> Fitted:
    """What of the hits fits into the budget."""
    bare = tokens(_text(results, (), _DETAILS[-1], now=now, remarks=remarks)) + _CURSOR_TOKENS
    room = budget - bare
    for detail in _DETAILS:
        costs = [tokens("\n".join(hit_lines(hit, detail)) + "\n") for hit in results.hits]
        if sum(costs) <= room:
            return Fitted(len(results.hits), detail)
    count = 0
    while count < len(costs) and sum(costs[: count + 1]) <= room:
        count += 1
    return Fitted(count, _DETAILS[-1])


def found_text(results: Results, fit: Fitted, budget: int, *, now: float, remarks: Sequence[str] = ()) -> str:
    """The answer as text; `results` ends where the next page begins."""
    return checked(_text(results, results.hits[: fit.count], fit.detail, now=now, remarks=remarks), budget)


def found_json(results: Results, budget: int, *, left_out: int, remarks: Sequence[str] = ()) -> str:
    """The answer as one JSON object; what is left out for the budget begins the next page."""
    return checked(_json(results, left_out=left_out, remarks=remarks), budget)


def fitted_json(results: Results, budget: int, *, remarks: Sequence[str] = ()) -> int:
    """How many whole hits fit as JSON."""
    count = len(results.hits)
    while count:
        some = replace(results, hits=results.hits[:count])
        if tokens(_json(some, left_out=0, remarks=remarks)) + _CURSOR_TOKENS <= budget:
            break
        count -= 1
    return count


def _json(results: Results, *, left_out: int, remarks: Sequence[str]) -> str:
    query = replace(results.query, source=clipped(results.query.source, 200))
    said = results_object(replace(results, query=query, notes=tuple(_notes(results))))
    said["remarks"] = [note(remark) for remark in remarks]
    said["left_out"] = left_out
    return written(said)


def _text(
    results: Results, hits: Sequence[Hit], detail: Detail, *, now: float, remarks: Sequence[str]
) -> str:
    several = bool(results.parts)
    where = (
        f" in {len(results.parts)} repositories"
        if several
        else f" in {clipped(results.index.repository, 300)}"
    )
    asked = clipped(results.query.source, 200)
    head = [f"{counted(len(hits), 'hit')} for: {asked}{where} (read as {results.query.query_class})"]
    head += [coverage(results.index, now=now), *map(note, remarks), *_notes(results)]
    data = [line for hit in hits for line in (*hit_lines(hit, detail, several=several), "")]
    if results.literal is not None:
        data += [*span_lines(results.literal, Page(now=now), what_matches(results.query)), ""]
    return framed(head, data[:-1], [*_nothing(results), *_tail(results, len(hits), detail)])


def _notes(results: Results) -> list[str]:
    told = [note(f"{each.repository} did not answer: {each.reason}") for each in results.unanswered]
    told += [
        f"the {lane.name} lane{_of(lane)} {_ENDED[lane.status]}: {note(lane.detail)}"
        for lane in results.lanes
        if lane.status in _ENDED
    ]
    told += map(note, results.notes)
    left = len(told) - _MOST_NOTES
    return [*told[:_MOST_NOTES], f"[{left} more notes]"] if left > 0 else told


def _of(lane: LaneReport) -> str:
    return f" of {clipped(lane.repository, 200)}" if lane.repository else ""


def _nothing(results: Results) -> list[str]:
    if results.hits:
        return []
    doubt = doubtful(results)
    if doubt:
        return [error_line(doubt)]
    return ["nothing found", *(note(line) for line in advice(results))]


def _tail(results: Results, shown: int, detail: Detail) -> list[str]:
    told = []
    if detail is not _DETAILS[0] and shown:
        told.append("shown in less detail for the budget: raise budget, lower k, or ask show_commit")
    if shown < len(results.hits):
        told.append(f"left out for the budget: hits {results.hits[shown].rank} to {results.hits[-1].rank}")
    if results.next_cursor:
        told.append(f"next page: the same arguments with after={results.next_cursor}")
    return told
