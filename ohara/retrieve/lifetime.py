"""The lifetime of a text in history: when it was introduced, last changed and removed; whether HEAD has it.

The filters of a query restrict its hits but not these facts: a text is introduced by the first commit of the
whole history that adds it, and gone when HEAD's files do not contain it. Where that cannot be known (commits
are missing from the index, or time ran out) the span names the part that it covers, and no introduction. Nor
is there one where a commit before it was not wholly read.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import anyio.to_thread

from ohara.model import Filters, LiteralSpan, Polarity, Sha, SpanScope
from ohara.records import dataclass, replace
from ohara.retrieve.lanes import literal
from ohara.retrieve.matching import ADDED, REMOVED, Matcher
from ohara.store.log_order import LogOrder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.model import AtHead, Pattern
    from ohara.retrieve.lanes.literal import LiteralAnswer
    from ohara.retrieve.ranking import Candidate
    from ohara.retrieve.request import Extent, Sources
    from ohara.store.answers import UnreadCommit
    from ohara.store.reading import Reader


@dataclass(frozen=True, slots=True)
class Matched:
    """What a query's patterns matched: the answer, and whether filters restricted it."""

    patterns: tuple[Pattern, ...]
    answer: LiteralAnswer
    bounded: bool


async def lifetime(sources: Sources, matched: Matched, *, timeout_s: float) -> LiteralSpan | None:
    """The lifetime of what was matched; None when nothing was."""
    if not matched.answer.hunks:
        return None
    plain = _plain(matched.patterns)
    answer, scope = matched.answer, SpanScope.HISTORY
    if matched.bounded or plain != matched.patterns:
        allowed = await sources.pool.read(lambda reader: reader.allow(Filters()))
        everywhere = await literal.search(sources.pool, plain, allowed, limit=None, deadline_s=timeout_s)
        if everywhere.complete:
            answer = everywhere
        else:
            scope = SpanScope.FILTERED
    elif not answer.complete:
        scope = SpanScope.INDEXED

    def facts(reader: Reader) -> tuple[LiteralSpan, Extent, list[str]]:
        extent = sources.extent(reader)
        reach = extent.scope if scope is SpanScope.HISTORY else scope
        # A line stands at HEAD because a commit added it, at that path or at one that was renamed since.
        paths = reader.paths_reached([hunk for hunk, sides in answer.sides.items() if sides & ADDED])
        return _span(reader, answer, reach), extent, paths

    span, extent, paths = await sources.pool.read(facts)
    if len(plain) > 1:
        return replace(span, introduced=None, introduced_time=None)
    if extent.head is None:
        return span
    head = await anyio.to_thread.run_sync(
        sources.count_lines,
        extent.head,
        paths,
        Matcher(plain[0]),
        time.monotonic() + timeout_s,
        abandon_on_cancel=True,
        limiter=literal.turns_of_process(),
    )
    if span.scope is not SpanScope.HISTORY:
        return replace(span, head=_at_least(head, span.scope))
    if head.lines or not head.exact:
        return replace(span, head=head)
    gone = await sources.pool.read(lambda reader: _gone(reader, head.commit, answer))
    return replace(span, head=head, gone=gone and _sha(gone), gone_time=gone and gone.time)


def _at_least(head: AtHead, scope: SpanScope) -> AtHead | None:
    """HEAD's matches as far as these are known; None where that says nothing."""
    is_told = head.lines or (scope is SpanScope.READ and head.exact)
    return replace(head, exact=False) if is_told else None


def _plain(patterns: tuple[Pattern, ...]) -> tuple[Pattern, ...]:
    """A single pattern without its polarity; several keep theirs, which is part of the query."""
    return (
        tuple(replace(each, polarity=Polarity.ANY) for each in patterns) if len(patterns) == 1 else patterns
    )


def _span(reader: Reader, answer: LiteralAnswer, scope: SpanScope) -> LiteralSpan:
    newest_first = _in_order(reader, answer.hunks)
    adding = [found for found in newest_first if answer.sides[found.hunk] & ADDED]
    first, last = newest_first[-1], newest_first[0]
    unread = reader.unread_commits() if scope is SpanScope.READ else ()
    came = adding[-1] if adding and scope in {SpanScope.HISTORY, SpanScope.READ} else None
    if came is not None and unread and _may_precede(reader, unread, came):
        came = None
    years: dict[int, int] = {}
    for moment in {found.sha: found.time for found in newest_first}.values():
        year = time.gmtime(moment).tm_year
        years[year] = years.get(year, 0) + 1
    return LiteralSpan(
        first=_sha(first),
        first_time=first.time,
        last=_sha(last),
        last_time=last.time,
        by_year=tuple(sorted(years.items())),
        scope=scope,
        introduced=_sha(came) if came else None,
        introduced_time=came.time if came else None,
        unread=len(unread),
    )


def _may_precede(reader: Reader, unread: Sequence[UnreadCommit], found: Candidate) -> bool:
    """True when the log may list one of the commits below another, whose time then tells nothing."""
    if reader.clock_slips().hold(found.time):
        return True
    return any(each.time <= found.time and each.sha != _sha(found) for each in unread)


def _in_order(reader: Reader, hunks: Sequence[Candidate]) -> list[Candidate]:
    """Sort hunks as `git log` lists their commits."""
    return LogOrder(reader).newest_first(hunks, lambda found: (_sha(found), found.time))


def _sha(found: Candidate) -> Sha:
    return Sha(found.sha.hex())


def _gone(reader: Reader, head: Sha, answer: LiteralAnswer) -> Candidate | None:
    """The commit that removed the text from HEAD: the last one that touched it, if that removes it."""
    below = reader.ancestors({head})
    if below is None:
        return None
    numbers = reader.indexed({_sha(found) for found in answer.hunks})
    before = [found for found in _in_order(reader, answer.hunks) if numbers.get(_sha(found)) in below]
    if not before:
        return None
    sides = 0
    for found in before:
        if found.sha == before[0].sha:
            sides |= answer.sides[found.hunk]
    return before[0] if sides & REMOVED else None
