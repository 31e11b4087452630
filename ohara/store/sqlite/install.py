"""Makes an index of a file that another clone exported, trusting it no more than a repository.

No database is opened that somebody else wrote: the file holds rows, each is checked against the types of
its table as it is decoded, and inserted into a fresh database with ohara's own statements. Bodies must have
the digests that they go by, numbers must lead to rows that are there. What is copied is committed in
batches: a copy that was killed goes on where it stopped.
"""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING

import apsw
import msgspec

from ohara.errors import StoreError
from ohara.model import Sha, VectorForm
from ohara.store.facts import FINGERPRINT, HEAD_LINES, HEAD_SYMBOLS, MESSAGE_WORDS, THREADED, THREADS
from ohara.store.fingerprint import Fingerprint
from ohara.store.index import Exported
from ohara.store.sqlite import former_trigrams, former_words
from ohara.store.sqlite.connected import connected
from ohara.store.sqlite.connection import LOG, SHARED, beside, connect_writer, translated
from ohara.store.sqlite.generations import ensure_tables
from ohara.store.sqlite.incoming import BY_NAME, Incoming, bad_file
from ohara.store.sqlite.portable import COMMIT_VECTORS, VECTORS, Header
from ohara.store.sqlite.portable_file import check, messages
from ohara.store.sqlite.schema import FTS_HUNK_TEXT, FTS_LITERAL, MIGRATIONS, migrate
from ohara.store.sqlite.trigram_pieces import check_sizes, contents_with_trigrams
from ohara.store.sqlite.word_pieces import hunks_with_words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ohara.store.locate import IndexLocation
    from ohara.store.message_words import MessageWords
    from ohara.store.sqlite.connection import Connection
    from ohara.store.sqlite.portable import Table

_STATE = "import"  # in meta, while a copy is under way: the file's digest, and how many messages are copied
_MESSAGES_AT_ONCE = 16
_OLDEST = 6  # tables that can be taken over: they keep words in another way, which the next run changes
_DIMENSIONS = 8_192

# Built when all rows are there, at half of what keeping them up to date with each row costs.
_LATE_INDEXES = """SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL
  AND name NOT LIKE 'fts%'"""

# Rows that name others which are not there; each statement must find none.
_DANGLING = (
    "SELECT 1 FROM commits WHERE author NOT IN (SELECT id FROM person)",
    "SELECT 1 FROM file LEFT JOIN commits ON commits.id = commit_id WHERE commits.id IS NULL",
    "SELECT 1 FROM file LEFT JOIN path ON path.id = path_id WHERE path.id IS NULL",
    """SELECT 1 FROM file LEFT JOIN path ON path.id = old_path_id
       WHERE old_path_id IS NOT NULL AND path.id IS NULL""",
    "SELECT 1 FROM hunk LEFT JOIN commits ON commits.id = commit_id WHERE commits.id IS NULL",
    "SELECT 1 FROM hunk LEFT JOIN file ON file.id = file_id WHERE file_id != 0 AND file.id IS NULL",
    """SELECT 1 FROM hunk LEFT JOIN content ON content.id = content_id
       WHERE content_id IS NOT NULL AND content.id IS NULL""",
    """SELECT 1 FROM hunk LEFT JOIN header ON header.id = header_id
       WHERE header_id IS NOT NULL AND header.id IS NULL""",
    "SELECT 1 FROM hunk_symbol LEFT JOIN symbol ON symbol.id = symbol_id WHERE symbol.id IS NULL",
    "SELECT 1 FROM hunk_symbol LEFT JOIN hunk ON hunk.id = hunk_id WHERE hunk.id IS NULL",
    "SELECT 1 FROM head_file WHERE blob_id NOT IN (SELECT id FROM parsed_blob)",
    "SELECT 1 FROM head_file WHERE path_id NOT IN (SELECT id FROM path)",
    "SELECT 1 FROM head_symbol WHERE symbol_id NOT IN (SELECT id FROM symbol)",
    "SELECT 1 FROM thread WHERE commit_id NOT IN (SELECT id FROM commits)",
    "SELECT 1 FROM thread WHERE first_id NOT IN (SELECT id FROM commits)",
    "SELECT 1 FROM copy WHERE first_id NOT IN (SELECT id FROM commits)",
    "SELECT 1 FROM line_end LEFT JOIN hunk ON hunk.id = hunk_id WHERE hunk.id IS NULL",
    "SELECT 1 FROM line_end LEFT JOIN commits ON commits.id = commit_id WHERE commits.id IS NULL",
    "SELECT 1 FROM line_count LEFT JOIN hunk ON hunk.id = hunk_id WHERE hunk.id IS NULL",
    "SELECT 1 FROM head_line WHERE version_id NOT IN (SELECT id FROM head_version)",
    "SELECT 1 FROM head_version WHERE path_id NOT IN (SELECT id FROM path)",
    "SELECT 1 FROM merged_file WHERE commit_id NOT IN (SELECT id FROM commits)",
    "SELECT 1 FROM encoded WHERE content_id NOT IN (SELECT id FROM content)",
)
_BAD_PARENTS = "SELECT 1 FROM commits WHERE length(parents) % 20 != 0"


