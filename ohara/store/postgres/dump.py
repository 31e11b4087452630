"""Writes out all that an index says, without numbers: two indexes are alike when their dumps are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.store.postgres.nearest import packed
from ohara.store.postgres.words import LENGTH_BITS, LONGEST
from ohara.store.sql.stored_commits import StoredCommits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ohara.store.postgres.reader import Reader

_COMMITS = """SELECT encode(sha, 'hex'), encode(parents, 'hex'), name, email, author_time, author_offset,
  committer_time, committer_offset, message, passes, live FROM commits JOIN person ON person.id = author"""
_FILES = """SELECT encode(sha, 'hex'), path.path, old.path, kind, old_blob, new_blob, additions, deletions,
  file.left_out, path.left_out, path.language FROM file
  JOIN commits ON commits.id = file.commit_id JOIN path ON path.id = file.path_id
  LEFT JOIN path AS old ON old.id = file.old_path_id"""
_HUNK_NAMES = """SELECT hunk.id, encode(sha, 'hex') || ' ' || coalesce(path.path, '') || ' ' ||
  old_start || ',' || old_lines || ' ' || new_start || ',' || new_lines || ' ' ||
  coalesce(encode(digest, 'hex'), '-') || ' ' || coalesce(header, '')
  FROM hunk JOIN commits ON commits.id = hunk.commit_id LEFT JOIN file ON file.id = hunk.file_id
  LEFT JOIN path ON path.id = file.path_id LEFT JOIN content ON content.id = hunk.content_id
  LEFT JOIN header ON header.id = hunk.header_id"""
_HEAD = """SELECT path.path, blob, parsed_blob.language, kind, qualified, first_line, last_line, siblings
  FROM head_file JOIN path ON path.id = path_id JOIN parsed_blob ON parsed_blob.id = head_file.blob_id
  LEFT JOIN head_symbol ON head_symbol.blob_id = parsed_blob.id LEFT JOIN symbol ON symbol.id = symbol_id"""
_THREADS = """SELECT first.sha, place, reason, commits.sha FROM thread
  JOIN commits ON commits.id = thread.commit_id JOIN commits AS first ON first.id = thread.first_id"""
_COPIES = """SELECT first.sha, commits.sha, branches FROM copy
  JOIN commits ON commits.id = copy.commit_id JOIN commits AS first ON first.id = copy.first_id"""
_ENDS = """SELECT hunk_id, to_hunk, sha, first, lines, solid, how, to_first
  FROM line_end JOIN commits ON commits.id = commit_id"""
_HEAD_LINES = """SELECT path.path, blob, hunk_id, line, lines, solid, first FROM head_version
  JOIN path ON path.id = path_id LEFT JOIN head_line ON version_id = head_version.id"""
_MERGED = """SELECT sha, path.path, blob FROM merged_file
  JOIN commits ON commits.id = commit_id JOIN path ON path.id = path_id"""
_WHOLE = (
    ("commit", _COMMITS),
    ("file", _FILES),
    ("head", _HEAD),
    ("thread", _THREADS),
    ("copy", _COPIES),
    ("merged", _MERGED),
    ("failure", "SELECT sha, reason, missing FROM failure"),
)
_VECTORS = "SELECT content_id, bits, numbers::real[] FROM vec_content WHERE generation = ?"
_COMMIT_VECTORS = """SELECT sha, place, bits, numbers::real[] FROM vec_commit
  JOIN commits ON commits.id = commit_id WHERE generation = ?"""


def dump(session: Reader) -> list[str]:
    """Every fact of an index, one a line, sorted."""
    hunks: dict[int, str] = dict(session.rows(_HUNK_NAMES))
    contents: dict[int, str] = dict(session.rows("SELECT id, encode(digest, 'hex') FROM content"))
    symbols: dict[int, str] = dict(session.rows("SELECT id, kind || ' ' || qualified FROM symbol"))
    return sorted(
        [
            *(f"{name} {row!r}" for name, statement in _WHOLE for row in session.rows(statement)),
            *(f"hunk {name}" for name in hunks.values()),
            *(f"symbol {name}" for name in symbols.values()),
            *_found_by(session, hunks, contents, symbols),
            *_words(session, hunks, symbols),
            *_lines(session, hunks),
            *_vectors(session, contents),
            *_bodies(session),
        ]
    )


def _found_by(
    session: Reader, hunks: Mapping[int, str], contents: Mapping[int, str], symbols: Mapping[int, str]
) -> Iterator[str]:
    for hunk, symbol in session.rows("SELECT hunk_id, symbol_id FROM hunk_symbol"):
        yield f"touches {hunks[hunk]} {symbols[symbol]}"
    for content, keys in session.rows("SELECT content_id, keys FROM literal"):
        yield f"trigrams {contents[content]} {keys!r}"
    for content, signs in session.rows("SELECT content_id, signs FROM encoded"):
        yield f"encoded {contents[content]} {signs:x}"


def _words(session: Reader, hunks: Mapping[int, str], symbols: Mapping[int, str]) -> Iterator[str]:
    words: dict[int, str] = dict(session.rows("SELECT id, word FROM word"))
    for owner, table, names in (("hunk_id", "hunk_text", hunks), ("symbol_id", "symbol_text", symbols)):
        for number, seq in session.rows(f"SELECT {owner}, seq FROM {table}"):
            yield f"words {names[number]} {' '.join(words.get(word, '|') for word in seq)}"
    for table, names in (("posting", hunks), ("symbol_posting", symbols)):
        for word, *times, _, places in session.rows(f"SELECT * FROM {table}"):
            for place in places:
                yield f"held {names[place >> LENGTH_BITS]} {place & LONGEST} {words[word]} {times!r}"
    for word, count in session.rows("SELECT word, hunks FROM word WHERE hunks != 0"):
        yield f"word {word} {count}"
    for total in session.rows("SELECT texts, tokens FROM text_total WHERE texts != 0"):
        yield f"texts {total!r}"


def _lines(session: Reader, hunks: Mapping[int, str]) -> Iterator[str]:
    for hunk, solid in session.rows("SELECT hunk_id, solid FROM line_count"):
        yield f"adds {hunks[hunk]} {solid}"
    for hunk, to_hunk, *run in session.rows(_ENDS):
        yield f"ended {hunks[hunk]} {run!r} {hunks.get(to_hunk, '')}"
    for path, blob, hunk, *run in session.rows(_HEAD_LINES):
        yield f"head line {path} {blob.hex()} {run!r} {hunks.get(hunk, '')}"


def _vectors(session: Reader, contents: Mapping[int, str]) -> Iterator[str]:
    found = session.generations()
    if found.current:
        made = found.current
        for content, *both in session.rows(_VECTORS, (made.number,)):
            (vector,) = [packed(made.form, each) for each in both if each is not None]
            yield f"vector {contents[content]} {made.embedder} {vector.hex()}"
        for sha, place, *both in session.rows(_COMMIT_VECTORS, (made.number,)):
            (vector,) = [packed(made.form, each) for each in both if each is not None]
            yield f"vectors {sha.hex()} {place} {vector.hex()}"
    if found.kept:
        yield f"vectors of {found.kept.embedder} are kept"


def _bodies(session: Reader) -> Iterator[str]:
    stored = StoredCommits(session)
    for (commit_id,) in session.rows("SELECT id FROM commits"):
        for hunk in stored.hunks(commit_id):
            yield f"body {hunk.path} {hunk.old_start} {hunk.new_start} {hunk.body!r}"
