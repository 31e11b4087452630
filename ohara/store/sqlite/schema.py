"""The tables, and how a database grows from one version of them to the next.

Migrations are append-only: a released one is never edited. What can be derived again from stored
bodies (word and trigram tables, vectors, symbols) is versioned separately, pass by pass, in the
fingerprint (`store/fingerprint.py`), so that a better tokeniser never costs a walk through git.

    person ─┐
    commits ┴─< file >── path            a commit changes files
                 └─< hunk >── content    a hunk is one occurrence of a content: commit, path, lines
                        └──── header     the function it is in; a few stand above most hunks
    word_piece ─< posting                which hunks hold a word, and where (word_pieces.py)
         └──────< word_block             the long ones of them
    dropped_words   hunk                 what postings say of these no longer counts
    trigram_piece ─< trigram_block       which contents hold a trigram (trigram_pieces.py)
    dropped_trigrams  content            what these say of it no longer counts
    encoded         content              whose changed lines are not all among the trigrams
    vec_hunk        rowid = content      (created with the embedder's dimension; see generations.py)
    vec_commit      id = commits         its subject and its whole change
    symbol ─< hunk_symbol >── hunk       what a hunk touches
    symbol ─< head_symbol >── parsed_blob ─< head_file >── path     what HEAD defines
    fts_symbol_name rowid = symbol
    thread, copy    commit_id = commits  which commits belong together, which make the same change
    line_count      hunk                 how many lines a hunk adds
    line_end        hunk, commit         which of them a commit ended, and what they became
    merged_file     commit, path         what a merge put together, which no row of `file` made
    head_version ─< head_line >── hunk   whose lines HEAD's files consist of
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.errors import IndexTooNew
from ohara.model import Pass
from ohara.store.sql.session import ALL_PASSES, PASS_BITS
from ohara.store.sqlite import former_trigrams, former_words
from ohara.store.sqlite.connection import APPLICATION_ID, connect_reader, connect_writer, translated

if TYPE_CHECKING:
    from pathlib import Path

    import apsw

# What was all before there was the latest pass, in tables that no run has brought up to date yet.
FORMER_PASSES = ALL_PASSES & ~PASS_BITS[Pass.LINES]

# The words of hunks, until postings of our own (M007) take the place of this table, in which former versions
# kept them. They arrive already analysed by ohara.words, so FTS5 only has to cut at blanks.
FTS_HUNK_TEXT = """
CREATE VIRTUAL TABLE fts_hunk_text USING fts5(
  message, path, header, added, removed, context,
  content='', contentless_delete=1, tokenize="ascii tokenchars '_#'"
)"""

# Trigrams, until lists of our own (M008) take the place of this table, in which former versions kept them.
FTS_LITERAL = """
CREATE VIRTUAL TABLE fts_literal USING fts5(
  changed, content='', contentless_delete=1, detail=none, tokenize='trigram'
)"""

FTS_SYMBOL_NAME = """
CREATE VIRTUAL TABLE fts_symbol_name USING fts5(
  kind, name, sibling_names, content='', contentless_delete=1, tokenize="ascii tokenchars '_#'"
)"""

_M001_FOUNDATION = (
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE dictionary(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)",
    """CREATE TABLE person(
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, UNIQUE(name, email)
    )""",
    """CREATE TABLE commits(
      id INTEGER PRIMARY KEY,
      sha BLOB NOT NULL UNIQUE,
      parents BLOB NOT NULL,
      author INTEGER NOT NULL,
      author_time INTEGER NOT NULL, author_offset INTEGER NOT NULL,
      committer_time INTEGER NOT NULL, committer_offset INTEGER NOT NULL,
      message TEXT NOT NULL,
      passes INTEGER NOT NULL,
      live INTEGER NOT NULL DEFAULT 1
    )""",
    "CREATE INDEX commits_by_time ON commits(committer_time DESC)",
    "CREATE INDEX commits_dead ON commits(id) WHERE live = 0",
    "CREATE INDEX commits_pending ON commits(committer_time DESC, passes) WHERE passes < 15",
    "CREATE TABLE path(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, language TEXT, left_out TEXT)",
    """CREATE TABLE file(
      id INTEGER PRIMARY KEY,
      commit_id INTEGER NOT NULL,
      path_id INTEGER NOT NULL, old_path_id INTEGER,
      kind TEXT NOT NULL,
      old_blob BLOB, new_blob BLOB,
      additions INTEGER NOT NULL, deletions INTEGER NOT NULL,
      left_out TEXT
    )""",
    "CREATE INDEX file_by_commit ON file(commit_id)",
    "CREATE INDEX file_by_path ON file(path_id)",
    """CREATE TABLE hunk(
      id INTEGER PRIMARY KEY,
      file_id INTEGER NOT NULL,
      commit_id INTEGER NOT NULL,
      content_id INTEGER,
      old_start INTEGER NOT NULL, old_lines INTEGER NOT NULL,
      new_start INTEGER NOT NULL, new_lines INTEGER NOT NULL,
      header TEXT NOT NULL
    )""",
    "CREATE INDEX hunk_by_commit ON hunk(commit_id)",
    "CREATE INDEX hunk_by_content ON hunk(content_id)",
    """CREATE TABLE content(
      id INTEGER PRIMARY KEY,
      digest BLOB NOT NULL UNIQUE,
      passes INTEGER NOT NULL,
      body BLOB NOT NULL
    )""",
    """CREATE TABLE failure(
      sha BLOB PRIMARY KEY, reason TEXT NOT NULL, attempts INTEGER NOT NULL, missing TEXT NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE symbol(
      id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, qualified TEXT NOT NULL,
      UNIQUE(qualified, kind)
    )""",
    "CREATE INDEX symbol_by_name ON symbol(name)",
    """CREATE TABLE hunk_symbol(
      hunk_id INTEGER NOT NULL, symbol_id INTEGER NOT NULL, PRIMARY KEY(hunk_id, symbol_id)
    ) WITHOUT ROWID""",
    "CREATE INDEX hunk_symbol_by_symbol ON hunk_symbol(symbol_id, hunk_id)",
    """CREATE TABLE parsed_blob(
      id INTEGER PRIMARY KEY, blob BLOB NOT NULL, language TEXT NOT NULL, UNIQUE(blob, language)
    )""",
    "CREATE TABLE head_file(path_id INTEGER PRIMARY KEY, blob_id INTEGER NOT NULL)",
    "CREATE INDEX head_file_by_blob ON head_file(blob_id)",
    """CREATE TABLE head_symbol(
      blob_id INTEGER NOT NULL, symbol_id INTEGER NOT NULL,
      first_line INTEGER NOT NULL, last_line INTEGER NOT NULL, siblings TEXT NOT NULL,
      PRIMARY KEY(blob_id, first_line, symbol_id)
    ) WITHOUT ROWID""",
    "CREATE INDEX head_symbol_by_symbol ON head_symbol(symbol_id)",
    FTS_HUNK_TEXT,
    FTS_LITERAL,
    FTS_SYMBOL_NAME,
    # One batch was one flush then; a run now says how much is held in memory (`store/sqlite/upkeep.py`).
    "INSERT INTO fts_hunk_text(fts_hunk_text, rank) VALUES('hashsize', 67108864)",
    "INSERT INTO fts_literal(fts_literal, rank) VALUES('hashsize', 67108864)",
)

# A twelfth of the headers are distinct: named once, they leave three percent of the file.
_M002_HEADERS = (
    "CREATE TABLE header(id INTEGER PRIMARY KEY, header TEXT NOT NULL UNIQUE)",
    "INSERT INTO header(header) SELECT DISTINCT header FROM hunk WHERE header != '' ORDER BY header",
    "ALTER TABLE hunk ADD COLUMN header_id INTEGER",
    """UPDATE hunk SET header_id = (SELECT header.id FROM header WHERE header.header = hunk.header)
       WHERE header != ''""",
    "ALTER TABLE hunk DROP COLUMN header",
)

# By which a reader tells this database from another that took its place (identity.py).
_M003_IDENTITY = (
    """INSERT OR IGNORE INTO meta(key, value)
       VALUES('identity', '"' || lower(hex(randomblob(16))) || '"')""",
)

# Contents with encoded text, which has no trigrams: few, and each a candidate of an exact search.
_M004_ENCODED = ("CREATE TABLE encoded(content_id INTEGER PRIMARY KEY, signs INTEGER NOT NULL)",)

# Which commits belong together (store/sqlite/threads.py): a thread is known by its first commit, and so are
# the copies of a change, with the branches that each is on.
_M005_THREADS = (
    """CREATE TABLE IF NOT EXISTS thread(
      commit_id INTEGER PRIMARY KEY, first_id INTEGER NOT NULL,
      place INTEGER NOT NULL, reason INTEGER NOT NULL
    )""",
    "CREATE INDEX IF NOT EXISTS thread_by_first ON thread(first_id, place)",
    """CREATE TABLE IF NOT EXISTS copy(
      commit_id INTEGER PRIMARY KEY, first_id INTEGER NOT NULL, branches TEXT NOT NULL
    )""",
    "CREATE INDEX IF NOT EXISTS copy_by_first ON copy(first_id)",
)

# What became of added lines (store/lines.py); a fifth pass, whose bit makes 31 of all.
_M006_LINES = (
    "CREATE TABLE IF NOT EXISTS line_count(hunk_id INTEGER PRIMARY KEY, solid INTEGER NOT NULL)",
    """CREATE TABLE IF NOT EXISTS line_end(
      hunk_id INTEGER NOT NULL, first INTEGER NOT NULL, lines INTEGER NOT NULL, solid INTEGER NOT NULL,
      commit_id INTEGER NOT NULL, how INTEGER NOT NULL, to_hunk INTEGER, to_first INTEGER NOT NULL,
      PRIMARY KEY(hunk_id, first, commit_id)
    ) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS line_end_by_commit ON line_end(commit_id)",
    """CREATE TABLE IF NOT EXISTS merged_file(
      commit_id INTEGER NOT NULL, path_id INTEGER NOT NULL, blob BLOB NOT NULL,
      PRIMARY KEY(path_id, blob, commit_id)
    ) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS head_version(
      id INTEGER PRIMARY KEY, path_id INTEGER NOT NULL, blob BLOB NOT NULL, commit_id INTEGER NOT NULL,
      UNIQUE(path_id, blob)
    )""",
    """CREATE TABLE IF NOT EXISTS head_line(
      hunk_id INTEGER NOT NULL, version_id INTEGER NOT NULL, line INTEGER NOT NULL, lines INTEGER NOT NULL,
      solid INTEGER NOT NULL, first INTEGER NOT NULL, PRIMARY KEY(hunk_id, version_id, line)
    ) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS head_line_by_version ON head_line(version_id, line)",
    "DROP INDEX IF EXISTS commits_pending",
    "CREATE INDEX commits_pending ON commits(committer_time DESC, passes) WHERE passes < 31",
)

# Postings of our own: half of the room, and a tenth of the time. FTS5's table goes when they are all written.
_M007_POSTINGS = (
    """CREATE TABLE IF NOT EXISTS word_piece(
      piece INTEGER PRIMARY KEY AUTOINCREMENT, hunks INTEGER NOT NULL, words INTEGER NOT NULL,
      texts BLOB NOT NULL
    )""",
    """CREATE TABLE IF NOT EXISTS posting(
      piece INTEGER NOT NULL, word TEXT NOT NULL, hunks INTEGER NOT NULL,
      change, message, change_places, message_places, PRIMARY KEY(piece, word)
    ) WITHOUT ROWID""",
    "CREATE TABLE IF NOT EXISTS word_block(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS dropped_words(hunk INTEGER PRIMARY KEY, piece INTEGER NOT NULL)",
)

# Lists of our own: half of the room, made by workers. FTS5's table goes when they are all written.
_M008_TRIGRAMS = (
    """CREATE TABLE IF NOT EXISTS trigram_piece(
      piece INTEGER PRIMARY KEY AUTOINCREMENT, contents INTEGER NOT NULL, members BLOB NOT NULL,
      blocks BLOB NOT NULL
    )""",
    "CREATE TABLE IF NOT EXISTS trigram_block(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS dropped_trigrams(content INTEGER PRIMARY KEY, piece INTEGER NOT NULL)",
)

# What exact search did not read, which it says with every answer: few files, or none.
_M009_UNREAD = (
    """CREATE INDEX IF NOT EXISTS file_unread ON file(commit_id)
       WHERE file.left_out IN ('missing', 'oversized')""",
)

# By the beginnings of digests contents are found in less than half of the room; the whole digest is compared
# in the table. Only for a new index: to write all bodies of another anew would take longer than it saves.
_CONTENT_BY_PREFIX = (
    "DROP TABLE content",
    """CREATE TABLE content(
      id INTEGER PRIMARY KEY, digest BLOB NOT NULL, passes INTEGER NOT NULL, body BLOB NOT NULL
    )""",
    "CREATE INDEX content_by_prefix ON content(substr(digest, 1, 5))",
)
CONTENT_BY_DIGEST = """SELECT id, passes FROM content
  WHERE substr(digest, 1, 5) = substr(?1, 1, 5) AND digest = ?1"""
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    _M001_FOUNDATION,
    _M002_HEADERS,
    _M003_IDENTITY,
    _M004_ENCODED,
    _M005_THREADS,
    _M006_LINES,
    _M007_POSTINGS,
    _M008_TRIGRAMS,
    _M009_UNREAD,
)

_ENCODED_SINCE = 4
_THREADS_SINCE = 5
_LINES_SINCE = 6

# The oldest tables that readers understand as they are: whoever cannot write need not, and nobody waits for
# an indexer. Who changes a table that is read raises this.
READABLE = 2


def migrate(connection: apsw.Connection) -> None:
    """Bring the tables to this version; a database from a newer ohara is refused, not touched."""
    if _version(connection) == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        former = _version(connection)  # another process may have been here first
        for migration in MIGRATIONS[former:]:
            for statement in migration:
                connection.execute(statement)
        if not former:
            for statement in _CONTENT_BY_PREFIX:
                connection.execute(statement)
        former_words.drop_if_empty(connection)
        former_trigrams.drop_if_empty(connection)
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", len(MIGRATIONS))
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def open_reader(path: Path) -> apsw.Connection:
    """A connection that can only read; tables too old to be read are brought up to this version first."""
    connection = connect_reader(path)
    with translated(path):
        if _version(connection) >= READABLE:
            return connection
        connection.close()
        writer = connect_writer(path)
        try:
            migrate(writer)
        finally:
            writer.close()
    return connect_reader(path)


def has_encoded(connection: apsw.Connection) -> bool:
    """True when contents with encoded text are told apart; an older index has trigrams of all its lines."""
    return int(connection.pragma("user_version")) >= _ENCODED_SINCE


def has_threads(connection: apsw.Connection) -> bool:
    """True when there is a place for threads; an older index gets it from its next run."""
    return int(connection.pragma("user_version")) >= _THREADS_SINCE


def has_lines(connection: apsw.Connection) -> bool:
    """True when there are tables of what became of lines; an older index gets them from its next run."""
    return int(connection.pragma("user_version")) >= _LINES_SINCE


def _version(connection: apsw.Connection) -> int:
    version = int(connection.pragma("user_version"))
    refuse_newer(version)
    return version


def refuse_newer(version: int) -> None:
    """Raise when a database has tables this version does not know."""
    if version > len(MIGRATIONS):
        raise IndexTooNew(
            f"the index has format {version}; this ohara knows formats up to {len(MIGRATIONS)}",
            hint="upgrade ohara, or index again with: ohara index --rebuild",
        )
