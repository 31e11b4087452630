"""Writes an index to a file that another clone can take over.

Rows get new numbers by what they mean, bodies travel as they are (the whole is compressed), and the word and
trigram tables are made anew in that order: the same history makes the same file, whatever runs indexed it.
"""

from __future__ import annotations

import json
import re
import tempfile
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ohara.errors import StoreError
from ohara.model import Pass, Sha
from ohara.store import message_words
from ohara.store.facts import FINGERPRINT, HEAD_LINES, HEAD_SYMBOLS, MESSAGE_WORDS, THREADED, THREADS
from ohara.store.sql.meta import read_fact, read_meta
from ohara.store.sql.session import EFFECTIVE_LEFT_OUT, PASS_BITS
from ohara.store.sql.symbols import name_row
from ohara.store.sqlite import trigram_merge, word_merge
from ohara.store.sqlite.connected import codec_of, connected
from ohara.store.sqlite.connection import connect_writer, translated
from ohara.store.sqlite.generations import generations, has_commits
from ohara.store.sqlite.hunk_words import TextRow
from ohara.store.sqlite.portable import (
    COMMIT_VECTORS,
    NUMBERS,
    POSTINGS,
    SYMBOL_NAMES,
    TABLES,
    TRIGRAMS,
    VECTORS,
    Header,
    parts_of,
)
from ohara.store.sqlite.portable_file import written
from ohara.store.sqlite.schema import MIGRATIONS, migrate, open_reader
from ohara.store.sqlite.trigram_writer import TrigramWriter
from ohara.store.sqlite.word_writer import WordWriter
from ohara.store.sqlite.writer import INSERT_NAME
from ohara.store.trigram_codes import packed_trigrams
from ohara.store.vocabulary import Numbering

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ohara.store.index import Analysis
    from ohara.store.sql.codec import Codec
    from ohara.store.sqlite.connection import Connection

_TEXTS_AT_ONCE = 2_000
_TEXT, _LITERAL = PASS_BITS[Pass.TEXT], PASS_BITS[Pass.LITERAL]
_ROOTS = "SELECT sha FROM commits WHERE live = 1 AND length(parents) = 0 ORDER BY sha"
_MESSAGES = """SELECT commits.message FROM commits JOIN new_commit ON new_commit.old = commits.id
  ORDER BY new_commit.new"""
_HUNKS = f"""SELECT new_hunk.new, new_commit.new, commits.message, path.path, coalesce(header.header, ''),
    hunk.file_id = 0, {EFFECTIVE_LEFT_OUT} IS NULL, content.body
  FROM hunk JOIN new_hunk ON new_hunk.old = hunk.id JOIN commits ON commits.id = hunk.commit_id
  JOIN new_commit ON new_commit.old = commits.id
  LEFT JOIN live_file AS file ON file.id = hunk.file_id LEFT JOIN path ON path.id = file.path_id
  LEFT JOIN content ON content.id = hunk.content_id LEFT JOIN header ON header.id = hunk.header_id
  WHERE commits.passes & {_TEXT} ORDER BY new_hunk.new"""
_CONTENTS = f"""SELECT new, body FROM content JOIN new_content ON old = id WHERE passes & {_LITERAL}
  ORDER BY new"""
_SYMBOLS = "SELECT new, kind, name, qualified, id FROM symbol JOIN new_symbol ON old = id ORDER BY new"
_SIBLINGS = """SELECT siblings FROM head_symbol JOIN new_blob ON new_blob.old = blob_id WHERE symbol_id = ?
  ORDER BY siblings"""
_VECTOR_FORM = re.compile(r"embedding (\w+)\[(\d+)\]")


def roots_of(database: Path) -> tuple[Sha, ...]:
    """The live commits of an index that have no parents."""
    with translated(database), closing(open_reader(database)) as connection:
        return tuple(Sha(row[0].hex()) for row in connection.execute(_ROOTS))


def export(database: Path, file: Path, analysis: Analysis, *, derived: bool) -> int:
    """Write an index to a file, with or without word tables and vectors; how many commits it has."""
    with ExitStack() as stack:
        connection = stack.enter_context(closing(open_reader(database)))
        with translated(database):
            if connection.pragma("user_version") != len(MIGRATIONS):
                raise StoreError(
                    "the index is of an earlier version", hint="bring it up to date with: ohara index"
                )
            connection.pragma("query_only", 0)  # new numbers are kept in temporary tables
            connection.pragma("temp_store", 1)
            connection.execute("BEGIN")  # one state of the index, whoever writes meanwhile
            for statement in NUMBERS:
                connection.execute(statement)
            header = _header(connection, derived=derived)
            sender = stack.enter_context(written(file))
            sender.header(header)
            codec = codec_of(connection)
            for table in TABLES:
                if derived or table.name != "encoded":  # made with the trigrams
                    rows = connection.execute(table.select)
                    sender.table(table.name, _plain(rows, codec) if table.name == "content" else rows)
            for name, select in _vector_selects(connection, header):
                sender.table(name, connection.execute(select))
            folder = stack.enter_context(tempfile.TemporaryDirectory(dir=file.absolute().parent))
            words = stack.enter_context(closing(connect_writer(Path(folder) / "words.db")))
            _make_names(connection, words)
            if derived:
                _make_postings(connection, words, codec, analysis)
                _make_trigrams(connection, words, codec, analysis)
                for table in (*POSTINGS, *TRIGRAMS):
                    sender.table(table.name, words.execute(table.select))
            for table in parts_of(SYMBOL_NAMES):
                sender.table(table.name, words.execute(table.select))
            sender.end()
    return header.commits


