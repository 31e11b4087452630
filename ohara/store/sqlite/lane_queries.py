"""The statements behind the ranking lanes: hunks by words, by symbol, by path, by time.

Every function takes a session and a filter, and puts the filter on the hunks before it takes the best. Order
never depends on the order of indexing: equal scores go to the newest commit, then by the commit's name, then
by the hunk's position in the commit.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ohara.model import HunkId
from ohara.store.answers import Occurrence, ScoredByWords, TouchedBy
from ohara.store.sqlite.fts_query import all_of, any_of, within, word_expression

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.store.answers import Weights, WordQuery
    from ohara.store.sqlite.filters import HunkFilter
    from ohara.store.sqlite.session import Session

_SHA_BYTES = 20


OCCURRENCE = """hunk.id, hunk.commit_id, commits.committer_time, commits.sha, hunk.file_id = 0,
  length(commits.parents) > 20"""
NEWEST_FIRST = "commits.committer_time DESC, commits.sha DESC, hunk.id"

_BY_WORDS = """WITH scored AS MATERIALIZED (
    SELECT rowid AS id, {scores} FROM fts_hunk_text WHERE fts_hunk_text MATCH ?{allowed}),
  best AS (SELECT {bests} FROM scored),
  first AS (SELECT scored.* FROM scored, best ORDER BY {mixed} DESC, scored.id LIMIT ?)
