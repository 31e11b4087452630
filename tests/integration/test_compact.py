"""What a long run leaves behind when it has ended: an index without half-empty pages."""

from __future__ import annotations

from contextlib import closing
from hashlib import blake2b
from typing import TYPE_CHECKING

from fixtures import histories
from ohara.engine import Engine
from ohara.index import inline, later_passes, stages
from ohara.index.job import IndexOptions
from ohara.model import Pass
from ohara.store.sqlite import trigram_merge, word_merge
from ohara.store.sqlite.connection import connect_reader
from ohara.store.sqlite.schema import CONTENT_BY_DIGEST
from ohara.store.sqlite.trigram_listing import listed_trigrams
from ohara.store.sqlite.writer import Writer
from tests.conformance.histories import commit
from tests.indexing import index

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

_UNUSED = "SELECT sum(unused), sum(pgsize) FROM dbstat WHERE name = 'content_by_prefix'"
_ADD = "INSERT INTO content(digest, passes, body) VALUES(?, 0, x'')"
_PIECES = "SELECT count(*) FROM word_piece"
_TRIGRAM_PIECES = "SELECT count(*) FROM trigram_piece"
_WORDS = "SELECT word, sum(hunks) FROM posting GROUP BY word ORDER BY word"
_SOUND = "PRAGMA integrity_check"


def _digests(count: int) -> list[tuple[bytes]]:
    return [(blake2b(str(number).encode(), digest_size=16).digest(),) for number in range(count)]


def test_indexes_of_what_came_in_no_order_are_filled(tmp_path: Path) -> None:
    database = tmp_path / "index.db"
    with Writer(database, passes=frozenset()) as writer:
        writer.begin()
        writer.connection.executemany(_ADD, _digests(20_000))
        writer.commit()
        unused, size = writer.connection.execute(_UNUSED).get
        assert unused > size / 10
        writer.upkeep.compact()
    with closing(connect_reader(database)) as connection:
        less, smaller = connection.execute(_UNUSED).get
        assert smaller < size
        assert less < smaller / 10
        assert connection.execute(_SOUND).get == "ok"
        found = connection.execute(CONTENT_BY_DIGEST, _digests(2_000)[-1])
        assert found.get == (2_000, 0)


def test_words_and_trigrams_are_joined_while_workers_do_the_later_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of the first passes alone is over sooner; one that has more to do keeps every word once."""
    repo = histories.many_commits(tmp_path / "many", 60)
    monkeypatch.setattr(inline, "SMALL_RUN_COMMITS", 0)
    monkeypatch.setattr(stages, "_FIRST_BATCH_HUNKS", 5)
    monkeypatch.setattr(stages, "_AWAITED_BATCH_HUNKS", 10)
    monkeypatch.setattr(stages, "LARGEST_BATCH_HUNKS", 10)
    monkeypatch.setattr(word_merge, "_ALIKE", 100)
    monkeypatch.setattr(word_merge, "_LARGE", 1)
    monkeypatch.setattr(trigram_merge, "_LARGE", 1)
    monkeypatch.setattr(later_passes, "WORTH_COMPACTING_COMMITS", 50)
    index(repo, IndexOptions(jobs=1, lock_wait_s=10, passes=frozenset({Pass.TEXT, Pass.LITERAL})))
    with closing(connect_reader(Engine.open(repo.path).location.database)) as connection:
        words, trigrams = connection.execute(_WORDS).fetchall(), dict(listed_trigrams(connection))
        assert connection.execute(_PIECES).get > 1
        assert connection.execute(_TRIGRAM_PIECES).get > 1
    index(repo, IndexOptions(jobs=1, lock_wait_s=10))
    with closing(connect_reader(Engine.open(repo.path).location.database)) as connection:
        assert connection.execute(_PIECES).get == 1
        assert connection.execute(_TRIGRAM_PIECES).get == 1
        assert connection.execute(_WORDS).fetchall() == words
        assert dict(listed_trigrams(connection)) == trigrams
        assert connection.execute(_SOUND).get == "ok"


def test_words_of_a_long_history_are_not_joined_beside_other_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_merge, "_LARGEST_JOINED", 2)
    with Writer(tmp_path / "index.db", passes=frozenset({Pass.TEXT})) as writer:
        for letter in "abc":  # commits without files have a hunk for their message
            writer.add([commit(letter)])
            writer.commit()
        list(writer.upkeep.join_pieces())
        assert writer.connection.execute(_PIECES).get == 3
        monkeypatch.setattr(word_merge, "_LARGEST_JOINED", 3)
        list(writer.upkeep.join_pieces())
        assert writer.connection.execute(_PIECES).get == 1
        writer.commit()