def _header(connection: Connection, *, derived: bool) -> Header:
    made_with = read_fact(connected(connection), FINGERPRINT)
    roots = [row[0] for row in connection.execute(_ROOTS)]
    if made_with is None or not roots:
        raise StoreError("the index has nothing to export yet", hint="let it finish first: ohara index")
    facts: dict[str, str | int] = {}
    for fact in (HEAD_LINES, HEAD_SYMBOLS):
        facts[fact.name] = read_fact(connected(connection), fact) or ""
    for number in (THREADS, THREADED):
        facts[number.name] = read_fact(connected(connection), number)
    # Counted anew: what the index says of it is of one of its runs, and files of one history are the same.
    said = message_words.count([row[0] for row in connection.execute(_MESSAGES)])
    facts[MESSAGE_WORDS.name] = json.dumps(MESSAGE_WORDS.write(said), sort_keys=True)
    rules = read_meta(connected(connection), "rules")
    vectors = _vectors(connection) if derived else None
    return Header(
        schema=len(MIGRATIONS),
        fingerprint={
            "words": made_with.words,
            "parser": made_with.parser,
            "embedder": made_with.embedder,
            "vectors": made_with.vectors,
            "pieces": made_with.pieces,
            "lines": made_with.lines,
        },
        rules=rules if isinstance(rules, str) else "",
        roots=tuple(roots),
        commits=connection.execute("SELECT count(*) FROM new_commit").get,
        hunks=connection.execute("SELECT count(*) FROM new_hunk").get,
        vectors=vectors,
        facts=facts,
        whole=derived,
    )


def _vectors(connection: Connection) -> tuple[str, int] | None:
    current = generations(connected(connection)).current
    if current is None or not has_commits(connected(connection), current):
        return None
    made = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (current.table,)).get
    form = _VECTOR_FORM.search(made)
    return (form[1], int(form[2])) if form else None


def _vector_selects(connection: Connection, header: Header) -> list[tuple[str, str]]:
    current = generations(connected(connection)).current
    if header.vectors is None or current is None:
        return []
    return [
        (VECTORS.name, VECTORS.select.format(table=current.table)),
        (COMMIT_VECTORS.name, COMMIT_VECTORS.select.format(table=current.commits)),
    ]


def _plain(rows: Iterator[Sequence[object]], codec: Codec) -> Iterator[Sequence[object]]:
    """Contents with their bodies as they are."""
    for number, digest, passes, body in rows:
        if isinstance(body, bytes):
            yield number, digest, passes, codec.unpack_bytes([body])[0]


def _make_names(connection: Connection, words: Connection) -> None:
    """Make the table of symbols' names, in the new order and in one piece."""
    migrate(words)
    words.execute("BEGIN")
    words.executemany(INSERT_NAME, _names(connection))
    words.execute(f"INSERT INTO {SYMBOL_NAMES}({SYMBOL_NAMES}) VALUES('optimize')")
    words.execute("COMMIT")


def _make_postings(connection: Connection, words: Connection, codec: Codec, analysis: Analysis) -> None:
    """Make the postings of words, in the new order and in one piece."""
    words.execute("BEGIN")
    writer = WordWriter(words)
    texts = _texts(connection, codec, analysis)
    while some := list(islice(texts, _TEXTS_AT_ONCE)):
        numbering = Numbering()
        packed = [(hunk, commit, list(map(numbering.pack, columns))) for hunk, commit, *columns in some]
        vocabulary = numbering.vocabulary(column for _, _, columns in packed for column in columns)
        writer.add([TextRow(vocabulary, hunk, commit, *columns) for hunk, commit, columns in packed])
    writer.finish()
    word_merge.merge_all(words)
    words.execute("COMMIT")


def _make_trigrams(connection: Connection, words: Connection, codec: Codec, analysis: Analysis) -> None:
    """Make the lists of trigrams, in the new order and in one piece."""
    words.execute("BEGIN")
    writer = TrigramWriter(words)
    contents = connection.execute(_CONTENTS)
    while some := list(islice(contents, _TEXTS_AT_ONCE)):
        packed = packed_trigrams([analysis.changed(codec.unpack(body)) for _, body in some])
        for (number, _), trigrams in zip(some, packed, strict=True):
            writer.add(number, trigrams)
    writer.finish()
    trigram_merge.merge_all(words)
    words.execute("COMMIT")


def _texts(
    connection: Connection, codec: Codec, analysis: Analysis
) -> Iterator[tuple[int, int, *tuple[str, ...]]]:
    last, message_words = -1, ""
    for number, commit, message, path, header, is_message, is_searched, body in connection.execute(_HUNKS):
        if commit != last:
            last, message_words = commit, analysis.message(message)
        if is_message:
            yield number, commit, message_words
        elif is_searched:
            made = analysis.hunk(path, header, codec.unpack(body) if body is not None else "")
            if made is not None:
                yield number, commit, message_words, *made


def _names(connection: Connection) -> Iterator[Sequence[object]]:
    for number, kind, name, qualified, old in connection.execute(_SYMBOLS):
        siblings = [row[0] for row in connection.execute(_SIBLINGS, (old,))]
        yield number, *name_row(kind, name, qualified, siblings)
