"""On which side of a change a description of a removal looks for its words."""

from __future__ import annotations

import pytest

from ohara.model import ChangeKind, Commit, HunkId, Sha
from ohara.query.intent import describes_removal
from ohara.retrieve.profile import DEFAULT
from ohara.retrieve.ranking import ScoredHunk
from ohara.retrieve.removals import SIDE, by_side
from ohara.store.answers import StoredHunk
from ohara.words import query_terms

WORDS = query_terms("Remove the deprecated nodeid property from collectors")


@pytest.mark.parametrize(
    "words",
    [
        "Remove usage of parser module, deprecated in Python 3.9.",
        "Support for Python 3.9 is dropped following its end of life.",
        "The pytest.Instance collector type has been removed. Importing it emits a warning.",
        "breaking: drop support for node 16 and its workarounds",
        "feat(http)!: removed the legacy transport entirely",
        "[chore] Delete the unused helper of the exporter",
        "Finally removes the shim for old callers",
        "Removal of the 301 redirect cache. This improves thread-safety",
    ],
)
def test_a_removal_is_described(words: str) -> None:
    assert describes_removal(words)


@pytest.mark.parametrize(
    "words",
    [
        "Fix a crash when the removed item is still selected",
        "Dropdown menus close when the window loses focus",
        "Required options will no longer prevent using --help",
        "Add a command that removes stale entries from the cache",
        "Warn when a deleted fixture is requested",
        "",
    ],
)
def test_nothing_is_said_to_be_removed(words: str) -> None:
    assert not describes_removal(words)


def _hunk(number: int, fused: float) -> ScoredHunk:
    return ScoredHunk(HunkId(number), 0, bytes(20), fused=fused)


def _row(number: int, body: str) -> StoredHunk:
    commit = Commit(Sha(f"{number:040x}"), (), "Ada", "ada@example.org", 0, 0, 0, 0, "fix")
    return StoredHunk(
        HunkId(number), number, commit, number, "a.py", None, None, ChangeKind.ADDED, None, 1, 1, "", (), body
    )  # fmt: skip


def _fused(*bodies: tuple[float, str]) -> list[float]:
    pooled = [_hunk(number, fused) for number, (fused, _) in enumerate(bodies)]
    rows = {HunkId(number): _row(number, body) for number, (_, body) in enumerate(bodies)}
    return [one.fused for one in by_side(pooled, rows, WORDS)]


def test_the_change_that_took_the_lines_away_comes_before_the_one_that_brought_them() -> None:
    brought, took = _fused(
        (1.0, "+def nodeid(self):\n+    deprecated()"), (0.8, "-def nodeid(self):\n-    deprecated()")
    )
    assert took == 1.0
    assert brought < 0.95


def test_what_stands_on_both_sides_or_beside_them_leans_to_none() -> None:
    lines = "-    nodeid = deprecated(one)\n+    nodeid = deprecated(two)\n property of collectors"
    assert _fused((1.0, lines), (0.5, lines)) == [1.0, 0.5]


def test_what_the_description_does_is_not_what_it_is_done_to() -> None:
    assert _fused((1.0, "+    remove(item)"), (0.9, "-    remove(item)")) == [1.0, 0.9]


def test_a_hunk_is_moved_by_a_bounded_share() -> None:
    brought, other = _fused((0.1, "+deprecated nodeid property"), (1.0, "+something else"))
    assert other == 1.0
    assert 0.0 < brought <= 0.1
    took, _ = _fused((0.5, "-deprecated nodeid property"), (1.0, "+something else"))
    assert 0.5 < took <= 0.5 + SIDE


def test_a_hunk_that_was_removed_meanwhile_is_left_out() -> None:
    assert by_side([_hunk(7, 1.0)], {}, WORDS) == []


def test_removed_lines_count_as_added_ones_where_a_removal_is_looked_for() -> None:
    even = DEFAULT.on_both_sides()
    assert [weights[4] for weights, _ in even.weightings] == [1, 0, 1]
    assert even.commit_weighting[4] == even.commit_weighting[3]
    assert [weights[:4] for weights, _ in even.weightings] == [
        weights[:4] for weights, _ in DEFAULT.weightings
    ]
