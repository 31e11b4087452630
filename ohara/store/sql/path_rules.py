"""Keeps the left-out marks of paths true when the rules change.

The rules are read anew on every run. When they differ from the stored ones, every path is judged
again; commits that touch a path whose verdict changed go through the text, symbol and vector passes
once more, from stored bodies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import Pass
from ohara.store.facts import HEAD_SYMBOLS
from ohara.store.sql.session import EFFECTIVE_LEFT_OUT, PASS_BITS

if TYPE_CHECKING:
    from ohara.store.sql.session import Writes

_KEY = "rules"
_REDO = PASS_BITS[Pass.TEXT] | PASS_BITS[Pass.SYMBOL] | PASS_BITS[Pass.VECTOR]

_REDO_COMMITS = f"""UPDATE commits SET passes = passes & ~{_REDO} WHERE id IN (
  SELECT commit_id FROM file WHERE path_id IN (SELECT value FROM numbers(?)))"""
_DROP_SYMBOLS = """DELETE FROM hunk_symbol WHERE hunk_id IN (
  SELECT id FROM hunk WHERE file_id IN (
    SELECT id FROM file WHERE path_id IN (SELECT value FROM numbers(?))))"""
_VECTOR = PASS_BITS[Pass.VECTOR]
_UNSEARCHED = f"""SELECT content.id FROM content WHERE (content.passes & {_VECTOR}) != 0 AND NOT EXISTS (
  SELECT 1 FROM hunk JOIN file ON file.id = hunk.file_id JOIN path ON path.id = file.path_id
  WHERE hunk.content_id = content.id AND {EFFECTIVE_LEFT_OUT} IS NULL)"""
_NO_VECTOR = f"UPDATE content SET passes = passes & ~{_VECTOR} WHERE id = ?"


def judge_paths(writer: Writes, rules: str) -> int:
    """Judge all paths again if the rules changed; how many verdicts did."""
    if writer.meta(_KEY) == rules:
        return 0
    writer.begin()
    changed = [
        (new, path_id)
        for path_id, path, old in writer.rows("SELECT id, path, left_out FROM path")
        if (new := writer.verdict(path)) != old
    ]
    if changed:
        writer.run_many("UPDATE path SET left_out = ? WHERE id = ?", changed)
        rejudged = writer.listed([path_id for _, path_id in changed])
        writer.run(_REDO_COMMITS, (rejudged,))
        writer.run(_DROP_SYMBOLS, (rejudged,))
        writer.drop_meta(HEAD_SYMBOLS.name)
        unsearched = [row[0] for row in writer.rows(_UNSEARCHED)]
        writer.drop_content_vectors(unsearched)
        writer.run_many(_NO_VECTOR, [(content_id,) for content_id in unsearched])
    writer.set_meta(_KEY, rules)
    writer.commit()
    return len(changed)
