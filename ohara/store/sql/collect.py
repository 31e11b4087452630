"""Takes commits out of the index again: the ones no indexed ref reaches any more.

What only they used (contents, vectors, paths, people, symbols) goes with them, so that the index
equals one that never saw them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.model import Sha
    from ohara.store.sql.session import Writes

_DOOMED = "SELECT id FROM doomed"
_DOOMED_HUNKS = f"SELECT id FROM hunk WHERE commit_id IN ({_DOOMED})"
_ORPHANS = f"""SELECT DISTINCT content_id FROM hunk AS gone
  WHERE commit_id IN ({_DOOMED}) AND content_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM hunk AS kept WHERE kept.content_id = gone.content_id
    AND kept.commit_id NOT IN ({_DOOMED}))"""
_REMOVE_COMMITS = (
    f"DELETE FROM hunk_symbol WHERE hunk_id IN ({_DOOMED_HUNKS})",
    f"DELETE FROM failure WHERE sha IN (SELECT sha FROM commits WHERE id IN ({_DOOMED}))",
    f"DELETE FROM line_end WHERE hunk_id IN ({_DOOMED_HUNKS})",
    f"DELETE FROM line_end WHERE to_hunk IN ({_DOOMED_HUNKS})",
    f"DELETE FROM line_end WHERE commit_id IN ({_DOOMED})",
    f"DELETE FROM line_count WHERE hunk_id IN ({_DOOMED_HUNKS})",
    f"DELETE FROM head_line WHERE hunk_id IN ({_DOOMED_HUNKS})",
    f"DELETE FROM merged_file WHERE commit_id IN ({_DOOMED})",
    f"DELETE FROM hunk WHERE commit_id IN ({_DOOMED})",
    f"DELETE FROM file WHERE commit_id IN ({_DOOMED})",
    f"DELETE FROM thread WHERE commit_id IN ({_DOOMED})",
    f"DELETE FROM copy WHERE commit_id IN ({_DOOMED})",
    f"DELETE FROM commits WHERE id IN ({_DOOMED})",
)
_FORGET_CONTENTS = (
    "DELETE FROM encoded WHERE content_id IN (SELECT value FROM numbers(?))",
    "DELETE FROM content WHERE id IN (SELECT value FROM numbers(?))",
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
)


def remove_commits(writer: Writes, shas: Iterable[Sha]) -> int:
    """Remove these commits inside the open batch, and say how many there were."""
    writer.begin()
    # Temporary, and its own: no other table has that name.
    writer.run("CREATE TEMP TABLE IF NOT EXISTS doomed(id BIGINT PRIMARY KEY)")
    writer.run("DELETE FROM doomed")
    writer.run(
        "INSERT INTO doomed SELECT id FROM commits WHERE sha IN (SELECT value FROM shas(?))",
        (writer.listed(shas),),
    )
    removed = [row[0] for row in writer.rows(_DOOMED)]
    if removed:
        hunks = [row[0] for row in writer.rows(_DOOMED_HUNKS)]
        orphans = [row[0] for row in writer.rows(_ORPHANS)]
        writer.drop_hunk_words(hunks)
        for statement in _REMOVE_COMMITS:
            writer.run(statement)
        writer.drop_trigrams(orphans)
        for statement in _FORGET_CONTENTS:
            writer.run(statement, (writer.listed(orphans),))
        writer.drop_content_vectors(orphans)
        writer.drop_commit_vectors(removed)
    return len(removed)


def sweep(writer: Writes) -> None:
    """Remove names that nothing mentions any more, inside the open batch."""
    writer.begin()
    for statement in _SWEEP:
        writer.run(statement)
    unused = [row[0] for row in writer.rows(_UNUSED_SYMBOLS)]
    if unused:
        writer.drop_symbol_words(unused)
        writer.run("DELETE FROM symbol WHERE id IN (SELECT value FROM numbers(?))", (writer.listed(unused),))


def dead_commits(writer: Writes) -> list[Sha]:
    """The commits that no indexed ref reaches."""
    return [row[0].hex() for row in writer.rows("SELECT sha FROM commits WHERE live = 0")]
