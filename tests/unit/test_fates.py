"""Fates from rows written by hand, also those that no sane history makes."""

from __future__ import annotations

from ohara.fate.fates import Judge, Known, judge
from ohara.model import FateState
from ohara.store.lines import HeadLines, How, LineEnd


def told(*ends: LineEnd, heads: tuple[HeadLines, ...] = ()) -> tuple[FateState, int, int | None]:
    known = Known()
    known.add(ends, heads)
    verdict = judge(Judge(known, range(100), lambda commit: -commit), 1, [0, 1, 2], lambda commit: -commit)
    return verdict.fate.state, verdict.fate.kept, verdict.by


def test_origins_that_merges_joined_either_way_round_come_to_an_end() -> None:
    ring = [
        LineEnd(hunk, 0, 3, 3, commit, How.JOINED, other, 0)
        for commit, (hunk, other) in enumerate([(1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2)] * 8)
    ]
    assert told(*ring) == (FateState.GONE, 0, None)
    assert told(*ring, LineEnd(3, 0, 3, 3, 60, How.REMOVED)) == (FateState.GONE, 0, 60)
    assert told(*ring, heads=(HeadLines(3, 0, 3, 3, "a.py", 7),)) == (FateState.ALIVE, 3, None)


def test_a_line_that_is_moved_again_and_again_is_followed() -> None:
    way = [LineEnd(hunk, 0, 3, 3, 5, How.MOVED, hunk + 1, 0) for hunk in range(1, 400)]
    assert told(*way, heads=(HeadLines(400, 1, 2, 2, "b.py", 1),)) == (FateState.MOVED, 2, None)


def test_a_commit_that_removes_counts_before_a_merge_that_drops() -> None:
    removed = LineEnd(1, 0, 3, 3, 10, How.REMOVED)
    dropped = LineEnd(1, 0, 3, 3, 20, How.DROPPED)
    assert told(dropped, removed) == (FateState.GONE, 0, 10)
    assert told(dropped) == (FateState.GONE, 0, 20)


def test_what_happened_in_another_history_does_not_count() -> None:
    assert told(LineEnd(1, 0, 3, 3, 500, How.REMOVED)) == (FateState.GONE, 0, None)
