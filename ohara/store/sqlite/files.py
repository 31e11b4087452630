"""The database as a file: moved out of the way, read through, tried out."""

from __future__ import annotations

import time
from contextlib import closing
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

from ohara.store.facts import FINGERPRINT
from ohara.store.index import Examined
from ohara.store.sql.meta import read_fact
from ohara.store.sqlite.connected import Connected
from ohara.store.sqlite.connection import LOG, SHARED, beside, connect_writer, translated
from ohara.store.sqlite.schema import open_reader

if TYPE_CHECKING:
    from ohara.store.locate import IndexLocation

_VERSIONS = "SELECT sqlite_version(), vec_version()"
_TRIGRAMS = "CREATE VIRTUAL TABLE probe USING fts5(line, tokenize = 'trigram')"


def set_aside(location: IndexLocation) -> None:
    """Rename the database and its log, so that a new one can be built."""
    if not location.database.exists():
        return
    stamp = time.strftime("%Y%m%d-%H%M%S")
    names = (f"aside-{stamp}{again}.db" for again in chain([""], (f"-{number}" for number in count(2))))
    aside = next(location.folder / name for name in names if not (location.folder / name).exists())
    # The database first: from then on it is gone, and nobody opens it without its log.
    for suffix in ("", LOG, SHARED):
        file = beside(location.database, suffix)
        if file.exists():
            file.rename(beside(aside, suffix))


def discard_aside(location: IndexLocation) -> None:
    """Delete what was set aside."""
    for file in location.folder.glob("aside-*.db*"):
        file.unlink(missing_ok=True)


def examine(database: Path) -> Examined:
    """Read a database through; an error of ours when it cannot even be opened."""
    with closing(open_reader(database)) as connection, translated(database):
        said = str(connection.pragma("quick_check"))
        return Examined("" if said == "ok" else said, read_fact(Connected(database, connection), FINGERPRINT))


def try_database() -> str:
    """Make a database with all that ohara uses, and forget it; the versions of SQLite and sqlite-vec."""
    from tempfile import TemporaryDirectory  # which no search needs

    with TemporaryDirectory() as folder:
        path = Path(folder) / "probe.db"
        with closing(connect_writer(path)) as connection, translated(path):
            connection.execute(_TRIGRAMS)
            ((sqlite, vectors),) = connection.execute(_VERSIONS).fetchall()
    return f"SQLite {sqlite} with full text, sqlite-vec {vectors}"
