"""Words that are made again leave nothing behind that questions wait for, also where that is interrupted."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

import pytest

from fixtures import histories
from ohara.engine import Engine
from ohara.index import stages
from ohara.index.job import IndexOptions
from ohara.model import Pass
from ohara.store.facts import FINGERPRINT
from ohara.store.sqlite import word_merge
from ohara.store.sqlite.connection import connect_reader
from ohara.store.sqlite.word_pieces import hunks_with_words, read_dropped, read_pieces
from ohara.store.sqlite.writer import Writer
from tests.conformance.histories import commit
from tests.indexing import facts_of, facts_of_a_fresh_index, index

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.model import Progress

_COMMITS = 300  # which later passes do in three tasks
_WORDS = IndexOptions(passes=frozenset({Pass.TEXT}), lock_wait_s=10)
_MOST_FILES = "part_0*.py,part_10.py,part_11.py"  # of twenty

_MESSAGE_HUNKS = "SELECT id FROM hunk ORDER BY id"


class _Kept(NamedTuple):
    """In how many pieces words are kept, and how many hunks were dropped of which pieces still speak."""

    pieces: int
    dropped: int


def _kept(repo: Repo) -> _Kept:
    with closing(connect_reader(Engine.open(repo.path).location.database)) as connection:
        return _Kept(len(read_pieces(connection)), len(read_dropped(connection).hunks))


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """An index of short batches, which are merged by nothing but a compaction."""
    monkeypatch.setattr(stages, "_FIRST_BATCH_HUNKS", 5)
    monkeypatch.setattr(stages, "_AWAITED_BATCH_HUNKS", 10)
    monkeypatch.setattr(stages, "LARGEST_BATCH_HUNKS", 10)
    monkeypatch.setattr(word_merge, "_ALIKE", 100)
    repo = histories.many_commits(tmp_path / "many", _COMMITS)
    index(repo, _WORDS)
    return repo


def _outdate_words(repo: Repo) -> None:
    with Writer(Engine.open(repo.path).location.database, passes=_WORDS.passes) as writer:
        made_with = writer.fact(FINGERPRINT)
        assert made_with is not None
        writer.record(FINGERPRINT, replace(made_with, words=0))
        writer.commit()


def _stop_when(repo: Repo, is_time: Callable[[Progress], bool]) -> None:
    stop = Event()
    for progress in Engine.open(repo.path).index(replace(_WORDS, stop=stop)):
        if progress.stage is Pass.TEXT and is_time(progress):
            stop.set()
    assert stop.is_set()


def _half_way(progress: Progress) -> bool:
    return progress.done >= progress.total // 2


def _at_the_end(progress: Progress) -> bool:
    return progress.done == progress.total


@pytest.mark.parametrize("is_time", [_half_way, _at_the_end])
def test_words_of_a_new_version_are_compacted_by_the_run_that_ends_them(
    repo: Repo, is_time: Callable[[Progress], bool]
) -> None:
    before = facts_of(Engine.open(repo.path))
    _outdate_words(repo)
    _stop_when(repo, is_time)
    assert _kept(repo).pieces > 1
    assert facts_of(index(repo, _WORDS)) == before
    assert _kept(repo) == _Kept(pieces=1, dropped=0)


def test_words_of_paths_that_were_judged_again_are_compacted(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OHARA_INDEX_IGNORE", _MOST_FILES)
    made = facts_of(index(repo, _WORDS))
    assert _kept(repo) == _Kept(pieces=1, dropped=0)
    assert made == facts_of_a_fresh_index(repo, tmp_path / "other", monkeypatch, _WORDS)


def test_a_run_that_finds_all_words_made_again_compacts_them(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run that made them had no time left for it."""
    monkeypatch.setenv("OHARA_INDEX_IGNORE", _MOST_FILES)
    _stop_when(repo, _at_the_end)
    assert _kept(repo).dropped >= _COMMITS // 2
    made = facts_of(Engine.open(repo.path))
    assert facts_of(index(repo, _WORDS)) == made
    assert _kept(repo) == _Kept(pieces=1, dropped=0)


def test_a_piece_that_is_left_as_it_is_keeps_no_note_of_what_others_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_merge, "_LARGE", 1)
    with Writer(tmp_path / "index.db", passes=frozenset({Pass.TEXT})) as writer:
        for letters in ("0123456789", "abc", "def"):  # a piece each; without files a commit has one hunk
            writer.add([commit(letter) for letter in letters])
            writer.commit()
        hunks = [row[0] for row in writer.connection.execute(_MESSAGE_HUNKS)]
        first, second = hunks[:10], hunks[10:13]
        writer.begin()
        writer.drop_hunk_words([first[0], *second])
        writer.commit()
        assert writer.upkeep.needs_compaction()
        writer.upkeep.compact()
        assert not writer.upkeep.needs_compaction()
        assert read_dropped(writer.connection).hunks.tolist() == [first[0]]
        assert sorted(hunks_with_words(writer.connection)) == [*first[1:], *hunks[13:]]


def test_pieces_of_which_little_is_left_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_merge, "_LARGE", 3)
    with Writer(tmp_path / "index.db", passes=frozenset({Pass.TEXT})) as writer:
        for letters in ("012", "345", "678"):
            writer.add([commit(letter) for letter in letters])
            writer.commit()
        hunks = [row[0] for row in writer.connection.execute(_MESSAGE_HUNKS)]
        writer.begin()
        writer.drop_hunk_words([hunks[0], hunks[3]])
        writer.commit()
        writer.upkeep.compact()
        assert [size for _, size, _ in read_pieces(writer.connection)] == [3, 4]
        assert sorted(hunks_with_words(writer.connection)) == [*hunks[1:3], *hunks[4:]]