SELECT {occurrence}, {names} FROM first JOIN hunk ON hunk.id = first.id
  JOIN commits ON commits.id = hunk.commit_id"""

_HOLDING_ALL = """SELECT {occurrence} FROM fts_hunk_text
  CROSS JOIN hunk ON hunk.id = fts_hunk_text.rowid CROSS JOIN commits ON commits.id = hunk.commit_id
  WHERE fts_hunk_text MATCH ? AND {allowed} ORDER BY {order} LIMIT ?"""
_OLDEST_FIRST = "commits.committer_time, commits.sha, hunk.id"

_SYMBOLS = """SELECT rowid, -bm25(fts_symbol_name, {weights}) AS score
  FROM fts_symbol_name WHERE fts_symbol_name MATCH ? ORDER BY score DESC, rowid LIMIT ?"""
# CROSS JOIN keeps the order: from the few that are asked for to what belongs to them, never the other way.
_TOUCHING = f"""SELECT {OCCURRENCE}, hunk_symbol.symbol_id FROM json_each(?) AS asked
  CROSS JOIN hunk_symbol ON hunk_symbol.symbol_id = asked.value
  CROSS JOIN hunk ON hunk.id = hunk_symbol.hunk_id CROSS JOIN commits ON commits.id = hunk.commit_id
  WHERE {{allowed}} ORDER BY {NEWEST_FIRST}"""

_AT_PATHS = f"""SELECT {OCCURRENCE} FROM file JOIN hunk ON hunk.file_id = file.id
  JOIN commits ON commits.id = hunk.commit_id
  WHERE (file.path_id IN (SELECT value FROM json_each(?))
    OR file.old_path_id IN (SELECT value FROM json_each(?))) AND {{allowed}}
  ORDER BY {NEWEST_FIRST} LIMIT ?"""
_PATHS = "SELECT id, path FROM path"

_RECENT = f"""SELECT {OCCURRENCE} FROM commits JOIN hunk ON hunk.commit_id = commits.id
  WHERE {{allowed}} ORDER BY {NEWEST_FIRST}"""
_ANY = "SELECT EXISTS(SELECT 1 FROM hunk WHERE {allowed})"
_COMMIT_HUNKS = f"""SELECT {OCCURRENCE} FROM commits JOIN hunk ON hunk.commit_id = commits.id
  WHERE commits.sha >= ? AND commits.sha < ? AND {{allowed}} ORDER BY {NEWEST_FIRST}"""


def by_words(
    session: Session,
    words: WordQuery,
    weightings: Sequence[tuple[Weights, float]],
    allowed: HunkFilter,
    limit: int,
) -> list[ScoredByWords]:
    """The hunks that hold words, with their BM25 under each weighting, best mixture first.

    One walk over the matches serves all weightings. The mixture adds up each weighting's scores, scaled by
    the best of this query, times its share.
    """
    count = len(weightings)
    scores = ", ".join(
        f"-bm25(fts_hunk_text, {', '.join(map(str, weights))}) AS s{at}"
        for at, (weights, _) in enumerate(weightings)
    )
    statement = _BY_WORDS.format(
        scores=scores,
        bests=", ".join(f"max(max(s{at}), 1e-9) AS b{at}" for at in range(count)),
        mixed=" + ".join(f"{share} * s{at} / b{at}" for at, (_, share) in enumerate(weightings)),
        names=", ".join(f"first.s{at}" for at in range(count)),
        occurrence=OCCURRENCE,
        allowed=allowed.on("rowid"),
    )
    rows = session.rows(statement, (word_expression(words), *allowed.parameters, limit))
    return [ScoredByWords(occurrence(row), tuple(row[6:])) for row in rows]


def holding_all(
    session: Session,
    words: Sequence[str],
    columns: Sequence[str],
    allowed: HunkFilter,
    *,
    oldest: bool,
    limit: int,
) -> list[Occurrence]:
    """The hunks that hold every word in one of the columns, oldest or newest first."""
    order = _OLDEST_FIRST if oldest else NEWEST_FIRST
    statement = _HOLDING_ALL.format(occurrence=OCCURRENCE, allowed=allowed.condition, order=order)
    match = within(columns, all_of(words))
    return [occurrence(row) for row in session.rows(statement, (match, *allowed.parameters, limit))]


def symbols_by_words(
    session: Session, words: Sequence[str], weights: tuple[float, float, float], limit: int
) -> list[tuple[int, float]]:
    """The symbols whose kind, name or neighbours hold the words, best first; weights in that order."""
    statement = _SYMBOLS.format(weights=", ".join(map(str, weights)))
    return [(row[0], row[1]) for row in session.rows(statement, (any_of(words), limit))]


def touching(session: Session, symbols: Iterable[int], allowed: HunkFilter) -> list[TouchedBy]:
    """The hunks that touch symbols, newest first."""
    statement = _TOUCHING.format(allowed=allowed.condition)
    rows = session.rows(statement, (json.dumps(list(symbols)), *allowed.parameters))
    return [TouchedBy(occurrence(row), row[6]) for row in rows]


def at_path(session: Session, written: str, allowed: HunkFilter, limit: int) -> list[Occurrence]:
    """The hunks of files at the paths that a person means, before or after a rename, newest first."""
    paths = paths_meant(session, written)
    if not paths:
        return []
    statement = _AT_PATHS.format(allowed=allowed.condition)
    asked = json.dumps(list(paths))
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
    """Every hunk that is allowed, newest first."""
    return [
        occurrence(row) for row in session.rows(_RECENT.format(allowed=allowed.condition), allowed.parameters)
    ]


def of_commit(session: Session, prefix: str, allowed: HunkFilter) -> list[Occurrence]:
    """The hunks of the commits whose sha begins so, in their order."""
    digits = prefix.lower()
    low = bytes.fromhex(digits.ljust(2 * _SHA_BYTES, "0"))
    high = bytes.fromhex(digits.ljust(2 * _SHA_BYTES, "f")) + b"\0"
    statement = _COMMIT_HUNKS.format(allowed=allowed.condition)
    return [occurrence(row) for row in session.rows(statement, (low, high, *allowed.parameters))]


def occurrence(row: tuple[Any, ...]) -> Occurrence:
    """The occurrence that a row begins with."""
    hunk, commit, time, sha, lineless, merge = row[:6]
    return Occurrence(HunkId(hunk), commit, time, sha, bool(lineless), bool(merge))
