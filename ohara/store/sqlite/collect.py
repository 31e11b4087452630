"""Takes commits out of the index again: the ones no indexed ref reaches any more.

What only they used (contents, vectors, paths, people, symbols) goes with them, so that the index
equals one that never saw them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.store.sqlite.connection import translated
from ohara.store.sqlite.generations import delete_commit_vectors, delete_vectors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.model import Sha
    from ohara.store.sqlite.writer import Writer

_DOOMED_HUNKS = "SELECT id FROM hunk WHERE commit_id IN (SELECT id FROM temp.doomed)"
_REMOVE_COMMITS = (
    f"DELETE FROM fts_hunk_text WHERE rowid IN ({_DOOMED_HUNKS})",
    f"DELETE FROM hunk_symbol WHERE hunk_id IN ({_DOOMED_HUNKS})",
    "DELETE FROM failure WHERE sha IN (SELECT sha FROM commits WHERE id IN (SELECT id FROM temp.doomed))",
    """INSERT INTO temp.orphan SELECT DISTINCT content_id FROM hunk AS gone
       WHERE commit_id IN (SELECT id FROM temp.doomed) AND content_id IS NOT NULL AND NOT EXISTS (
         SELECT 1 FROM hunk AS kept WHERE kept.content_id = gone.content_id
         AND kept.commit_id NOT IN (SELECT id FROM temp.doomed))""",
    f"DELETE FROM line_end WHERE hunk_id IN ({_DOOMED_HUNKS})",
    f"DELETE FROM line_end WHERE to_hunk IN ({_DOOMED_HUNKS})",
    "DELETE FROM line_end WHERE commit_id IN (SELECT id FROM temp.doomed)",
    f"DELETE FROM line_count WHERE hunk_id IN ({_DOOMED_HUNKS})",
    f"DELETE FROM head_line WHERE hunk_id IN ({_DOOMED_HUNKS})",
    "DELETE FROM merged_file WHERE commit_id IN (SELECT id FROM temp.doomed)",
    "DELETE FROM hunk WHERE commit_id IN (SELECT id FROM temp.doomed)",
    "DELETE FROM file WHERE commit_id IN (SELECT id FROM temp.doomed)",
    "DELETE FROM thread WHERE commit_id IN (SELECT id FROM temp.doomed)",
    "DELETE FROM copy WHERE commit_id IN (SELECT id FROM temp.doomed)",
    "DELETE FROM commits WHERE id IN (SELECT id FROM temp.doomed)",
    "DELETE FROM fts_literal WHERE rowid IN (SELECT id FROM temp.orphan)",
    "DELETE FROM encoded WHERE content_id IN (SELECT id FROM temp.orphan)",
    "DELETE FROM content WHERE id IN (SELECT id FROM temp.orphan)",
)
_UNUSED_SYMBOLS = """SELECT id FROM symbol
  WHERE id NOT IN (SELECT symbol_id FROM hunk_symbol) AND id NOT IN (SELECT symbol_id FROM head_symbol)"""
_SWEEP = (
    "DELETE FROM person WHERE id NOT IN (SELECT author FROM commits)",
    "DELETE FROM header WHERE id NOT IN (SELECT header_id FROM hunk WHERE header_id IS NOT NULL)",
    """DELETE FROM path WHERE id NOT IN (SELECT path_id FROM file)
       AND id NOT IN (SELECT old_path_id FROM file WHERE old_path_id IS NOT NULL)
       AND id NOT IN (SELECT path_id FROM head_file)
       AND id NOT IN (SELECT path_id FROM head_version) AND id NOT IN (SELECT path_id FROM merged_file)""",
    f"DELETE FROM fts_symbol_name WHERE rowid IN ({_UNUSED_SYMBOLS})",
    f"DELETE FROM symbol WHERE id IN ({_UNUSED_SYMBOLS})",
)


def remove_commits(writer: Writer, shas: Iterable[Sha]) -> int:
    """Remove these commits inside the open batch, and say how many there were."""
    writer.begin()
    execute = writer.connection.execute
    with translated(writer.path):
        execute("CREATE TEMP TABLE IF NOT EXISTS doomed(id INTEGER PRIMARY KEY)")
        execute("CREATE TEMP TABLE IF NOT EXISTS orphan(id INTEGER PRIMARY KEY)")
        execute("DELETE FROM temp.doomed")
        execute("DELETE FROM temp.orphan")
        writer.connection.executemany(
            "INSERT OR IGNORE INTO temp.doomed SELECT id FROM commits WHERE sha = ?",
            [(bytes.fromhex(sha),) for sha in shas],
        )
        removed = int(execute("SELECT count(*) FROM temp.doomed").get)
        if removed:
            for statement in _REMOVE_COMMITS:
                execute(statement)
            delete_vectors(writer, [row[0] for row in execute("SELECT id FROM temp.orphan")])
            delete_commit_vectors(writer, "SELECT id FROM temp.doomed")
        return removed


def sweep(writer: Writer) -> None:
    """Remove names that nothing mentions any more, inside the open batch."""
    writer.begin()
    with translated(writer.path):
        for statement in _SWEEP:
            writer.connection.execute(statement)


def collect(writer: Writer) -> int:
    """Remove every commit that is no longer reachable, with all that only it used; give the space back."""
    with translated(writer.path):
        dead = [row[0].hex() for row in writer.connection.execute("SELECT sha FROM commits WHERE live = 0")]
    removed = writer.remove_commits(dead)
    writer.sweep()
    writer.commit()
    with translated(writer.path):
        writer.connection.execute("PRAGMA incremental_vacuum")
        writer.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return removed
