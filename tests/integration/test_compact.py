"""What a long run leaves behind when it has ended: an index without half-empty pages."""

from __future__ import annotations

from contextlib import closing
from hashlib import blake2b
from typing import TYPE_CHECKING

from ohara.store.sqlite.connection import connect_reader
from ohara.store.sqlite.schema import CONTENT_BY_DIGEST
from ohara.store.sqlite.writer import Writer

if TYPE_CHECKING:
    from pathlib import Path

_UNUSED = "SELECT sum(unused), sum(pgsize) FROM dbstat WHERE name = 'content_by_prefix'"
_ADD = "INSERT INTO content(digest, passes, body) VALUES(?, 0, x'')"
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
