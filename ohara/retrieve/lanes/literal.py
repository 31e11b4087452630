"""The literal lane: every changed line of history that holds a text or matches a regular expression.

Its answer is a complete list in order of time, not a ranking: newest first, cut only by the limit or the
deadline. Trigrams select the candidates, the stored text decides. Where no trigram is required the whole
history is read, newest first.

Searches of one process take turns, a fraction of a second each, a few of them at once: however many there are
and however long they take, none waits for another to end, and ranked queries keep their own connections.

Several patterns must each match some changed line of the same hunk. A hunk here is what the index stores
as one: a long one (a new file) is stored in pieces.
"""

from __future__ import annotations

import math
import os
import time
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import anyio
from anyio.lowlevel import RunVar

from ohara.model import Sha
from ohara.records import dataclass
from ohara.retrieve.matching import Matcher
from ohara.retrieve.ranking import Candidate
from ohara.retrieve.scan import OutOfTime, Scan
from ohara.retrieve.trigrams import required_trigrams
from ohara.store.trigram_query import ANYTHING, all_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from anyio.streams.memory import MemoryObjectSendStream

    from ohara.model import HunkId, Match, Pattern
    from ohara.store.answers import TrigramMatch
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader, Readers
    from ohara.store.trigram_query import Formula

# Contents read at a time: enough that a statement's own cost does not count, and few hundred kilobytes.
_CHUNK = 256

_TURN_S = 0.1  # then the next search that waits goes on; a hundred of them are each heard every ten seconds

# One that waits for a slow disk must not keep the others waiting, however few processors there are.
_FEWEST_AT_ONCE = 2

_turns: RunVar[anyio.CapacityLimiter] = RunVar("exact searches at once")


class Verified(NamedTuple):
    """The progress of a search: how many contents are verified, of how many, and how many matched."""

    done: int
    total: int
    matched: int


@dataclass(frozen=True, slots=True)
class LiteralAnswer:
    """What matched, newest first: hunks up to the limit with the sides that match, and all commits.

    `total` counts all hunks that matched. `scanned` says that no trigram helped and everything was read;
    `complete` is False when the deadline ended the search after `searched` of the `candidates`, newest first.
    """

    hunks: tuple[Candidate, ...]
    sides: Mapping[HunkId, int]
    total: int
    commits: tuple[Sha, ...]
    scanned: bool
    complete: bool
    searched: int
    candidates: int


async def search(
    pool: Readers,
    patterns: Sequence[Pattern],
    allowed: Allowed,
    *,
    limit: int | None,
    deadline_s: float,
    moments: MemoryObjectSendStream[Verified] | None = None,
) -> LiteralAnswer:
    """Find every allowed hunk in which all patterns match; a pattern that cannot be read is a QueryError.

    Progress is sent to `moments`; a slow receiver misses some of it.
    """
    hunt = Hunt(patterns, allowed, limit=limit, ends=time.monotonic() + deadline_s)
    turns = turns_of_process()
    while True:
        moment = await pool.read(hunt.advance, turns=turns)
        if isinstance(moment, LiteralAnswer):
            return moment
        if moments is not None:
            offer(moments, moment)


