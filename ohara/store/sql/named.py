"""What names stand for in the index: commits that speak of an issue, and the changes of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ohara.model import ChangeKind, HunkId
from ohara.store.answers import PathChange, PlacedHunk
from ohara.store.sql.lane_queries import NEWEST_FIRST, paths_meant
from ohara.store.sql.stored_enum import member

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.store.sql.filters import HunkFilter
    from ohara.store.sql.session import Session

PLACED = "hunk.id, commits.committer_time, commits.sha, coalesce(path.path, '')"
_OF_COMMITS = f"""SELECT {PLACED} FROM numbers(?) AS asked
  CROSS JOIN hunk ON hunk.commit_id = asked.value CROSS JOIN commits ON commits.id = hunk.commit_id
  LEFT JOIN file ON file.id = hunk.file_id LEFT JOIN path ON path.id = file.path_id
  WHERE {{allowed}} ORDER BY {NEWEST_FIRST}"""
_AT_PATHS = f"""SELECT hunk.id, commits.committer_time, commits.sha, path.path, old.path, file.kind FROM file
  CROSS JOIN hunk ON hunk.file_id = file.id CROSS JOIN commits ON commits.id = hunk.commit_id
  JOIN path ON path.id = file.path_id LEFT JOIN path AS old ON old.id = file.old_path_id
  WHERE (file.path_id IN (SELECT value FROM numbers(?))
    OR file.old_path_id IN (SELECT value FROM numbers(?))) AND {{allowed}} ORDER BY {NEWEST_FIRST}"""


def hunks_of_commits(session: Session, commits: Iterable[int], allowed: HunkFilter) -> list[PlacedHunk]:
    """All hunks of some commits, newest first."""
    statement = _OF_COMMITS.format(allowed=allowed.condition)
    return placed(session.rows(statement, (session.listed(commits), *allowed.parameters)))


def changes_at(session: Session, written: str, allowed: HunkFilter) -> list[PathChange]:
    """Every hunk at the paths that this may mean, on either side of a rename, newest first."""
    asked = session.listed(paths_meant(session, written))
    rows = session.rows(_AT_PATHS.format(allowed=allowed.condition), (asked, asked, *allowed.parameters))
    return [
        PathChange(HunkId(hunk), time, sha, path, old_path, member(ChangeKind, kind))
        for hunk, time, sha, path, old_path, kind in rows
    ]


def placed(rows: Iterable[tuple[Any, ...]]) -> list[PlacedHunk]:
    """Hunks with their places, of rows that begin with `PLACED`."""
    return [PlacedHunk(HunkId(hunk), time, sha, path) for hunk, time, sha, path in rows]
