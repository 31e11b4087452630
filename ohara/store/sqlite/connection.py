"""Opens the database the one way ohara opens it, and gives SQLite's errors a name people can act on."""

from __future__ import annotations

import os
from contextlib import contextmanager
from importlib.util import find_spec
from json import JSONDecodeError
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from ohara.errors import IndexCorrupt, IndexLocked, IndexMissing, InternalError, StoreError
from ohara.paths import HOME_VARIABLE
from ohara.store.locate import REBUILD, room_hint

if TYPE_CHECKING:
    from collections.abc import Iterator

Connection = apsw.Connection  # the name by which others may speak of a connection

APPLICATION_ID = 0x6F686172  # "ohar": tells our databases from any other SQLite file
LOG, SHARED = "-wal", "-shm"  # what SQLite keeps beside a database, by what it adds to its name
_BUSY_TIMEOUT_MS = 10_000  # readers never wait in WAL mode; this covers recovery after a crash
_WRITER_CACHE_KIB = 32 * 1024
_READER_CACHE_KIB = 16 * 1024
_READER_MMAP_BYTES = 1 << 34  # the page cache of the system serves all readers at once


def connect_writer(path: Path) -> apsw.Connection:
    """A connection that may write, creating the file if need be."""
    if not path.exists():  # what a database that is gone has left beside it is no part of a new one
        for suffix in (LOG, SHARED):
            beside(path, suffix).unlink(missing_ok=True)
    with translated(path):
        connection = apsw.Connection(str(path))
        connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
        _require_own(connection, path)
        connection.pragma("page_size", 8192)
        connection.pragma("auto_vacuum", 2)  # incremental: gc can give space back without copying the file
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", "normal")  # a power cut may lose the last batch, never the file
        connection.pragma("cache_size", -_WRITER_CACHE_KIB)
        connection.pragma("temp_store", "memory")
        connection.pragma("foreign_keys", 0)
        _prepare(connection)
        return connection


def connect_reader(path: Path) -> apsw.Connection:
    """A connection that can only read."""
    with translated(path):
        connection = open_to_read(path)
        if _require_own(connection, path):
            raise IndexMissing(
                "this repository's index holds nothing yet",
                hint="ask again in a moment, or begin it: ohara index",
            )
        connection.pragma("query_only", 1)
        connection.pragma("cache_size", -_READER_CACHE_KIB)
        connection.pragma("mmap_size", _READER_MMAP_BYTES)
        connection.pragma("temp_store", "memory")
        _prepare(connection)
        return connection


def open_to_read(path: Path) -> apsw.Connection:
    """A bare connection for a reader: beside a database that others may write, SQLite keeps files of its own.

    Where those cannot be made, nobody writes either: then the file is read as it is, unless a log beside it
    has more to say.
    """
    try:
        name, flags = _way_to_read(path)
        connection = apsw.Connection(name, flags=flags)
    except (OSError, apsw.CantOpenError):
        if path.exists():
            raise
        raise IndexMissing("this repository has no index yet", hint="build it with: ohara index") from None
    connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
    return connection


def _way_to_read(path: Path) -> tuple[str, int]:
    """By which name and flags a database is opened."""
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return str(path), apsw.SQLITE_OPEN_READWRITE
    log = beside(path, LOG)
    how = "mode=ro" if log.exists() and log.stat().st_size else "immutable=1"
    return f"{path.as_uri()}?{how}", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI


def beside(path: Path, suffix: str) -> Path:
    """A file that SQLite keeps beside a database."""
    return path.with_name(f"{path.name}{suffix}")


def _prepare(connection: apsw.Connection) -> None:
    connection.enable_load_extension(True)
    connection.load_extension(_vector_extension())
    connection.enable_load_extension(False)


def _vector_extension() -> str:
    """Where sqlite-vec's library lies; its Python module is not imported, because that imports numpy."""
    spec = find_spec("sqlite_vec")
    if spec is None or not spec.submodule_search_locations:
        raise StoreError("the package sqlite-vec is not installed", hint="reinstall ohara")
    return str(Path(spec.submodule_search_locations[0]) / "vec0")


def _require_own(connection: apsw.Connection, path: Path) -> bool:
    """Refuse what is not ohara's; True when there is nothing in it yet."""
    empty: bool = connection.execute("SELECT count(*) FROM sqlite_schema").get == 0
    if not empty and connection.pragma("application_id") != APPLICATION_ID:
        raise IndexCorrupt(f"{path} is not an ohara index", hint=REBUILD)
    return empty


@contextmanager
def translated(path: Path | str) -> Iterator[None]:
    """Turn SQLite's exceptions into ohara's."""
    try:
        yield
    except UnicodeEncodeError as error:  # SQLite's names of files are UTF-8
        raise StoreError(
            f"the index {path} cannot be kept there: its path is not UTF-8",
            hint=f"set {HOME_VARIABLE} to a folder whose path is",
        ) from error
    except (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError, JSONDecodeError) as error:
        raise IndexCorrupt(f"the index {path} is damaged ({error})", hint=REBUILD) from error
    except apsw.FullError as error:
        raise StoreError(
            f"the disk is full: the index {path} could not grow",
            hint=room_hint(Path(path).parent),
        ) from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise IndexLocked(f"the index {path} is busy", hint="try again in a moment") from error
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError) as error:
        raise StoreError(
            f"the index {path} cannot be opened for writing ({error})",
            hint="check the owner and permissions of its folder",
        ) from error
    except apsw.IOError as error:
        raise StoreError(f"reading or writing {path} failed ({error})", hint="check the disk") from error
    except apsw.SQLError as error:
        raise InternalError(
            f"SQLite refused a statement: {error}", hint="OHARA_DEBUG=1 shows where"
        ) from error
