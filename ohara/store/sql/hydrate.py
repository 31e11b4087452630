"""Reads whole hunks: with their commit, file, symbols and lines, in a few statements for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ohara.model import ChangeKind, Commit, HunkId, Sha
from ohara.store.answers import StoredHunk
from ohara.store.sql.stored_enum import member

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.store.sql.filters import HunkFilter
    from ohara.store.sql.session import Session

_SHA_BYTES = 20

# git numbers an empty side by the line above it; a line of it would come after that one.
_HUNKS = """SELECT hunk.id, hunk.commit_id, hunk.content_id,
    CASE WHEN hunk.old_lines = 0 AND hunk.old_start > 0 THEN hunk.old_start + 1 ELSE hunk.old_start END,
    CASE WHEN hunk.new_lines = 0 AND hunk.new_start > 0 THEN hunk.new_start + 1 ELSE hunk.new_start END,
    coalesce(header.header, ''),
    file.kind, path.path, old.path, path.language, coalesce(file.left_out, path.left_out), content.body
  FROM hunk LEFT JOIN file ON file.id = hunk.file_id LEFT JOIN path ON path.id = file.path_id
  LEFT JOIN path AS old ON old.id = file.old_path_id LEFT JOIN content ON content.id = hunk.content_id
  LEFT JOIN header ON header.id = hunk.header_id
  WHERE hunk.id IN (SELECT value FROM numbers(?))"""
_COMMITS = """SELECT commits.id, sha, parents, name, email, author_time, author_offset,
    committer_time, committer_offset, message
  FROM commits JOIN person ON person.id = commits.author
  WHERE commits.id IN (SELECT value FROM numbers(?))"""
_SYMBOLS = """SELECT hunk_symbol.hunk_id, symbol.qualified FROM hunk_symbol
  JOIN symbol ON symbol.id = hunk_symbol.symbol_id
  WHERE hunk_symbol.hunk_id IN (SELECT value FROM numbers(?)) ORDER BY symbol.qualified"""
_CONTENTS = """SELECT id, content_id FROM hunk
  WHERE id IN (SELECT value FROM numbers(?)) AND content_id IS NOT NULL"""
_COMMIT_PATHS = """SELECT file.commit_id, path.path FROM file JOIN path ON path.id = file.path_id
  WHERE file.commit_id IN (SELECT value FROM numbers(?))"""
_SAME_CONTENT = """SELECT DISTINCT hunk.content_id, commits.sha, commits.committer_time
  FROM hunk JOIN commits ON commits.id = hunk.commit_id
  WHERE hunk.content_id IN (SELECT value FROM numbers(?)) AND {allowed}
  ORDER BY commits.committer_time DESC, commits.sha DESC"""


def hydrate(session: Session, hunks: Iterable[HunkId]) -> dict[HunkId, StoredHunk]:
    """The hunks with these ids; an id that is gone has no entry."""
    asked = session.listed(hunks)
    rows = session.rows(_HUNKS, (asked,))
    commits = read_commits(session, {row[1] for row in rows})
    symbols: dict[int, list[str]] = {}
    for hunk, qualified in session.rows(_SYMBOLS, (asked,)):
        symbols.setdefault(hunk, []).append(qualified)
    codec = session.codec
    return {
        HunkId(row[0]): _stored(row, commits[row[1]], symbols.get(row[0], []), codec.unpack) for row in rows
    }


def contents_of(session: Session, hunks: Iterable[HunkId]) -> dict[HunkId, int]:
    """The content of each hunk that has lines."""
    return {HunkId(row[0]): row[1] for row in session.rows(_CONTENTS, (session.listed(hunks),))}


def read_commits(session: Session, commit_ids: Iterable[int]) -> dict[int, Commit]:
    """Commits by id."""
    return {row[0]: _commit(row) for row in session.rows(_COMMITS, (session.listed(sorted(commit_ids)),))}


def paths_of_commits(session: Session, commit_ids: Iterable[int]) -> dict[int, list[str]]:
    """Every path that each commit changed."""
    found: dict[int, list[str]] = {}
    for commit, path in session.rows(_COMMIT_PATHS, (session.listed(sorted(commit_ids)),)):
        found.setdefault(commit, []).append(path)
    return found


def commits_with_content(
    session: Session, contents: Iterable[int], allowed: HunkFilter
) -> dict[int, tuple[Sha, ...]]:
    """The commits in which each content occurs, newest first."""
    found: dict[int, list[Sha]] = {}
    statement = _SAME_CONTENT.format(allowed=allowed.condition)
    for content, sha, _ in session.rows(statement, (session.listed(sorted(contents)), *allowed.parameters)):
        found.setdefault(content, []).append(Sha(sha.hex()))
    return {content: tuple(shas) for content, shas in found.items()}


def _stored(row: tuple[Any, ...], commit: Commit, symbols: list[str], unpack: Any) -> StoredHunk:  # noqa: ANN401
    (
        hunk,
        commit_id,
        content,
        old_start,
        new_start,
        header,
        kind,
        path,
        old_path,
        language,
        left_out,
        body,
    ) = row
    return StoredHunk(
        hunk=HunkId(hunk),
        commit_id=commit_id,
        commit=commit,
        content=content,
        path=path or "",
        old_path=old_path,
        language=language,
        kind=member(ChangeKind, kind) if kind else ChangeKind.MODIFIED,
        left_out=left_out,
        old_start=old_start,
        new_start=new_start,
        header=header,
        symbols=tuple(symbols),
        body=unpack(body) if body is not None else "",
    )


def _commit(row: tuple[Any, ...]) -> Commit:
    _, sha, parents, author, email, author_time, author_offset, time, offset, message = row
    return Commit(
        sha=Sha(sha.hex()),
        parents=tuple(Sha(parents[at : at + _SHA_BYTES].hex()) for at in range(0, len(parents), _SHA_BYTES)),
        author=author,
        email=email,
        author_time=author_time,
        author_offset=author_offset,
        committer_time=time,
        committer_offset=offset,
        message=message,
    )
