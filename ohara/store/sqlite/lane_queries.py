"""The statements behind the ranking lanes: hunks by words, by symbol, by vector, by path, by time.

Every function takes a reader and a filter, and puts the filter on the hunks before it takes the best. Order
never depends on the order of indexing: equal scores go to the newest commit, then by the commit's name, then
by the hunk's place in the commit.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from ohara.model import HunkId
from ohara.store.sqlite.fts_query import any_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.store.sqlite.filters import HunkFilter
    from ohara.store.sqlite.reader import Reader

_SHA_BYTES = 20


class Occurrence(NamedTuple):
    """A hunk and the commit it is in; `lineless` marks a row that stands for the message alone."""

    hunk: HunkId
    commit: int
    time: int
    sha: bytes
    lineless: bool
    merge: bool


class Scored(NamedTuple):
    """A hunk that words found, with its score under each weighting of the columns."""

    at: Occurrence
    scores: tuple[float, ...]


class TouchedBy(NamedTuple):
    """A hunk and a symbol it touches."""

    at: Occurrence
    symbol: int


Weights = tuple[float, float, float, float, float, float]
"""What a word counts in message, path, header, added, removed and context."""

_PLACE = """hunk.id, hunk.commit_id, commits.committer_time, commits.sha, hunk.file_id = 0,
  length(commits.parents) > 20"""
_NEWEST = "commits.committer_time DESC, commits.sha DESC, hunk.id"

_BY_WORDS = """WITH scored AS MATERIALIZED (
    SELECT rowid AS id, {scores} FROM fts_hunk_text WHERE fts_hunk_text MATCH ?{allowed}),
  best AS (SELECT {bests} FROM scored),
  first AS (SELECT scored.* FROM scored, best ORDER BY {mixed} DESC, scored.id LIMIT ?)
SELECT {place}, {names} FROM first JOIN hunk ON hunk.id = first.id
  JOIN commits ON commits.id = hunk.commit_id"""

_SYMBOLS = """SELECT rowid, -bm25(fts_symbol_name, {weights}) AS score
  FROM fts_symbol_name WHERE fts_symbol_name MATCH ? ORDER BY score DESC, rowid LIMIT ?"""
_SYMBOL_NAMES = "SELECT id, qualified, kind FROM symbol WHERE id IN (SELECT value FROM json_each(?))"
# CROSS JOIN keeps the order: from the few that are asked for to what belongs to them, never the other way.
_TOUCHING = f"""SELECT {_PLACE}, hunk_symbol.symbol_id FROM json_each(?) AS asked
  CROSS JOIN hunk_symbol ON hunk_symbol.symbol_id = asked.value
  CROSS JOIN hunk ON hunk.id = hunk_symbol.hunk_id CROSS JOIN commits ON commits.id = hunk.commit_id
  WHERE {{allowed}} ORDER BY {_NEWEST}"""

_NEAREST = """SELECT rowid, embedding FROM {table}
  WHERE embedding MATCH vec_int8(?) AND k = ?{allowed} ORDER BY distance"""
# The layout that sqlite-vec documents for its tables. Its own search costs 0.3 ms for each place asked for,
# and compares bits with bits only.
_BLOCKS = """SELECT rowids, validity, vectors FROM {table}_chunks
  JOIN {table}_vector_chunks00 AS stored ON stored.rowid = chunk_id ORDER BY chunk_id"""
_CONTENTS = "SELECT DISTINCT hunk.content_id FROM hunk WHERE {} AND hunk.content_id IS NOT NULL"
_CONTENTS_OF = " AND rowid IN (SELECT hunk.content_id FROM hunk WHERE {} AND hunk.content_id IS NOT NULL)"
_OCCURRENCES = f"""SELECT {_PLACE}, hunk.content_id FROM json_each(?) AS asked
  CROSS JOIN hunk ON hunk.content_id = asked.value CROSS JOIN commits ON commits.id = hunk.commit_id
  WHERE {{allowed}} ORDER BY {_NEWEST}"""
_COMMITS_OF = "SELECT DISTINCT hunk.commit_id FROM hunk WHERE {}"
_COMMIT_VECTORS = "SELECT id, subject, change FROM {}"
# One look-up each: told of a list, sqlite-vec reads the whole table.
_STORED_VECTORS = """SELECT stored.rowid, stored.embedding FROM json_each(?) AS asked
  CROSS JOIN {table} AS stored ON stored.rowid = asked.value"""
# A commit's hunks have neighbouring ids: its first ones, so that a sweep through the tree costs no more.
_FIRST_OF = """SELECT hunk.commit_id, hunk.id, hunk.content_id FROM json_each(?) AS asked
  CROSS JOIN hunk ON hunk.commit_id = asked.value AND hunk.id <
    (SELECT min(id) FROM hunk AS first WHERE first.commit_id = asked.value) + ? ORDER BY hunk.id"""
_ALLOWED_OF = """SELECT hunk.commit_id, hunk.id, hunk.content_id FROM json_each(?) AS asked
  CROSS JOIN hunk ON hunk.commit_id = asked.value WHERE {allowed} ORDER BY hunk.id"""
_PLACES = f"""SELECT {_PLACE} FROM json_each(?) AS asked
  CROSS JOIN hunk ON hunk.id = asked.value CROSS JOIN commits ON commits.id = hunk.commit_id"""
_MOST_NEIGHBOURS = 4096  # sqlite-vec's own limit

_AT_PATHS = f"""SELECT {_PLACE} FROM file JOIN hunk ON hunk.file_id = file.id
  JOIN commits ON commits.id = hunk.commit_id
  WHERE (file.path_id IN (SELECT value FROM json_each(?))
    OR file.old_path_id IN (SELECT value FROM json_each(?))) AND {{allowed}} ORDER BY {_NEWEST} LIMIT ?"""
_PATHS = "SELECT id, path FROM path"

_RECENT = f"""SELECT {_PLACE} FROM commits JOIN hunk ON hunk.commit_id = commits.id
  WHERE {{allowed}} ORDER BY {_NEWEST}"""
_COMMIT_HUNKS = f"""SELECT {_PLACE} FROM commits JOIN hunk ON hunk.commit_id = commits.id
  WHERE commits.sha >= ? AND commits.sha < ? AND {{allowed}} ORDER BY {_NEWEST}"""


def by_words(
    reader: Reader,
    match: str,
    weightings: Sequence[tuple[Weights, float]],
    allowed: HunkFilter,
    limit: int,
) -> list[Scored]:
    """The hunks that a match expression finds, with their BM25 under each weighting, best mixture first.

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
        place=_PLACE,
        allowed=allowed.on("rowid"),
    )
    rows = reader.rows(statement, (match, *allowed.parameters, limit))
    return [Scored(_occurrence(row), tuple(row[6:])) for row in rows]


