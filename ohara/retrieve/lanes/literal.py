"""The literal lane: every changed line of history that holds a text or matches a regular expression.

It answers exactly, so its answer is a set in order of time and not a ranking: newest first, and nothing is
cut off unless the limit or the deadline says so. Trigrams choose the candidates, the stored text decides.
Where no trigram is required the whole history is read, newest first.

Several patterns must each match some changed line of the same hunk. A hunk here is what the index stores
as one: a long one (a new file) is stored in pieces.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import anyio
import anyio.from_thread

from ohara.model import HunkId, LiteralSpan, Sha
from ohara.retrieve.matching import REMOVED, Matcher
from ohara.retrieve.trigrams import required_trigrams
from ohara.store.formula import ANYTHING, all_of
from ohara.store.literal import bodies, candidates

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from anyio.streams.memory import MemoryObjectSendStream

    from ohara.model import Match, Pattern
    from ohara.store.filters import HunkFilter
    from ohara.store.literal import Occurrence
    from ohara.store.pool import ReaderPool
    from ohara.store.reader import Reader

# Contents verified at a time: enough that a call's own cost does not count, few enough that a deadline is
# kept to within milliseconds and memory to a few hundred kilobytes.
_CHUNK = 256


class Found(NamedTuple):
    """A hunk in which every pattern matches, its commit and the commit's committer time."""

    hunk: HunkId
    commit: Sha
    time: int


class Verified(NamedTuple):
    """A moment of a search: how many contents are verified, of how many, and how many of them matched."""

    done: int
    total: int
    matched: int


@dataclass(frozen=True, slots=True)
class LiteralAnswer:
    """What matched, newest first: hunks up to the limit, commits and span of all.

    `total` counts all hunks that matched. `scanned` says that no trigram helped and everything was read;
    `complete` is False when the deadline ended the search, the newest commits having been searched.
    """

    hunks: tuple[Found, ...]
    total: int
    commits: tuple[Sha, ...]
    span: LiteralSpan | None
    scanned: bool
    complete: bool


async def search(
    pool: ReaderPool,
    patterns: Sequence[Pattern],
    allowed: HunkFilter,
    *,
    limit: int | None,
    deadline_s: float,
    moments: MemoryObjectSendStream[Verified] | None = None,
) -> LiteralAnswer:
    """Find every allowed hunk in which all patterns match; a pattern that cannot be read is a QueryError.

    `moments` hears how far the search is; whoever listens too slowly misses some.
    """
    matchers = [Matcher(pattern) for pattern in patterns]

    def work(reader: Reader) -> LiteralAnswer:
        for moment in steps(reader, matchers, allowed, limit=limit, deadline_s=deadline_s):
            if isinstance(moment, LiteralAnswer):
                return moment
            if moments is not None:
                anyio.from_thread.run_sync(_offer, moments, moment)
        raise AssertionError("a search ends with its answer")

    return await pool.read(work)


def _offer(moments: MemoryObjectSendStream[Verified], moment: Verified) -> None:
    with suppress(anyio.WouldBlock, anyio.BrokenResourceError):
        moments.send_nowait(moment)


def steps(
    reader: Reader,
    matchers: Sequence[Matcher],
    allowed: HunkFilter,
    *,
    limit: int | None,
    deadline_s: float,
) -> Iterator[Verified | LiteralAnswer]:
    """The search itself, in this thread: moments of it, and at last the answer."""
    ends = time.monotonic() + deadline_s
    formula = all_of(required_trigrams(matcher.pattern) for matcher in matchers)
    occurrences = candidates(reader, formula, allowed)
    contents = list(dict.fromkeys(occurrence.content for occurrence in occurrences))
    sides: dict[int, int] = {}
    done = 0
    while done < len(contents) and time.monotonic() < ends:
        chunk = contents[done : done + _CHUNK]
        sides.update(_verify(reader, matchers, chunk))
        done += len(chunk)
        yield Verified(done, len(contents), len(sides))
    matched = [occurrence for occurrence in occurrences if occurrence.content in sides]
    yield _answer(matched, sides, limit, scanned=formula == ANYTHING, complete=done == len(contents))


def marks(body: str, patterns: Sequence[Pattern]) -> tuple[Match, ...]:
    """Where patterns match on the changed lines of a body, in order."""
    found = {mark for pattern in patterns for mark in _matcher(pattern).marks(body)}
    return tuple(sorted(found, key=lambda mark: (mark.line, mark.start, mark.end)))


_matcher = lru_cache(maxsize=64)(Matcher)  # one answer marks many bodies with the same few patterns


def _verify(reader: Reader, matchers: Sequence[Matcher], contents: Sequence[int]) -> dict[int, int]:
    """The contents in which every pattern matches, with the sides on which any of them does."""
    texts = bodies(reader, contents)
    matched = dict.fromkeys(texts, 0)
    for matcher in matchers:
        sides = matcher.sides([texts[content] for content in matched])
        matched = {
            content: before | side
            for (content, before), side in zip(matched.items(), sides, strict=True)
            if side
        }
    return matched


def _answer(
    matched: Sequence[Occurrence], sides: dict[int, int], limit: int | None, *, scanned: bool, complete: bool
) -> LiteralAnswer:
    commits: dict[bytes, int] = {}
    times: dict[bytes, int] = {}
    for occurrence in matched:
        commits[occurrence.sha] = commits.get(occurrence.sha, 0) | sides[occurrence.content]
        times[occurrence.sha] = occurrence.time
    return LiteralAnswer(
        hunks=tuple(
            Found(HunkId(occurrence.hunk), Sha(occurrence.sha.hex()), occurrence.time)
            for occurrence in matched[:limit]
        ),
        total=len(matched),
        commits=tuple(Sha(sha.hex()) for sha in commits),
        span=_span(commits, times),
        scanned=scanned,
        complete=complete,
    )


def _span(commits: dict[bytes, int], times: dict[bytes, int]) -> LiteralSpan | None:
    """When the patterns came and went; a removal is a commit that only takes away."""
    if not commits:
        return None
    newest, oldest = next(iter(commits)), next(reversed(commits))
    removed = next((sha for sha, side in commits.items() if side == REMOVED), None)
    years: dict[int, int] = {}
    for moment in times.values():
        year = time.gmtime(moment).tm_year
        years[year] = years.get(year, 0) + 1
    return LiteralSpan(
        first=Sha(oldest.hex()),
        first_time=times[oldest],
        last=Sha(newest.hex()),
        last_time=times[newest],
        by_year=tuple(sorted(years.items())),
        removed=Sha(removed.hex()) if removed else None,
        removed_time=times[removed] if removed else None,
    )
