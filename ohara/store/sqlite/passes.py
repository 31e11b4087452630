"""Which commits a pass has finished, and the rows that the later passes add.

A pass that is stale or new works from stored bodies, commit by commit, newest first; what it writes
for a commit and the mark that the commit is done are in one transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ohara.model import Pass
from ohara.store.facts import HEAD_SYMBOLS
from ohara.store.sqlite.connection import translated
from ohara.store.sqlite.generations import drop_all, ensure_tables
from ohara.store.sqlite.pass_bits import PASS_BITS
from ohara.store.sqlite.row_batch import INSERT_ENCODED, INSERT_LITERAL, INSERT_TEXT
from ohara.store.sqlite.schema import FTS_HUNK_TEXT, FTS_LITERAL
from ohara.store.sqlite.writer import UPDATE_CONTENT_PASSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.store.sqlite.writer import Writer

PENDING = """SELECT id FROM commits WHERE passes < 15 AND passes & ? = 0 AND live = 1
  ORDER BY committer_time DESC, sha"""
COUNT_PENDING = "SELECT count(*) FROM commits WHERE passes < 15 AND passes & ? = 0 AND live = 1"
MARK = "UPDATE commits SET passes = passes | ? WHERE id = ?"
CLEAR_COMMITS = "UPDATE commits SET passes = passes & ~?"
CLEAR_CONTENTS = "UPDATE content SET passes = passes & ~?"
CONTENT_PASSES = "SELECT passes FROM content WHERE id = ?"
DELETE_TEXTS = "DELETE FROM fts_hunk_text WHERE rowid IN (SELECT id FROM hunk WHERE commit_id = ?)"
DELETE_MESSAGE_HUNK = "DELETE FROM hunk WHERE commit_id = ? AND file_id = 0"
INSERT_COMMIT_VECTORS = "INSERT OR REPLACE INTO {table}(id, subject, change) VALUES(?,?,?)"
INSERT_VECTOR = "INSERT INTO {table}(rowid, embedding) VALUES(?, vec_{form}(?))"


class DerivedTexts(NamedTuple):
    """A commit's rows of the text pass, made again from stored bodies."""

    commit_id: int
    rows: tuple[tuple[object, ...], ...]
    message_words: str


class DerivedLiterals(NamedTuple):
    """The changed lines of a commit's contents, and of what their encoded lines consist."""

    commit_id: int
    rows: tuple[tuple[int, str, int | None], ...]


class DerivedVectors(NamedTuple):
    """A commit's vectors: of its contents, its subject and all that it changed, packed as the model's are."""

    commit_id: int
    vectors: tuple[tuple[int, bytes], ...]
    subject: bytes
    change: bytes


def pending(writer: Writer, stage: Pass) -> list[int]:
    """The commits that a pass has still to do, newest first."""
    with translated(writer.path):
        return [row[0] for row in writer.connection.execute(PENDING, (PASS_BITS[stage],))]


def merge_late(writer: Writer, *, late: bool) -> None:
    """Let the word and trigram tables grow in pieces that `compact` merges, or merge them as they come again.

    Merging meanwhile costs a tenth of a first run. A piece is a batch, and queries read a few dozen as well.
    """
    writer.begin()
    with translated(writer.path):
        for table in ("fts_hunk_text", "fts_literal"):
            for setting, value in (("automerge", 0 if late else 4), ("crisismerge", 64 if late else 16)):
                writer.connection.execute(
                    f"INSERT INTO {table}({table}, rank) VALUES(?, ?)", (setting, value)
                )
    writer.commit()


def compact(writer: Writer) -> None:
    """Merge the word and trigram tables into one piece each, faster to read; give the space back."""
    writer.begin()
    with translated(writer.path):
        for table in ("fts_hunk_text", "fts_literal", "fts_symbol_name"):
            writer.connection.execute(f"INSERT INTO {table}({table}) VALUES('optimize')")
    writer.commit()
    with translated(writer.path):
        writer.connection.execute("PRAGMA incremental_vacuum").fetchall()


def count_pending(writer: Writer, stage: Pass) -> int:
    """How many commits a pass has still to do."""
    with translated(writer.path):
        counted: int = writer.connection.execute(COUNT_PENDING, (PASS_BITS[stage],)).get
        return counted


