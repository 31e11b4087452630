"""What holds in every index, whatever happened to it: no row without its owner, no count that lies.

Asks SQLite directly, not the code under test. `faults` lists what is broken; an index in order has none.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import closing
from typing import TYPE_CHECKING, cast

from ohara.model import SearchOptions
from ohara.store.sql.stored_commits import StoredCommits
from ohara.store.sqlite.connected import Connected
from ohara.store.sqlite.connection import connect_reader, connect_writer
from ohara.store.sqlite.schema import open_reader
from ohara.store.sqlite.trigram_listing import listed_trigrams
from ohara.store.sqlite.trigram_pieces import contents_with_trigrams
from ohara.store.sqlite.word_listing import listed_words
from ohara.store.sqlite.word_pieces import hunks_with_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from ohara.engine import Engine
    from ohara.store.sqlite.connection import Connection

# Each counts rows that may not be there.
_NEVER = {
    "a hunk without its commit": "SELECT count(*) FROM hunk WHERE commit_id NOT IN (SELECT id FROM commits)",
    "a hunk without its file": """SELECT count(*) FROM hunk WHERE file_id != 0
      AND file_id NOT IN (SELECT id FROM file)""",
    "a hunk whose content is gone": """SELECT count(*) FROM hunk WHERE content_id IS NOT NULL
      AND content_id NOT IN (SELECT id FROM content)""",
    "a hunk whose header is gone": """SELECT count(*) FROM hunk WHERE header_id IS NOT NULL
      AND header_id NOT IN (SELECT id FROM header)""",
    "a hunk of another commit's file": """SELECT count(*) FROM hunk JOIN file ON file.id = hunk.file_id
      WHERE hunk.commit_id != file.commit_id""",
    "a file without its commit": "SELECT count(*) FROM file WHERE commit_id NOT IN (SELECT id FROM commits)",
    "a file without its path": "SELECT count(*) FROM file WHERE path_id NOT IN (SELECT id FROM path)",
    "a commit without its author": "SELECT count(*) FROM commits WHERE author NOT IN (SELECT id FROM person)",
    "a commit without a hunk": "SELECT count(*) FROM commits WHERE id NOT IN (SELECT commit_id FROM hunk)",
    "a commit with two hunks for its message": """SELECT count(*) FROM (SELECT commit_id FROM hunk
      WHERE file_id = 0 GROUP BY commit_id HAVING count(*) > 1)""",
    "a content that nothing holds": """SELECT count(*) FROM content
      WHERE id NOT IN (SELECT content_id FROM hunk WHERE content_id IS NOT NULL)""",
    "words without their hunk": """SELECT count(*) FROM temp.worded
      WHERE id NOT IN (SELECT id FROM hunk)""",
    "trigrams without their content": """SELECT count(*) FROM temp.spelt
      WHERE id NOT IN (SELECT id FROM content)""",
    "a content said to have trigrams that has none": """SELECT count(*) FROM content WHERE passes & 2
      AND id NOT IN (SELECT id FROM temp.spelt)""",
    "encoded text without its content": """SELECT count(*) FROM encoded
      WHERE content_id NOT IN (SELECT id FROM content)""",
    "names without their symbol": """SELECT count(*) FROM fts_symbol_name_docsize
      WHERE id NOT IN (SELECT id FROM symbol)""",
    "a touch without its hunk": """SELECT count(*) FROM hunk_symbol
      WHERE hunk_id NOT IN (SELECT id FROM hunk)""",
    "a touch without its symbol": """SELECT count(*) FROM hunk_symbol
      WHERE symbol_id NOT IN (SELECT id FROM symbol)""",
    "a definition without its symbol": """SELECT count(*) FROM head_symbol
      WHERE symbol_id NOT IN (SELECT id FROM symbol)""",
    "a definition without its blob": """SELECT count(*) FROM head_symbol
      WHERE blob_id NOT IN (SELECT id FROM parsed_blob)""",
    "a file of HEAD without its blob": """SELECT count(*) FROM head_file
      WHERE blob_id NOT IN (SELECT id FROM parsed_blob)""",
    "a count of lines without its hunk": """SELECT count(*) FROM line_count
      WHERE hunk_id NOT IN (SELECT id FROM hunk)""",
    "an end of lines without its hunk": """SELECT count(*) FROM line_end
      WHERE hunk_id NOT IN (SELECT id FROM hunk)
      OR to_hunk IS NOT NULL AND to_hunk NOT IN (SELECT id FROM hunk)""",
    "an end of lines without its commit": """SELECT count(*) FROM line_end
      WHERE commit_id NOT IN (SELECT id FROM commits)""",
    "a line of HEAD without its hunk or file": """SELECT count(*) FROM head_line
      WHERE hunk_id NOT IN (SELECT id FROM hunk) OR version_id NOT IN (SELECT id FROM head_version)""",
    "a merged file without its commit": """SELECT count(*) FROM merged_file
      WHERE commit_id NOT IN (SELECT id FROM commits)""",
    "a thread without its commit": """SELECT count(*) FROM thread
      WHERE commit_id NOT IN (SELECT id FROM commits) OR first_id NOT IN (SELECT id FROM commits)""",
    "a copy without its commit": """SELECT count(*) FROM copy
      WHERE commit_id NOT IN (SELECT id FROM commits) OR first_id NOT IN (SELECT id FROM commits)""",
    "a commit said to have words that has none": """SELECT count(*) FROM commits WHERE passes & 1
      AND id NOT IN (SELECT commit_id FROM hunk JOIN temp.worded ON worded.id = hunk.id)""",
}
_VECTORS = {
    "vec_hunk": "a vector without its content",
    "vec_hunk_other": "a vector without its content",
    "vec_commit": "vectors without their commit",
    "vec_commit_other": "vectors without their commit",
}
# Only `gc` takes away names that nothing mentions any more.
_AFTER_GC = {
    "a commit that is not shown": "SELECT count(*) FROM commits WHERE live = 0",
    "a person who wrote nothing": "SELECT count(*) FROM person WHERE id NOT IN (SELECT author FROM commits)",
    "a path that nothing touched": """SELECT count(*) FROM path WHERE id NOT IN (SELECT path_id FROM file)
      AND id NOT IN (SELECT old_path_id FROM file WHERE old_path_id IS NOT NULL)
      AND id NOT IN (SELECT path_id FROM head_file)""",
    "a symbol that nothing touches": """SELECT count(*) FROM symbol
      WHERE id NOT IN (SELECT symbol_id FROM hunk_symbol)
      AND id NOT IN (SELECT symbol_id FROM head_symbol)""",
}
_WORD_TABLES = ("fts_symbol_name",)


def faults(database: Path, *, collected: bool = False) -> list[str]:
    """What is wrong with an index, in words; `collected` says that `gc` has just run."""
    with closing(connect_writer(database)) as connection:
        return list(_faults(connection, collected=collected))


def unlike_a_scan(engine: Engine, texts: Iterable[str]) -> list[str]:
    """What exact search answers otherwise than reading every changed line of every shown commit would."""
    said = []
    for text in texts:
        wanted = set(_commits_with(engine.location.database, text))
        hits = engine.find_pattern(f'"{text}"', SearchOptions(k=0)).hits
        found = {
            sha for hit in hits for sha in (hit.commit.sha, *hit.also_in)
        }  # the same lines are shown once
        if found != wanted:
            said.append(f"{text!r} was found in {sorted(found)}, and stands in {sorted(wanted)}")
    return said


def _commits_with(database: Path, text: str) -> Iterator[str]:
    stored = StoredCommits(Connected(database, open_reader(database)))
    with closing(connect_reader(database)) as connection:
        shown = connection.execute("SELECT id, hex(sha) FROM commits WHERE live = 1").fetchall()
    for commit_id, sha in shown:
        lines = (line for hunk in stored.hunks(cast("int", commit_id)) for line in hunk.body.split("\n"))
        if any(line[:1] in {"+", "-"} and text in line[1:] for line in lines):
            yield str(sha).lower()


def _faults(connection: Connection, *, collected: bool) -> Iterator[str]:
    said = connection.pragma("integrity_check")
    if said != "ok":
        yield f"SQLite says: {said}"
    connection.execute("CREATE TEMP TABLE worded(id INTEGER PRIMARY KEY)")
    connection.executemany("INSERT INTO worded VALUES(?)", [(hunk,) for hunk in hunks_with_words(connection)])
    connection.execute("CREATE TEMP TABLE spelt(id INTEGER PRIMARY KEY)")
    spelt = contents_with_trigrams(connection)
    if len(spelt) != len(set(spelt)):
        yield "a content whose trigrams are there twice"
    connection.executemany("INSERT OR IGNORE INTO spelt VALUES(?)", [(content,) for content in spelt])
    yield from _postings(connection)
    yield from _lists(connection, set(spelt))
    for wrong, statement in (_NEVER | (_AFTER_GC if collected else {})).items():
        if count := connection.execute(statement).get:
            yield f"{wrong}: {count}"
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for table, wrong in _VECTORS.items():
        if table in tables:
            key, owner = ("rowid", "content") if "hunk" in table else ("id", "commits")
            owners = {row for (row,) in connection.execute(f"SELECT id FROM {owner}")}
            lost = {row for (row,) in connection.execute(f"SELECT {key} FROM {table}")} - owners
            if lost:
                yield f"{wrong}: {len(lost)}"
    for table in _WORD_TABLES:
        try:
            connection.execute(f"INSERT INTO {table}({table}) VALUES('integrity-check')")
        except Exception as fault:  # noqa: BLE001 - SQLite's own word for a damaged word index
            yield f"{table}: {fault}"


def _lists(connection: Connection, spelt: set[int]) -> Iterator[str]:
    """What is wrong with the lists of trigrams."""
    try:
        listed = {content for content, _ in listed_trigrams(connection)}
    except ValueError as fault:
        yield f"lists of trigrams: {fault}"
    else:
        if listed != spelt:
            yield f"contents that lists do not speak of, or speak of alone: {len(listed ^ spelt)}"


def _postings(connection: Connection) -> Iterator[str]:
    """What is wrong with the postings of words."""
    holding: dict[str, set[int]] = defaultdict(set)
    try:
        for word, hunk, _, _ in listed_words(connection):
            holding[word].add(hunk)
    except ValueError as fault:
        yield f"postings: {fault}"
    said = dict(connection.execute("SELECT word, sum(hunks) FROM posting GROUP BY word"))
    too_few = [word for word, hunks in holding.items() if said.get(word, 0) < len(hunks)]
    if too_few:
        yield f"a word that is said to stand in fewer hunks than it does: {len(too_few)}"
