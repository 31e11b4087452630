"""What was not read of indexed commits: contents that the clone lacked, files too large, folders left out.

Binary files are told apart: nothing is looked for in those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import Filters, LeftOut, Sha
from ohara.records import replace
from ohara.store.answers import UNRESOLVED, UnreadCommit, UnreadCounts
from ohara.store.sql.filters import compile_filters
from ohara.store.sql.session import SHA_BYTES

if TYPE_CHECKING:
    from ohara.store.answers import ResolvedCommits
    from ohara.store.sql.filters import FilterT
    from ohara.store.sql.session import Session

_REASONS = f"file.left_out IN ('{LeftOut.MISSING.value}', '{LeftOut.OVERSIZED.value}')"  # as schema.py has it
# A later pass that failed ("its symbol pass …") works from what was read.
_OF_READING = "(failure.missing != '' OR failure.reason NOT LIKE 'its % pass %')"
_ANY = f"""SELECT CASE WHEN EXISTS (SELECT 1 FROM file WHERE {_REASONS})
  OR EXISTS (SELECT 1 FROM failure WHERE {_OF_READING}) THEN 1 ELSE 0 END"""
_COMMITS = f"""SELECT sha, committer_time FROM commits WHERE live = 1 AND (
  id IN (SELECT commit_id FROM file WHERE {_REASONS})
  OR sha IN (SELECT sha FROM failure WHERE {_OF_READING}))"""

# Filters stand on a table that is called hunk; what was not read has none, and takes its place here.
_FILES = f"""SELECT file.id AS file_id, file.commit_id AS commit_id, file.path_id AS path_id,
  file.left_out AS reason FROM file WHERE {_REASONS}"""
_WHOLE = f"""SELECT 0 AS file_id, commits.id AS commit_id, 0 AS path_id,
  CASE WHEN failure.missing = '' THEN '' ELSE '{LeftOut.MISSING.value}' END AS reason
  FROM failure CROSS JOIN commits ON commits.sha = failure.sha WHERE {_OF_READING}"""
_LACKED = f"""SELECT commits.id, length(commits.parents), failure.missing, file.old_blob, file.new_blob
  FROM failure CROSS JOIN commits ON commits.sha = failure.sha
  LEFT JOIN file ON file.commit_id = commits.id AND file.left_out = '{LeftOut.MISSING.value}'
  WHERE {_OF_READING}"""
_AMONG = "hunk.commit_id IN (SELECT value FROM numbers(?))"
_COUNTED = f"""SELECT count(DISTINCT commit_id),
  count(DISTINCT CASE WHEN reason = '{LeftOut.MISSING.value}' THEN commit_id END),
  count(DISTINCT CASE WHEN reason = '{LeftOut.OVERSIZED.value}' THEN path_id END),
  count(DISTINCT CASE WHEN reason = '' THEN commit_id END) FROM (
    SELECT hunk.commit_id, hunk.path_id, hunk.reason FROM ({_FILES}) AS hunk WHERE {{files}}
    UNION ALL
    SELECT hunk.commit_id, hunk.path_id, hunk.reason FROM ({_WHOLE}) AS hunk WHERE {{commits}}
  ) AS unread"""

_BINARY = f"""SELECT file.id AS file_id, file.commit_id AS commit_id, file.path_id AS path_id
  FROM file WHERE file.left_out = '{LeftOut.BINARY.value}'"""
_BINARY_FILES = f"""SELECT path.path, counted.changes FROM (
    SELECT hunk.path_id, count(*) AS changes FROM ({_BINARY}) AS hunk WHERE {{}} GROUP BY hunk.path_id
  ) AS counted CROSS JOIN path ON path.id = counted.path_id ORDER BY path.path"""


def is_any(session: Session) -> bool:
    """True when something was not read; found out once for each state of the index."""
    return session.remembered("is any unread", lambda: bool(session.rows(_ANY)[0][0]))


def unread_commits(session: Session) -> list[UnreadCommit]:
    """The commits that were not wholly read."""
    if not is_any(session):
        return []
    return session.remembered(
        "unread commits",
        lambda: [UnreadCommit(Sha(sha.hex()), time) for sha, time in session.rows(_COMMITS)],
    )


def unread(
    session: Session,
    filters: Filters,
    everything: FilterT,
    resolved: ResolvedCommits = UNRESOLVED,
    excluded: ResolvedCommits = UNRESOLVED,
) -> UnreadCounts:
    """How much was not read of what filters let through; `everything` lets all through.

    Which symbols it touched, and what became of its lines, is not known: no such filter leaves it out.
    """
    if not is_any(session):
        return UnreadCounts()
    of_files = replace(filters, symbols=(), not_symbols=())
    of_commits = replace(
        of_files, paths=(), not_paths=(), langs=(), not_langs=(), exts=(), not_exts=(), kinds=(), not_kinds=()
    )
    files, commits = (
        compile_filters(session, each, everything, resolved, excluded) for each in (of_files, of_commits)
    )
    if of_files != of_commits:
        commits = commits.also(_AMONG, session.listed(_lacking_folders(session)))
    statement = _COUNTED.format(files=files.condition, commits=commits.condition)
    found = session.rows(statement, (*files.parameters, *commits.parameters))[0]
    return UnreadCounts(*map(int, found))


def binary_files(
    session: Session,
    filters: Filters,
    everything: FilterT,
    resolved: ResolvedCommits = UNRESOLVED,
    excluded: ResolvedCommits = UNRESOLVED,
) -> dict[str, int]:
    """The binary files that filters let through, and how many changes of each."""
    within = replace(filters, symbols=(), not_symbols=())
    allowed = compile_filters(session, within, everything, resolved, excluded)
    rows = session.rows(_BINARY_FILES.format(allowed.condition), allowed.parameters)
    return {path: int(changes) for path, changes in rows}


def _lacking_folders(session: Session) -> list[int]:
    """The commits that lack more than the contents of known files: folders, whose files may be any."""
    return session.remembered("unread folders", lambda: _folders_lacked(session))


def _folders_lacked(session: Session) -> list[int]:
    lacked: dict[int, set[str]] = {}
    merges: set[int] = set()
    for commit, parents, missing, *blobs in session.rows(_LACKED):
        named = {blob.hex() for blob in blobs if blob is not None}
        # Of a merge's file more versions are read than the two that are kept with it.
        if named and parents > SHA_BYTES:
            merges.add(commit)
        lacked.setdefault(commit, set(missing.split()) or {""}).difference_update(named)
    return sorted(commit for commit, objects in lacked.items() if objects and commit not in merges)
