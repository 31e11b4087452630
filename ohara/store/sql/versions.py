"""The versions of files: which change gave a file which content, under every name it has had since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import HunkId, LeftOut
from ohara.store.answers import FileVersion, HunkRange
from ohara.store.sql.lineage import with_later_names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ohara.store.sql.filters import HunkFilter
    from ohara.store.sql.session import Session

_LANGUAGES = (
    "SELECT language, count(*) FROM path WHERE language IS NOT NULL GROUP BY language ORDER BY 2 DESC, 1"
)
_FILES_OF_HUNKS = "SELECT id, file_id FROM hunk WHERE id IN (SELECT value FROM numbers(?)) AND file_id != 0"
_PATHS_OF_FILES = "SELECT DISTINCT path_id FROM file WHERE id IN (SELECT value FROM numbers(?))"
_VERSIONS = """SELECT file.id, commits.id, commits.sha, commits.committer_time, length(commits.parents) > 20,
    path.path, old.path, file.old_blob, file.new_blob,
    coalesce(file.left_out, '') IN ({unread})
  FROM {paths} JOIN path ON path.id = asked.value CROSS JOIN file ON file.path_id = path.id
  CROSS JOIN commits ON commits.id = file.commit_id LEFT JOIN path AS old ON old.id = file.old_path_id
  WHERE commits.live = 1 AND (path.language IN (SELECT value FROM texts(?1))
    OR old.language IN (SELECT value FROM texts(?1)))
  ORDER BY commits.committer_time DESC, commits.sha DESC, file.id"""
_UNREAD = ", ".join(f"'{reason.value}'" for reason in LeftOut if reason.unread)
_SOME = "numbers(?2) AS asked"
_ALL = "(SELECT id AS value FROM path) AS asked"
_HUNKS_IN_FILES = """SELECT file.id, hunk.id, old_start, old_lines, new_start, new_lines
  FROM numbers(?) AS asked CROSS JOIN file ON file.id = asked.value
  CROSS JOIN hunk ON hunk.commit_id = file.commit_id AND hunk.file_id = file.id
  WHERE hunk.content_id IS NOT NULL AND {allowed} ORDER BY hunk.id"""


def languages(session: Session) -> dict[str, int]:
    """How many paths there are in each language, the most first."""
    return dict(session.rows(_LANGUAGES))


def files_of_hunks(session: Session, hunks: Iterable[HunkId]) -> dict[HunkId, int]:
    """The changed file that each hunk is of."""
    return {HunkId(hunk): file for hunk, file in session.rows(_FILES_OF_HUNKS, (session.listed(hunks),))}


def file_versions(
    session: Session, files: Collection[int] | None, in_languages: Collection[str]
) -> list[FileVersion]:
    """Every change of some files under all later names, or of all files; newest first."""
    wanted = session.listed(sorted(in_languages))
    if files is None:
        rows = session.rows(_VERSIONS.format(paths=_ALL, unread=_UNREAD), (wanted,))
    else:
        changed = session.rows(_PATHS_OF_FILES, (session.listed(files),))
        paths = with_later_names(session, {row[0] for row in changed})
        rows = session.rows(
            _VERSIONS.format(paths=_SOME, unread=_UNREAD), (wanted, session.listed(sorted(paths)))
        )
    return [
        FileVersion(
            file,
            commit,
            sha,
            time,
            bool(merge),
            path,
            old_path,
            old and old.hex(),
            new and new.hex(),
            bool(unread),
        )
        for file, commit, sha, time, merge, path, old_path, old, new, unread in rows
    ]


def hunks_in_files(session: Session, files: Iterable[int], allowed: HunkFilter) -> dict[int, list[HunkRange]]:
    """The hunks of changed files that may answer, in order; a file without any has no entry."""
    found: dict[int, list[HunkRange]] = {}
    statement = _HUNKS_IN_FILES.format(allowed=allowed.condition)
    for file, hunk, *lines in session.rows(statement, (session.listed(files), *allowed.parameters)):
        found.setdefault(file, []).append(HunkRange(HunkId(hunk), *lines))
    return found
