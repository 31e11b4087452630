"""What matched in versions of files, kept between structural searches in a file of its own beside the index.

It is a cache: it can be deleted at any time, and whoever cannot read or write it parses again. A bound on its
size holds; the patterns that were asked for longest ago go first.
"""

from __future__ import annotations

import json
import time
from threading import Lock
from typing import TYPE_CHECKING

import apsw

from ohara.store.sqlite.connection import LOG, SHARED, beside

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

MOST_BYTES = 64 * 2**20
_BUSY_MS = 200  # then one does without

_SCHEMA = """CREATE TABLE IF NOT EXISTS pattern(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, used INTEGER);
CREATE TABLE IF NOT EXISTS found(
  pattern INTEGER, blob BLOB, matches BLOB, PRIMARY KEY(pattern, blob)) WITHOUT ROWID"""
_USE = """INSERT INTO pattern(name, used) VALUES(?1, ?2)
  ON CONFLICT(name) DO UPDATE SET used = ?2 RETURNING id"""
_GET = """SELECT lower(hex(blob)), matches FROM found
  WHERE pattern = ? AND blob IN (SELECT unhex(value) FROM json_each(?))"""
_PUT = "INSERT OR REPLACE INTO found VALUES(?, ?, ?)"
_OLDEST = "SELECT id FROM pattern WHERE name != ? ORDER BY used LIMIT 1"


class MatchCache:
    """Matches by a pattern's name and a content's; safe to share between threads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._connection: apsw.Connection | None = None

    def get(self, pattern: str, blobs: Sequence[str]) -> dict[str, bytes]:
        """What is known of some contents."""
        with self._lock:
            try:
                connection = self._opened()
                number = connection.execute(_USE, (pattern, int(time.time()))).get
                rows = connection.execute(_GET, (number, json.dumps(list(blobs)))).fetchall()
            except apsw.Error:
                self._give_up()
                return {}
        return {str(blob): matches for blob, matches in rows if isinstance(matches, bytes)}

    def put(self, pattern: str, found: Mapping[str, bytes]) -> None:
        """Keep what was found, and forget the oldest when that is too much."""
        rows = [(bytes.fromhex(blob), matches) for blob, matches in found.items()]
        with self._lock:
            try:
                connection = self._opened()
                with connection:
                    number = connection.execute(_USE, (pattern, int(time.time()))).get
                    connection.executemany(_PUT, [(number, blob, matches) for blob, matches in rows])
                self._bound(connection, pattern)
            except apsw.Error:
                self._give_up()

    def _opened(self) -> apsw.Connection:
        if self._connection is None:
            connection = apsw.Connection(str(self._path))
            connection.set_busy_timeout(_BUSY_MS)
            connection.pragma("auto_vacuum", 2)
            connection.pragma("journal_mode", "wal")
            connection.pragma("synchronous", "off")
            connection.execute(_SCHEMA)
            self._connection = connection
        return self._connection

    def _bound(self, connection: apsw.Connection, pattern: str) -> None:
        while connection.pragma("page_count") * connection.pragma("page_size") > MOST_BYTES:
            oldest = connection.execute(_OLDEST, (pattern,)).get
            if oldest is None:
                oldest = connection.execute("SELECT id FROM pattern WHERE name = ?", (pattern,)).get
                connection.execute("DELETE FROM found WHERE pattern = ?", (oldest,))
                connection.execute("PRAGMA incremental_vacuum")
                return
            connection.execute("DELETE FROM found WHERE pattern = ?", (oldest,))
            connection.execute("DELETE FROM pattern WHERE id = ?", (oldest,))
            connection.execute("PRAGMA incremental_vacuum").fetchall()

    def _give_up(self) -> None:
        """Begin anew with the next call; a damaged file is no loss."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        try:
            apsw.Connection(str(self._path), flags=apsw.SQLITE_OPEN_READONLY).execute(
                "SELECT count(*) FROM found"
            )
        except apsw.BusyError:
            return
        except apsw.Error:
            for suffix in ("", LOG, SHARED):
                beside(self._path, suffix).unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()