def any_pending(writer: Writer, stage: Pass) -> bool:
    """True when a pass has something left to do."""
    with translated(writer.path):
        return writer.connection.execute(f"{PENDING} LIMIT 1", (PASS_BITS[stage],)).fetchone() is not None


def mark(writer: Writer, stage: Pass, commit_ids: Iterable[int]) -> None:
    """Say that a pass has finished these commits."""
    with translated(writer.path):
        writer.connection.executemany(MARK, [(PASS_BITS[stage], commit_id) for commit_id in commit_ids])


def restart(writer: Writer, stage: Pass) -> None:
    """Forget a pass's rows, so that it begins again."""
    writer.begin()
    execute = writer.connection.execute
    with translated(writer.path):
        execute(CLEAR_COMMITS, (PASS_BITS[stage],))
        match stage:
            case Pass.TEXT:
                execute("DROP TABLE fts_hunk_text")
                execute(FTS_HUNK_TEXT)
            case Pass.LITERAL:
                execute(CLEAR_CONTENTS, (PASS_BITS[stage],))
                execute("DROP TABLE fts_literal")
                execute(FTS_LITERAL)
                execute("DELETE FROM encoded")
            case Pass.SYMBOL:
                for table in (
                    "hunk_symbol",
                    "head_symbol",
                    "head_file",
                    "parsed_blob",
                    "symbol",
                    "fts_symbol_name",
                ):
                    execute(f"DELETE FROM {table}")
                execute("DELETE FROM meta WHERE key = ?", (HEAD_SYMBOLS.name,))
            case Pass.VECTOR:
                drop_all(writer)


def write_texts(writer: Writer, derived: Sequence[DerivedTexts]) -> None:
    """Replace the word rows of some commits."""
    writer.begin()
    connection = writer.connection
    with translated(writer.path):
        for commit in derived:
            connection.execute(DELETE_TEXTS, (commit.commit_id,))
            connection.execute(DELETE_MESSAGE_HUNK, (commit.commit_id,))
            connection.executemany(INSERT_TEXT, commit.rows)
            if not commit.rows:
                writer.add_message_hunk(commit.commit_id, commit.message_words)
            writer.hunks_pending += len(commit.rows) + 1


def write_literals(writer: Writer, derived: Sequence[DerivedLiterals]) -> None:
    """Add the trigrams of contents that have none yet."""
    writer.begin()
    connection = writer.connection
    bit = PASS_BITS[Pass.LITERAL]
    with translated(writer.path):
        for commit in derived:
            for content_id, changed, signs in commit.rows:
                if not connection.execute(CONTENT_PASSES, (content_id,)).get & bit:
                    connection.execute(INSERT_LITERAL, (content_id, changed))
                    if signs is not None:
                        connection.execute(INSERT_ENCODED, (content_id, signs))
                    connection.execute(UPDATE_CONTENT_PASSES, (bit, content_id))
            writer.hunks_pending += len(commit.rows) + 1


def write_vectors(writer: Writer, derived: Sequence[DerivedVectors], dimensions: int, form: str) -> None:
    """Add the vectors of commits, and of contents that have none yet; the form is sqlite-vec's name of it."""
    writer.begin()
    connection = writer.connection
    bit = PASS_BITS[Pass.VECTOR]
    with translated(writer.path):
        contents, commits = ensure_tables(connection, dimensions, form)
        insert = INSERT_VECTOR.format(table=contents, form=form)
        insert_commit = INSERT_COMMIT_VECTORS.format(table=commits)
        for commit in derived:
            for content_id, vector in commit.vectors:
                if not connection.execute(CONTENT_PASSES, (content_id,)).get & bit:
                    if vector:  # a text without a word the model knows has none
                        connection.execute(insert, (content_id, vector))
                    connection.execute(UPDATE_CONTENT_PASSES, (bit, content_id))
            # A commit may come again, when other paths are searched than before.
            connection.execute(
                insert_commit, (commit.commit_id, commit.subject or None, commit.change or None)
            )
            writer.hunks_pending += len(commit.vectors)
