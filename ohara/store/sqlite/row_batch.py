"""The rows of a batch, table by table, and the statements that insert them: each table is filled by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw

INSERT_COMMIT = """INSERT INTO commits(id, sha, parents, author, author_time, author_offset,
  committer_time, committer_offset, message, passes) VALUES(?,?,?,?,?,?,?,?,?,?)"""
INSERT_FILE = "INSERT INTO file VALUES(?,?,?,?,?,?,?,?,?,?)"
INSERT_HUNK = """INSERT INTO hunk(id, file_id, commit_id, content_id,
  old_start, old_lines, new_start, new_lines, header_id)
  VALUES(?,?,?,?,?,?,?,?,?)"""
INSERT_CONTENT = "INSERT INTO content(id, digest, passes, body) VALUES(?,?,?,?)"
INSERT_TEXT = """INSERT INTO fts_hunk_text(rowid, message, path, header, added, removed, context)
  VALUES(?,?,?,?,?,?,?)"""
INSERT_LITERAL = "INSERT INTO fts_literal(rowid, changed) VALUES(?,?)"
INSERT_ENCODED = "INSERT INTO encoded(content_id, signs) VALUES(?,?)"


class RowBatch:
    """The rows of one call, table by table, so that each table is filled by one statement."""

    def __init__(self) -> None:
        self.commits: list[tuple[object, ...]] = []
        self.files: list[tuple[object, ...]] = []
        self.hunks: list[tuple[object, ...]] = []
        self.contents: list[tuple[object, ...]] = []
        self.texts: list[tuple[object, ...]] = []
        self.literals: list[tuple[object, ...]] = []
        self.encoded: list[tuple[object, ...]] = []
        self.digests: dict[bytes, int] = {}

    def add_literal(self, content_id: int, changed: str, signs: int | None) -> None:
        """The trigrams of a content, and that it has lines without any."""
        self.literals.append((content_id, changed))
        if signs is not None:
            self.encoded.append((content_id, signs))

    def insert(self, connection: apsw.Connection) -> None:
        """Write all rows."""
        for statement, rows in (
            (INSERT_COMMIT, self.commits),
            (INSERT_FILE, self.files),
            (INSERT_CONTENT, self.contents),
            (INSERT_HUNK, self.hunks),
            (INSERT_TEXT, self.texts),
            (INSERT_LITERAL, self.literals),
            (INSERT_ENCODED, self.encoded),
        ):
            if rows:
                connection.executemany(statement, rows)
