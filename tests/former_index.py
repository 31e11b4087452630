"""Turns an index into one of a former version, whose words or trigrams stood in an FTS5 table."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from ohara.index.lines import sides
from ohara.index.rederive import Analysis
from ohara.store.sql.stored_commits import StoredCommits
from ohara.store.sqlite import former_words
from ohara.store.sqlite.connected import Connected
from ohara.store.sqlite.connection import connect_writer
from ohara.store.sqlite.schema import FTS_HUNK_TEXT, FTS_LITERAL
from ohara.store.sqlite.trigram_pieces import TABLES, contents_with_trigrams
from ohara.store.sqlite.word_pieces import hunks_with_words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ohara.store.sqlite.connection import Connection

FORMER_VERSION = 6
_COMMITS = "SELECT id, message FROM commits ORDER BY id"
_MESSAGE_HUNKS = "SELECT id FROM hunk WHERE commit_id = ? AND file_id = 0"


_BODIES = "SELECT id, body FROM content ORDER BY id"
FORMER_TRIGRAMS_VERSION = 7


def make_former_trigrams(database: Path) -> None:
    """Put an index's trigrams into an FTS5 table, those of encoded lines too, and take its lists away."""
    with closing(connect_writer(database)) as connection:
        codec = Connected(database, connection).codec
        spelt = set(contents_with_trigrams(connection))
        bodies = connection.execute(_BODIES).fetchall()
        connection.execute("BEGIN")
        connection.execute(FTS_LITERAL)
        connection.executemany(
            "INSERT INTO fts_literal(rowid, changed) VALUES(?, ?)",
            [
                (content, sides(codec.unpack(body)).changed)
                for content, body in bodies
                if content in spelt and isinstance(body, bytes)
            ],
        )
        for table in TABLES:
            connection.execute(f"DROP TABLE {table}")
        connection.pragma("user_version", FORMER_TRIGRAMS_VERSION)
        connection.execute("COMMIT")


def make_former(database: Path) -> None:
    """Put an index's words into an FTS5 table, and take its postings away."""
    with closing(connect_writer(database)) as connection:
        rows = list(_rows(database, connection))
        connection.execute("BEGIN")
        connection.execute(FTS_HUNK_TEXT)
        connection.executemany(former_words.INSERT, rows)
        for table in ("posting", "word_block", "word_piece", "dropped_words"):
            connection.execute(f"DROP TABLE {table}")
        connection.pragma("user_version", FORMER_VERSION)
        connection.execute("COMMIT")


def _rows(database: Path, connection: Connection) -> Iterator[tuple[object, ...]]:
    stored, analysis = StoredCommits(Connected(database, connection)), Analysis()
    worded = set(hunks_with_words(connection))
    for commit, message in connection.execute(_COMMITS).fetchall():
        said = analysis.message(str(message))
        for hunk in stored.hunks(int(str(commit))):
            if hunk.hunk_id in worded:
                words = analysis.hunk(hunk.path, hunk.header, hunk.body)
                assert words is not None
                yield hunk.hunk_id, said, *words
        for (row,) in connection.execute(_MESSAGE_HUNKS, (commit,)).fetchall():
            if row in worded:
                yield row, said, "", "", "", "", ""
