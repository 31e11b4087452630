"""Which commits only one side of a merge has, on random histories and beside what ancestry says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ohara.fate.sides import Sides, exclusive, in_order
from ohara.model import Sha
from ohara.store.lines import CommitLink


def _sha(number: int) -> Sha:
    return Sha(f"{number:040x}")


@st.composite
def histories(draw: st.DrawFn) -> dict[Sha, CommitLink]:
    """Commits, each of some before it; some have parents that are not there."""
    links: dict[Sha, CommitLink] = {}
    for number in range(draw(st.integers(2, 24))):
        known = list(range(number))
        parents = draw(st.lists(st.sampled_from(known), unique=True, max_size=3)) if known else []
        absent = [1_000 + number] if draw(st.integers(0, 9)) == 0 else []
        at = draw(st.integers(0, 5))  # clocks are wrong now and then
        link = CommitLink(700 - number, _sha(number), tuple(map(_sha, parents + absent)), at)
        links[link.sha] = link
    return links


def _ancestors(links: dict[Sha, CommitLink], sha: Sha) -> frozenset[int]:
    found: set[Sha] = set()
    waiting = [sha]
    while waiting:
        each = waiting.pop()
        if each in links and each not in found:
            found.add(each)
            waiting += links[each].parents
    return frozenset(links[each].commit for each in found)


def _sides(links: dict[Sha, CommitLink]) -> tuple[Sides, list[CommitLink]]:
    order = in_order(links)
    return Sides(links, order, {link.sha: at for at, link in enumerate(order)}), order


@given(histories(), st.data())
def test_sides_are_what_ancestry_says_however_they_are_found(
    links: dict[Sha, CommitLink], data: st.DataObject
) -> None:
    sides, order = _sides(links)
    for link in order:
        sides.add(link)
    one, other = (data.draw(st.sampled_from(sorted(links))) for _ in range(2))
    expected = _ancestors(links, one) - _ancestors(links, other)
    assert sides.only_in(one, other) == expected
    sides.forget(data.draw(st.sampled_from([one, other])))  # then both are followed back
    assert sides.only_in(one, other) == expected
    positions = {link.sha: at for at, link in enumerate(order)}
    assert exclusive(links, positions, one, other).ours == expected


def test_a_commit_above_one_that_was_not_added_is_followed_back() -> None:
    chain = {_sha(at): CommitLink(at, _sha(at), (_sha(at - 1),) if at else (), at) for at in range(4)}
    sides, order = _sides(chain)
    for link in order[2:]:
        sides.add(link)
    assert sides.only_in(_sha(3), _sha(1)) == {2, 3}


class _Counting(dict[Sha, CommitLink]):
    """Counts how often a commit's parents are looked up."""

    looks = 0

    def __getitem__(self, sha: Sha) -> CommitLink:
        self.looks += 1
        return super().__getitem__(sha)


def test_a_branch_that_began_long_ago_is_told_from_the_others_without_a_walk_to_its_beginning() -> None:
    count = 3_000
    links = _Counting({_sha(0): CommitLink(0, _sha(0), (), 0)})
    for at in range(1, count):
        links[_sha(at)] = CommitLink(at, _sha(at), (_sha(at - 1),), at)
    topic = CommitLink(count, _sha(count), (_sha(0),), 1)
    links[topic.sha] = topic
    sides, order = _sides(links)
    for link in order:
        sides.add(link)
    links.looks = 0
    assert sides.only_in(topic.sha, _sha(count - 1)) == {count}
    assert sides.only_in(_sha(count - 1), topic.sha) == frozenset(range(1, count))
    assert links.looks == 0
