"""The tables of an index as they travel in a file: which columns, of which types, in which order of rows.

Numbers are given anew by what rows mean (shas, paths, digests), so that a file depends on the history alone
and not on the order of indexing. Dead commits, and what only they use, do not travel.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from ohara.model import Pass
from ohara.records import dataclass
from ohara.store.sql.session import ALL_PASSES, PASS_BITS

FORMAT = 1  # of the file; the tables have their own number
UNDERIVED = ALL_PASSES & ~(PASS_BITS[Pass.TEXT] | PASS_BITS[Pass.LITERAL] | PASS_BITS[Pass.VECTOR])
"""The passes whose rows travel in a file that was made small."""

Number = Annotated[int, Meta(ge=0, le=2**62)]
Signed = Annotated[int, Meta(ge=-(2**62), le=2**62)]
Sha = Annotated[bytes, Meta(min_length=20, max_length=20)]
Blob = Annotated[bytes, Meta(min_length=20, max_length=21)]  # of a submodule a commit, marked
Text = Annotated[str, Meta(max_length=2**20)]
Digest = Annotated[bytes, Meta(min_length=16, max_length=16)]
Body = Annotated[bytes, Meta(max_length=2**26)]
Block = Annotated[bytes, Meta(max_length=2**24)]


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="index"):
    """What a file says of itself before its rows; `roots` are the commits without parents."""

    schema: Number
    fingerprint: dict[str, int | str]
    rules: Text
    roots: Annotated[tuple[Sha, ...], Meta(min_length=1, max_length=10_000)]
    commits: Number
    hunks: Number
    vectors: tuple[Text, Number] | None
    facts: dict[str, str | int]
    whole: bool


class Rows(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="rows"):
    """Some rows of a table, not decoded yet."""

    table: Annotated[str, Meta(max_length=64)]
    rows: msgspec.Raw


class End(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="end"):
    """The last message: how many rows there were."""

    rows: Number


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its name, the types of its columns, how its rows are read, and how they are inserted."""

    name: str
    row: object
    select: str
    insert: str


# New numbers, by what rows mean. Each is a temporary table of (old, new).
NUMBERS = (
    """CREATE TEMP TABLE new_commit AS SELECT id AS old, row_number() OVER (ORDER BY committer_time DESC, sha)
       AS new FROM commits WHERE live = 1""",
    """CREATE TEMP TABLE new_person AS SELECT id AS old, row_number() OVER (ORDER BY name, email) AS new
       FROM person WHERE id IN (SELECT author FROM commits WHERE live = 1)""",
    """CREATE TEMP TABLE live_file AS SELECT file.* FROM file
       JOIN new_commit ON new_commit.old = file.commit_id""",
    "CREATE UNIQUE INDEX temp.live_file_by_id ON live_file(id)",
    "CREATE UNIQUE INDEX temp.new_commit_by_old ON new_commit(old)",
    """CREATE TEMP TABLE new_path AS SELECT id AS old, row_number() OVER (ORDER BY path) AS new FROM path
       WHERE id IN (SELECT path_id FROM live_file) OR id IN (SELECT old_path_id FROM live_file)
       OR id IN (SELECT path_id FROM head_file) OR id IN (SELECT path_id FROM head_version)
       OR id IN (SELECT path_id FROM merged_file JOIN new_commit ON old = commit_id)""",
    "CREATE UNIQUE INDEX temp.new_path_by_old ON new_path(old)",
    """CREATE TEMP TABLE new_file AS SELECT live_file.id AS old, row_number() OVER (
       ORDER BY new_commit.new, path.new, coalesce(before.new, 0), kind, live_file.id) AS new FROM live_file
       JOIN new_commit ON new_commit.old = commit_id JOIN new_path AS path ON path.old = path_id
       LEFT JOIN new_path AS before ON before.old = old_path_id""",
    "CREATE UNIQUE INDEX temp.new_file_by_old ON new_file(old)",
    """CREATE TEMP TABLE new_hunk AS SELECT hunk.id AS old, row_number() OVER (
       ORDER BY new_commit.new, coalesce(new_file.new, 0), old_start, new_start, old_lines, new_lines,
       hunk.id) AS new
       FROM hunk JOIN new_commit ON new_commit.old = hunk.commit_id
       LEFT JOIN new_file ON new_file.old = hunk.file_id""",
    "CREATE UNIQUE INDEX temp.new_hunk_by_old ON new_hunk(old)",
    """CREATE TEMP TABLE new_content AS SELECT id AS old, row_number() OVER (ORDER BY digest) AS new
       FROM content WHERE id IN (SELECT content_id FROM hunk JOIN new_hunk ON new_hunk.old = hunk.id)""",
    "CREATE UNIQUE INDEX temp.new_content_by_old ON new_content(old)",
    """CREATE TEMP TABLE new_header AS SELECT id AS old, row_number() OVER (ORDER BY header) AS new
       FROM header WHERE id IN (SELECT header_id FROM hunk JOIN new_hunk ON new_hunk.old = hunk.id)""",
    "CREATE UNIQUE INDEX temp.new_header_by_old ON new_header(old)",
    """CREATE TEMP TABLE new_blob AS SELECT id AS old, row_number() OVER (ORDER BY blob, language) AS new
       FROM parsed_blob WHERE id IN (SELECT blob_id FROM head_file)""",
    """CREATE TEMP TABLE new_symbol AS SELECT id AS old, row_number() OVER (ORDER BY qualified, kind) AS new
       FROM symbol WHERE id IN (SELECT symbol_id FROM hunk_symbol JOIN new_hunk ON new_hunk.old = hunk_id)
       OR id IN (SELECT symbol_id FROM head_symbol JOIN new_blob ON new_blob.old = blob_id)""",
    "CREATE UNIQUE INDEX temp.new_symbol_by_old ON new_symbol(old)",
    """CREATE TEMP TABLE new_version AS SELECT head_version.id AS old, row_number() OVER (
       ORDER BY new_path.new, blob) AS new FROM head_version JOIN new_path ON new_path.old = path_id
       JOIN new_commit ON new_commit.old = commit_id""",
    "CREATE UNIQUE INDEX temp.new_version_by_old ON new_version(old)",
)

