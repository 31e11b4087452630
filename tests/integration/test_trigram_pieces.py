"""Pieces of trigrams: merged and searched they say the same, without what was dropped."""

from __future__ import annotations

import random
from contextlib import closing
from typing import TYPE_CHECKING, Any, cast

import pytest

from ohara.errors import IndexCorrupt
from ohara.store.sqlite import trigram_merge
from ohara.store.sqlite.connection import connect_writer
from ohara.store.sqlite.reader import Reader
from ohara.store.sqlite.schema import migrate
from ohara.store.sqlite.trigram_listing import listed_trigrams
from ohara.store.sqlite.trigram_pieces import contents_with_trigrams, piece_numbers, read_dropped
from ohara.store.sqlite.trigram_search import trigram_table
from ohara.store.sqlite.trigram_writer import TrigramWriter
from ohara.store.trigram_codes import codes_of, packed_trigrams
from ohara.store.trigram_query import All, Either

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ohara.store.sqlite.connection import Connection
    from ohara.store.trigram_query import Formula

_WORDS = ("retry", "Retries", "timeout", "backoff", "überall", "上传进度", "x", "")


def _texts(count: int) -> dict[int, str]:
    chance = random.Random(5)  # noqa: S311
    return {number: " ".join(chance.choices(_WORDS, k=6)) for number in range(1, count + 1)}


def _write(connection: Connection, texts: dict[int, str], pieces: int) -> TrigramWriter:
    writer = TrigramWriter(connection)
    numbers = sorted(texts, key=lambda number: (number * 7919) % 101)  # in no order
    for at in range(pieces):
        some = numbers[at::pieces]
        for number, packed in zip(some, packed_trigrams([texts[each] for each in some]), strict=True):
            writer.add(number, packed)
        writer.finish()
    return writer


def _expected(texts: dict[int, str]) -> dict[int, list[int]]:
    return {number: codes_of(text) for number, text in texts.items()}


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    with closing(connect_writer(tmp_path / "index.db")) as made:
        migrate(made)
        yield made


def test_many_pieces_become_one_that_says_the_same(connection: Connection) -> None:
    texts = _texts(300)
    _write(connection, texts, 9)
    assert dict(listed_trigrams(connection)) == _expected(texts)
    trigram_merge.merge_crowded(connection)
    assert len(piece_numbers(connection)) == 1
    assert dict(listed_trigrams(connection)) == _expected(texts)
    assert connection.execute("SELECT count(DISTINCT id >> 32) FROM trigram_block").get == 1


def test_pieces_that_are_large_and_few_are_left_as_they_are(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trigram_merge, "_LARGE", 60)
    texts = _texts(300)
    _write(connection, texts, 3)
    large = piece_numbers(connection)
    small = {1_000 + number: text for number, text in _texts(40).items()}
    _write(connection, small, 4)
    trigram_merge.compact(connection)
    assert piece_numbers(connection)[:3] == large
    assert len(piece_numbers(connection)) == 4
    assert dict(listed_trigrams(connection)) == _expected(texts | small)
    monkeypatch.setattr(trigram_merge, "_MANY", 3)
    trigram_merge.compact(connection)
    assert len(piece_numbers(connection)) == 1
    assert dict(listed_trigrams(connection)) == _expected(texts | small)


def test_a_piece_much_larger_than_the_others_is_left_as_it_is(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(connection, _texts(300), 1)
    large = piece_numbers(connection)
    _write(connection, {1_000 + number: text for number, text in _texts(40).items()}, 4)
    trigram_merge.join(connection)
    assert len(piece_numbers(connection)) == 5
    monkeypatch.setattr(trigram_merge, "_MANY", 4)
    trigram_merge.compact(connection)
    assert piece_numbers(connection)[:1] == large
    assert len(piece_numbers(connection)) == 2


def test_trigrams_of_a_long_history_are_not_joined_beside_other_work(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = _texts(90)
    _write(connection, texts, 3)
    monkeypatch.setattr(trigram_merge, "_LARGEST_JOINED", 89)
    trigram_merge.join(connection)
    assert len(piece_numbers(connection)) == 3
    monkeypatch.setattr(trigram_merge, "_LARGEST_JOINED", 90)
    trigram_merge.join(connection)
    assert len(piece_numbers(connection)) == 1
    assert dict(listed_trigrams(connection)) == _expected(texts)


def test_what_was_dropped_goes_and_what_comes_again_stays(connection: Connection) -> None:
    texts = _texts(120)
    writer = _write(connection, texts, 5)
    gone = list(range(10, 70))
    writer.drop([*gone, 5_000])
    writer.add(12, packed_trigrams(["brand new"])[0])
    assert writer.has(12)
    assert not writer.has(13)
    writer.finish()
    left = {number: text for number, text in texts.items() if number not in gone} | {12: "brand new"}
    assert dict(listed_trigrams(connection)) == _expected(left)
    assert sorted(contents_with_trigrams(connection)) == sorted(left)
    trigram_merge.tidy(connection)
    assert dict(listed_trigrams(connection)) == _expected(left)
    trigram_merge.merge_all(connection)
    assert dict(listed_trigrams(connection)) == _expected(left)
    assert read_dropped(connection) == {}


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [
        ("ret", ("retr",)),
        (All(("ret", "try")), ("retry",)),
        (Either(("tim", "上传进")), ("timeout", "上传进度")),
        (All((Either(("ies", "out")), "ack")), ("ies+backoff", "out+backoff")),
        ("zzz", ()),
        (All(("ret", "zzz")), ()),
    ],
)
def test_a_search_finds_the_contents_that_hold_a_formula(
    connection: Connection, tmp_path: Path, formula: Formula, wanted: tuple[str, ...]
) -> None:
    texts = _texts(200)
    _write(connection, texts, 3)
    with closing(Reader(tmp_path / "index.db")) as reader, reader.snapshot():
        asked = cast("Any", trigram_table(reader, formula).parameters)
        found = {row[0] for row in reader.connection.execute("SELECT value FROM json_each(?)", asked)}
    expected = {
        number
        for number, text in texts.items()
        if any(all(part in text.lower() for part in one.split("+")) for one in wanted)
    }
    assert found == expected


def test_a_damaged_block_is_told(connection: Connection, tmp_path: Path) -> None:
    _write(connection, _texts(50), 1)
    connection.execute("UPDATE trigram_block SET bytes = zeroblob(length(bytes))")
    with closing(Reader(tmp_path / "index.db")) as reader, pytest.raises(IndexCorrupt, match="is damaged"):
        trigram_table(reader, "ret")
