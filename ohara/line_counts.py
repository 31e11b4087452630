"""Counts the lines of a hunk's body by their signs. Pure; compiled where a compiler was at hand."""

from __future__ import annotations

from typing import NamedTuple

from ohara.speedups import compiled


class LineCounts(NamedTuple):
    """How many lines a body has, git's remarks not counted, and how many of them were added and removed."""

    lines: int
    added: int
    removed: int


def line_counts(body: str) -> LineCounts:
    """Counts the lines of a body."""
    if compiled is not None:
        return LineCounts(*compiled.count_lines(body))
    return LineCounts(1 + body.count("\n") - body.count("\n\\"), _signed(body, "+"), _signed(body, "-"))


def _signed(body: str, sign: str) -> int:
    return body.count(f"\n{sign}") + body.startswith(sign)