def turns_of_process() -> anyio.CapacityLimiter:
    """The limiter of exact searches in this process; each search queues again for every turn."""
    try:
        return _turns.get()
    except LookupError:
        limiter = anyio.CapacityLimiter(max(_FEWEST_AT_ONCE, (os.cpu_count() or 1) // 2))
        _turns.set(limiter)
        return limiter


def offer(moments: MemoryObjectSendStream[Verified], moment: Verified) -> None:
    """Tell how far a search is; whoever listens too slowly misses it."""
    with suppress(anyio.WouldBlock, anyio.BrokenResourceError):
        moments.send_nowait(moment)


def steps(
    reader: Reader,
    patterns: Sequence[Pattern],
    allowed: Allowed,
    *,
    limit: int | None,
    deadline_s: float,
) -> Iterator[Verified | LiteralAnswer]:
    """Search in this thread: yields progress, and at last the answer."""
    hunt = Hunt(patterns, allowed, limit=limit, ends=time.monotonic() + deadline_s)
    while True:
        moment = hunt.advance(reader)
        yield moment
        if isinstance(moment, LiteralAnswer):
            return


class Hunt:
    """A search that can be suspended and continued, with any reader."""

    def __init__(
        self, patterns: Sequence[Pattern], allowed: Allowed, *, limit: int | None, ends: float
    ) -> None:
        self._patterns = patterns
        self._allowed = allowed
        self._limit = limit
        self._ends = ends
        self._scans: list[Scan] | None = None
        self._formula: Formula = ANYTHING
        self._occurrences: list[TrigramMatch] = []
        self._contents: list[int] = []
        self._done = 0
        self._sides: dict[int, int] = {}
        self._check: Callable[[], None] = lambda: None

    def advance(self, reader: Reader) -> Verified | LiteralAnswer:
        """Search for one turn; the answer when that was the last."""
        until = time.monotonic() + _TURN_S
        self._check = reader.check
        scans = self._scans
        if scans is None:
            scans = self._scans = self._prepared(reader)
        try:
            while self._done < len(self._contents):
                self._verify(reader, scans, until)
                if time.monotonic() >= until and self._done < len(self._contents):
                    return Verified(self._done, len(self._contents), len(self._sides))
        except OutOfTime:
            pass
        matched = [each for each in self._occurrences if each.content in self._sides]
        return _answer(
            matched,
            self._sides,
            self._limit,
            scanned=self._formula == ANYTHING,
            searched=self._done,
            candidates=len(self._contents),
        )

    def _prepared(self, reader: Reader) -> list[Scan]:
        matchers = [Matcher(pattern) for pattern in self._patterns]
        self._formula = all_of(map(required_trigrams, self._patterns))
        self._occurrences = reader.by_trigrams(self._formula, self._allowed)
        self._contents = list(dict.fromkeys(occurrence.content for occurrence in self._occurrences))
        return [Scan(matcher, self._ends, self._listens) for matcher in matchers]

    def _listens(self) -> None:
        """Raise when the search was cancelled."""
        self._check()

    def _verify(self, reader: Reader, scans: Sequence[Scan], until: float) -> None:
        """Verify the next contents, until the turn is over."""
        texts = reader.bodies(self._contents[self._done : self._done + _CHUNK])
        chunk = [(content, texts.get(content, b"")) for content in self._contents[self._done :][:_CHUNK]]
        while chunk:
            if time.monotonic() >= self._ends:
                raise OutOfTime
            group = _first_of(chunk, min((scan.piece_bytes for scan in scans), default=_CHUNK))
            self._sides |= _matched(dict(group), scans)
            self._done += len(group)
            del chunk[: len(group)]
            if time.monotonic() >= until:
                return


def _first_of(chunk: Sequence[tuple[int, bytes]], most: int) -> Sequence[tuple[int, bytes]]:
    """The contents that are verified next: as many as make a piece, so that a deadline cuts off no more."""
    size = 0
    for number, (_, body) in enumerate(chunk):
        size += len(body)
        if size > most:
            return chunk[: max(1, number)]
    return chunk[:]


def marks(body: str, patterns: Sequence[Pattern], *, until: float = math.inf) -> tuple[Match, ...]:
    """The matches of patterns on the changed lines of a body, in order; only first ones after `until`."""
    found = {mark for pattern in patterns for mark in _matcher(pattern).marks(body, until=until)}
    return tuple(sorted(found, key=lambda mark: (mark.line, mark.start, mark.end)))


_matcher = lru_cache(maxsize=16)(Matcher)  # one answer marks many bodies with the same few patterns


def _matched(texts: dict[int, bytes], scans: Sequence[Scan]) -> dict[int, int]:
    """The contents in which every pattern matches, with the sides on which any of them does."""
    matched = dict.fromkeys(texts, 0)
    for scan in scans:
        sides = scan.sides([texts[content] for content in matched])
        matched = {
            content: before | side
            for (content, before), side in zip(matched.items(), sides, strict=True)
            if side
        }
    return matched


def _answer(
    matched: Sequence[TrigramMatch],
    sides: dict[int, int],
    limit: int | None,
    *,
    scanned: bool,
    searched: int,
    candidates: int,
) -> LiteralAnswer:
    commits = dict.fromkeys(each.sha for each in matched)
    return LiteralAnswer(
        hunks=tuple(Candidate(each.hunk, 0.0, each.time, each.sha) for each in matched[:limit]),
        sides={each.hunk: sides[each.content] for each in matched[:limit]},
        total=len(matched),
        commits=tuple(Sha(sha.hex()) for sha in commits),
        scanned=scanned,
        complete=searched == candidates,
        searched=searched,
        candidates=candidates,
    )
