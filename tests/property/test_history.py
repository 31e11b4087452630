"""Threads of any history: each commit once, none too large, and no certain link given up for a guess."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ohara.history.links import certain_links
from ohara.history.merges import MergeKind, brought_in
from ohara.history.reasons import Link, Node, Reason
from ohara.history.threads import find_threads, grouped, in_order
from ohara.retrieve.together import firsts

MESSAGES = (
    "Fix (#1)",
    "Merge pull request #1 from a/b\n\nTitle",
    "Merge branch 'topic'",
    "Merge branch 'main'",
    'Revert "Fix (#1)"',
    "fixup! Add",
    "Add",
    "Closes #2",
    "",
)


@st.composite
def histories(draw: st.DrawFn) -> list[Node]:
    """Any shape of history: octopuses, criss-cross, several roots, clocks that stand still or go wrong."""
    size = draw(st.integers(1, 25))
    nodes = []
    for number in range(size):
        parents = draw(st.lists(st.integers(-1, number - 1), max_size=3, unique=True)) if number else []
        nodes.append(
            Node(
                id=number,
                sha=f"{number:040x}",
                parents=tuple(parents),
                author=draw(st.integers(0, 2)),
                author_time=draw(st.integers(0, 5)) * 86_400,
                time=draw(st.integers(0, 5)),
                message=draw(st.sampled_from(MESSAGES)),
                patch=draw(st.integers(0, 3)),
                paths=tuple(draw(st.lists(st.integers(0, 5), max_size=3, unique=True))),
            )
        )
    return sorted(nodes, key=lambda node: (node.time, node.sha))


@given(histories(), st.lists(st.integers(0, 24), max_size=4), st.integers(1, 10))
def test_a_commit_comes_in_by_one_merge_at_most(nodes: list[Node], tips: list[int], most: int) -> None:
    parents = {node.id: node.parents for node in nodes}
    kinds = {node.id: list(MergeKind)[node.patch % 3] for node in nodes}

    found = brought_in(parents, [tip for tip in tips if tip in parents], kinds.__getitem__, most=most)

    commits = [commit for brought in found for commit in brought.commits]
    assert len(commits) == len(set(commits))
    for brought in found:
        assert 0 < len(brought.commits) <= most
        assert brought.merge not in brought.commits
        assert len(parents[brought.merge]) > 1
        assert kinds[brought.merge] is not MergeKind.SYNC
        assert set(brought.commits) <= ancestors(parents, brought.merge)


def ancestors(parents: dict[int, tuple[int, ...]], commit: int) -> set[int]:
    seen: set[int] = set()
    waiting = [commit]
    while waiting:
        for parent in parents.get(waiting.pop(), ()):
            if parent not in seen:
                seen.add(parent)
                waiting.append(parent)
    return seen


@given(histories())
def test_threads_are_disjoint_in_order_and_hold_every_certain_link(nodes: list[Node]) -> None:
    tips = [node.id for node in nodes]

    found = find_threads(nodes, tips)

    members = [member.commit for thread in found.threads for member in thread]
    assert len(members) == len(set(members))
    thread_of = {member.commit: place for place, thread in enumerate(found.threads) for member in thread}
    order = {commit: place for place, commit in enumerate(in_order(nodes))}
    for thread in found.threads:
        assert len(thread) > 1
        assert [order[member.commit] for member in thread] == sorted(
            order[member.commit] for member in thread
        )
    for link in certain_links(nodes, tips):
        assert len({thread_of[commit] for commit in link.commits}) == 1
    for copies in found.copies:
        assert len({thread_of[commit] for commit in copies}) == 1


@given(histories())
def test_a_parent_of_the_same_second_comes_first(nodes: list[Node]) -> None:
    order = {commit: place for place, commit in enumerate(in_order(nodes))}
    times = {node.id: node.time for node in nodes}

    assert sorted(order) == sorted(times)
    for node in nodes:
        for parent in node.parents:
            if times.get(parent) == node.time:
                assert order[parent] < order[node.id]


@given(
    st.lists(st.tuples(st.sampled_from(list(Reason)), st.lists(st.integers(0, 30), min_size=2, max_size=6))),
    st.integers(2, 12),
)
def test_no_group_is_larger_than_asked(links: list[tuple[Reason, list[int]]], most: int) -> None:
    found = grouped(list(range(31)), [Link(reason, tuple(commits)) for reason, commits in links], most=most)

    assert all(2 <= len(group) <= most or len(group) == 1 for group in found)
    commits = [member.commit for group in found for member in group]
    assert len(commits) == len(set(commits))


@given(st.lists(st.tuples(st.integers(), st.none() | st.integers(0, 3))), st.sets(st.integers(0, 3)))
def test_the_first_of_each_key_takes_the_others(items: list[tuple[int, int | None]], seen: set[int]) -> None:
    kept = firsts(items, lambda item: item[1], seen)

    heads = [item for item, _ in kept]
    assert [key for _, key in heads if key is not None] == list(
        dict.fromkeys(key for _, key in items if key is not None and key not in seen)
    )
    assert sum(1 + len(others) for _, others in kept) == len([item for item in items if item[1] not in seen])
