"""The statements behind browsing: one commit's files and kin, what touched a symbol, what made a blob."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ohara.model import ChangedFile, ChangeKind, HunkId, Kin, LeftOut, Sha
from ohara.store.answers import HunkPieces, HunkRange, Made
from ohara.store.sql.stored_enum import member

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ohara.store.sql.session import Session

_FILES = """SELECT file.id, file.kind, path.path, old.path, file.additions, file.deletions,
    coalesce(file.left_out, CASE WHEN path.left_out = 'kept' THEN NULL ELSE path.left_out END)
  FROM file JOIN path ON path.id = file.path_id LEFT JOIN path AS old ON old.id = file.old_path_id
  WHERE file.commit_id = ? ORDER BY file.id"""
_PLACES = """SELECT id, commit_id, file_id, old_start, old_lines, new_start, new_lines FROM hunk
  WHERE commit_id IN (SELECT value FROM numbers(?)) AND content_id IS NOT NULL ORDER BY id"""
_KIN = """SELECT sha, message, committer_time FROM commits
  WHERE sha IN (SELECT value FROM shas(?))"""
# No index knows children: a look at every commit's parents, which are few bytes each.
_CHILDREN = """SELECT sha, message, committer_time FROM commits
  WHERE live = 1 AND holds(parents, ?) ORDER BY committer_time, sha"""

_FORMER_NAMES = """SELECT DISTINCT old.path FROM path JOIN file ON file.path_id = path.id
  JOIN path AS old ON old.id = file.old_path_id WHERE path.path = ? AND file.kind = 'renamed'"""
_LATER_NAMES = """SELECT DISTINCT path.path FROM path AS old JOIN file ON file.old_path_id = old.id
  JOIN path ON path.id = file.path_id WHERE old.path = ? AND file.kind = 'renamed'"""
_TOUCHING = """SELECT hunk.id FROM symbol
  JOIN hunk_symbol ON hunk_symbol.symbol_id = symbol.id JOIN hunk ON hunk.id = hunk_symbol.hunk_id
  JOIN commits ON commits.id = hunk.commit_id JOIN file ON file.id = hunk.file_id
  JOIN path ON path.id = file.path_id
  WHERE symbol.qualified = ? AND commits.live = 1{of_paths}
  GROUP BY hunk.id, commits.committer_time, commits.sha
  ORDER BY commits.committer_time DESC, commits.sha DESC, hunk.id LIMIT ?"""
_AUTHORS = """SELECT person.name, count(*) FROM commits JOIN person ON person.id = commits.author
  WHERE commits.live = 1 GROUP BY person.name ORDER BY 2 DESC, 1"""
_OF_PATHS = " AND path.path IN (SELECT value FROM texts(?))"
_MADE = """SELECT commits.id, commits.sha, commits.committer_time, commits.parents, old.path, file.old_blob,
    file.id
  FROM path JOIN file ON file.path_id = path.id JOIN commits ON commits.id = file.commit_id
  LEFT JOIN path AS old ON old.id = file.old_path_id
  WHERE path.path = ? AND file.new_blob = ? AND commits.live = 1 AND commits.committer_time <= ?
  ORDER BY commits.committer_time DESC, commits.sha DESC"""
_HUNKS_OF_FILE = """SELECT id, old_start, old_lines, new_start, new_lines FROM hunk
  WHERE commit_id = ? AND file_id = ? AND content_id IS NOT NULL ORDER BY id"""

_SHA_BYTES = 20
_MOST_NAMES = 64  # of one file: beyond that, renames go in circles


def files_of(session: Session, commit: int) -> tuple[ChangedFile, ...]:
    """Every file that a commit changed."""
    counts = Counter(place.file for place in _places(session, (commit,)) if place.first == place.hunk)
    return tuple(
        ChangedFile(
            member(ChangeKind, kind), path, old_path, added, removed, counts[file], _left_out(left_out)
        )
        for file, kind, path, old_path, added, removed, left_out in session.rows(_FILES, (commit,))
    )


def hunk_pieces(session: Session, commits: Iterable[int]) -> dict[int, HunkPieces]:
    """How many hunks commits have as git counts them, and which of their pieces belong together."""
    found: dict[int, HunkPieces] = {}
    for place in _places(session, commits):
        known = found.setdefault(place.commit, HunkPieces(0, {}))
        if place.first == place.hunk:
            found[place.commit] = known._replace(hunks=known.hunks + 1)
        else:
            known.first[place.hunk] = place.first
    return found


class _Place(NamedTuple):
    """A piece of a hunk, its commit and file, and the first piece of the same hunk."""

    hunk: HunkId
    commit: int
    file: int
    first: HunkId


def _places(session: Session, commits: Iterable[int]) -> Iterator[_Place]:
    """The pieces of commits: one that begins where the one before it ends is part of the same hunk."""
    first, ends = HunkId(0), (0, 0, 0)
    for hunk, commit, file, old_start, old_lines, new_start, new_lines in session.rows(
        _PLACES, (session.listed(sorted(commits)),)
    ):
        # An empty side is numbered by the line before it.
        old, new = old_start + (not old_lines), new_start + (not new_lines)
        if ends != (file, old, new):
            first = HunkId(hunk)
        ends = file, old + old_lines, new + new_lines
        yield _Place(HunkId(hunk), commit, file, first)


def _left_out(reason: str | None) -> LeftOut | None:
    return member(LeftOut, reason) if reason else None


def kin(session: Session, shas: Iterable[Sha]) -> tuple[Kin, ...]:
    """These commits, in their order, with what they say as far as they are indexed."""
    asked = tuple(shas)
    known = {each.sha: each for each in map(_kin, session.rows(_KIN, (session.listed(asked),)))}
    return tuple(known.get(sha, Kin(sha, "", 0)) for sha in asked)


def children_of(session: Session, sha: Sha) -> tuple[Kin, ...]:
    """The indexed commits that have this one for a parent, oldest first."""
    return tuple(map(_kin, session.rows(_CHILDREN, (bytes.fromhex(sha),))))


def _kin(row: tuple[bytes, str, int]) -> Kin:
    sha, message, time = row
    subject = next((line.strip() for line in message.splitlines() if line.strip()), "")
    return Kin(Sha(sha.hex()), subject, time)


def names_of_file(session: Session, path: str) -> tuple[str, ...]:
    """Every name that a file had or got later, by the renames that are indexed; its own comes first."""
    names = {path: None}
    pending = [path]
    while pending and len(names) < _MOST_NAMES:
        name = pending.pop()
        for statement in (_FORMER_NAMES, _LATER_NAMES):
            for (other,) in session.rows(statement, (name,)):
                if other not in names:
                    names[other] = None
                    pending.append(other)
    return tuple(names)


def hunks_touching(session: Session, qualified: str, paths: Iterable[str], limit: int) -> list[HunkId]:
    """The hunks that touch a symbol of these files, or of any without names, newest first."""
    names = tuple(paths)
    narrowed = (session.listed(names),) if names else ()
    statement = _TOUCHING.format(of_paths=_OF_PATHS if names else "")
    rows = session.rows(statement, (qualified, *narrowed, limit))
    return [HunkId(row[0]) for row in rows]


def made(session: Session, path: str, blob: str, until: int) -> list[Made]:
    """The commits that gave a file this content, up to a moment, newest first."""
    return [
        Made(commit, Sha(sha.hex()), time, _shas(parents), old_path, old.hex() if old else None, file)
        for commit, sha, time, parents, old_path, old, file in session.rows(
            _MADE, (path, bytes.fromhex(blob), until)
        )
    ]


def _shas(packed: bytes) -> tuple[Sha, ...]:
    return tuple(Sha(packed[at : at + _SHA_BYTES].hex()) for at in range(0, len(packed), _SHA_BYTES))


def hunks_of_file(session: Session, commit: int, file: int) -> list[HunkRange]:
    """Where the hunks of one changed file stand."""
    return [HunkRange(HunkId(row[0]), *row[1:]) for row in session.rows(_HUNKS_OF_FILE, (commit, file))]


def authors(session: Session) -> list[str]:
    """Everybody who wrote a commit that is shown, who wrote the most first."""
    return [row[0] for row in session.rows(_AUTHORS)]
