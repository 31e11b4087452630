"""Vectors read in bulk are those that sqlite-vec gives one by one, also after some were taken away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ohara.index.job import IndexOptions
from ohara.store.sqlite.generations import delete_vectors
from ohara.store.sqlite.nearest import commit_blocks, vector_blocks
from ohara.store.sqlite.reader import Reader
from ohara.store.sqlite.writer import Writer
from tests.indexing import index

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.model import VectorBlock


def _in_bulk(database: Path) -> dict[int, bytes]:
    reader = Reader(database)
    generation = reader.generations().current
    assert generation is not None
    found = _by_owner(vector_blocks(reader, generation.table))
    reader.close()
    return found


def _by_owner(blocks: Sequence[VectorBlock]) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    for owners, valid, vectors in blocks:
        ids = np.frombuffer(owners, dtype=np.int64).tolist()
        taken = np.unpackbits(np.frombuffer(valid, dtype=np.uint8), bitorder="little").tolist()
        width = len(vectors) // len(ids)
        found.update(
            (content, vectors[at * width : (at + 1) * width])
            for at, (content, is_taken) in enumerate(zip(ids, taken, strict=True))
            if is_taken
        )
    return found


def _one_by_one(database: Path) -> dict[int, bytes]:
    reader = Reader(database)
    found: dict[int, bytes] = dict(reader.rows("SELECT rowid, embedding FROM vec_hunk"))
    reader.close()
    return found


def test_vectors_in_bulk_are_the_vectors(small_project: Repo) -> None:
    database = index(small_project, IndexOptions(lock_wait_s=10)).location.database
    everything = _one_by_one(database)
    assert len(everything) > 50
    assert _in_bulk(database) == everything

    gone = sorted(everything)[3:9]
    with Writer(database, passes=frozenset(), verdict=lambda _: None) as writer:
        writer.begin()
        delete_vectors(writer, gone)
        writer.commit()
    assert _in_bulk(database) == {
        content: vector for content, vector in everything.items() if content not in gone
    }
    assert _in_bulk(database) == _one_by_one(database)


def test_vectors_of_commits_come_in_one_row_for_each_column(small_project: Repo) -> None:
    database = index(small_project, IndexOptions(lock_wait_s=10)).location.database
    with Writer(database, passes=frozenset(), verdict=lambda _: None) as writer:
        writer.begin()
        first, second = (row[0] for row in writer.connection.execute("SELECT id FROM vec_commit LIMIT 2"))
        writer.connection.execute("UPDATE vec_commit SET subject = NULL WHERE id = ?", (first,))
        writer.connection.execute("UPDATE vec_commit SET change = x'' WHERE id = ?", (second,))
        writer.commit()
    reader = Reader(database)
    generation = reader.generations().current
    assert generation is not None
    rows = reader.rows(f"SELECT id, subject, change FROM {generation.commits}")
    subjects, changes = commit_blocks(reader, generation)
    assert len(rows) % 8  # the last places of a block are free
    assert _by_owner([subjects]) == {commit: subject for commit, subject, _ in rows if subject}
    assert _by_owner([changes]) == {commit: change for commit, _, change in rows if change}
    assert (first in _by_owner([subjects]), second in _by_owner([changes])) == (False, False)
    reader.close()
