"""Fates from rows written by hand, also those that no sane history makes."""

from __future__ import annotations

from ohara.fate.fates import Judge, Known, judge, of_lines, of_runs, verdict
from ohara.fate.open_runs import open_runs
from ohara.fate_phrase import commit_fate_phrase, fate_phrase
from ohara.model import Fate, FateState, Returned, Sha
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
    assert told(*way, heads=(HeadLines(400, 1, 2, 2, "b.py", 1),)) == (FateState.MOVED, 2, 5)


def test_of_a_removal_and_a_merge_that_took_the_lines_the_newer_is_named() -> None:
    removed = LineEnd(1, 0, 3, 3, 10, How.REMOVED)
    dropped = LineEnd(1, 0, 3, 3, 20, How.DROPPED)
    assert told(dropped, removed) == (FateState.GONE, 0, 20)
    assert told(dropped) == (FateState.GONE, 0, 20)
    assert told(dropped, LineEnd(1, 0, 3, 3, 30, How.REMOVED)) == (FateState.GONE, 0, 30)


def test_what_happened_in_another_history_does_not_count() -> None:
    assert told(LineEnd(1, 0, 3, 3, 500, How.REMOVED)) == (FateState.GONE, 0, None)


def test_lines_that_nothing_ended_stand_without_looking_at_files() -> None:
    ends = {
        1: [LineEnd(1, 2, 3, 2, 10, How.REMOVED)],
        2: [LineEnd(2, 0, 4, 4, 10, How.REMOVED)],
        3: [LineEnd(3, 0, 3, 3, 10, How.REMOVED), LineEnd(3, 1, 3, 3, 11, How.REMOVED)],
        4: [LineEnd(4, 0, 9, 9, 500, How.REMOVED)],
    }
    found = open_runs({1: 6, 2: 4, 3: 5, 4: 9, 5: 1}, ends, range(100))
    standing: dict[int, int] = {}
    for run in found.runs:
        standing[run.hunk] = standing.get(run.hunk, 0) + run.solid
    assert standing == {1: 4, 2: 0, 3: 0, 4: 9, 5: 1}
    assert found.unsure == {3}  # two commits ended line 1: how many are left is told by the lines alone
    known = Known()
    known.add(ends[3], found.runs)
    judging = Judge(known, range(100), lambda commit: -commit)
    places = [judging.line(3, line)[0] is not None for line in range(6)]
    assert places == [False, False, False, False, True, True]


def test_runs_tell_what_lines_tell() -> None:
    def both(*ends: LineEnd, heads: tuple[HeadLines, ...] = ()) -> None:
        known = Known()
        known.add(ends, heads)
        judging = Judge(known, range(100), lambda commit: -commit)
        by_runs = of_runs(known, range(100), 1, 6)
        by_lines = of_lines(judging, 1, range(6))
        assert by_runs is not None
        assert verdict(by_runs, lambda commit: -commit) == verdict(by_lines, lambda commit: -commit)

    both(heads=(HeadLines(1, 0, 6, 6, "a.py", 7),))
    both(LineEnd(1, 0, 2, 2, 9, How.REMOVED), heads=(HeadLines(1, 2, 4, 4, "a.py", 7),))
    both(LineEnd(1, 0, 2, 2, 9, How.REMOVED), LineEnd(1, 2, 4, 4, 12, How.REMOVED))
    both(LineEnd(1, 0, 2, 2, 9, How.REVERTED), LineEnd(1, 2, 4, 4, 12, How.REMOVED))
    both(LineEnd(1, 0, 6, 6, 9, How.REMOVED), LineEnd(1, 0, 6, 6, 12, How.REMOVED))
    both(LineEnd(1, 0, 6, 6, 9, How.DROPPED), LineEnd(1, 2, 3, 3, 12, How.REMOVED))
    known = Known()
    known.add((LineEnd(1, 0, 6, 6, 9, How.MOVED, 2, 0),), ())
    assert of_runs(known, range(100), 1, 6) is None


def test_a_fate_in_words_counts_in_thousands_and_knows_one_line() -> None:
    many = Fate(FateState.CHANGED, 1_444, 1_677, "a.py", 7)
    assert fate_phrase(many, str) == "still there: 1,444 of 1,677 lines, now a.py:7"
    assert commit_fate_phrase(many) == "1,444 of 1,677 lines still there"
    assert fate_phrase(Fate(FateState.MOVED, 1, 1, "b.py", 2), str) == "moved: 1 of 1 line, now b.py:2"
    moved = Fate(FateState.MOVED, 1, 1, "b.py", 2, Sha("cd" * 20), 5)
    assert (
        fate_phrase(moved, lambda _: "a year ago")
        == "moved by cdcdcdcdcd, a year ago: 1 of 1 line, now b.py:2"
    )
    gone = Fate(FateState.GONE, 0, 2, by=Sha("ab" * 20), by_time=5)
    assert fate_phrase(gone, lambda time: f"at {time}") == "gone since ababababab, at 5"
    assert commit_fate_phrase(gone) == "gone since ababababab"
    assert commit_fate_phrase(Fate(FateState.REMOVAL, 0, 0)) == ""
    one = Fate(FateState.REMOVAL, 0, 0, returned=Returned(1, 3, "c.py", 4))
    assert fate_phrase(one, str) == "1 of 3 lines that it removed stands again, now c.py:4"
    two = Fate(FateState.REMOVAL, 0, 0, returned=Returned(2, 3, "c.py", 4))
    assert fate_phrase(two, str) == "2 of 3 lines that it removed stand again, now c.py:4"
