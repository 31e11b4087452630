"""What a run decides to do, from what is reachable and what is there."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ohara.index.plan import Limits, Plan, into_tasks, plan_forward, plan_whole
from ohara.model import Sha

A, B, C, D = (Sha(letter * 40) for letter in "abcd")
NEWEST_FIRST = [(D, 400), (C, 300), (B, 200), (A, 100)]


def test_everything_is_pending_newest_first_in_an_empty_index() -> None:
    assert plan_whole(NEWEST_FIRST, {}) == Plan((D, C, B, A), (), (), total=4, limited=False)


def test_what_is_indexed_is_not_read_again() -> None:
    assert plan_whole(NEWEST_FIRST, {B: True, D: True}).pending == (C, A)


def test_an_unreachable_commit_dies_and_a_reachable_dead_one_revives() -> None:
    gone = Sha("e" * 40)
    plan = plan_whole(NEWEST_FIRST, {A: False, B: True, C: True, D: True, gone: True})
    assert (plan.dead, plan.revived, plan.pending) == ((gone,), (A,), ())


def test_a_dead_commit_that_stays_unreachable_is_left_alone() -> None:
    assert plan_whole([(A, 100)], {A: True, B: False}).changes_nothing


def test_limits_bound_the_history_not_the_run() -> None:
    two = plan_whole(NEWEST_FIRST, {}, limits=Limits(max_commits=2))
    assert (two.pending, two.limited, two.total) == ((D, C), True, 4)
    assert plan_whole(NEWEST_FIRST, {D: True, C: True}, limits=Limits(max_commits=2)).pending == ()
    assert plan_whole(NEWEST_FIRST, {}, limits=Limits(since=200)).pending == (D, C, B)


def test_a_limit_that_cuts_nothing_off_is_no_limit() -> None:
    assert not plan_whole(NEWEST_FIRST, {A: True, B: True}, limits=Limits(max_commits=2)).limited


def test_forward_reads_only_what_the_tips_gained() -> None:
    plan = plan_forward([(D, 400), (C, 300)], {C: False}, total_before=2)
    assert plan == Plan((D,), (), (C,), total=4, limited=False)


def test_forward_does_not_count_a_commit_it_already_shows() -> None:
    assert plan_forward([(D, 400), (B, 200)], {B: True}, total_before=2).total == 3


shas = st.lists(st.integers(0, 15), unique=True, max_size=12).map(
    lambda numbers: [(Sha(f"{number:040x}"), number) for number in sorted(numbers, reverse=True)]
)


@given(shas, st.dictionaries(st.integers(0, 15).map(lambda n: Sha(f"{n:040x}")), st.booleans()))
def test_applying_a_plan_shows_exactly_what_is_reachable(
    reachable: list[tuple[Sha, int]], indexed: dict[Sha, bool]
) -> None:
    plan = plan_whole(reachable, indexed)
    after = dict(indexed)
    after.update(dict.fromkeys(plan.dead, False))
    after.update(dict.fromkeys(plan.revived, True))
    after.update(dict.fromkeys(plan.pending, True))
    assert {sha for sha, live in after.items() if live} == {sha for sha, _ in reachable}
    assert plan_whole(reachable, after).changes_nothing


@given(st.lists(st.integers(), unique=True), st.sets(st.integers()))
def test_tasks_hold_every_item_once_and_suspects_alone(numbers: list[int], suspects: set[int]) -> None:
    items = [Sha(str(number)) for number in numbers]
    alone = {Sha(str(number)) for number in suspects}
    tasks = list(into_tasks(items, alone))
    assert sorted(item for task in tasks for item in task) == sorted(items)
    assert all(len(task) == 1 for task in tasks if alone & set(task))
    rest = [item for task in tasks for item in task if item not in alone]
    assert rest == [item for item in items if item not in alone]
