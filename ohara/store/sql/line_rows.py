"""Stores where lines went: how commits ended them, and where they stand in HEAD's files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.store.lines import DerivedLines, HeadVersion
    from ohara.store.sql.session import Writes

_INSERT_END = """INSERT INTO line_end(hunk_id, first, lines, solid, commit_id, how, to_hunk, to_first)
  VALUES(?,?,?,?,?,?,?,?) ON CONFLICT(hunk_id, first, commit_id) DO UPDATE
  SET lines = excluded.lines, solid = excluded.solid, how = excluded.how,
    to_hunk = excluded.to_hunk, to_first = excluded.to_first"""
_INSERT_COUNT = """INSERT INTO line_count(hunk_id, solid) VALUES(?,?)
  ON CONFLICT(hunk_id) DO UPDATE SET solid = excluded.solid"""
_INSERT_MERGED = "INSERT INTO merged_file(commit_id, path_id, blob) VALUES(?,?,?) ON CONFLICT DO NOTHING"
_INSERT_VERSION = "INSERT INTO head_version(path_id, blob, commit_id) VALUES(?,?,?) RETURNING id"
_INSERT_LINE = """INSERT INTO head_line(hunk_id, version_id, line, lines, solid, first)
  VALUES(?,?,?,?,?,?)"""
_VERSIONS = "SELECT head_version.id, path.path, blob FROM head_version JOIN path ON path.id = path_id"
_DELETE_LINES = "DELETE FROM head_line WHERE version_id = ?"
_DELETE_VERSION = "DELETE FROM head_version WHERE id = ?"


class LineRows:
    """The writer's rows about lines."""

    def __init__(self, writer: Writes) -> None:
        self._writer = writer

    def write(self, derived: Sequence[DerivedLines]) -> None:
        """Add what commits ended."""
        self._writer.begin()
        run_many = self._writer.run_many
        run_many(
            _INSERT_END,
            [
                (end.hunk, end.first, end.lines, end.solid, end.commit, int(end.how), *end[6:])
                for commit in derived
                for end in commit.ends
            ],
        )
        run_many(_INSERT_COUNT, [count for commit in derived for count in commit.counts])
        run_many(
            _INSERT_MERGED,
            [
                (commit.commit_id, self._writer.path_id(path), bytes.fromhex(blob))
                for commit in derived
                for path, blob in commit.merged
            ],
        )
        self._writer.hunks_pending += sum(1 + len(commit.ends) // 8 for commit in derived)

    def replace_head(self, added: Iterable[HeadVersion], kept: Iterable[tuple[str, str]]) -> None:
        """Make some versions HEAD's beside those that it still has; all others go."""
        self._writer.begin()
        wanted = set(kept)
        gone = [
            (version,)
            for version, path, blob in self._writer.rows(_VERSIONS)
            if (path, blob.hex()) not in wanted
        ]
        self._writer.run_many(_DELETE_LINES, gone)
        self._writer.run_many(_DELETE_VERSION, gone)
        for each in added:
            self._add(each)

    def _add(self, head: HeadVersion) -> None:
        path = self._writer.path_id(head.path)
        ((version,),) = self._writer.rows(_INSERT_VERSION, (path, bytes.fromhex(head.blob), head.made_by))
        at = 0
        rows: list[tuple[int, int, int, int, int, int]] = []
        for count, hunk, first in head.segments:
            if hunk:
                solid = count - sum(1 for line in range(at, at + count) if line in head.blank)
                rows.append((hunk, version, at + 1, count, solid, first))
            at += count
        self._writer.run_many(_INSERT_LINE, rows)
        self._writer.hunks_pending += 1
