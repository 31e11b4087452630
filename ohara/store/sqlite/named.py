"""What names stand for in the index: commits that speak of an issue, and the changes of a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ohara.model import ChangeKind, HunkId
from ohara.store.answers import PathChange, PlacedHunk
from ohara.store.sqlite.fts_query import word_expression
from ohara.store.sqlite.lane_queries import NEWEST_FIRST, paths_meant

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.store.answers import WordQuery
    from ohara.store.sqlite.filters import HunkFilter
    from ohara.store.sqlite.session import Session

_IN_MESSAGES = """SELECT DISTINCT commits.id, commits.message FROM fts_hunk_text
  JOIN hunk ON hunk.id = fts_hunk_text.rowid JOIN commits ON commits.id = hunk.commit_id
  WHERE fts_hunk_text MATCH ? AND {allowed}"""
_PLACED = "hunk.id, commits.committer_time, commits.sha, coalesce(path.path, '')"
_OF_COMMITS = f"""SELECT {_PLACED} FROM json_each(?) AS asked
  CROSS JOIN hunk ON hunk.commit_id = asked.value CROSS JOIN commits ON commits.id = hunk.commit_id
  LEFT JOIN file ON file.id = hunk.file_id LEFT JOIN path ON path.id = file.path_id
  WHERE {{allowed}} ORDER BY {NEWEST_FIRST}"""
_IN_CHANGES = f"""SELECT {_PLACED} FROM fts_hunk_text
  CROSS JOIN hunk ON hunk.id = fts_hunk_text.rowid CROSS JOIN commits ON commits.id = hunk.commit_id
  LEFT JOIN file ON file.id = hunk.file_id LEFT JOIN path ON path.id = file.path_id
  WHERE fts_hunk_text MATCH ? AND {{allowed}} ORDER BY {NEWEST_FIRST} LIMIT ?"""
_AT_PATHS = f"""SELECT hunk.id, commits.committer_time, commits.sha, path.path, old.path, file.kind FROM file
  CROSS JOIN hunk ON hunk.file_id = file.id CROSS JOIN commits ON commits.id = hunk.commit_id
  JOIN path ON path.id = file.path_id LEFT JOIN path AS old ON old.id = file.old_path_id
  WHERE (file.path_id IN (SELECT value FROM json_each(?))
    OR file.old_path_id IN (SELECT value FROM json_each(?))) AND {{allowed}} ORDER BY {NEWEST_FIRST}"""


def messages_with(session: Session, words: WordQuery, allowed: HunkFilter) -> dict[int, str]:
    """The messages that hold one of the selecting words, by their commit."""
    statement = _IN_MESSAGES.format(allowed=allowed.condition)
    rows = session.rows(statement, (word_expression(words), *allowed.parameters))
    return {row[0]: row[1] for row in rows}


def hunks_of_commits(session: Session, commits: Iterable[int], allowed: HunkFilter) -> list[PlacedHunk]:
    """All hunks of some commits, newest first."""
    statement = _OF_COMMITS.format(allowed=allowed.condition)
    return _placed(session.rows(statement, (json.dumps(list(commits)), *allowed.parameters)))


def changes_with(session: Session, words: WordQuery, allowed: HunkFilter, limit: int) -> list[PlacedHunk]:
    """The hunks that hold one of the selecting words, newest first."""
    statement = _IN_CHANGES.format(allowed=allowed.condition)
    return _placed(session.rows(statement, (word_expression(words), *allowed.parameters, limit)))


def changes_at(session: Session, written: str, allowed: HunkFilter) -> list[PathChange]:
    """Every hunk at the paths that this may mean, on either side of a rename, newest first."""
    asked = json.dumps(list(paths_meant(session, written)))
    rows = session.rows(_AT_PATHS.format(allowed=allowed.condition), (asked, asked, *allowed.parameters))
    return [
        PathChange(HunkId(hunk), time, sha, path, old_path, ChangeKind(kind))
        for hunk, time, sha, path, old_path, kind in rows
    ]


def _placed(rows: Iterable[tuple[int, int, bytes, str]]) -> list[PlacedHunk]:
    return [PlacedHunk(HunkId(hunk), time, sha, path) for hunk, time, sha, path in rows]
