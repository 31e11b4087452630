"""The statements that follow lines: what made versions of files, how lines ended, where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import Sha
from ohara.store.lines import ChangedHunk, CommitLink, FileOfCommit, HeadLines, How, LineEnd, Maker
from ohara.store.sql.stored_enum import member

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.store.lines import Segment
    from ohara.store.sql.session import Session

_LINKS = "SELECT id, sha, parents, committer_time FROM commits WHERE live = 1"
_LINK = f"{_LINKS} AND id = ?"
_REVERTS = "SELECT id, message FROM commits WHERE live = 1 AND message LIKE '%This reverts commit%'"
_VERSIONS = """SELECT file.id, path.path, old.path, old_blob, new_blob, additions, deletions
  FROM file JOIN path ON path.id = file.path_id LEFT JOIN path AS old ON old.id = file.old_path_id
  WHERE commit_id = ? ORDER BY file.id"""
_PATHS = """SELECT DISTINCT path.path FROM file JOIN path ON path.id = file.path_id
  WHERE commit_id IN (SELECT value FROM numbers(?)) ORDER BY path.path"""
_PATHS_MERGED = """SELECT DISTINCT path.path FROM merged_file JOIN path ON path.id = merged_file.path_id
  WHERE commit_id IN (SELECT value FROM numbers(?)) ORDER BY path.path"""
_HUNKS = """SELECT file_id, hunk.id, old_start, old_lines, new_start, new_lines, body
  FROM hunk JOIN content ON content.id = hunk.content_id WHERE commit_id = ?1
  AND (CAST(?2 AS BIGINT) IS NULL OR file_id = ?2) ORDER BY hunk.id"""
_MAKERS = """SELECT commits.id, sha, file.id FROM path JOIN file ON file.path_id = path.id
  JOIN commits ON commits.id = file.commit_id
  WHERE path.path = ?1 AND new_blob = ?2 AND live = 1
  ORDER BY committer_time DESC, sha DESC"""
_MERGED = """SELECT commits.id, sha FROM path JOIN merged_file ON merged_file.path_id = path.id
  JOIN commits ON commits.id = merged_file.commit_id
  WHERE path.path = ?1 AND merged_file.blob = ?2 AND live = 1"""
_ORIGINS = """SELECT line, lines, hunk_id, first FROM head_version
  JOIN path ON path.id = path_id JOIN head_line ON version_id = head_version.id
  WHERE path.path = ? AND blob = ? ORDER BY line"""
# A content that came twice has other origins each time; one whose maker was rewritten has none of its own.
_MADE_ONCE = """(SELECT CASE count(DISTINCT made) WHEN 0 THEN 0 WHEN 1 THEN min(made) ELSE -1 END FROM (
    SELECT commit_id AS made FROM file JOIN commits ON commits.id = commit_id
      WHERE file.path_id = head_version.path_id AND new_blob = head_version.blob AND live = 1
    UNION SELECT commit_id FROM merged_file JOIN commits ON commits.id = commit_id
      WHERE merged_file.path_id = head_version.path_id AND merged_file.blob = head_version.blob
      AND live = 1)) = head_version.commit_id"""
_HAS_ANY_VERSION = (
    "SELECT 1 FROM head_version JOIN path ON path.id = path_id WHERE path.path = ? AND blob = ?"
)
_HAS_VERSION = f"""SELECT 1 FROM head_version JOIN path ON path.id = path_id
  WHERE path.path = ? AND blob = ? AND {_MADE_ONCE}"""
_HEAD_VERSIONS = f"""SELECT path.path, blob FROM head_version JOIN path ON path.id = path_id
  WHERE {_MADE_ONCE}"""
_DOUBTFUL_VERSIONS = f"""SELECT path.path, blob, head_version.commit_id
  FROM head_version JOIN path ON path.id = path_id WHERE NOT ({_MADE_ONCE})"""
_COMMITS_OF = "SELECT id, commit_id FROM hunk WHERE id IN (SELECT value FROM numbers(?))"
_HUNK_RUNS = """SELECT id, commit_id FROM (
    SELECT id, commit_id, lag(commit_id) OVER (ORDER BY id) AS before FROM hunk) AS hunks
  WHERE before IS NULL OR before != commit_id ORDER BY id"""
_BODIES = """SELECT hunk.id, body FROM hunk JOIN content ON content.id = content_id
  WHERE hunk.id IN (SELECT value FROM numbers(?))"""
_END = "hunk_id, first, lines, solid, commit_id, how, to_hunk, to_first"
_ENDS_BY = f"SELECT {_END} FROM line_end WHERE commit_id = ? ORDER BY hunk_id, first"
_ENDS_OF = f"""SELECT {_END} FROM line_end WHERE hunk_id IN (SELECT value FROM numbers(?))
  AND commit_id NOT IN (SELECT id FROM commits WHERE live = 0) ORDER BY hunk_id, first, commit_id"""
_ALL_ENDS = f"SELECT {_END} FROM line_end"
_AT_HEAD = """SELECT hunk_id, first, lines, solid, path.path, line
  FROM head_line JOIN head_version ON head_version.id = version_id JOIN path ON path.id = path_id"""
_AT_HEAD_OF = f"{_AT_HEAD} WHERE hunk_id IN (SELECT value FROM numbers(?)) ORDER BY path.path, line"
_COUNTS = "SELECT hunk_id, solid, commit_id FROM line_count JOIN hunk ON hunk.id = hunk_id"
_HUNKS_AT_HEAD = "SELECT DISTINCT hunk_id FROM head_line WHERE solid > 0"
_HUNKS_HANDED_ON = (
    f"SELECT DISTINCT hunk_id FROM line_end WHERE how NOT IN ({int(How.REMOVED)}, {int(How.DROPPED)})"
)
_ALL_COUNTS = "SELECT hunk_id, solid FROM line_count"
_COUNT_COMMITS = "SELECT count(*) FROM commits"
_COUNTS_OF = """SELECT hunk.id, solid FROM hunk JOIN line_count ON hunk_id = hunk.id
  WHERE commit_id IN (SELECT value FROM numbers(?))"""
_FEW_COMMITS = 2_000  # are looked up one by one; of more, all is read

_SHA_BYTES = 20


def links(session: Session) -> list[CommitLink]:
    """Every live commit with its parents."""
    names: dict[Sha, Sha] = {}  # each once, as a commit and as a parent
    return [_linked(*row, names=names) for row in session.rows(_LINKS)]


def link(session: Session, commit: int) -> CommitLink | None:
    """A live commit with its parents."""
    return next((_linked(*row, names={}) for row in session.rows(_LINK, (commit,))), None)


def _linked(number: int, sha: bytes, parents: bytes, time: int, *, names: dict[Sha, Sha]) -> CommitLink:
    found = [sha, *(parents[at : at + _SHA_BYTES] for at in range(0, len(parents), _SHA_BYTES))]
    own, *others = [names.setdefault(name, name) for name in [Sha(each.hex()) for each in found]]
    return CommitLink(number, own, tuple(others), time)


def revert_messages(session: Session) -> dict[int, str]:
    """The messages that say which commit they revert."""
    return dict(session.rows(_REVERTS))


def changed_files(session: Session, commit: int) -> list[FileOfCommit]:
    """What a commit did to each file."""
    return [
        FileOfCommit(file, path, old_path, _hex(old), _hex(new), added, removed)
        for file, path, old_path, old, new, added, removed in session.rows(_VERSIONS, (commit,))
    ]


def paths_changed(session: Session, commits: Iterable[int]) -> list[str]:
    """The paths that some commits changed."""
    asked = (session.listed(sorted(commits)),)
    merged = session.rows(_PATHS_MERGED, asked) if session.has_lines else []
    return sorted({row[0] for row in (*session.rows(_PATHS, asked), *merged)})


def hunk_runs(session: Session) -> list[tuple[int, int]]:
    """The first hunk of each run of hunks that one commit has, with that commit."""
    return [(hunk, commit) for hunk, commit in session.rows(_HUNK_RUNS)]


def _hex(blob: bytes | None) -> str | None:
    return blob.hex() if blob else None


def changed_hunks(session: Session, commit: int, file: int | None) -> list[ChangedHunk]:
    """The hunks of a commit, or of one of its files."""
    unpack = session.codec.unpack
    rows = session.rows(_HUNKS, (commit, file))
    return [ChangedHunk._make((*row[:-1], unpack(row[-1]))) for row in rows]


def makers(session: Session, path: str, blob: str) -> list[Maker]:
    """The commits that gave a file this content."""
    asked = (path, bytes.fromhex(blob))
    found = {
        commit: Maker(commit, Sha(sha.hex()), file) for commit, sha, file in session.rows(_MAKERS, asked)
    }
    if session.has_lines:
        for commit, sha in session.rows(_MERGED, asked):
            found.setdefault(commit, Maker(commit, Sha(sha.hex()), None))
    return list(found.values())


def head_origins(session: Session, path: str, blob: str, *, of_head: bool) -> list[Segment] | None:
    """The origins of a file's lines, if it is kept for HEAD; lines of unknown origin stand between them."""
    if not session.has_lines:
        return None
    asked = (path, bytes.fromhex(blob))
    if not session.rows(_HAS_ANY_VERSION if of_head else _HAS_VERSION, asked):
        return None
    found: list[Segment] = []
    at = 1
    for line, lines, hunk, first in session.rows(_ORIGINS, asked):
        if line > at:
            found.append((line - at, 0, 0))
        found.append((lines, hunk, first))
        at = line + lines
    return [*found, (1 << 40, 0, 0)]