def symbols_by_words(
    reader: Reader, words: Sequence[str], weights: tuple[float, float, float], limit: int
) -> list[tuple[int, float]]:
    """The symbols whose kind, name or neighbours hold the words, best first; weights in that order."""
    statement = _SYMBOLS.format(weights=", ".join(map(str, weights)))
    return [(row[0], row[1]) for row in reader.rows(statement, (any_of(words), limit))]


def touching(reader: Reader, symbols: Iterable[int], allowed: HunkFilter) -> list[TouchedBy]:
    """The hunks that touch symbols, newest first."""
    statement = _TOUCHING.format(allowed=allowed.condition)
    rows = reader.rows(statement, (json.dumps(list(symbols)), *allowed.parameters))
    return [TouchedBy(_occurrence(row), row[6]) for row in rows]


def vector_blocks(reader: Reader, table: str) -> list[tuple[bytes, bytes, bytes]]:
    """All vectors of a table as it holds them: ids of contents, which places are taken, vectors."""
    return [(row[0], row[1], row[2]) for row in reader.rows(_BLOCKS.format(table=table))]


def commit_vectors(reader: Reader, table: str) -> list[tuple[int, bytes | None, bytes | None]]:
    """All vectors of commits: whose, of the subject, of the change."""
    return [(row[0], row[1], row[2]) for row in reader.rows(_COMMIT_VECTORS.format(table))]


def commits_of(reader: Reader, allowed: HunkFilter) -> list[int]:
    """The commits that may answer."""
    return [row[0] for row in reader.rows(_COMMITS_OF.format(allowed.condition), allowed.parameters)]


