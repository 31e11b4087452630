"""Tells which added lines stand by what no commit ended, without looking into a single file. Pure.

A line that no commit of a history ended stands there, and others do not, but for what merges did by
themselves: lines that one kept although a side had removed them count as gone here, and lines of a file that
one replaced by another history's may count as standing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ohara.store.lines import HeadLines

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from ohara.store.lines import LineEnd

_NO_END = 1 << 40  # lines: how many a hunk adds need not be known


class OpenRuns(NamedTuple):
    """The runs that nothing ended; of the hunks that are `unsure`, some lines ended more than once."""

    runs: list[HeadLines]
    unsure: frozenset[int]


def open_runs(
    counts: Mapping[int, int], ends: Mapping[int, Sequence[LineEnd]], below: Container[int]
) -> OpenRuns:
    """The runs of all hunks that no commit `below` ended; `counts` are their lines that are not blank."""
    runs: list[HeadLines] = []
    unsure: set[int] = set()
    for hunk in counts.keys() | ends.keys():
        closed = sorted(end for end in ends.get(hunk, ()) if end.commit in below)
        at, solid, is_sure = 0, counts.get(hunk, 0), True
        for end in closed:
            if end.first > at:
                runs.append(HeadLines(hunk, at, end.first - at, 0, "", 1))
            is_sure = is_sure and end.first >= at
            solid -= end.solid
            at = max(at, end.end)
        runs.append(HeadLines(hunk, at, _NO_END, max(0, solid) if is_sure else 0, "", 1))
        if not is_sure:
            unsure.add(hunk)
    return OpenRuns(runs, frozenset(unsure))
