"""Keeps the left-out marks of paths true when the rules change.

The rules are read anew on every run. When they differ from the stored ones, every path is judged
again; commits that touch a path whose verdict changed go through the text, symbol and vector passes
once more, from stored bodies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import Pass
from ohara.store.facts import HEAD_SYMBOLS
from ohara.store.sqlite.connection import translated
from ohara.store.sqlite.generations import delete_vectors
from ohara.store.sqlite.meta import read_meta
from ohara.store.sqlite.schema import EFFECTIVE_LEFT_OUT, PASS_BITS

if TYPE_CHECKING:
    from ohara.store.sqlite.writer import Writer

_KEY = "rules"
_REDO = PASS_BITS[Pass.TEXT] | PASS_BITS[Pass.SYMBOL] | PASS_BITS[Pass.VECTOR]

_REDO_COMMITS = """UPDATE commits SET passes = passes & ~? WHERE id IN (
  SELECT commit_id FROM file WHERE path_id IN (SELECT id FROM temp.rejudged))"""
_DROP_SYMBOLS = """DELETE FROM hunk_symbol WHERE hunk_id IN (
  SELECT id FROM hunk WHERE file_id IN (
    SELECT id FROM file WHERE path_id IN (SELECT id FROM temp.rejudged)))"""
_VECTOR = PASS_BITS[Pass.VECTOR]
_UNSEARCHED = f"""SELECT content.id FROM content WHERE content.passes & {_VECTOR} AND NOT EXISTS (
  SELECT 1 FROM hunk JOIN file ON file.id = hunk.file_id JOIN path ON path.id = file.path_id
  WHERE hunk.content_id = content.id AND {EFFECTIVE_LEFT_OUT} IS NULL)"""
_NO_VECTOR = f"UPDATE content SET passes = passes & ~{_VECTOR} WHERE id = ?"


def judge_paths(writer: Writer, rules: str) -> int:
    """Judge all paths again if the rules changed; how many verdicts did."""
    if read_meta(writer.connection, _KEY) == rules:
        return 0
    writer.begin()
    connection = writer.connection
    with translated(writer.path):
        connection.execute("CREATE TEMP TABLE IF NOT EXISTS rejudged(id INTEGER PRIMARY KEY)")
        connection.execute("DELETE FROM temp.rejudged")
        changed = [
            (new, path_id)
            for path_id, path, old in connection.execute("SELECT id, path, left_out FROM path")
            if (new := writer.verdict(path)) != old
        ]
        if changed:
            connection.executemany("UPDATE path SET left_out = ? WHERE id = ?", changed)
            connection.executemany(
                "INSERT INTO temp.rejudged VALUES(?)", [(path_id,) for _, path_id in changed]
            )
            connection.execute(_REDO_COMMITS, (_REDO,))
            connection.execute(_DROP_SYMBOLS)
            writer.drop_meta(HEAD_SYMBOLS.name)
            unsearched = [row[0] for row in connection.execute(_UNSEARCHED)]
            delete_vectors(writer, unsearched)
            connection.executemany(_NO_VECTOR, [(content_id,) for content_id in unsearched])
    writer.set_meta(_KEY, rules)
    writer.commit()
    return len(changed)
