"""Writes symbols: what HEAD defines (cached by blob) and what each hunk touches.

`fts_symbol_name` has one row per symbol (kind and qualified name). Its sibling names come from HEAD's
definitions alone, so the row depends on the repository's state and not on the order of indexing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.store.sqlite.connection import translated
from ohara.words import index_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.model import Symbol
    from ohara.store.derived import HeadFile, TouchedHunk
    from ohara.store.sqlite.writer import Writer

_MAX_SIBLINGS = 48  # of one symbol over all its definitions in HEAD

SELECT_SYMBOL = "SELECT id FROM symbol WHERE qualified = ? AND kind = ?"
INSERT_SYMBOL = "INSERT INTO symbol(kind, name, qualified) VALUES(?, ?, ?) RETURNING id"
INSERT_HUNK_SYMBOL = "INSERT OR IGNORE INTO hunk_symbol VALUES(?, ?)"
INSERT_HEAD_SYMBOL = "INSERT OR IGNORE INTO head_symbol VALUES(?, ?, ?, ?, ?)"
INSERT_NAME = "INSERT INTO fts_symbol_name(rowid, kind, name, sibling_names) VALUES(?, ?, ?, ?)"
DELETE_NAME = "DELETE FROM fts_symbol_name WHERE rowid = ?"
SIBLINGS = "SELECT siblings FROM head_symbol WHERE symbol_id = ? ORDER BY siblings"
HEAD_FILES = """SELECT path.path, parsed_blob.blob, parsed_blob.language FROM head_file
  JOIN path ON path.id = head_file.path_id JOIN parsed_blob ON parsed_blob.id = head_file.blob_id"""
UNUSED_BLOBS = "SELECT id FROM parsed_blob WHERE id NOT IN (SELECT blob_id FROM head_file)"


def name_row(kind: str, name: str, qualified: str, siblings: Iterable[str]) -> tuple[str, str, str]:
    """A symbol's row of words: its kind, its name, and the names beside each of its definitions in HEAD."""
    others = sorted({other for named in siblings for other in named.split()})
    return kind, index_text(f"{name} {qualified}"), index_text(" ".join(others[:_MAX_SIBLINGS]))


class SymbolWriter:
    """Adds symbols through the one writer."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._connection = writer.connection
        self._known: dict[tuple[str, str], int] = {}

    def forget(self) -> None:
        """Forget the ids of symbols: some are no longer there."""
        self._known.clear()

    def touched(self, hunks: Sequence[TouchedHunk]) -> None:
        """Record which symbols these hunks touch."""
        self._writer.begin()
        with translated(self._writer.path):
            rows = [
                (hunk.hunk_id, self._symbol(symbol.kind, symbol.name, symbol.qualified))
                for hunk in hunks
                for symbol in hunk.symbols
            ]
            self._connection.executemany(INSERT_HUNK_SYMBOL, rows)
        self._writer.hunks_pending += max(1, len(hunks))

    def head_files(self) -> dict[str, tuple[str, str]]:
        """The files of HEAD as the index knows them: path → (blob, language)."""
        with translated(self._writer.path):
            return {path: (blob.hex(), lang) for path, blob, lang in self._connection.execute(HEAD_FILES)}

    def parsed_blobs(self) -> set[tuple[str, str]]:
        """The blobs that need not be parsed again."""
        with translated(self._writer.path):
            return {
                (b.hex(), lang)
                for b, lang in self._connection.execute("SELECT blob, language FROM parsed_blob")
            }

    def add_blob(self, blob: str, language: str, symbols: Sequence[Symbol]) -> None:
        """Keep what a blob defines, until HEAD has no such file any more."""
        self._writer.begin()
        with translated(self._writer.path):
            blob_id = self._connection.execute(
                "INSERT INTO parsed_blob(blob, language) VALUES(?, ?) RETURNING id",
                (bytes.fromhex(blob), language),
            ).get
            rows = [
                (
                    blob_id,
                    self._symbol(symbol.kind.value, symbol.name, symbol.qualified),
                    symbol.first_line,
                    symbol.last_line,
                    " ".join(symbol.siblings),
                )
                for symbol in symbols
            ]
            self._connection.executemany(INSERT_HEAD_SYMBOL, rows)
        self._writer.hunks_pending += len(symbols)

    def replace_head(self, files: Sequence[HeadFile], gone: Iterable[str]) -> None:
        """Make these files, all of them parsed, HEAD's, in place of what stood there and at `gone`."""
        self._writer.begin()
        affected: set[int] = set()
        with translated(self._writer.path):
            for path in gone:
                self._connection.execute(
                    "DELETE FROM head_file WHERE path_id = (SELECT id FROM path WHERE path = ?)", (path,)
                )
            for file in files:
                blob_id = self._connection.execute(
                    "SELECT id FROM parsed_blob WHERE blob = ? AND language = ?",
                    (bytes.fromhex(file.blob), file.language),
                ).get
                self._connection.execute(
                    "INSERT OR REPLACE INTO head_file VALUES(?, ?)",
                    (self._writer.rows.path_id(file.path), blob_id),
                )
                affected |= self._symbols_of(blob_id)
            affected |= self._drop_unused_blobs()
            for symbol_id in sorted(affected):
                self._rewrite_name(symbol_id)

    def _symbols_of(self, blob_id: int) -> set[int]:
        rows = self._connection.execute("SELECT symbol_id FROM head_symbol WHERE blob_id = ?", (blob_id,))
        return {row[0] for row in rows}

    def _drop_unused_blobs(self) -> set[int]:
        unused = [row[0] for row in self._connection.execute(UNUSED_BLOBS)]
        affected: set[int] = set()
        for blob_id in unused:
            affected |= self._symbols_of(blob_id)
            self._connection.execute("DELETE FROM head_symbol WHERE blob_id = ?", (blob_id,))
            self._connection.execute("DELETE FROM parsed_blob WHERE id = ?", (blob_id,))
        return affected

    def _symbol(self, kind: str, name: str, qualified: str) -> int:
        known = self._known.get((qualified, kind))
        if known is None:
            found = self._connection.execute(SELECT_SYMBOL, (qualified, kind)).fetchone()
            if found is None:
                known = int(self._connection.execute(INSERT_SYMBOL, (kind, name, qualified)).get)
                self._connection.execute(INSERT_NAME, (known, kind, index_text(f"{name} {qualified}"), ""))
            else:
                known = int(found[0])
            self._known[qualified, kind] = known
        return known

    def _rewrite_name(self, symbol_id: int) -> None:
        """Bring one symbol's row up to date with HEAD, or drop a symbol that nothing mentions any more."""
        siblings = [row[0] for row in self._connection.execute(SIBLINGS, (symbol_id,))]
        self._connection.execute(DELETE_NAME, (symbol_id,))
        kind, name, qualified = self._connection.execute(
            "SELECT kind, name, qualified FROM symbol WHERE id = ?", (symbol_id,)
        ).get
        if not self._mentioned(symbol_id):
            self._connection.execute("DELETE FROM symbol WHERE id = ?", (symbol_id,))
            self._known.pop((qualified, kind), None)
            return
        self._connection.execute(INSERT_NAME, (symbol_id, *name_row(kind, name, qualified, siblings)))

    def _mentioned(self, symbol_id: int) -> bool:
        return bool(
            self._connection.execute(
                "SELECT EXISTS(SELECT 1 FROM hunk_symbol WHERE symbol_id = ?1) "
                "OR EXISTS(SELECT 1 FROM head_symbol WHERE symbol_id = ?1)",
                (symbol_id,),
            ).get
        )
