"""Writes out all that an index says, without ids: two indexes are alike when their dumps are.

Rows are named by what they mean (shas, paths, digests), so the order of indexing does not show. Word
and trigram tables keep no text; their dump is the list of terms and the rows they stand in.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import closing
from typing import TYPE_CHECKING

from ohara.store.sql.stored_commits import StoredCommits
from ohara.store.sqlite import former_trigrams, former_words
from ohara.store.sqlite.connected import Connected
from ohara.store.sqlite.connection import translated
from ohara.store.sqlite.generations import generations, has_commits
from ohara.store.sqlite.schema import open_reader
from ohara.store.sqlite.trigram_listing import listed_trigrams
from ohara.store.sqlite.trigram_pieces import are_there
from ohara.store.sqlite.word_listing import listed_words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ohara.store.sqlite.connection import Connection
    from ohara.store.sqlite.generations import Generation

_COMMITS = """SELECT hex(sha), hex(parents), name, email, author_time, author_offset, committer_time,
  committer_offset, message, passes, live FROM commits JOIN person ON person.id = author"""
_FILES = """SELECT hex(sha), path.path, old.path, kind, hex(old_blob), hex(new_blob), additions, deletions,
  file.left_out, path.left_out, path.language FROM file
  JOIN commits ON commits.id = file.commit_id JOIN path ON path.id = file.path_id
  LEFT JOIN path AS old ON old.id = file.old_path_id"""
_HUNK_NAMES = """SELECT hunk.id, hex(sha) || ' ' || coalesce(path.path, '') || ' ' || old_start || ',' ||
  old_lines || ' ' || new_start || ',' || new_lines || ' ' || coalesce(hex(digest), '-') ||
  ' ' || coalesce(header, '')
  FROM hunk JOIN commits ON commits.id = hunk.commit_id LEFT JOIN file ON file.id = hunk.file_id
  LEFT JOIN path ON path.id = file.path_id LEFT JOIN content ON content.id = hunk.content_id
  LEFT JOIN header ON header.id = hunk.header_id"""
_COMMIT_VECTORS = (
    "SELECT hex(sha), hex(subject), hex(change) FROM {} AS made JOIN commits ON commits.id = made.id"
)
_CONTENT_NAMES = "SELECT id, hex(digest) FROM content"
_SYMBOL_NAMES = "SELECT id, kind || ' ' || qualified FROM symbol"
_TERMS = "SELECT term, doc, col FROM temp.dumped_terms"
_HEAD = """SELECT path.path, hex(blob), parsed_blob.language, kind, qualified, first_line, last_line, siblings
  FROM head_file JOIN path ON path.id = path_id JOIN parsed_blob ON parsed_blob.id = head_file.blob_id
  LEFT JOIN head_symbol ON head_symbol.blob_id = parsed_blob.id LEFT JOIN symbol ON symbol.id = symbol_id"""


_THREADS = """SELECT hex(first.sha), place, reason, hex(commits.sha) FROM thread
  JOIN commits ON commits.id = thread.commit_id JOIN commits AS first ON first.id = thread.first_id"""
_COPIES = """SELECT hex(first.sha), hex(commits.sha), branches FROM copy
  JOIN commits ON commits.id = copy.commit_id JOIN commits AS first ON first.id = copy.first_id"""
_ENDS = """SELECT hunk_id, to_hunk, hex(sha), first, lines, solid, how, to_first
  FROM line_end JOIN commits ON commits.id = commit_id"""
_HEAD_LINES = """SELECT path.path, hex(blob), hunk_id, line, lines, solid, first FROM head_version
  JOIN path ON path.id = path_id LEFT JOIN head_line ON version_id = head_version.id"""
_MERGED = """SELECT hex(sha), path.path, hex(blob) FROM merged_file
  JOIN commits ON commits.id = commit_id JOIN path ON path.id = path_id"""


def dump(database: Path) -> list[str]:
    """Every fact of an index, one a line, sorted."""
    with closing(Connected(database, open_reader(database))) as session, translated(database):
        session.connection.pragma("query_only", 0)  # the terms are listed through a temporary table
        return sorted([*_facts(session), *_bodies(session)])


def _facts(session: Connected) -> Iterator[str]:
    connection = session.connection
    hunks: dict[int, str] = dict(connection.execute(_HUNK_NAMES))
    contents: dict[int, str] = dict(connection.execute(_CONTENT_NAMES))
    symbols: dict[int, str] = dict(connection.execute(_SYMBOL_NAMES))
    for name, statement in (("commit", _COMMITS), ("file", _FILES), ("head", _HEAD)):
        yield from (f"{name} {row!r}" for row in connection.execute(statement))
    if session.has_threads:
        yield from (f"thread {row!r}" for row in connection.execute(_THREADS))
        yield from (f"copy {row!r}" for row in connection.execute(_COPIES))
    yield from (f"hunk {name}" for name in hunks.values())
    yield from (f"symbol {name}" for name in symbols.values())
    for hunk, symbol in connection.execute("SELECT hunk_id, symbol_id FROM hunk_symbol"):
        yield f"touches {hunks[hunk]} {symbols[symbol]}"
    yield from _terms(connection, "fts_symbol_name", symbols)
    yield from _words(connection, hunks)
    yield from _trigrams(connection, contents)
    for content, signs in connection.execute("SELECT content_id, signs FROM encoded"):
        yield f"encoded {contents[content]} {signs:x}"
    if session.has_lines:
        yield from _lines(connection, hunks)
    vectors = generations(session)
    if vectors.current:
        yield from _vectors(session, vectors.current, contents)
    if vectors.kept:
        yield f"vectors of {vectors.kept.embedder} are kept"
    yield from (
        f"failure {row!r}" for row in connection.execute("SELECT hex(sha), reason, missing FROM failure")
    )


def _vectors(session: Connected, made: Generation, contents: dict[int, str]) -> Iterator[str]:
    for content, vector in session.connection.execute(f"SELECT rowid, embedding FROM {made.table}"):
        yield f"vector {contents[content]} {made.embedder} {vector.hex()}"
    if has_commits(session, made):
        whole = _COMMIT_VECTORS.format(made.commits)
        yield from (f"vectors {row!r}" for row in session.connection.execute(whole))


def _lines(connection: Connection, hunks: dict[int, str]) -> Iterator[str]:
    for hunk, solid in connection.execute("SELECT hunk_id, solid FROM line_count"):
        yield f"adds {hunks[hunk]} {solid}"
    for hunk, to_hunk, *run in connection.execute(_ENDS):
        yield f"ended {hunks[hunk]} {run!r} {hunks.get(to_hunk, '')}"
    for path, blob, hunk, *run in connection.execute(_HEAD_LINES):
        yield f"head line {path} {blob} {run!r} {hunks.get(hunk, '')}"
    yield from (f"merged {row!r}" for row in connection.execute(_MERGED))


def _terms(connection: Connection, table: str, names: dict[int, str]) -> Iterator[str]:
    connection.execute("DROP TABLE IF EXISTS temp.dumped_terms")
    connection.execute(f"CREATE VIRTUAL TABLE temp.dumped_terms USING fts5vocab(main, {table}, instance)")
    rows: dict[tuple[int, str], list[str]] = defaultdict(list)
    for term, row, column in connection.execute(_TERMS):
        rows[row, column or ""].append(term)
    for (row, column), terms in rows.items():
        yield f"{table} {names[row]} {column} {' '.join(sorted(terms))!r}"


def _words(connection: Connection, names: dict[int, str]) -> Iterator[str]:
    if former_words.are_there(connection):
        yield from _terms(connection, former_words.TABLE, names)
        return
    rows: dict[tuple[int, str], list[str]] = defaultdict(list)
    for word, hunk, column, times in listed_words(connection):
        rows[hunk, column] += [word] * times
    for (hunk, column), words in rows.items():
        yield f"{former_words.TABLE} {names[hunk]} {column} {' '.join(sorted(words))!r}"


def _trigrams(connection: Connection, names: dict[int, str]) -> Iterator[str]:
    if former_trigrams.are_there(connection):
        yield from _terms(connection, former_trigrams.TABLE, names)
    for content, codes in listed_trigrams(connection) if are_there(connection) else ():
        yield f"trigrams {names[content]} {' '.join(f'{code:06x}' for code in codes)}"


def _bodies(session: Connected) -> Iterator[str]:
    stored = StoredCommits(session)
    for (commit_id,) in session.rows("SELECT id FROM commits"):
        for hunk in stored.hunks(commit_id):
            yield f"body {hunk.path} {hunk.old_start} {hunk.new_start} {hunk.body!r}"
