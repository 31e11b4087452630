"""Runs a matcher over bodies in pieces that take milliseconds, so that a search ends when it has to.

RE2 cannot be interrupted, and where one expression reads a megabyte in a millisecond another takes a
minute. So pieces begin small, grow while they are quick and shrink when they are not; between two of them the
clock is looked at, and whether anybody still waits. A line is never cut: one that would outlast the deadline,
at the pace seen so far, is not begun.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ohara.retrieve.matching import Matcher

T = TypeVar("T")

_FIRST_BYTES = 16 << 10
_FEWEST_BYTES = 256
_MOST_BYTES = 1 << 20
_QUICK_S, _SLOW_S = 0.01, 0.04  # what a piece should take: a call's own cost is some microseconds


class OutOfTime(Exception):
    """The deadline came before all was searched."""


class Scan:
    """Runs one matcher until a deadline; `check` raises when the search was cancelled."""

    def __init__(self, matcher: Matcher, ends: float, check: Callable[[], None]) -> None:
        self.matcher = matcher
        self._ends = ends
        self._check = check
        self.piece_bytes = _FIRST_BYTES  # what the next piece should be at most
        self._pace_s: float | None = None  # for a byte, as the last piece took

    def sides(self, bodies: Sequence[bytes]) -> list[int]:
        """As `Matcher.sides`; OutOfTime when the deadline comes first."""
        found: list[int] = []
        waiting: list[bytes] = []
        size = 0
        for body in bodies:
            if waiting and size + len(body) > self.piece_bytes:
                found += self._piece(waiting)
                waiting, size = [], 0
            if len(body) > self.piece_bytes:
                found.append(self._long(body))
            else:
                waiting.append(body)
                size += len(body) + 1
        return found + self._piece(waiting) if waiting else found

    def lines(self, text: bytes) -> int:
        """As `Matcher.lines`; OutOfTime when the deadline comes first."""
        return sum(self._paced([lines], self._lines_of) for lines in self._cut(text))

    def _lines_of(self, texts: Sequence[bytes]) -> int:
        return sum(map(self.matcher.lines, texts))

    def _long(self, body: bytes) -> int:
        """The sides of a body that is searched by its lines."""
        sides = 0
        for lines in self._cut(body):
            sides |= self._piece([lines])[0]
            if sides == self.matcher.wanted:
                break
        return sides

    def _cut(self, body: bytes) -> Iterator[bytes]:
        """A body in runs of whole lines, each as long as a piece may be at that moment."""
        start = 0
        while start <= len(body):
            if len(body) - start <= self.piece_bytes:
                yield body[start:]
                return
            end = body.rfind(b"\n", start, start + self.piece_bytes)
            if end < start:
                end = body.find(b"\n", start)
            if end < 0:
                end = len(body)
            yield body[start:end]
            start = end + 1

    def _piece(self, bodies: Sequence[bytes]) -> list[int]:
        return self._paced(bodies, self.matcher.sides)

    def _paced(self, bodies: Sequence[bytes], search: Callable[[Sequence[bytes]], T]) -> T:
        size = sum(map(len, bodies))
        if size > _FIRST_BYTES and self._pace_s is None:
            self._timed([bodies[0][:_FIRST_BYTES]], search)  # a long line comes first: to know the pace
        expected_s = size * (self._pace_s or 0.0)
        if time.monotonic() + (expected_s if expected_s > _SLOW_S else 0.0) >= self._ends:
            raise OutOfTime
        return self._timed(bodies, search)

    def _timed(self, bodies: Sequence[bytes], search: Callable[[Sequence[bytes]], T]) -> T:
        self._check()
        started = time.monotonic()
        found = search(bodies)
        took_s = time.monotonic() - started
        self._pace_s = took_s / max(1, sum(map(len, bodies)))
        if took_s > _SLOW_S:
            self.piece_bytes = max(_FEWEST_BYTES, self.piece_bytes // 2)
        elif took_s < _QUICK_S:
            self.piece_bytes = min(_MOST_BYTES, self.piece_bytes * 2)
        return found