def read_exported(file: Path) -> Exported:
    """What a file says of itself, after its digest was compared; an error when it is not for this ohara."""
    check(file)
    first = next(messages(file), None)
    if not isinstance(first, Header):
        raise bad_file(file, "it does not begin with a header")
    if first.schema > len(MIGRATIONS):
        raise StoreError(
            f"{file} holds tables of format {first.schema}; this ohara knows formats up to {len(MIGRATIONS)}",
            hint="upgrade ohara",
        )
    if first.schema < _OLDEST:
        raise StoreError(
            f"{file} holds tables of format {first.schema}, which this ohara would have to change",
            hint="export it again with this version, or index here: ohara index",
        )
    made_with = fingerprint_of(first)
    if made_with is None:
        raise bad_file(file, "its fingerprint makes no sense")
    return Exported(tuple(Sha(root.hex()) for root in first.roots), first.commits, made_with)


def fingerprint_of(header: Header) -> Fingerprint | None:
    """What the passes of a file were made with; None when it does not say so."""
    try:
        return msgspec.convert(header.fingerprint, Fingerprint)
    except msgspec.ValidationError:
        return None


def install(location: IndexLocation, file: Path, progress: Callable[[int], None] = lambda _: None) -> int:
    """Copy a file's rows into a fresh database and put it in the place of the index; how many commits.

    Whoever calls holds the lock of the one writer; there is no index here.
    """
    digest = check(file)
    part = location.folder / f"import-{digest[:16]}.db"
    for other in location.folder.glob("import-*.db*"):
        if not other.name.startswith(part.name):
            other.unlink(missing_ok=True)
    try:
        with translated(part), closing(connect_writer(part)) as connection:
            commits = _Copy(connection, file, digest).run(progress)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except (apsw.ConstraintError, apsw.MismatchError, apsw.TooBigError, apsw.RangeError) as error:
        _discard(part)
        raise bad_file(file, str(error)) from error
    except StoreError:
        _discard(part)
        raise
    for suffix in (LOG, SHARED):
        beside(part, suffix).unlink(missing_ok=True)
        beside(location.database, suffix).unlink(missing_ok=True)
    part.replace(location.database)
    return commits


