"""Tells whether SQLite has what ohara needs, and whether a database is whole."""

from __future__ import annotations

import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ohara.store.sqlite.connection import connect_writer, translated
from ohara.store.sqlite.meta import read_meta
from ohara.store.sqlite.schema import open_reader

_VERSIONS = "SELECT sqlite_version(), vec_version()"
_TRIGRAMS = "CREATE VIRTUAL TABLE probe USING fts5(line, tokenize = 'trigram')"


@dataclass(frozen=True, slots=True)
class Examined:
    """What SQLite says of a database ("ok", or the first thing wrong), and what its passes were made with."""

    said: str
    made_with: object


def try_database() -> tuple[str, str]:
    """Make a database with all that ohara uses, and forget it; the versions of SQLite and sqlite-vec."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "probe.db"
        with closing(connect_writer(path)) as connection, translated(path):
            connection.execute(_TRIGRAMS)
            ((sqlite, vectors),) = connection.execute(_VERSIONS).fetchall()
    return str(sqlite), str(vectors)


def examine(database: Path) -> Examined:
    """Read a database through; an error of ours when it cannot even be opened."""
    with closing(open_reader(database)) as connection, translated(database):
        return Examined(str(connection.pragma("quick_check")), read_meta(connection, "fingerprint"))
