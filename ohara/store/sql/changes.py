"""Which commits changed files and touched symbols, and how often: the statements behind co-change."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ohara.model import Sha
from ohara.store.answers import CommitAt, FileLife

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ohara.model import HunkId
    from ohara.store.sql.session import Session

_NEWEST_FIRST = "ORDER BY commits.committer_time DESC, commits.sha DESC"
_CHANGING = f"""SELECT DISTINCT commits.id, commits.sha, commits.committer_time
  FROM path JOIN file ON file.path_id = path.id JOIN commits ON commits.id = file.commit_id
  WHERE path.path IN (SELECT value FROM texts(?)) AND commits.live = 1 {_NEWEST_FIRST} LIMIT ?"""
_OF_HUNKS = f"""SELECT DISTINCT commits.id, commits.sha, commits.committer_time
  FROM hunk JOIN commits ON commits.id = hunk.commit_id
  WHERE hunk.id IN (SELECT value FROM numbers(?)) AND commits.live = 1 {_NEWEST_FIRST}"""
_SYMBOLS = """SELECT DISTINCT hunk.commit_id, path.path, symbol.qualified FROM hunk
  JOIN hunk_symbol ON hunk_symbol.hunk_id = hunk.id JOIN symbol ON symbol.id = hunk_symbol.symbol_id
  JOIN file ON file.id = hunk.file_id JOIN path ON path.id = file.path_id
  WHERE hunk.commit_id IN (SELECT value FROM numbers(?))"""
_QUALIFIED = """SELECT DISTINCT qualified FROM symbol WHERE id IN (SELECT value FROM numbers(?))
  ORDER BY qualified"""
_TOUCHED = """SELECT symbol.qualified, count(DISTINCT hunk.commit_id) FROM symbol
  JOIN hunk_symbol ON hunk_symbol.symbol_id = symbol.id JOIN hunk ON hunk.id = hunk_symbol.hunk_id
  WHERE symbol.qualified IN (SELECT value FROM texts(?)) GROUP BY 1"""
_FILES = """SELECT path.path, old.path, file.kind, commits.committer_time
  FROM file JOIN commits ON commits.id = file.commit_id JOIN path ON path.id = file.path_id
  LEFT JOIN path AS old ON old.id = file.old_path_id AND file.kind = 'renamed'
  WHERE commits.live = 1 ORDER BY commits.committer_time, commits.sha"""

_MOST_RENAMES = 64  # of one file: beyond that, renames go in circles


def commits_changing(session: Session, paths: Collection[str], limit: int) -> list[CommitAt]:
    """The commits that changed a file at one of some paths, newest first."""
    return _commits(session.rows(_CHANGING, (session.listed(paths), limit)))


def commits_of_hunks(session: Session, hunks: Iterable[HunkId]) -> list[CommitAt]:
    """The commits of some hunks, newest first."""
    return _commits(session.rows(_OF_HUNKS, (session.listed(hunks),)))


def _commits(rows: Iterable[tuple[int, bytes, int]]) -> list[CommitAt]:
    return [CommitAt(number, Sha(sha.hex()), moment) for number, sha, moment in rows]


def qualified_names(session: Session, symbols: Iterable[int]) -> list[str]:
    """The qualified names of symbols, sorted."""
    return [row[0] for row in session.rows(_QUALIFIED, (session.listed(symbols),))]


def symbols_of_commits(session: Session, commits: Iterable[int]) -> dict[int, list[tuple[str, str]]]:
    """The symbols that each commit touched, each with its file."""
    found: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for commit, path, qualified in session.rows(_SYMBOLS, (session.listed(sorted(commits)),)):
        found[commit].append((path, qualified))
    return dict(found)


def times_touched(session: Session, symbols: Collection[str]) -> dict[str, int]:
    """In how many commits each symbol was touched, in whatever file."""
    return dict(session.rows(_TOUCHED, (session.listed(symbols),)))


def file_lives(session: Session) -> Mapping[str, FileLife]:
    """Of every path: how many commits changed it, what it is called now, whether it is gone."""
    return session.remembered("file lives", lambda: _file_lives(session))


def _file_lives(session: Session) -> dict[str, FileLife]:
    counts: dict[str, int] = defaultdict(int)
    gone: set[str] = set()
    became: dict[str, str] = {}
    for path, old, kind, _ in session.rows(_FILES):
        counts[path] += 1
        gone.discard(path)
        if kind != "modified":  # which may be on a branch that lacks the rename
            became.pop(path, None)  # what is at a path again is no longer called otherwise
        if kind == "deleted":
            gone.add(path)
        if old is not None and old != path:
            became[old] = path
    return {path: _life(path, count, became, gone) for path, count in counts.items()}


def _life(path: str, count: int, became: Mapping[str, str], gone: Collection[str]) -> FileLife:
    now = path
    for _ in range(_MOST_RENAMES):
        if now not in became:
            break
        now = became[now]
    return FileLife(count, now, now in gone)