class _Copy:
    """One copy of a file into a database."""

    def __init__(self, connection: Connection, file: Path, digest: str) -> None:
        self._connection = connection
        self._file = file
        self._digest = digest

    def run(self, progress: Callable[[int], None]) -> int:
        """Copy what is not copied yet, and check the whole."""
        execute = self._connection.execute
        migrate(self._connection)
        done = self._done()
        if not done:
            execute("BEGIN")
            for name, _ in self._indexes():
                execute(f"DROP INDEX {name}")
            execute("COMMIT")
        header = self._copy(done, progress)
        execute("BEGIN")
        there = {name for name, _ in self._indexes()}
        for name, statement in _indexes_of_a_fresh_database():
            if name not in there:
                execute(statement)
        self._check()
        self._record(header)
        execute("DELETE FROM meta WHERE key = ?", (_STATE,))
        execute("COMMIT")
        return int(execute("SELECT count(*) FROM commits").get)

    def _indexes(self) -> list[tuple[str, str]]:
        return [(str(name), str(made)) for name, made in self._connection.execute(_LATE_INDEXES)]

    def _done(self) -> int:
        """How many messages an earlier attempt copied of this file."""
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (_STATE,)).fetchone()
        state = json.loads(row[0]) if row else None
        if state and state["digest"] == self._digest:
            return int(state["messages"])
        return 0

    def _copy(self, done: int, progress: Callable[[int], None]) -> Header:
        header: Header | None = None
        rows = count = 0
        execute = self._connection.execute
        trained = execute("SELECT bytes FROM dictionary").fetchone()
        execute("BEGIN")
        with closing(Incoming(self._file, done, trained[0] if trained else None).read()) as incoming:
            for each in incoming:
                if isinstance(each, Header):
                    header = each
                    continue
                if each.dictionary:
                    execute("INSERT INTO dictionary(bytes) VALUES(?)", (each.dictionary,))
                self._connection.executemany(self._insert(header, each.table), each.rows)
                rows += len(each.rows)
                count += 1
                if count >= _MESSAGES_AT_ONCE:
                    count = 0
                    self._save(each.number)
                    progress(rows)
        execute("COMMIT")
        if header is None:
            raise bad_file(self._file, "it is empty")
        return header

    def _save(self, number: int) -> None:
        """End a batch, and remember how far it came."""
        state = json.dumps({"digest": self._digest, "messages": number})
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (_STATE, state))
        self._connection.execute("COMMIT")
        self._connection.execute("BEGIN")

    def _insert(self, header: Header | None, name: str) -> str:
        table = BY_NAME[name]
        for former, made in ((former_words.TABLE, FTS_HUNK_TEXT), (former_trigrams.TABLE, FTS_LITERAL)):
            if name.startswith(former):  # of a former version: the next run converts it
                self._connection.execute(made.replace("TABLE", "TABLE IF NOT EXISTS", 1))
        if header is not None and table in (VECTORS, COMMIT_VECTORS):
            return self._vector_insert(header, table)
        return table.insert

    def _vector_insert(self, header: Header, table: Table) -> str:
        if header.vectors is None or not 0 < header.vectors[1] <= _DIMENSIONS:
            raise bad_file(self._file, "it has vectors and does not say of which form")
        form, dimensions = header.vectors
        if form not in set(VectorForm):
            raise bad_file(self._file, "its vectors have a form that ohara does not have")
        hunks, commits = ensure_tables(connected(self._connection), dimensions, VectorForm(form))
        return table.insert.format(table=hunks if table is VECTORS else commits, form=form)

    def _check(self) -> None:
        for statement in (*_DANGLING, _BAD_PARENTS):
            if self._connection.execute(f"{statement} LIMIT 1").fetchone():
                raise bad_file(self._file, "a row names another that is not there")
        try:
            worded = hunks_with_words(self._connection)
            check_sizes(self._connection)
            spelt = contents_with_trigrams(self._connection)
        except ValueError as error:
            raise bad_file(self._file, str(error)) from error
        if not set(worded) <= {row[0] for row in self._connection.execute("SELECT id FROM hunk")}:
            raise bad_file(self._file, "it has words of a hunk that is not there")
        if not set(spelt) <= {row[0] for row in self._connection.execute("SELECT id FROM content")}:
            raise bad_file(self._file, "it has trigrams of a content that is not there")

    def _record(self, header: Header) -> None:
        fingerprint = fingerprint_of(header)
        if fingerprint is None:
            raise bad_file(self._file, "its fingerprint makes no sense")
        facts: dict[str, object] = {FINGERPRINT.name: asdict(fingerprint)}
        if header.rules:
            facts["rules"] = header.rules
        for fact in (HEAD_LINES, HEAD_SYMBOLS, THREADS, THREADED):
            if fact.name in header.facts:
                facts[fact.name] = header.facts[fact.name]
        if (said := _message_words(header.facts.get(MESSAGE_WORDS.name))) is not None:
            facts[MESSAGE_WORDS.name] = MESSAGE_WORDS.write(said)
        self._connection.executemany(
            "INSERT OR REPLACE INTO meta VALUES(?, ?)",
            [(name, json.dumps(value)) for name, value in facts.items()],
        )


def _message_words(told: str | int | None) -> MessageWords | None:
    """How common words are in messages, as a file tells it; None when it does not, or makes no sense."""
    try:
        return MESSAGE_WORDS.read(json.loads(told)) if isinstance(told, str) else None
    except ValueError:
        return None


def _indexes_of_a_fresh_database() -> list[tuple[str, str]]:
    """The indexes that the tables have, by name and statement."""
    with closing(apsw.Connection(":memory:")) as fresh:
        migrate(fresh)
        return [(str(name), str(made)) for name, made in fresh.execute(_LATE_INDEXES)]


def _discard(part: Path) -> None:
    for suffix in ("", LOG, SHARED):
        beside(part, suffix).unlink(missing_ok=True)