def head_versions(session: Session) -> set[tuple[str, str]]:
    """The files that are kept for HEAD."""
    if not session.has_lines:
        return set()
    return {(path, blob.hex()) for path, blob in session.rows(_HEAD_VERSIONS)}


def doubtful_head_versions(session: Session) -> dict[tuple[str, str], int]:
    """The other files that are kept for HEAD, and which commit made each there."""
    if not session.has_lines:
        return {}
    return {(path, blob.hex()): commit for path, blob, commit in session.rows(_DOUBTFUL_VERSIONS)}


def commits_of(session: Session, hunks: Iterable[int]) -> dict[int, int]:
    """The commit of each hunk."""
    return dict(session.rows(_COMMITS_OF, (session.listed(hunks),)))


def added_lines(session: Session, hunks: Iterable[int]) -> dict[int, str]:
    """The body of each hunk that has lines."""
    unpack = session.codec.unpack
    return {hunk: unpack(body) for hunk, body in session.rows(_BODIES, (session.listed(hunks),))}


def ends_by(session: Session, commit: int) -> list[LineEnd]:
    """The runs of lines that a commit ended."""
    return [_end(row) for row in session.rows(_ENDS_BY, (commit,))] if session.has_lines else []


def ends_of(session: Session, hunks: Iterable[int]) -> list[LineEnd]:
    """How runs of some hunks' added lines ended."""
    if not session.has_lines:
        return []
    return [_end(row) for row in session.rows(_ENDS_OF, (session.listed(hunks),))]


