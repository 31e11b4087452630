"""Writes symbols: what HEAD defines (cached by blob) and what each hunk touches.

A symbol (kind and qualified name) is searched by words. Its sibling names come from HEAD's
definitions alone, so the words depend on the repository's state and not on the order of indexing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.store.derived import ChangedFile
from ohara.store.sql.session import EFFECTIVE_LEFT_OUT
from ohara.words import index_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.model import Symbol
    from ohara.store.derived import HeadFile, TouchedHunk
    from ohara.store.sql.session import Writes

_MAX_SIBLINGS = 48  # of one symbol over all its definitions in HEAD

KNOWN_SYMBOLS = "SELECT qualified, kind, id FROM symbol WHERE qualified IN (SELECT value FROM texts(?))"
LAST_SYMBOL = "SELECT coalesce(max(id), 0) FROM symbol"
TO_TOUCH = f"""SELECT hunk.commit_id, file.id, file.path_id, file.old_blob, file.new_blob, hunk.id
  FROM hunk JOIN file ON file.id = hunk.file_id JOIN path ON path.id = file.path_id
  WHERE hunk.commit_id IN (SELECT value FROM numbers(?)) AND hunk.content_id IS NOT NULL
    AND path.language IN (SELECT value FROM texts(?)) AND {EFFECTIVE_LEFT_OUT} IS NULL
  ORDER BY hunk.id"""
INSERT_SYMBOL = "INSERT INTO symbol(id, kind, name, qualified) VALUES(?, ?, ?, ?)"
INSERT_HUNK_SYMBOL = "INSERT INTO hunk_symbol(hunk_id, symbol_id) VALUES(?, ?) ON CONFLICT DO NOTHING"
INSERT_HEAD_SYMBOL = """INSERT INTO head_symbol(blob_id, symbol_id, first_line, last_line, siblings)
  VALUES(?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"""
INSERT_BLOB = "INSERT INTO parsed_blob(blob, language) VALUES(?, ?) RETURNING id"
SELECT_BLOB = "SELECT id FROM parsed_blob WHERE blob = ? AND language = ?"
INSERT_HEAD_FILE = """INSERT INTO head_file(path_id, blob_id) VALUES(?, ?)
  ON CONFLICT(path_id) DO UPDATE SET blob_id = excluded.blob_id"""
DELETE_HEAD_FILE = "DELETE FROM head_file WHERE path_id = (SELECT id FROM path WHERE path = ?)"
SYMBOLS_OF = "SELECT DISTINCT symbol_id FROM head_symbol WHERE blob_id IN (SELECT value FROM numbers(?))"
NAMES = "SELECT id, kind, name, qualified FROM symbol WHERE id IN (SELECT value FROM numbers(?))"
MENTIONED = """SELECT symbol_id FROM hunk_symbol WHERE symbol_id IN (SELECT value FROM numbers(?1))
  UNION SELECT symbol_id FROM head_symbol WHERE symbol_id IN (SELECT value FROM numbers(?1))"""
SIBLINGS = "SELECT symbol_id, siblings FROM head_symbol WHERE symbol_id IN (SELECT value FROM numbers(?))"
HEAD_FILES = """SELECT path.path, parsed_blob.blob, parsed_blob.language FROM head_file
  JOIN path ON path.id = head_file.path_id JOIN parsed_blob ON parsed_blob.id = head_file.blob_id"""
UNUSED_BLOBS = "SELECT id FROM parsed_blob WHERE id NOT IN (SELECT blob_id FROM head_file)"


def name_row(kind: str, name: str, qualified: str, siblings: Iterable[str]) -> tuple[str, str, str]:
    """A symbol's words: its kind, its name, and the names beside each of its definitions in HEAD."""
    others = sorted({other for named in siblings for other in named.split()})
    return kind, index_text(f"{name} {qualified}"), index_text(" ".join(others[:_MAX_SIBLINGS]))


class SymbolWriter:
    """Adds symbols through the one writer."""

    def __init__(self, writer: Writes) -> None:
        self._writer = writer
        self._known: dict[tuple[str, str], int] = {}

    def forget(self) -> None:
        """Forget the ids of symbols: some are no longer there."""
        self._known.clear()

    def to_touch(self, commit_ids: Sequence[int], languages: Iterable[str]) -> list[ChangedFile]:
        """The searched files in these languages that commits change, in the order of the commits."""
        asked = self._writer.listed(commit_ids), self._writer.listed(sorted(languages))
        hunks: dict[int, list[int]] = {}
        files: dict[int, tuple[int, int, bytes | None, bytes | None]] = {}
        for commit_id, file_id, path_id, old_blob, new_blob, hunk_id in self._writer.rows(TO_TOUCH, asked):
            files[file_id] = (commit_id, path_id, old_blob, new_blob)
            hunks.setdefault(file_id, []).append(hunk_id)
        found = [
            ChangedFile(commit, path, (old or b"").hex(), (new or b"").hex(), tuple(hunks[file_id]))
            for file_id, (commit, path, old, new) in files.items()
        ]
        places = {commit_id: place for place, commit_id in enumerate(commit_ids)}
        found.sort(key=lambda file: places[file.commit_id])
        return found

    def touched(self, hunks: Sequence[TouchedHunk]) -> None:
        """Record which symbols these hunks touch."""
        self._writer.begin()
        self._know((symbol.kind, symbol.name, symbol.qualified) for hunk in hunks for symbol in hunk.symbols)
        known = self._known
        rows = [
            (hunk.hunk_id, known[symbol.qualified, symbol.kind]) for hunk in hunks for symbol in hunk.symbols
        ]
        self._writer.run_many(INSERT_HUNK_SYMBOL, rows)
        self._writer.hunks_pending += max(1, len(hunks))

    def head_files(self) -> dict[str, tuple[str, str]]:
        """The files of HEAD as the index knows them: path → (blob, language)."""
        return {path: (blob.hex(), lang) for path, blob, lang in self._writer.rows(HEAD_FILES)}

    def parsed_blobs(self) -> set[tuple[str, str]]:
        """The blobs that need not be parsed again."""
        return {
            (blob.hex(), lang) for blob, lang in self._writer.rows("SELECT blob, language FROM parsed_blob")
        }

    def add_blob(self, blob: str, language: str, symbols: Sequence[Symbol]) -> None:
        """Keep what a blob defines, until HEAD has no such file any more."""
        self._writer.begin()
        ((blob_id,),) = self._writer.rows(INSERT_BLOB, (bytes.fromhex(blob), language))
        self._know((symbol.kind.value, symbol.name, symbol.qualified) for symbol in symbols)
        rows = [
            (
                blob_id,
                self._known[symbol.qualified, symbol.kind.value],
                symbol.first_line,
                symbol.last_line,
                " ".join(symbol.siblings),
            )
            for symbol in symbols
        ]
        self._writer.run_many(INSERT_HEAD_SYMBOL, rows)
        self._writer.hunks_pending += len(symbols)

    def replace_head(self, files: Sequence[HeadFile], gone: Iterable[str]) -> None:
        """Make these files, all of them parsed, HEAD's, in place of what stood there and at `gone`."""
        self._writer.begin()
        self._writer.run_many(DELETE_HEAD_FILE, [(path,) for path in gone])
        blobs: list[int] = []
        for file in files:
            ((blob_id,),) = self._writer.rows(SELECT_BLOB, (bytes.fromhex(file.blob), file.language))
            self._writer.run(INSERT_HEAD_FILE, (self._writer.path_id(file.path), blob_id))
            blobs.append(blob_id)
        affected = self._symbols_of(blobs) | self._drop_unused_blobs()
        self._rewrite_names(sorted(affected))

    def _symbols_of(self, blobs: Sequence[int]) -> set[int]:
        return {row[0] for row in self._writer.rows(SYMBOLS_OF, (self._writer.listed(blobs),))}

    def _drop_unused_blobs(self) -> set[int]:
        unused = [row[0] for row in self._writer.rows(UNUSED_BLOBS)]
        affected = self._symbols_of(unused)
        rows = [(blob_id,) for blob_id in unused]
        self._writer.run_many("DELETE FROM head_symbol WHERE blob_id = ?", rows)
        self._writer.run_many("DELETE FROM parsed_blob WHERE id = ?", rows)
        return affected

    def _know(self, symbols: Iterable[tuple[str, str, str]]) -> None:
        """Find out the numbers of symbols (kind, name, qualified name), and add those that are new."""
        unknown = {
            (qualified, str(kind)): name
            for kind, name, qualified in symbols
            if (qualified, kind) not in self._known
        }
        if not unknown:
            return
        asked = self._writer.listed(dict.fromkeys(qualified for qualified, _ in unknown))
        for qualified, kind, number in self._writer.rows(KNOWN_SYMBOLS, (asked,)):
            self._known[qualified, kind] = number
            unknown.pop((qualified, kind), None)
        if not unknown:
            return
        ((last,),) = self._writer.rows(LAST_SYMBOL)
        new = [
            (number, kind, name, qualified)
            for number, ((qualified, kind), name) in enumerate(unknown.items(), int(last) + 1)
        ]
        self._writer.run_many(INSERT_SYMBOL, new)
        self._writer.write_symbol_words(
            (number, kind, index_text(f"{name} {qualified}"), "") for number, kind, name, qualified in new
        )
        self._known.update({(qualified, kind): number for number, kind, _, qualified in new})

    def _rewrite_names(self, symbols: Sequence[int]) -> None:
        """Bring symbols' words up to date with HEAD, and drop symbols that nothing mentions any more."""
        if not symbols:
            return
        listed = self._writer.listed(symbols)
        siblings: dict[int, list[str]] = {}
        for symbol, names in self._writer.rows(SIBLINGS, (listed,)):
            siblings.setdefault(symbol, []).append(names)
        mentioned = {row[0] for row in self._writer.rows(MENTIONED, (listed,))}
        self._writer.drop_symbol_words(symbols)
        kept: list[tuple[int, str, str, str]] = []
        unused: list[tuple[int]] = []
        for symbol, kind, name, qualified in self._writer.rows(NAMES, (listed,)):
            if symbol not in mentioned:
                unused.append((symbol,))
                self._known.pop((qualified, kind), None)
                continue
            kept.append((symbol, *name_row(kind, name, qualified, siblings.get(symbol, ()))))
        self._writer.write_symbol_words(kept)
        self._writer.run_many("DELETE FROM symbol WHERE id = ?", unused)
