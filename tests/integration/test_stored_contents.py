"""How contents are kept: found by the beginnings of digests, compressed by dictionaries that are renewed."""

from __future__ import annotations

import random
from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING

from ohara.model import Pass
from ohara.store.sqlite import commit_rows
from ohara.store.sqlite.connected import Connected
from ohara.store.sqlite.connection import connect_reader, connect_writer
from ohara.store.sqlite.schema import CONTENT_BY_DIGEST, migrate
from ohara.store.sqlite.writer import Writer
from tests.conformance.histories import commit, file, hunk

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

_DICTIONARIES = "SELECT id FROM dictionary ORDER BY id"
_WORDS = ("retry", "canvas", "widget", "request", "timeout", "backoff", "handler", "lattice", "pigeon")


def _bodies(chance: random.Random, count: int) -> list[str]:
    lines = ("+" + " ".join(chance.choices(_WORDS, k=40)) for _ in range(count * 20))
    return ["\n".join(next(lines) for _ in range(20)) for _ in range(count)]


def test_a_dictionary_is_learnt_again_and_all_bodies_stay_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit_rows, "TRAINING_SAMPLES", 100)
    monkeypatch.setattr(commit_rows, "LEARNT_AGAIN", 600)
    chance = random.Random(3)  # noqa: S311
    database = tmp_path / "index.db"
    written: list[str] = []
    for letter in "abcdef":  # two contents in three a run: what is known is read again
        with Writer(database, passes=frozenset({Pass.LITERAL})) as writer:
            for part in range(2):
                bodies = _bodies(chance, 250)
                hunks = (hunk(body, words=False) for body in bodies)
                writer.add([commit(letter, file("a.py", *hunks), first=not part, last=bool(part))])
                written += bodies
            writer.commit()
    with closing(connect_reader(database)) as connection:
        learnt = [row[0] for row in connection.execute(_DICTIONARIES)]
        codec = Connected(database, connection).codec
        stored = [codec.unpack(row[0]) for row in connection.execute("SELECT body FROM content ORDER BY id")]
    assert len(learnt) > 2, learnt
    assert all(later - earlier >= 200 for earlier, later in pairwise(learnt))
    assert stored == written


def test_contents_are_found_by_an_index_in_new_and_former_tables(tmp_path: Path) -> None:
    def plan(database: Path) -> str:
        with closing(connect_reader(database)) as connection:
            return str(connection.execute(f"EXPLAIN QUERY PLAN {CONTENT_BY_DIGEST}", (b"x",)).fetchall())

    new, former = tmp_path / "new.db", tmp_path / "former.db"
    for database in (new, former):
        with closing(connect_writer(database)) as connection:
            migrate(connection)
            if database is former:
                connection.execute("DROP TABLE content")
                connection.execute(
                    """CREATE TABLE content(id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE,
                       passes INTEGER NOT NULL, body BLOB NOT NULL)"""
                )
            connection.execute("INSERT INTO content VALUES(7, x'0102030405060708', 2, x'')")
            connection.execute("INSERT INTO content VALUES(8, x'0102030405060709', 4, x'')")
            found = connection.execute(CONTENT_BY_DIGEST, (bytes.fromhex("0102030405060709"),))
            assert found.fetchall() == [(8, 4)]
    assert "content_by_prefix" in plan(new)
    assert "sqlite_autoindex_content_1" in plan(former)


def test_bodies_that_teach_nothing_are_not_kept_to_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit_rows, "TRAINING_SAMPLES", 100)
    chance = random.Random(4)  # noqa: S311
    database = tmp_path / "index.db"
    tiny = [f"+{number}" for number in range(150)]
    with Writer(database, passes=frozenset({Pass.LITERAL})) as writer:
        writer.add([commit("a", file("a.py", *(hunk(body, words=False) for body in tiny)))])
        writer.commit()
        writer.add([commit("b", file("b.py", *(hunk(body, words=False) for body in _bodies(chance, 150))))])
        writer.commit()
    with closing(connect_reader(database)) as connection:
        assert connection.execute("SELECT count(*) FROM dictionary").get == 1
