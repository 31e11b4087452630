"""The statements behind the ranking lanes that need no words: hunks by symbol, by path, by time.

Every function takes a session and a filter, and puts the filter on the hunks before it takes the best. Order
never depends on the order of indexing: equal scores go to the newest commit, then by the commit's name, then
by the hunk's position in the commit.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ohara.store.answers import Occurrence, TouchedBy
from ohara.store.sql.session import SHA_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ohara.store.sql.filters import HunkFilter
    from ohara.store.sql.session import Session

OCCURRENCE = """hunk.id, hunk.commit_id, commits.committer_time, commits.sha, hunk.file_id = 0,
  length(commits.parents) > 20"""
NEWEST_FIRST = "commits.committer_time DESC, commits.sha DESC, hunk.id"

# CROSS JOIN keeps the order: from the few that are asked for to what belongs to them, never the other way.
_TOUCHING = f"""SELECT {OCCURRENCE}, hunk_symbol.symbol_id FROM numbers(?) AS asked
  CROSS JOIN hunk_symbol ON hunk_symbol.symbol_id = asked.value
  CROSS JOIN hunk ON hunk.id = hunk_symbol.hunk_id CROSS JOIN commits ON commits.id = hunk.commit_id
  WHERE {{allowed}} ORDER BY {NEWEST_FIRST}"""

_AT_PATHS = f"""SELECT {OCCURRENCE} FROM file JOIN hunk ON hunk.file_id = file.id
  JOIN commits ON commits.id = hunk.commit_id
  WHERE (file.path_id IN (SELECT value FROM numbers(?))
    OR file.old_path_id IN (SELECT value FROM numbers(?))) AND {{allowed}}
  ORDER BY {NEWEST_FIRST} LIMIT ?"""
_PATHS = "SELECT id, path FROM path"

# A message has a row of its own also where its lines are not searched by words: a list shows those lines.
_LISTED = """(hunk.file_id != 0 OR NOT EXISTS (
  SELECT 1 FROM hunk AS other WHERE other.commit_id = hunk.commit_id AND other.file_id != 0))"""
_RECENT = f"""SELECT {OCCURRENCE} FROM commits JOIN hunk ON hunk.commit_id = commits.id
  WHERE {{allowed}} AND {_LISTED} ORDER BY {NEWEST_FIRST}"""
_ANY = "SELECT EXISTS(SELECT 1 FROM hunk WHERE {allowed})"
_COMMIT_HUNKS = f"""SELECT {OCCURRENCE} FROM commits JOIN hunk ON hunk.commit_id = commits.id
  WHERE commits.sha >= ? AND commits.sha < ? AND {{allowed}} AND {_LISTED} ORDER BY {NEWEST_FIRST}"""


def touching(session: Session, symbols: Iterable[int], allowed: HunkFilter) -> list[TouchedBy]:
    """The hunks that touch symbols, newest first."""
    statement = _TOUCHING.format(allowed=allowed.condition)
    rows = session.rows(statement, (session.listed(symbols), *allowed.parameters))
    return [TouchedBy(occurrence(row), row[6]) for row in rows]


def at_path(session: Session, written: str, allowed: HunkFilter, limit: int) -> list[Occurrence]:
    """The hunks of files at the paths that a person means, before or after a rename, newest first."""
    paths = paths_meant(session, written)
    if not paths:
        return []
    statement = _AT_PATHS.format(allowed=allowed.condition)
    asked = session.listed(paths)
    return [occurrence(row) for row in session.rows(statement, (asked, asked, *allowed.parameters, limit))]


def paths_meant(session: Session, written: str) -> dict[int, str]:
    """The paths that a person means who writes this: the file itself, its ending, or all in a folder."""
    name = written.strip("/").casefold()
    return {
        number: path
        for number, path in session.rows(_PATHS)
        if (folded := f"/{path.casefold()}").endswith(f"/{name}") or f"/{name}/" in folded
    }


def lets_any(session: Session, allowed: HunkFilter) -> bool:
    """Whether any hunk is allowed."""
    return bool(session.rows(_ANY.format(allowed=allowed.condition), allowed.parameters)[0][0])


def recent(session: Session, allowed: HunkFilter) -> list[Occurrence]:
    """Every hunk that is allowed, newest first; a message by itself where its commit has no hunk else."""
    return [
        occurrence(row) for row in session.rows(_RECENT.format(allowed=allowed.condition), allowed.parameters)
    ]


def of_commit(session: Session, prefix: str, allowed: HunkFilter) -> list[Occurrence]:
    """The hunks of the commits whose sha begins so, in their order; as `recent` lists them."""
    digits = prefix.lower()
    low = bytes.fromhex(digits.ljust(2 * SHA_BYTES, "0"))
    high = bytes.fromhex(digits.ljust(2 * SHA_BYTES, "f")) + b"\0"
    statement = _COMMIT_HUNKS.format(allowed=allowed.condition)
    return [occurrence(row) for row in session.rows(statement, (low, high, *allowed.parameters))]


def occurrence(row: tuple[Any, ...]) -> Occurrence:
    """The occurrence that a row begins with."""
    return _MADE(row[:6])


def occurrences_of(rows: Iterable[tuple[Any, ...]]) -> list[Occurrence]:
    """The occurrences that rows are."""
    return list(map(_MADE, rows))


# What `_make` does, without a call of Python for each of a thousand rows.
_MADE: Callable[[tuple[Any, ...]], Occurrence] = partial(tuple.__new__, Occurrence)
