"""Words whose rows are in memory give the hunks and scores that SQLite gives, and are read when they pay."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from ohara.model import Filters
from ohara.retrieve.lanes.text import choose_words
from ohara.retrieve.profile import DEFAULT
from ohara.store.answers import WordQuery
from ohara.store.sqlite import word_memory
from ohara.store.sqlite.filters import EVERYTHING
from ohara.store.sqlite.pool import ReaderPool
from ohara.store.sqlite.reader import Reader
from ohara.words import query_terms
from tests.indexing import index, wholly_indexed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.engine import Engine

QUESTIONS = (
    "retry uploads with backoff",
    "sha256 instead of md5 for the digest of a file",
    "drop python 2 and urllib2",
    "progress of an upload in the terminal",
    "test the cache of tokens",
)


@pytest.fixture(scope="module")
def engine(shared_project: Repo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with wholly_indexed(shared_project, tmp_path_factory.mktemp("words")) as indexed:
        yield indexed


def warm(pool: ReaderPool, words: WordQuery) -> Reader:
    """A reader of a pool that has answered as often as it takes, and has read what the words need."""
    reader = pool.opened()
    for _ in range(word_memory.FIRST_QUESTIONS):
        assert pool.words.of(reader, words, EVERYTHING) is None
    if pool.words.of(reader, words, EVERYTHING) is None:
        assert pool.words.settled(30)
    assert pool.words.of(reader, words, EVERYTHING) is not None
    return reader


@pytest.mark.parametrize("columns", [(), ("added",), ("removed", "message")])
@pytest.mark.parametrize("filters", [Filters(), Filters(paths=("**/*.py",)), Filters(paths=("nowhere/**",))])
def test_memory_and_sqlite_give_the_same_hunks_with_the_same_scores(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, columns: tuple[str, ...], filters: Filters
) -> None:
    database = engine.location.database
    total = 0
    monkeypatch.setattr("ohara.retrieve.lanes.text.SELECTED_ROWS", 20)  # so that common words only score
    monkeypatch.setattr("ohara.retrieve.lanes.text.MOST_ROWS", 40)
    with closing(Reader(database)) as alone, ReaderPool(database) as pool:
        asked = [choose_words(alone, query_terms(question), columns) for question in QUESTIONS]
        assert any(words.common for words in asked)
        with closing(warm(pool, asked[0])) as reader:
            for words in asked:
                allowed = reader.allow(filters)
                assert pool.words.of(reader, words, allowed) is not None
                found = reader.by_words(words, DEFAULT.weightings, allowed, 50)
                expected = alone.by_words(words, DEFAULT.weightings, alone.allow(filters), 50)
                assert [one.at for one in found] == [one.at for one in expected]
                for one, other in zip(found, expected, strict=True):
                    assert one.scores == pytest.approx(other.scores, abs=1e-12)
                total += len(found)
    assert bool(total) == (filters.paths != ("nowhere/**",))


def test_common_words_are_read_behind_the_answer_and_rare_ones_at_once(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = WordQuery(("upload",), ("test", "file"))
    monkeypatch.setattr(word_memory, "READ_AT_ONCE", 0)
    with ReaderPool(engine.location.database) as pool, closing(warm(pool, words)) as reader:
        assert pool.words.of(reader, WordQuery(("retri",)), EVERYTHING) is None
        assert pool.words.settled(30)
        assert pool.words.of(reader, WordQuery(("retri",)), EVERYTHING) is not None
        monkeypatch.setattr(word_memory, "READ_AT_ONCE", 1_000)
        assert pool.words.of(reader, WordQuery(("digest",)), EVERYTHING) is not None
        assert pool.words.of(reader, WordQuery(("two words",)), EVERYTHING) is None  # SQLite knows phrases
        monkeypatch.setattr(word_memory, "MOST_HUNKS", 10)
        assert pool.words.of(reader, words, EVERYTHING) is None  # they would not fit


def test_what_is_new_is_found_though_words_were_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OHARA_HOME", str(tmp_path / "home"))
    with History(tmp_path / "growing") as history:
        history.commit("Begin", {"a.py": "retry = 1\n"})
    words = WordQuery(("retri",))
    with (
        closing(index(history.repo)) as engine,
        ReaderPool(engine.location.database) as pool,
        closing(warm(pool, words)) as reader,
    ):
        before = reader.by_words(words, DEFAULT.weightings, EVERYTHING, 9)
        with history:
            history.commit("More", {"b.py": "retry = 2\n"})
        index(history.repo).close()
        after = reader.by_words(words, DEFAULT.weightings, EVERYTHING, 9)
        assert len(after) == len(before) + 1
        monkeypatch.setattr(word_memory, "_CALM_S", 0.0)
        pool.words.of(reader, words, EVERYTHING)
        assert pool.words.settled(30)
        assert pool.words.of(reader, words, EVERYTHING) is not None
        assert reader.by_words(words, DEFAULT.weightings, EVERYTHING, 9) == after
