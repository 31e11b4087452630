"""Runs the exact part of a query: patterns that promise all they match, and what is said of them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ohara.model import LaneReport, LaneStatus
from ohara.query import pattern_source, required_patterns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import LiteralSpan, Pattern
    from ohara.retrieve.lanes.literal import LiteralAnswer
    from ohara.retrieve.request import Plan, Request

# An exact search promises all matches, so it may take longer than a lane that helps to rank.
PATIENCE = 30.0
_SEARCHING = 0.75  # of the time in which its caller wants an answer

LITERAL = "literal"


async def search_exactly(request: Request) -> tuple[LiteralAnswer, LaneReport]:
    """All that the query's patterns match, and how the lane went."""
    started = time.perf_counter()
    answer = await _all_matches(
        request, required_patterns(request.query), deadline_s=exact_deadline_s(request.plan)
    )
    status = LaneStatus.OK if answer.total else LaneStatus.EMPTY
    if not answer.complete:
        status = LaneStatus.TIMEOUT
    detail = "no trigram to look up: everything was read" if answer.scanned else ""
    if not answer.complete:
        detail = f"searched {answer.searched:,} of {answer.candidates:,} candidates before the deadline"
    elapsed_ms = (time.perf_counter() - started) * 1_000
    return answer, LaneReport(LITERAL, status, answer.total, elapsed_ms, detail)


async def _all_matches(request: Request, patterns: Sequence[Pattern], *, deadline_s: float) -> LiteralAnswer:
    from ohara.retrieve.lanes import literal  # late: questions of words alone need none of it

    return await literal.search(
        request.sources.pool,
        patterns,
        request.opening.allowed,
        limit=None,
        deadline_s=deadline_s,
        moments=request.moments,
    )


async def lifetime_of(request: Request, answer: LiteralAnswer) -> LiteralSpan | None:
    """When what the patterns match came and went."""
    from ohara.retrieve.lifetime import Matched, lifetime  # late, as above

    matched = Matched(required_patterns(request.query), answer, bounded=request.query.is_filtered)
    return await lifetime(request.sources, matched, timeout_s=request.plan.settings.lane_timeout_s)


async def is_nowhere(request: Request, pattern: Pattern) -> bool:
    """True when nothing matches a pattern; False also when a lane's deadline came first."""
    answer = await _all_matches(request, [pattern], deadline_s=request.plan.settings.lane_timeout_s)
    return answer.complete and not answer.hunks


def terms_listed(patterns: Sequence[Pattern]) -> str:
    """The patterns as they are typed, for a sentence."""
    return " and ".join(map(pattern_source, patterns))


def exact_deadline_s(plan: Plan) -> float:
    """How long an exact search may take; part of the caller's deadline is kept for making hits."""
    patient_s = plan.settings.lane_timeout_s * PATIENCE
    within_s = plan.options.within_s
    return patient_s if within_s is None else min(patient_s, within_s * _SEARCHING)


def note_if_unfinished(answer: LiteralAnswer) -> tuple[str, ...]:
    """A note when the deadline came before the end."""
    if answer.complete:
        return ()
    share = f"{answer.searched:,} of {answer.candidates:,} candidates"
    return (f"the exact search ran out of time: it searched {share}, newest first",)
