"""How little a message says, and what that lifts."""

from __future__ import annotations

import pytest

from ohara.model import ChangeKind, Commit, HunkId, Sha
from ohara.retrieve.comparing import WordCounts
from ohara.retrieve.lanes.commit_text import CommitTextLane
from ohara.retrieve.ranking import ScoredHunk
from ohara.retrieve.silence import (
    BY_CHANGE,
    BY_MERGE,
    FLAT,
    TITLE_CHARS,
    lifted,
    said_of,
    silence_of,
    titles_of,
)
from ohara.store.answers import StoredHunk
from ohara.store.facts import MESSAGE_WORDS
from ohara.store.message_words import count, words_of

TALKING = [f"teach the parser{n} about nested{n} generators{n}" for n in range(300)]
LAZY = ["fix", "address review comments", "get the nightly build green"] * 100
KNOWN = count([*TALKING, *LAZY])


@pytest.mark.parametrize("message", ["fix", "", "address review comments", "get the nightly build green"])
def test_what_many_messages_say_says_nothing(message: str) -> None:
    assert silence_of(message, KNOWN) > 0.7


def test_three_rare_words_say_enough() -> None:
    assert silence_of("retry uploads with exponential backoff", KNOWN) == 0.0


def test_one_rare_word_says_something() -> None:
    assert 0.5 < silence_of("fix backoff", KNOWN) < 1.0


def test_trailers_addresses_and_the_end_of_a_long_message_are_not_read() -> None:
    signed = "fix\n\nSigned-off-by: Grace Hopper <grace@example.org>\nhttps://example.org/backoff/uploader"
    assert words_of(signed) == words_of("fix")
    assert words_of("fix " * 200 + "uploader") == words_of("fix")


def test_of_a_long_history_some_messages_are_counted_from_all_of_it() -> None:
    many = ["alpha change"] * 15_000 + ["omega change"] * 15_000
    counted = count(many)
    assert counted.of == 30_000
    assert counted.commits == 10_000
    assert counted.counts[next(iter(words_of("alpha")))] == 5_000
    assert counted.counts[next(iter(words_of("omega")))] == 5_000


def test_rare_words_are_not_kept() -> None:
    assert all(held >= 2 for held in KNOWN.counts.values())
    assert "7" not in KNOWN.counts
    assert words_of("parser") < KNOWN.counts.keys()


def test_the_counts_are_the_same_after_they_were_stored() -> None:
    assert MESSAGE_WORDS.read(MESSAGE_WORDS.write(KNOWN)) == KNOWN
    assert MESSAGE_WORDS.read({"commits": "many"}) is None
    assert MESSAGE_WORDS.read(None) is None


def _hunk(number: int, *, fused: float, whole: float) -> ScoredHunk:
    scores = {CommitTextLane.name: whole} if whole else {}
    return ScoredHunk(HunkId(number), 0, bytes(20), fused=fused, lane_scores=scores)


def _row(number: int, message: str) -> StoredHunk:
    commit = Commit(Sha(f"{number:040x}"), (), "Ada", "ada@example.org", 0, 0, 0, 0, message)
    return StoredHunk(
        HunkId(number), number, commit, number, "a.py", None, None, ChangeKind.ADDED, None, 1, 1, "", (), "+x"
    )  # fmt: skip


ROWS = {HunkId(1): _row(1, TALKING[0]), HunkId(2): _row(2, "fix"), HunkId(3): _row(3, "fix")}
SILENCES = {int(number): silence_of(row.commit.message, KNOWN) for number, row in ROWS.items()}


def test_a_silent_commit_is_lifted_by_what_it_did() -> None:
    pooled = [_hunk(1, fused=1.0, whole=4.0), _hunk(2, fused=0.9, whole=4.0), _hunk(3, fused=0.9, whole=1.0)]
    found = {one.hunk: one.fused for one in lifted(pooled, ROWS, SILENCES, {})}
    best = 0.9 + FLAT + BY_CHANGE
    assert found[HunkId(2)] == pytest.approx(1.0)
    assert found[HunkId(1)] == pytest.approx(1.0 / best)
    assert found[HunkId(3)] == pytest.approx((0.9 + FLAT + BY_CHANGE / 4) / best)


def test_a_silent_commit_is_lifted_by_what_its_merge_says() -> None:
    pooled = [_hunk(1, fused=1.0, whole=4.0), _hunk(2, fused=0.9, whole=4.0), _hunk(3, fused=0.9, whole=4.0)]
    found = {one.hunk: one.fused for one in lifted(pooled, ROWS, SILENCES, {1: 1.0, 3: 0.5})}
    best = 0.9 + FLAT + BY_CHANGE + BY_MERGE / 2
    assert found[HunkId(3)] == pytest.approx(1.0)
    assert found[HunkId(2)] == pytest.approx((best - BY_MERGE / 2) / best)
    assert found[HunkId(1)] == pytest.approx(1.0 / best)  # it speaks for itself, whatever its merge says


def test_nothing_is_lifted_where_whole_commits_were_not_looked_at() -> None:
    pooled = [_hunk(1, fused=1.0, whole=0.0), _hunk(2, fused=0.9, whole=0.0)]
    assert list(lifted(pooled, ROWS, SILENCES, {})) == pooled


def test_what_a_message_says_of_a_question_is_counted_by_rarity() -> None:
    counts = WordCounts({"retri": 3, "file": 900}, 1_000)
    said = said_of(
        {1: "Merge pull request #7\n\nRetry uploads", 2: "files", 3: "Files, retried", 4: ""}, counts
    )
    assert said[3] == pytest.approx(1.0)
    assert said[1] > 0.8
    assert said[1] + said[2] == pytest.approx(1.0)
    assert said[4] == 0.0


FORGE = "Merge pull request #7 from ada/uploads\n\nRetry uploads with\nexponential backoff"


def test_silent_commits_are_read_under_the_title_of_their_merge() -> None:
    merges = {1: FORGE, 2: FORGE, 3: "Merge branch 'fix'\n\nfix"}
    assert titles_of(merges, SILENCES, KNOWN) == {2: "Retry uploads with exponential backoff"}


def test_a_merge_that_says_one_line_is_that_line_and_a_long_one_is_cut() -> None:
    line = "Merge retries with exponential backoff for uploads"
    assert titles_of({2: line, 3: line + " and downloads" * 99}, SILENCES, KNOWN) == {
        2: line,
        3: (line + " and downloads" * 99)[:TITLE_CHARS],
    }
