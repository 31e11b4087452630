"""The statements behind following lines: versions of a file, lines of its changes, what HEAD defines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ohara.model import ChangeKind, HunkId
from ohara.store.answers import Definition, HunkBody, PathVersion
from ohara.store.graph import commit_graph as ordered
from ohara.store.sql.filters import is_text, symbol_ids
from ohara.store.sql.stored_enum import member

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ohara.store.graph import CommitGraph
    from ohara.store.sql.session import Session

_LINKS = "SELECT sha, committer_time, parents FROM commits WHERE live = 1"
_VERSION = """file.commit_id, commits.sha, file.id, file.kind, path.path, old.path, file.old_blob,
  file.new_blob"""
_FILES = """FROM file JOIN commits ON commits.id = file.commit_id JOIN path ON path.id = file.path_id
  LEFT JOIN path AS old ON old.id = file.old_path_id"""
_AT_PATH = f"""SELECT {_VERSION} FROM path AS asked CROSS JOIN file ON file.path_id = asked.id
  CROSS JOIN commits ON commits.id = file.commit_id JOIN path ON path.id = file.path_id
  LEFT JOIN path AS old ON old.id = file.old_path_id
  WHERE asked.path = ? AND commits.live = 1 ORDER BY file.id"""
# No table knows files by the name they lost, and few files change their name: all of them are kept.
_RENAMED = f"""SELECT {_VERSION} {_FILES}
  WHERE file.old_path_id IS NOT NULL AND file.old_path_id != file.path_id AND file.kind = 'renamed'
  AND commits.live = 1 ORDER BY file.id"""
# git numbers an empty side by the line above it; a line of it would come after that one.
_BODY = """hunk.id, CASE WHEN hunk.old_lines = 0 THEN hunk.old_start + 1 ELSE hunk.old_start END,
  CASE WHEN hunk.new_lines = 0 THEN hunk.new_start + 1 ELSE hunk.new_start END, content.body"""
_BODIES = f"""SELECT {_BODY} FROM hunk JOIN content ON content.id = hunk.content_id
  WHERE hunk.commit_id = ? AND hunk.file_id = ? ORDER BY hunk.id"""
_REMOVED = f"""SELECT {_BODY}, {_VERSION} FROM hunk JOIN content ON content.id = hunk.content_id
  JOIN file ON file.id = hunk.file_id JOIN commits ON commits.id = file.commit_id
  JOIN path ON path.id = file.path_id LEFT JOIN path AS old ON old.id = file.old_path_id
  WHERE hunk.commit_id = ? AND hunk.old_lines > 0 ORDER BY hunk.id"""
_DEFINITIONS = """SELECT path.path, symbol.qualified, head_symbol.first_line, head_symbol.last_line
  FROM head_symbol JOIN symbol ON symbol.id = head_symbol.symbol_id
  JOIN head_file ON head_file.blob_id = head_symbol.blob_id JOIN path ON path.id = head_file.path_id
  WHERE head_symbol.symbol_id IN (SELECT value FROM numbers(?))
  ORDER BY path.path, head_symbol.first_line"""
_NAMES = "SELECT DISTINCT qualified FROM symbol UNION SELECT DISTINCT name FROM symbol ORDER BY 1"
_PATHS = "SELECT path FROM path ORDER BY path"

_SHA_BYTES = 20


def commit_graph(session: Session) -> CommitGraph:
    """Every commit with its parents, parents first; kept until the index changes."""
    return session.remembered("commit graph", lambda: ordered(_links(session)))


def _links(session: Session) -> Iterator[tuple[bytes, int, tuple[bytes, ...]]]:
    for sha, time, packed in session.rows(_LINKS):
        parents = [packed[at : at + _SHA_BYTES] for at in range(0, len(packed), _SHA_BYTES)]
        yield sha, time, tuple(parents)


def versions_of(session: Session, path: str) -> list[PathVersion]:
    """Every change that gave the file at a path its content, or took it away from there."""
    if not is_text(path):
        return []
    renamed = session.remembered("renamed away", lambda: _renamed(session))
    found = [_version(row) for row in session.rows(_AT_PATH, (path,))]
    return found + [each._replace(new_blob=None) for each in renamed.get(path, ())]


def _renamed(session: Session) -> dict[str, list[PathVersion]]:
    found: dict[str, list[PathVersion]] = {}
    for version in map(_version, session.rows(_RENAMED)):
        found.setdefault(version.old_path or "", []).append(version)
    return found


def _version(row: tuple[Any, ...]) -> PathVersion:
    commit, sha, file, kind, path, old_path, old, new = row
    return PathVersion(
        commit,
        sha,
        file,
        member(ChangeKind, kind),
        path,
        old_path,
        old.hex() if old else None,
        new.hex() if new else None,
    )


def bodies_of_file(session: Session, commit: int, file: int) -> list[HunkBody]:
    """The lines of the hunks of one changed file."""
    return [_body(session, row) for row in session.rows(_BODIES, (commit, file))]


def removed_in(session: Session, commit: int) -> list[tuple[PathVersion, HunkBody]]:
    """The hunks of a commit that remove lines, with the change of the file they belong to."""
    return [(_version(row[4:]), _body(session, row[:4])) for row in session.rows(_REMOVED, (commit,))]


def _body(session: Session, row: tuple[Any, ...]) -> HunkBody:
    hunk, old_start, new_start, body = row
    return HunkBody(HunkId(hunk), old_start, new_start, session.codec.unpack(body))


def definitions(session: Session, name: str) -> list[Definition]:
    """Where HEAD defines the symbols of a name."""
    numbers = symbol_ids(session, (name,))
    return [Definition(*row) for row in session.rows(_DEFINITIONS, (session.listed(numbers),))]


def symbol_names(session: Session) -> list[str]:
    """Every name of a symbol that history knows."""
    return [row[0] for row in session.rows(_NAMES)]


def paths(session: Session) -> list[str]:
    """Every path that ever changed."""
    return [row[0] for row in session.rows(_PATHS)]
