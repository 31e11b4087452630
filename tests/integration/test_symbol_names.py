"""Symbols ranked by names in memory are those that FTS5 finds, with its scores, also after some went."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import pytest

from ohara.store.sqlite.reader import Reader
from ohara.store.sqlite.shared_memory import SharedMemory
from ohara.store.sqlite.symbol_names import _varints, open_vocabulary, ranked
from ohara.store.sqlite.writer import INSERT_NAME, Writer
from tests.indexing import index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fixtures.git import Repo

WEIGHTS = (0.5, 3.0, 0.5)
QUESTIONS = (
    ("retri", "config"),
    ("function", "test", "load", "no_such_word"),
    ("class",),
    ("no_such_word",),
    ("cart", "checkout", "total", "price", "apply", "discount"),
)


def knows_lengths(reader: Reader) -> bool:
    return any("lengths of names" in key for key in reader._memory._kept if isinstance(key, tuple))


def asked_twice(reader: Reader, words: Sequence[str], limit: int) -> tuple[list[tuple[int, float]], ...]:
    """What FTS5 says, which the first question goes to, and what is said to the second."""
    reader._memory.forget()
    first = reader.symbols_by_words(words, WEIGHTS, limit)
    assert not knows_lengths(reader)
    second = reader.symbols_by_words(words, WEIGHTS, limit)
    assert knows_lengths(reader)
    return first, second


def assert_alike(reader: Reader) -> int:
    found = 0
    for words in QUESTIONS:
        for limit in (3, 1_000):
            first, second = asked_twice(reader, words, limit)
            assert [symbol for symbol, _ in second] == [symbol for symbol, _ in first]
            assert [score for _, score in second] == pytest.approx([score for _, score in first], abs=1e-12)
            found += len(first)
    return found


def test_the_second_question_is_answered_as_the_first(small_project: Repo) -> None:
    database = index(small_project).location.database
    reader = Reader(database)
    before = assert_alike(reader)
    assert before > 30
    gone = [symbol for symbol, _ in reader.symbols_by_words(("function",), WEIGHTS, 1_000)][::2]
    with Writer(database, passes=frozenset()) as writer:
        writer.begin()
        writer.drop_symbol_words(gone)
        writer.commit()
    assert assert_alike(reader) < before
    reader.close()


def test_what_an_older_snapshot_shows_is_not_told_of_a_later_one(small_project: Repo) -> None:
    database = index(small_project).location.database
    memory = SharedMemory()
    older, later = Reader(database, memory), Reader(database, memory)
    for reader in (older, later):
        reader.symbols_by_words(("function",), WEIGHTS, 1_000)
        open_vocabulary(reader)
    before = older.symbols_by_words(("function",), WEIGHTS, 1_000)
    last = max(symbol for symbol, _ in before)
    with older.snapshot():
        older.counts()
        with Writer(database, passes=frozenset()) as writer:
            writer.begin()
            added = [(last + 1_000 + each, "function", "function fresh", "") for each in range(3)]
            writer.run_many(INSERT_NAME, added)
            writer.commit()
        later.counts()  # notices it, and has all forgotten
        assert ranked(older, ("function",), WEIGHTS, 1_000) == before
    fresh = Reader(database)
    expected = fresh.symbols_by_words(("function", "fresh"), WEIGHTS, 1_000)
    assert len(expected) == len(before) + 3
    found = ranked(later, ("function", "fresh"), WEIGHTS, 1_000)
    assert [symbol for symbol, _ in found] == [symbol for symbol, _ in expected]
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=1e-12)
    for reader in (older, later, fresh):
        reader.close()


def test_a_reader_that_was_stopped_still_cannot_write(small_project: Repo) -> None:
    reader = Reader(index(small_project).location.database)
    expected = reader.symbols_by_words(("function",), WEIGHTS, 5)
    running: list[str] = []

    def begins(_cursor: apsw.Cursor, statement: str, _: object) -> bool:
        running[:] = [statement]
        return True

    reader.connection.exec_trace = begins
    reader.connection.set_progress_handler(lambda: "VIRTUAL" in running[0], 1)
    with pytest.raises(apsw.InterruptError):
        reader.symbols_by_words(("function",), WEIGHTS, 5)
    reader.connection.set_progress_handler(None)
    reader.connection.exec_trace = None
    assert reader.connection.pragma("query_only") == 1
    second = reader.symbols_by_words(("function",), WEIGHTS, 5)
    assert [symbol for symbol, _ in second] == [symbol for symbol, _ in expected]
    reader.close()


def test_several_words_in_one_stay_one_after_the_other(small_project: Repo) -> None:
    reader = Reader(index(small_project).location.database)
    first = reader.symbols_by_words(("no_such_word here",), WEIGHTS, 5)
    assert reader.symbols_by_words(("no_such_word here",), WEIGHTS, 5) == first == []
    reader.close()


def test_numbers_as_sqlite_writes_them() -> None:
    assert _varints(bytes([5, 0x81, 0x00, 0x81, 0x95, 0x0B])).tolist() == [5, 128, 19_083]
    assert _varints(b"").tolist() == []