TABLES = (
    Table(
        "person",
        tuple[Number, Text, Text],
        "SELECT new, name, email FROM person JOIN new_person ON old = id ORDER BY new",
        "INSERT INTO person VALUES(?,?,?)",
    ),
    Table(
        "commits",
        tuple[
            Number,
            Sha,
            Annotated[bytes, Meta(max_length=2**16)],
            Number,
            Signed,
            Signed,
            Signed,
            Signed,
            Text,
            Number,
        ],
        """SELECT new_commit.new, sha, parents, new_person.new, author_time, author_offset, committer_time,
           committer_offset, message, passes FROM commits JOIN new_commit ON new_commit.old = id
           JOIN new_person ON new_person.old = author ORDER BY new_commit.new""",
        """INSERT INTO commits(id, sha, parents, author, author_time, author_offset, committer_time,
           committer_offset, message, passes) VALUES(?,?,?,?,?,?,?,?,?,?)""",
    ),
    Table(
        "path",
        tuple[Number, Text, Text | None, Text | None],
        "SELECT new, path, language, left_out FROM path JOIN new_path ON old = id ORDER BY new",
        "INSERT INTO path VALUES(?,?,?,?)",
    ),
    Table(
        "header",
        tuple[Number, Text],
        "SELECT new, header FROM header JOIN new_header ON old = id ORDER BY new",
        "INSERT INTO header VALUES(?,?)",
    ),
    Table(
        "file",
        tuple[
            Number, Number, Number, Number | None, Text, Blob | None, Blob | None, Number, Number, Text | None
        ],
        """SELECT new_file.new, new_commit.new, path.new, before.new, kind, old_blob, new_blob, additions,
           deletions, left_out FROM live_file JOIN new_file ON new_file.old = live_file.id
           JOIN new_commit ON new_commit.old = commit_id JOIN new_path AS path ON path.old = path_id
           LEFT JOIN new_path AS before ON before.old = old_path_id ORDER BY new_file.new""",
        "INSERT INTO file VALUES(?,?,?,?,?,?,?,?,?,?)",
    ),
    Table(
        "content",
        tuple[Number, Digest, Number, Body],
        "SELECT new, digest, passes, body FROM content JOIN new_content ON old = id ORDER BY new",
        "INSERT INTO content(id, digest, passes, body) VALUES(?,?,?,?)",
    ),
    Table(
        "hunk",
        tuple[Number, Number, Number, Number | None, Number, Number, Number, Number, Number | None],
        """SELECT new_hunk.new, coalesce(new_file.new, 0), new_commit.new, new_content.new, old_start,
           old_lines, new_start, new_lines, new_header.new FROM hunk
           JOIN new_hunk ON new_hunk.old = hunk.id JOIN new_commit ON new_commit.old = hunk.commit_id
           LEFT JOIN new_file ON new_file.old = hunk.file_id
           LEFT JOIN new_content ON new_content.old = hunk.content_id
           LEFT JOIN new_header ON new_header.old = hunk.header_id ORDER BY new_hunk.new""",
        """INSERT INTO hunk(id, file_id, commit_id, content_id, old_start, old_lines, new_start, new_lines,
           header_id) VALUES(?,?,?,?,?,?,?,?,?)""",
    ),
    Table(
        "failure",
        tuple[Sha, Text, Number, Text],
        """SELECT sha, reason, attempts, missing FROM failure WHERE sha IN (
           SELECT sha FROM commits WHERE live = 1) ORDER BY sha""",
        "INSERT INTO failure VALUES(?,?,?,?)",
    ),
    Table(
        "symbol",
        tuple[Number, Text, Text, Text],
        "SELECT new, kind, name, qualified FROM symbol JOIN new_symbol ON old = id ORDER BY new",
        "INSERT INTO symbol VALUES(?,?,?,?)",
    ),
    Table(
        "hunk_symbol",
        tuple[Number, Number],
        """SELECT new_hunk.new, new_symbol.new FROM hunk_symbol JOIN new_hunk ON new_hunk.old = hunk_id
           JOIN new_symbol ON new_symbol.old = symbol_id ORDER BY 1, 2""",
        "INSERT INTO hunk_symbol VALUES(?,?)",
    ),
    Table(
        "parsed_blob",
        tuple[Number, Sha, Text],
        "SELECT new, blob, language FROM parsed_blob JOIN new_blob ON old = id ORDER BY new",
        "INSERT INTO parsed_blob VALUES(?,?,?)",
    ),
    Table(
        "head_file",
        tuple[Number, Number],
        """SELECT new_path.new, new_blob.new FROM head_file JOIN new_path ON new_path.old = path_id
           JOIN new_blob ON new_blob.old = blob_id ORDER BY 1""",
        "INSERT INTO head_file VALUES(?,?)",
    ),
    Table(
        "head_symbol",
        tuple[Number, Number, Number, Number, Text],
        """SELECT new_blob.new, new_symbol.new, first_line, last_line, siblings FROM head_symbol
           JOIN new_blob ON new_blob.old = blob_id JOIN new_symbol ON new_symbol.old = symbol_id
           ORDER BY 1, 3, 2""",
        "INSERT INTO head_symbol VALUES(?,?,?,?,?)",
    ),
    Table(
        "encoded",
        tuple[Number, Signed | Annotated[int, Meta(ge=0, le=2**63 - 1)]],
        "SELECT new, signs FROM encoded JOIN new_content ON old = content_id ORDER BY 1",
        "INSERT INTO encoded VALUES(?,?)",
    ),
    Table(
        "thread",
        tuple[Number, Number, Number, Number],
        """SELECT own.new, first.new, place, reason FROM thread JOIN new_commit AS own ON own.old = commit_id
           JOIN new_commit AS first ON first.old = first_id ORDER BY 1""",
        "INSERT INTO thread VALUES(?,?,?,?)",
    ),
    Table(
        "copy",
        tuple[Number, Number, Text],
        """SELECT own.new, first.new, branches FROM copy JOIN new_commit AS own ON own.old = commit_id
           JOIN new_commit AS first ON first.old = first_id ORDER BY 1""",
        "INSERT INTO copy VALUES(?,?,?)",
    ),
    Table(
        "line_count",
        tuple[Number, Number],
        "SELECT new, solid FROM line_count JOIN new_hunk ON old = hunk_id ORDER BY 1",
        "INSERT INTO line_count VALUES(?,?)",
    ),
    Table(
        "line_end",
        tuple[Number, Number, Number, Number, Number, Number, Number | None, Number],
        """SELECT own.new, first, lines, solid, new_commit.new, how, became.new, to_first FROM line_end
           JOIN new_hunk AS own ON own.old = hunk_id JOIN new_commit ON new_commit.old = commit_id
           LEFT JOIN new_hunk AS became ON became.old = to_hunk ORDER BY 1, 2, 5""",
        "INSERT INTO line_end VALUES(?,?,?,?,?,?,?,?)",
    ),
    Table(
        "merged_file",
        tuple[Number, Number, Blob],
        """SELECT new_commit.new, new_path.new, blob FROM merged_file
           JOIN new_commit ON new_commit.old = commit_id JOIN new_path ON new_path.old = path_id
           ORDER BY 2, 3, 1""",
        "INSERT INTO merged_file VALUES(?,?,?)",
    ),
    Table(
        "head_version",
        tuple[Number, Number, Blob, Number],
        """SELECT new_version.new, new_path.new, blob, new_commit.new FROM head_version
           JOIN new_version ON new_version.old = id JOIN new_path ON new_path.old = path_id
           JOIN new_commit ON new_commit.old = commit_id ORDER BY 1""",
        "INSERT INTO head_version VALUES(?,?,?,?)",
    ),
    Table(
        "head_line",
        tuple[Number, Number, Number, Number, Number, Number],
        """SELECT new_hunk.new, new_version.new, line, lines, solid, first FROM head_line
           JOIN new_hunk ON new_hunk.old = hunk_id JOIN new_version ON new_version.old = version_id
           ORDER BY 1, 2, 3""",
        "INSERT INTO head_line VALUES(?,?,?,?,?,?)",
    ),
)

