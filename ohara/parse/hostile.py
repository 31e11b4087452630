"""Tells what no person writes and a parser may choke on: NULs, or nesting without end. Pure.

Looking at every bracket of a file takes longer than parsing the few lines in which it differs from another
version, so of a version that is known the rest is told from what differs.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

Part = tuple[int, int, int, int]
"""Where a stretch of another version begins and ends, and where in this one what stands in its place."""

MAX_NESTING: Final = 500  # brackets within brackets; some grammars need quadratic memory for more

_STEP: Final = bytes(1 if byte in b"([{" else 255 for byte in range(256))  # 255 is -1 as a signed byte
_NOT_BRACKETS: Final = bytes(set(range(256)) - set(b"()[]{}"))
_NOT_OPENING: Final = bytes(set(range(256)) - set(b"([{"))
_NOT_CLOSING: Final = bytes(set(range(256)) - set(b")]}"))
_NOT_ANGLES: Final = bytes(set(range(256)) - set(b"<>;(){}"))


def nesting(source: bytes) -> int:
    """How many brackets stand within each other at most."""
    steps = memoryview(source.translate(_STEP, _NOT_BRACKETS)).cast("b")
    return max(accumulate(steps), default=0)


def nesting_after(before: bytes, deepest: int, source: bytes, parts: Sequence[Part]) -> int:
    """How many brackets stand within each other at most, or more, told from a version with so many.

    No bracket can be deeper than before by more than what was opened in its place or is no longer closed.
    """
    bound = max(0, deepest)
    for start, old_end, new_start, new_end in parts:
        bound += len(source[new_start:new_end].translate(None, _NOT_OPENING))
        bound += len(before[start:old_end].translate(None, _NOT_CLOSING))
    return bound if bound <= MAX_NESTING else nesting(source)


def is_hostile(source: bytes, deepest: int) -> bool:
    """True for what is not to be parsed; `deepest` is how many brackets stand within each other."""
    if deepest > MAX_NESTING or b"\0" in source:
        return True
    may_be_angles = source.count(b"<") >= MAX_NESTING
    return may_be_angles and b"<" * MAX_NESTING in source.translate(None, _NOT_ANGLES)
