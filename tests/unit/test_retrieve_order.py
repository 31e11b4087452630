"""The pure steps between lanes and hits: caps, recency, judgement, diversity, pages."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from ohara.errors import QueryError
from ohara.model import ChangeKind, Commit, Filters, HunkId, Mode, Query, QueryClass, Sha
from ohara.query import parse
from ohara.retrieve import cursor
from ohara.retrieve.cursor import Page
from ohara.retrieve.diversify import collapsed, in_order, one_for_each_commit
from ohara.retrieve.hits import telling_symbol
from ohara.retrieve.lanes.commit import FLOOR as COMMIT_FLOOR
from ohara.retrieve.lanes.vector import FLOOR as VECTOR_FLOOR
from ohara.retrieve.listing import Entry, grouped, merged
from ohara.retrieve.pool import pool, with_priors
from ohara.retrieve.priors import BOT, DOCS, TESTS, WIDE, Priors, Touched, recency_factor
from ohara.retrieve.profile import DEFAULT, REFERENCE, lane_weights
from ohara.retrieve.ranking import (
    HUNKS_PER_COMMIT,
    Candidate,
    Ranking,
    ScoredHunk,
    capped,
    ordered,
    ranking,
    spread,
)
from ohara.store.answers import StoredHunk

NOW = 1_700_000_000
DAY = 86_400
EVEN = lane_weights(vector=1.0, text=1.0, symbol=1.0, commit=1.0)


def sha(digit: str) -> Sha:
    return Sha(digit * 40)


def commit(digit: str = "a", *, days: float = 0, author: str = "Ada") -> Commit:
    moment = int(NOW - days * DAY)
    return Commit(sha(digit), (), author, "a@example.org", moment, 0, moment, 0, "Do it\n")


def row(
    hunk: int, of: Commit | None = None, *, path: str = "src/a.py", content: int | None = None
) -> StoredHunk:
    return StoredHunk(
        hunk=HunkId(hunk),
        commit_id=1,
        commit=of or commit(),
        content=content,
        path=path,
        old_path=None,
        language="python",
        kind=ChangeKind.MODIFIED,
        left_out=None,
        old_start=1,
        new_start=1,
        header="",
        symbols=(),
        body="+x",
    )


def ranked(hunk: int, score: float, of: Commit | None = None, **more: object) -> ScoredHunk:
    by = of or commit()
    one = ScoredHunk(HunkId(hunk), by.committer_time, bytes.fromhex(by.sha), score=score, worth=score)
    return replace(one, **more)  # type: ignore[arg-type]


def asking(text: str, *, now: int = NOW) -> Query:
    return parse(text, now=now)


# -- caps and ties -------------------------------------------------------------------------------


def test_no_commit_fills_a_lane() -> None:
    found = [Candidate(HunkId(place), 10.0 - place, 5, b"big") for place in range(8)]
    found.append(Candidate(HunkId(100), 0.5, 4, b"small"))
    kept = capped(ordered(found), 5)
    assert [placed.hunk for placed in kept] == [0, 1, 2, 100]
    assert HUNKS_PER_COMMIT == 3


def test_equal_scores_go_to_the_newest_then_by_name_then_by_place() -> None:
    found = [
        Candidate(HunkId(4), 1.0, 10, b"a"),
        Candidate(HunkId(3), 1.0, 20, b"a"),
        Candidate(HunkId(2), 1.0, 20, b"b"),
        Candidate(HunkId(1), 1.0, 20, b"b"),
        Candidate(HunkId(5), 2.0, 1, b"c"),
    ]
    assert [placed.hunk for placed in ordered(found)] == [5, 1, 2, 3, 4]
    assert ordered(found) == ordered(reversed(found))


def test_a_pinned_hunk_survives_a_lane_full_of_better_scores() -> None:
    found = [Candidate(HunkId(place), 9.0, 1, bytes([place])) for place in range(5)]
    found.append(Candidate(HunkId(50), 0.1, 1, b"x"))
    answer = ranking("text", found, 3, pinned=[HunkId(50), HunkId(60)])
    assert answer.candidates[0].hunk == 50
    assert answer.pinned == {50}
    assert len(answer.candidates) == 3
    assert answer.candidates[0].sha == b"x"


# -- recency -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("age_days", "gain"), [(0, 1.0), (90, math.exp(-1)), (900, math.exp(-10)), (-400, 1.0)]
)
def test_recency_fades_over_a_quarter_and_never_rewards_the_future(age_days: int, gain: float) -> None:
    factor = recency_factor(NOW - age_days * DAY, now=NOW, weight=0.05)
    assert factor == pytest.approx(1 + 0.05 * gain)


def test_recency_without_weight_changes_nothing() -> None:
    assert recency_factor(NOW, now=NOW, weight=0.0) == 1.0


# -- the pool ------------------------------------------------------------------------------------


def lane(
    name: str, *found: tuple[int, float], commits: dict[int, bytes] | None = None, pinned: int = 0
) -> Ranking:
    owners = commits or {}
    return Ranking(
        name,
        tuple(
            Candidate(HunkId(hunk), score, 0, owners.get(hunk, str(hunk).encode())) for hunk, score in found
        ),
        frozenset({HunkId(pinned)}) if pinned else frozenset(),
    )


def test_pinned_hunks_stand_above_all_others_in_the_pool() -> None:
    text = lane("text", (1, 9.0), (2, 8.0), (3, 0.1), pinned=3)
    assert [one.hunk for one in pool([text], EVEN, DEFAULT, 10)] == [3, 1, 2]
    assert [one.hunk for one in pool([text], EVEN, DEFAULT, 1)] == [3]


def test_a_commit_gives_the_pool_at_most_three_hunks() -> None:
    crowd = dict.fromkeys(range(1, 7), b"one")
    text = lane("text", *((hunk, 10.0 - hunk) for hunk in range(1, 7)), (7, 0.5), commits=crowd)
    assert [one.hunk for one in pool([text], EVEN, DEFAULT, 10)] == [1, 2, 3, 7]
    assert len(pool([text], EVEN, DEFAULT, 10, per_commit=10)) == 7


def test_what_only_the_vector_lane_found_must_be_near() -> None:
    near = lane("vector", (1, VECTOR_FLOOR + 0.01), (2, VECTOR_FLOOR - 0.01), (3, VECTOR_FLOOR - 0.01))
    text = lane("text", (3, 1.0))
    assert {one.hunk for one in pool([near, text], EVEN, DEFAULT, 10)} == {1, 3}


def test_what_only_vectors_found_must_be_near_by_one_of_them() -> None:
    near = lane("vector", (1, VECTOR_FLOOR - 0.01), (2, VECTOR_FLOOR - 0.01))
    whole = of_commits((1, COMMIT_FLOOR + 0.01), (2, COMMIT_FLOOR - 0.01), (3, COMMIT_FLOOR - 0.01))
    assert {one.hunk for one in pool([near, whole], EVEN, DEFAULT, 10)} == {1}


def of_commits(*found: tuple[int, float], commits: dict[int, bytes] | None = None) -> Ranking:
    return replace(lane("commit", *found, commits=commits), of_commits=True)


def test_a_commits_score_is_given_to_all_its_hunks_that_were_found() -> None:
    owners = {1: b"one", 2: b"one", 3: b"two", 8: b"one", 9: b"three"}
    text = lane("text", (1, 9.0), (3, 8.0), (2, 7.0), commits=owners)
    near = lane("vector", (2, 0.9), commits=owners)
    whole = of_commits((8, 0.8), (9, 0.7), commits=owners)
    kept_near, kept_text, given = spread([near, text, whole])
    assert (kept_near, kept_text) == (near, text)
    assert [(one.hunk, one.score) for one in given.candidates] == [(2, 0.8), (1, 0.8), (9, 0.7)]
    assert {one.hunk: one.sha for one in given.candidates} == {1: b"one", 2: b"one", 9: b"three"}


def test_a_near_commit_lifts_its_hunks_above_others() -> None:
    text = lane("text", (1, 1.0), (2, 0.9), (3, 0.1))
    whole = of_commits((2, 0.9), (3, 0.5))
    assert [one.hunk for one in pool([text], EVEN, DEFAULT, 10)] == [1, 2, 3]
    lifted = pool([text, whole], EVEN, DEFAULT, 10)
    assert [one.hunk for one in lifted] == [2, 1, 3]
    assert lifted[0].lanes == {"text": 2, "commit": 1}


def test_the_pool_says_where_each_lane_had_a_hunk() -> None:
    near, text = lane("vector", (1, 0.9), (2, 0.8)), lane("text", (2, 5.0))
    by_hunk = {one.hunk: one for one in pool([near, text], EVEN, REFERENCE, 10)}
    assert by_hunk[HunkId(2)].lanes == {"vector": 2, "text": 1}
    assert by_hunk[HunkId(2)].lane_scores == {"vector": 0.8, "text": 5.0}
    assert by_hunk[HunkId(2)].fused == 1.0
    assert by_hunk[HunkId(1)].fused == pytest.approx((1 / 61) / (1 / 62 + 1 / 61))


def test_relevance_dominates_and_recency_nudges() -> None:
    text = lane("text", (1, 1.0), (2, 0.97), (3, 0.9))
    rows = {
        HunkId(1): row(1, commit("1", days=4_000)),
        HunkId(2): row(2, commit("2", days=0)),
        HunkId(3): row(3, commit("3", days=0)),
    }
    found = with_priors(pool([text], EVEN, DEFAULT, 10), rows, {}, None, now=NOW, recency_weight=0.05)
    assert [one.hunk for one in in_order(found)] == [2, 1, 3]


def test_a_hunk_that_is_gone_meanwhile_is_left_out() -> None:
    text = lane("text", (1, 1.0), (2, 0.9))
    found = with_priors(
        pool([text], EVEN, DEFAULT, 10), {HunkId(2): row(2)}, {}, None, now=NOW, recency_weight=0.0
    )
    assert [one.hunk for one in found] == [2]


# -- judgement -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "worth"),
    [
        ("src/app/main.py", 1.0),
        ("src/latest.py", 1.0),
        ("tests/unit/test_main.py", TESTS),
        ("pkg/server_test.go", TESTS),
        ("web/src/button.spec.ts", TESTS),
        ("src/__tests__/a.tsx", TESTS),
        ("README.md", DOCS),
        ("docs/guide/start.py", DOCS),
        ("CHANGELOG", DOCS),
        ("src/documents.py", 1.0),
    ],
)
def test_paths_are_judged_by_what_they_hold(path: str, worth: float) -> None:
    assert Priors().path(path) == worth


def test_a_commit_is_judged_by_the_best_it_touches() -> None:
    judge = Priors()
    narrow = replace(judge, wide=0.0)
    assert narrow.commit(Touched.of(commit(), ["tests/test_a.py", "docs/a.md", "src/a.py"])) == 1.0
    assert narrow.commit(Touched.of(commit(), ["tests/test_a.py", "docs/a.md"])) == TESTS
    assert narrow.commit(Touched.of(commit(), [])) == 1.0
    assert narrow.commit(Touched.of(commit(author="renovate[bot]"), ["src/a.py"])) == BOT


def test_a_commit_that_sweeps_through_the_tree_counts_less_within_bounds() -> None:
    judge = Priors()
    swept = [Touched.of(commit(), ["src/a.py"] * files) for files in (0, 1, 10, 100, 999, 50_000)]
    counts = list(map(judge.commit, swept))
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 1.0
    assert counts[-1] == counts[-2] == pytest.approx(1.0 - WIDE)


@pytest.mark.parametrize(
    ("query", "judge"),
    [
        ("flaky test for uploads", replace(Priors(), tests=1.0)),
        ("document the retries", replace(Priors(), docs=1.0)),
        ("bump dependencies", replace(Priors(), bot=1.0)),
        ("uploads author:renovate", replace(Priors(), bot=1.0)),
        ("uploads path:vendor/", replace(Priors(), tests=1.0, docs=1.0, generated=1.0)),
        ("reformat with black", replace(Priors(), wide=0.0)),
        ("latest contest", Priors()),
    ],
)
def test_penalties_are_lifted_for_who_asks_for_such_changes(query: str, judge: Priors) -> None:
    assert Priors.of(asking(query)) == judge


# -- diversity -----------------------------------------------------------------------------------


def test_order_is_pins_then_reranked_then_score_then_age_then_name() -> None:
    new, old = commit("b", days=1), commit("a", days=2)
    found = [
        ranked(1, 0.5, old),
        ranked(2, 0.5, new),
        ranked(3, 0.9, old, below=True),
        ranked(4, 0.1, old, pinned=True),
        ranked(5, 0.5, replace(new, sha=sha("c"))),
    ]
    assert [one.hunk for one in in_order(found)] == [4, 5, 2, 1, 3]
    assert in_order(found) == in_order(found[::-1])


def test_a_commit_stands_where_its_best_hunk_stands_and_shows_what_is_worth_most() -> None:
    fix, other = commit("1"), commit("2")
    found = in_order(
        [
            ranked(1, 1.0, fix, worth=0.9),
            ranked(2, 0.95, fix, worth=0.95),
            ranked(3, 0.97, other),
        ]
    )
    shown = one_for_each_commit(found)
    assert [one.hunk for one in shown] == [2, 3]


def test_a_pinned_hunk_is_shown_even_if_another_of_its_commit_is_worth_more() -> None:
    fix = commit("1")
    found = in_order([ranked(1, 0.2, fix, pinned=True), ranked(2, 0.9, fix)])
    assert [one.hunk for one in one_for_each_commit(found)] == [1]


def test_identical_changes_are_shown_once_and_name_the_others() -> None:
    best, same, own = commit("1"), commit("2"), commit("3")
    hits = [
        ranked(1, 0.9, best),
        ranked(2, 0.8, same),
        ranked(3, 0.7, own),
        ranked(4, 0.6, commit("4")),
        ranked(5, 0.5, commit("5")),
    ]
    occurrences = {7: [same.sha, best.sha, own.sha, sha("9")], 8: [own.sha]}
    contents = {HunkId(1): 7, HunkId(2): 7, HunkId(3): 8}  # of the others there are no lines
    kept = collapsed(hits, contents, occurrences)
    assert [one.hunk for one in kept] == [1, 3, 4, 5]
    assert kept[0].also_in == (same.sha, sha("9"))
    assert kept[1].also_in == ()


# -- lists ---------------------------------------------------------------------------------------


def test_a_list_groups_by_commit_and_merges_identical_changes_before_it_is_cut() -> None:
    a, b, c = (bytes.fromhex(sha(each)) for each in "abc")
    found = [Candidate(HunkId(hunk), 0.0, 1, each) for hunk, each in ((1, a), (2, a), (3, b), (4, c))]
    entries = grouped(found)
    assert entries == [Entry(found[0], others=(HunkId(2),)), Entry(found[2]), Entry(found[3])]
    same = frozenset({7})
    assert merged(entries, {a: same, c: same}) == [
        Entry(found[0], others=(HunkId(2),), also_in=(sha("c"),)),
        Entry(found[2]),
    ]
    assert merged(entries, {a: same | {8}, c: same}) == entries


# -- pages ---------------------------------------------------------------------------------------


def test_a_cursor_leads_back_to_its_page() -> None:
    name = cursor.asked(asking("retry"), "default")
    written = cursor.write(Page(10, 5, 1_718_000_000, frozenset({"text"})), name, "state")
    assert cursor.read(written, name, "state") == Page(10, 5, 1_718_000_000, frozenset({"text"}))
    assert written.isascii()
    assert "=" not in written


def test_a_cursor_of_another_query_or_another_index_is_refused() -> None:
    name = cursor.asked(asking("retry"), "default")
    written = cursor.write(Page(10, 5, 1_718_000_000, frozenset({"text"})), name, "state")
    with pytest.raises(QueryError, match="another query"):
        cursor.read(written, cursor.asked(asking("retry author:bob"), "default"), "state")
    with pytest.raises(QueryError, match="another query"):
        cursor.read(written, cursor.asked(asking("retry"), "reference"), "state")
    with pytest.raises(QueryError, match="has changed"):
        cursor.read(written, name, "later")


@pytest.mark.parametrize("text", ["", "x", "é", "WzEsMl0", "eyJhIjoxfQ", "Wy0xLDEsImEiLCJiIl0"])
def test_what_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(QueryError, match="is not a cursor"):
        cursor.read(text, "a", "b")


# -- which symbol is named -----------------------------------------------------------------------


def test_the_symbol_shown_is_the_one_the_query_speaks_of_then_the_innermost() -> None:
    symbols = ("Store", "Store.open", "close_file")
    assert telling_symbol(symbols, ("close",)) == "close_file"
    assert telling_symbol(symbols, ()) == "Store.open"
    assert telling_symbol((), ("close",)) is None


def test_a_class_of_query_has_its_own_weights() -> None:
    assert "vector" not in DEFAULT.weights(QueryClass.PATH)
    assert DEFAULT.weights(QueryClass.PROSE) == DEFAULT.lanes
    assert REFERENCE.weights(QueryClass.SYMBOL) == {"vector": 1.0, "text": 1.0, "symbol": 1.0}
    assert asking("retry").mode is Mode.AUTO
    assert asking("retry").filters == Filters()
