"""Whose turn it is to be indexed: who was asked for, who waited long, whose words are missing."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ohara.daemon.jobqueue import SHORT_TURN_S, TURN_S, Queue, Reason, Wanted, gives_way, is_later
from ohara.model import Pass

A, B, C = Path("a"), Path("b"), Path("c")


def names(queue: Queue, now: float) -> str:
    return "".join(path.name for path, _ in queue.ordered(now))


def test_what_was_just_asked_for_goes_first_and_then_takes_turns() -> None:
    queue = Queue({A: 1.0, B: 2.0, C: 3.0}.__getitem__)
    queue.add(A, Reason.MOVED, 0.0)
    queue.add(B, Reason.MOVED, 0.0)
    assert queue.add(C, Reason.ASKED, 1.0)
    assert not queue.add(C, Reason.DUE, 1.0)
    assert names(queue, 1.0) == "cab"
    wanted = queue.take(C)
    assert wanted is not None
    queue.put_back(C, wanted, 11.0, later=False)
    queue.add(C, Reason.ASKED, 11.0)  # asking again and again does not make it first again and again
    assert not dict(queue.ordered(11.0))[C].just_asked
    queue.put_back(C, wanted, 11.0, later=True)
    assert names(queue, 11.0) == "abc"


def test_words_come_before_symbols_and_vectors_and_nobody_waits_for_ever() -> None:
    queue = Queue(lambda _: 0.0)
    queue.put_back(A, Wanted(Reason.ASKED, 0.0), 0.0, later=True)
    queue.add(B, Reason.DUE, 1.0)
    queue.add(C, Reason.MOVED, 2.0)
    assert names(queue, 2.0) == "cba"
    assert names(queue, 60.5) == "acb"
    assert names(queue, 300.0) == "abc"


def test_nobody_waits_for_what_is_made_of_text_that_is_there() -> None:
    assert [stage for stage in Pass if is_later(stage)] == [Pass.SYMBOL, Pass.LINES, Pass.VECTOR]


def test_a_turn_is_shorter_for_who_is_awaited() -> None:
    asked, moved = Wanted(Reason.ASKED, 0.0), Wanted(Reason.MOVED, 0.0)
    later = Wanted(Reason.MOVED, 0.0, begun=True, later=True)
    between = (SHORT_TURN_S + TURN_S) / 2
    assert gives_way(moved, between, later=False, to=asked)
    assert gives_way(asked, between, later=True, to=moved)
    assert not gives_way(asked, between, later=False, to=asked)
    assert not gives_way(moved, between, later=True, to=later)
    assert gives_way(asked, TURN_S, later=False, to=later)


@given(st.lists(st.tuples(st.sampled_from([A, B, C]), st.sampled_from(Reason)), min_size=1, max_size=30))
def test_everybody_gets_a_turn(asked: list[tuple[Path, Reason]]) -> None:
    """However often some are asked for again, each of those that wait comes first within a few turns."""
    queue = Queue(lambda _: 0.0)
    now = 0.0
    waits: dict[Path, float] = {}
    for path, reason in asked * 5:
        queue.add(path, reason, now)
        waits.setdefault(path, now)
        first, wanted = queue.ordered(now)[0]
        queue.take(first)
        assert now - waits.pop(first) <= 120.0
        now += TURN_S
        queue.put_back(first, wanted, now, later=True)
        waits[first] = now