def hunks_of(
    reader: Reader, commits: Iterable[int], allowed: HunkFilter, first: int
) -> list[tuple[int, HunkId, int | None]]:
    """Hunks of commits that may answer, as commit, hunk, content; where all may, each commit's first."""
    asked = json.dumps(list(commits))
    if allowed.everything:
        return reader.rows(_FIRST_OF, (asked, first))
    return reader.rows(_ALLOWED_OF.format(allowed=allowed.condition), (asked, *allowed.parameters))


def places(reader: Reader, hunks: Iterable[HunkId]) -> list[Occurrence]:
    """Hunks with the commits they are in."""
    return [_occurrence(row) for row in reader.rows(_PLACES, (json.dumps(list(hunks)),))]


def stored_vectors(reader: Reader, contents: Iterable[int], table: str) -> dict[int, bytes]:
    """The vectors of some contents, as they are kept; of those that have one."""
    rows = reader.rows(_STORED_VECTORS.format(table=table), (json.dumps(list(contents)),))
    return {row[0]: row[1] for row in rows}


def contents_of(reader: Reader, allowed: HunkFilter) -> list[int]:
    """The contents that may answer."""
    return [row[0] for row in reader.rows(_CONTENTS.format(allowed.condition), allowed.parameters)]


def nearest(
    reader: Reader, vector: bytes, allowed: HunkFilter, limit: int, table: str
) -> list[tuple[int, bytes]]:
    """The contents whose int8 vectors are nearest to one, with theirs, nearest first.

    `table` holds vectors of the model that made the one asked with.
    """
    narrowed = "" if allowed.everything else _CONTENTS_OF.format(allowed.where)
    statement = _NEAREST.format(table=table, allowed=narrowed)
    rows = reader.rows(statement, (vector, min(limit, _MOST_NEIGHBOURS), *allowed.parameters))
    return [(row[0], row[1]) for row in rows]


def newest_occurrences(reader: Reader, contents: Iterable[int], allowed: HunkFilter) -> dict[int, Occurrence]:
    """The newest hunk of each content that has one."""
    newest: dict[int, Occurrence] = {}
    statement = _OCCURRENCES.format(allowed=allowed.condition)
    for row in reader.rows(statement, (json.dumps(list(contents)), *allowed.parameters)):
        newest.setdefault(row[6], _occurrence(row))
    return newest


def at_paths(reader: Reader, paths: Iterable[int], allowed: HunkFilter, limit: int) -> list[Occurrence]:
    """The hunks of files at some paths, before or after a rename, newest first."""
    statement = _AT_PATHS.format(allowed=allowed.condition)
    asked = json.dumps(list(paths))
    rows = reader.rows(statement, (asked, asked, *allowed.parameters, limit))
    return [_occurrence(row) for row in rows]


def paths_ending(reader: Reader, written: str) -> list[int]:
    """The paths that a person means who writes this: the file itself, its ending, or all in a folder."""
    name = written.strip("/").casefold()
    return [
        path_id
        for path_id, path in reader.rows(_PATHS)
        if (folded := f"/{path.casefold()}").endswith(f"/{name}") or f"/{name}/" in folded
    ]


def recent(reader: Reader, allowed: HunkFilter) -> list[Occurrence]:
    """Every hunk that is allowed, newest first."""
    return [
        _occurrence(row) for row in reader.rows(_RECENT.format(allowed=allowed.condition), allowed.parameters)
    ]


def of_commit(reader: Reader, prefix: str, allowed: HunkFilter) -> list[Occurrence]:
    """The hunks of the commits whose sha begins so, in their order."""
    digits = prefix.lower()
    low = bytes.fromhex(digits.ljust(2 * _SHA_BYTES, "0"))
    high = bytes.fromhex(digits.ljust(2 * _SHA_BYTES, "f")) + b"\0"
    statement = _COMMIT_HUNKS.format(allowed=allowed.condition)
    return [_occurrence(row) for row in reader.rows(statement, (low, high, *allowed.parameters))]


def qualified_names(reader: Reader, symbols: Iterable[int]) -> dict[int, tuple[str, str]]:
    """Symbols by id: qualified name and kind."""
    rows = reader.rows(_SYMBOL_NAMES, (json.dumps(list(symbols)),))
    return {row[0]: (row[1], row[2]) for row in rows}


def _occurrence(row: tuple[Any, ...]) -> Occurrence:
    hunk, commit, time, sha, lineless, merge = row[:6]
    return Occurrence(HunkId(hunk), commit, time, sha, bool(lineless), bool(merge))