VECTORS = Table(
    "vector",
    tuple[Number, Annotated[bytes, Meta(min_length=1, max_length=2**16)]],
    "SELECT new, embedding FROM {table} AS made JOIN new_content ON old = made.rowid ORDER BY new",
    "INSERT INTO {table}(rowid, embedding) VALUES(?, vec_{form}(?))",
)
COMMIT_VECTORS = Table(
    "commit_vector",
    tuple[
        Number,
        Annotated[bytes, Meta(max_length=2**16)] | None,
        Annotated[bytes, Meta(max_length=2**16)] | None,
    ],
    "SELECT new, subject, change FROM {table} AS made JOIN new_commit ON old = made.id ORDER BY new",
    "INSERT INTO {table} VALUES(?,?,?)",
)

SYMBOL_NAMES = "fts_symbol_name"
_Postings = Annotated[bytes, Meta(min_length=1, max_length=2**26)] | Number | None
POSTINGS = (
    Table(
        "word_piece",
        tuple[Number, Number, Number, Annotated[bytes, Meta(min_length=1, max_length=2**26)]],
        "SELECT piece, hunks, words, texts FROM word_piece ORDER BY piece",
        "INSERT INTO word_piece VALUES(?,?,?,?)",
    ),
    Table(
        "posting",
        tuple[Number, Text, Number, _Postings, _Postings, _Postings, _Postings],
        """SELECT piece, word, hunks, change, message, change_places, message_places FROM posting
           ORDER BY piece, word""",
        "INSERT INTO posting VALUES(?,?,?,?,?,?,?)",
    ),
    Table(
        "word_block",
        tuple[Number, Block],
        "SELECT id, bytes FROM word_block ORDER BY id",
        "INSERT INTO word_block VALUES(?,?)",
    ),
)