def all_ends(session: Session, commits: Iterable[int]) -> list[LineEnd]:
    """How all runs of lines ended in some commits."""
    if not session.has_lines:
        return []
    wanted = frozenset(commits)
    return [_end(row) for row in session.rows(_ALL_ENDS) if row[4] in wanted]


def _end(row: tuple[int, int, int, int, int, int, int | None, int]) -> LineEnd:
    hunk, first, lines, solid, commit, how, to_hunk, to_first = row
    return LineEnd(hunk, first, lines, solid, commit, member(How, how), to_hunk, to_first)


def at_head(session: Session, hunks: Iterable[int]) -> list[HeadLines]:
    """Where added lines of some hunks stand at HEAD."""
    if not session.has_lines:
        return []
    return [HeadLines(*row) for row in session.rows(_AT_HEAD_OF, (session.listed(hunks),))]


def all_at_head(session: Session) -> list[HeadLines]:
    """Where added lines of all hunks stand at HEAD."""
    return [HeadLines(*row) for row in session.rows(_AT_HEAD)] if session.has_lines else []


def counts(session: Session, commits: Iterable[int]) -> dict[int, int]:
    """The hunks of some commits that add lines, and how many."""
    if not session.has_lines:
        return {}
    wanted = frozenset(commits)
    if len(wanted) <= _FEW_COMMITS:
        return dict(session.rows(_COUNTS_OF, (session.listed(sorted(wanted)),)))
    if len(wanted) == session.rows(_COUNT_COMMITS)[0][0]:
        return dict(session.rows(_ALL_COUNTS))
    return {hunk: solid for hunk, solid, commit in session.rows(_COUNTS) if commit in wanted}


def hunks_at_head(session: Session) -> set[int]:
    """The hunks of which some line stands at HEAD."""
    return {row[0] for row in session.rows(_HUNKS_AT_HEAD)} if session.has_lines else set()


def hunks_handed_on(session: Session) -> set[int]:
    """The hunks some of whose lines ended in another way than by being removed or dropped."""
    return {row[0] for row in session.rows(_HUNKS_HANDED_ON)} if session.has_lines else set()
