"""Stores where lines went: how commits ended them, and where they stand in HEAD's files."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ohara.store.sqlite.connection import translated

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.store.lines import DerivedLines, HeadVersion
    from ohara.store.sqlite.writer import Writer

_INSERT_END = "INSERT OR REPLACE INTO line_end VALUES(?,?,?,?,?,?,?,?)"
_INSERT_COUNT = "INSERT OR REPLACE INTO line_count VALUES(?,?)"
_INSERT_MERGED = "INSERT OR REPLACE INTO merged_file VALUES(?,?,?)"
_INSERT_VERSION = "INSERT INTO head_version(path_id, blob, commit_id) VALUES(?,?,?) RETURNING id"
_INSERT_LINE = "INSERT INTO head_line VALUES(?,?,?,?,?,?)"
_VERSIONS = "SELECT head_version.id, path.path, blob FROM head_version JOIN path ON path.id = path_id"
_DELETE_LINES = "DELETE FROM head_line WHERE version_id = ?"
_DELETE_VERSION = "DELETE FROM head_version WHERE id = ?"


class LineRows:
    """The writer's rows about lines."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def write(self, derived: Sequence[DerivedLines]) -> None:
        """Add what commits ended."""
        self._writer.begin()
        connection = self._writer.connection
        with translated(self._writer.path):
            for commit in derived:
                connection.executemany(
                    _INSERT_END,
                    [
                        (end.hunk, end.first, end.lines, end.solid, end.commit, int(end.how), *end[6:])
                        for end in commit.ends
                    ],
                )
                connection.executemany(_INSERT_COUNT, commit.counts)
                for path, blob in commit.merged:
                    row = (commit.commit_id, self._writer.rows.path_id(path), bytes.fromhex(blob))
                    connection.execute(_INSERT_MERGED, row)
                self._writer.hunks_pending += 1 + len(commit.ends) // 8

    def replace_head(self, added: Iterable[HeadVersion], kept: Iterable[tuple[str, str]]) -> None:
        """Make some versions HEAD's beside those that it still has; all others go."""
        self._writer.begin()
        connection = self._writer.connection
        wanted = set(kept)
        with translated(self._writer.path):
            rows = cast("list[tuple[int, str, bytes]]", connection.execute(_VERSIONS).fetchall())
            for version, path, blob in rows:
                if (path, blob.hex()) not in wanted:
                    connection.execute(_DELETE_LINES, (version,))
                    connection.execute(_DELETE_VERSION, (version,))
            for each in added:
                self._add(each)

    def _add(self, head: HeadVersion) -> None:
        connection = self._writer.connection
        path = self._writer.rows.path_id(head.path)
        version = connection.execute(_INSERT_VERSION, (path, bytes.fromhex(head.blob), head.made_by)).get
        at = 0
        rows: list[tuple[int, int, int, int, int, int]] = []
        for count, hunk, first in head.segments:
            if hunk:
                solid = count - sum(1 for line in range(at, at + count) if line in head.blank)
                rows.append((hunk, version, at + 1, count, solid, first))
            at += count
        connection.executemany(_INSERT_LINE, rows)
        self._writer.hunks_pending += 1
