"""Commits in an order in which parents come first, and what brought each of them in."""

from __future__ import annotations

import random

import pytest

from ohara.browse.arrivals import NONE, Tag, arrivals, is_release, pull_request
from ohara.store.graph import ABSENT, CommitGraph, commit_graph


def sha(name: str) -> bytes:
    return name.encode().ljust(20, b".")


def graph(**links: str) -> CommitGraph:
    """Commits by name with the names of their parents, each a second after the one before."""
    return commit_graph(
        (sha(name), time, tuple(map(sha, parents.split())))
        for time, (name, parents) in enumerate(links.items())
    )


def named(found: CommitGraph, at: int) -> str:
    return found.shas[at].rstrip(b".").decode() if at >= 0 else ""


def test_parents_come_before_children_whatever_the_clocks_say() -> None:
    chance = random.Random(5)  # noqa: S311
    shas = [sha(f"c{number}") for number in range(200)]
    commits = [
        (each, chance.randrange(50), tuple(chance.sample(shas[:at], min(at, chance.randrange(3)))))
        for at, each in enumerate(shas)
    ]
    chance.shuffle(commits)
    found = commit_graph(commits)
    assert sorted(found.shas) == sorted(shas)
    assert all(parent < at for at, parents in enumerate(found.parents) for parent in parents)
    assert all(found.shas[found.position[each]] == each for each in shas)
    for each, time, parents in commits:
        at = found.position[each]
        assert found.times[at] == time
        assert [found.shas[parent] for parent in found.parents[at]] == list(parents)


def test_commits_that_do_not_depend_on_each_other_stand_by_their_time() -> None:
    found = graph(a="", b="a", c="a", d="b c", e="gone")
    assert [named(found, at) for at in range(5)] == ["a", "b", "c", "d", "e"]
    assert found.parents[4] == (ABSENT,)


def test_the_innermost_merge_brought_a_commit_in() -> None:
    # p1 and p2 are a pull request into the branch f1, f2, which m merges; t was on the main line itself.
    found = graph(r="", t="r", f1="r", p1="f1", p2="p1", f2="f1 p2", m="t f2", x="m", stray="r")
    came = arrivals(found, found.position[sha("x")], (), lambda _: ())
    merges = {named(found, at): named(found, merge) for at, merge in enumerate(came.merges)}
    assert merges == {
        "r": "",
        "t": "",
        "f1": "m",
        "p1": "f2",
        "p2": "f2",
        "f2": "m",
        "m": "",
        "x": "",
        "stray": "",
    }
    assert came.merges[found.position[sha("stray")]] == NONE


def test_main_merged_into_a_branch_first_keeps_its_own() -> None:
    found = graph(r="", a="r", b="r", back="b a", c="a", m="c back")
    came = arrivals(found, found.position[sha("m")], (), lambda _: ())
    assert {named(found, at): named(found, merge) for at, merge in enumerate(came.merges)} == {
        "r": "", "a": "", "b": "m", "back": "m", "c": "", "m": "",
    }  # fmt: skip


def test_the_first_release_that_holds_a_commit_is_told_also_from_branches_that_are_not_indexed() -> None:
    found = graph(a="", b="a", c="b", d="c", e="d")
    outside = {sha("r1"): [sha("b")], sha("r2"): [sha("r1"), sha("c")]}
    tags = [
        Tag("v1.0", sha("r1"), 10),
        Tag("v1.1rc1", sha("b"), 2),
        Tag("v1.1", sha("r2"), 11),
        Tag("v2.0.dev0", sha("d"), 4),
        Tag("v0.9", sha("a"), 1),
    ]
    came = arrivals(found, None, tags, lambda each: outside[each])
    assert list(came.tags) == ["v0.9", "v1.0", "v1.1", "v2.0.dev0", None]


@pytest.mark.parametrize(
    ("tag", "release"),
    [
        ("v1.2.3", True),
        ("8.0.0", True),
        ("release-2024.1", True),
        ("go/v1.4", True),
        ("v3", True),
        ("8.0.0.dev0", False),
        ("7.0.0rc1", False),
        ("v2.0-beta", False),
        ("v2.0.0-alpha.1", False),
        ("1.0a1", False),
        ("nightly", False),
        ("before-the-move", False),
    ],
)
def test_which_tags_are_releases(tag: str, release: bool) -> None:
    assert is_release(tag) is release


@pytest.mark.parametrize(
    ("message", "number"),
    [
        ("Merge pull request #42 from me/topic\n\nFix it", 42),
        ("Fix it (#42)\n\nLong", 42),
        ("Merge branch 'x' into 'main'\n\nFix\n\nSee merge request group/it!42", 42),
        ("Merged PR 42: Fix it", 42),
        ("Merged in topic (pull request #42)", 42),
        ("Fix #42", None),
        ("Merge 3 files", None),
        ("", None),
    ],
)
def test_the_pull_request_that_a_message_names(message: str, number: int | None) -> None:
    assert pull_request(message) == number
