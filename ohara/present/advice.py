"""Advice on results without hits: whether that can be trusted, and what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.errors import OharaError
from ohara.model import LaneStatus
from ohara.plural import are, counted
from ohara.sanitize import sanitize

if TYPE_CHECKING:
    from ohara.model import IndexStatus, LaneReport, Results, Unread

RERANK = "rerank"  # orders what the lanes found: without it nothing is missed
_CUT_SHORT = frozenset({LaneStatus.TIMEOUT, LaneStatus.FAILED})
_MORE_TIME = "narrow it (path:, since:, a longer text), or give lanes more time: find.lane_timeout_s"


def doubtful(results: Results) -> OharaError | None:
    """The error for results without hits that were not searched completely; None when they can be trusted."""
    if results.hits:
        return None
    if results.unanswered:
        names = ", ".join(each.repository for each in results.unanswered)
        return OharaError(
            f"nothing was found, but not everything was searched: {names} did not answer",
            hint="ohara repos says how each index is",
        )
    cut = [lane for lane in results.lanes if lane.status in _CUT_SHORT and lane.name != RERANK]
    if not cut:
        return _not_indexed(results.index) or _unread(results.unread) or _cut_off(results)
    what = "; ".join(f"the {lane.name} lane{_of(lane)} {lane.detail or lane.status}" for lane in cut)
    return OharaError(f"nothing was found, but not everything was searched: {what}", hint=_MORE_TIME)


def _of(lane: LaneReport) -> str:
    return f" of {lane.repository}" if lane.repository else ""


def _unread(unread: Unread | None) -> OharaError | None:
    """The error for commits that were not wholly read."""
    return OharaError(f"nothing was found, but {unread.reason}", hint=unread.hint) if unread else None


def _cut_off(results: Results) -> OharaError | None:
    """The error for a text that may lie before the first commits of a shallow clone."""
    if not (results.index.shallow and results.query.patterns):
        return None
    return OharaError(
        "nothing was found, but history is cut off by a shallow clone", hint="git fetch --unshallow"
    )


def _not_indexed(index: IndexStatus) -> OharaError | None:
    """The error for commits that are not indexed yet."""
    if not index.behind:
        return None
    are = "is" if index.behind == 1 else "are"
    return OharaError(
        f"nothing was found, but {index.behind:,} of {index.commits:,} commits {are} not indexed",
        hint="ohara index reads them; ohara status says how far it is",
    )


def advice(results: Results) -> list[str]:
    """What to try when nothing was found."""
    query = results.query
    tips: list[str] = []
    if behind := results.index.behind:
        tips.append(f"{counted(behind, 'commit')} {are(behind)} not indexed yet: ohara index")
    told = [f"  nothing passes {sanitize(each)}" for each in results.unmatched]
    if query.is_filtered and not told:
        tips.append("the filters may exclude it: leave one out")
    if query.patterns and not any("i" in pattern.flags for pattern in query.patterns):
        tips.append("case counts: -i, or /…/i, ignores it")
    if query.patterns and query.words:
        tips.append("quoted and /…/ terms are required: leave one out, or unquote it")
    return [*told, *(f"  try: {tip}" for tip in tips)]