TRIGRAMS = (
    Table(
        "trigram_piece",
        tuple[
            Number,
            Number,
            Annotated[bytes, Meta(min_length=1, max_length=2**26)],
            Annotated[bytes, Meta(min_length=1, max_length=2**26)],
        ],
        "SELECT piece, contents, members, blocks FROM trigram_piece ORDER BY piece",
        "INSERT INTO trigram_piece VALUES(?,?,?,?)",
    ),
    Table(
        "trigram_block",
        tuple[Number, Block],
        "SELECT id, bytes FROM trigram_block ORDER BY id",
        "INSERT INTO trigram_block VALUES(?,?)",
    ),
)


def parts_of(word_table: str) -> tuple[Table, ...]:
    """The tables that FTS5 keeps a word table in."""
    return (
        Table(
            f"{word_table}_data",
            tuple[Number, Block],
            f"SELECT id, block FROM {word_table}_data ORDER BY id",
            f"INSERT OR REPLACE INTO {word_table}_data VALUES(?,?)",
        ),
        Table(
            f"{word_table}_idx",
            tuple[Number, Annotated[bytes, Meta(max_length=2**16)], Number],
            f"SELECT segid, CAST(term AS BLOB), pgno FROM {word_table}_idx ORDER BY segid, term",
            f"INSERT OR REPLACE INTO {word_table}_idx VALUES(?,?,?)",
        ),
        Table(
            f"{word_table}_docsize",
            tuple[Number, Annotated[bytes, Meta(max_length=256)], Number],
            f"SELECT id, sz, origin FROM {word_table}_docsize ORDER BY id",
            f"INSERT INTO {word_table}_docsize VALUES(?,?,?)",
        ),
    )
