"""Symbols ranked by names in memory are those that FTS5 finds, with its scores, also after some went."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ohara.store.sqlite.reader import Reader
from ohara.store.sqlite.symbol_names import _varints
from ohara.store.sqlite.writer import Writer
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


def asked_twice(reader: Reader, words: Sequence[str], limit: int) -> tuple[list[tuple[int, float]], ...]:
    """What FTS5 says, which the first question goes to, and what is said to the second."""
    reader._memory.forget()
    first = reader.symbols_by_words(words, WEIGHTS, limit)
    assert reader._memory.kept("lengths of names") is None
    second = reader.symbols_by_words(words, WEIGHTS, limit)
    assert reader._memory.kept("lengths of names") is not None
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


def test_several_words_in_one_stay_one_after_the_other(small_project: Repo) -> None:
    reader = Reader(index(small_project).location.database)
    first = reader.symbols_by_words(("no_such_word here",), WEIGHTS, 5)
    assert reader.symbols_by_words(("no_such_word here",), WEIGHTS, 5) == first == []
    reader.close()


def test_numbers_as_sqlite_writes_them() -> None:
    assert _varints(bytes([5, 0x81, 0x00, 0x81, 0x95, 0x0B])).tolist() == [5, 128, 19_083]
    assert _varints(b"").tolist() == []
