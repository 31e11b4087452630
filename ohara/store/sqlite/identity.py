"""Tells a database from another that took its place, and a reader whether the one it holds is still there.

Every database has a random identity of its own. A path leads to the database a reader holds when it leads to
the same file (an open file keeps its inode to itself, so this cannot be another's) and when the identity,
read anew by that path, is the same (the file may have been overwritten in place).

The file is never opened here but by SQLite: closing any other handle of it would drop this process's locks.
"""

from __future__ import annotations

import ctypes
import json
import time
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

import apsw

from ohara.errors import IndexMissing, IndexReplaced
from ohara.store.sqlite.connection import LOG, beside, open_to_read, translated

if TYPE_CHECKING:
    from pathlib import Path

IDENTITY = "identity"  # in meta
_READ = "SELECT value FROM meta WHERE key = 'identity'"
_SETTLED_NS = 2_000_000_000  # file systems tell moments apart by milliseconds, some by two seconds


class Stamp(NamedTuple):
    """What a database is known by.

    `written` tells its states apart for readers that may not write beside it: those of a file which nobody
    seems to write do not look for changes. For all others it is empty, as SQLite notices by itself.
    """

    identity: str
    device: int
    inode: int
    written: tuple[int, ...] = ()


class Glance(NamedTuple):
    """What the system says of a database's files: the same means that nobody wrote to them in between."""

    device: int
    inode: int
    written_ns: int
    size: int
    log_inode: int
    log_written_ns: int
    log_size: int


def read_identity(connection: apsw.Connection) -> str:
    """The identity of the database a connection holds; "" when it was made before there were any."""
    row = connection.execute(_READ).fetchone()
    return str(json.loads(row[0])) if row else ""


def stamp_of(connection: apsw.Connection, path: Path) -> Stamp | None:
    """What the database of a connection is known by; None when its path leads elsewhere already."""
    identity = read_identity(connection)
    stamp = _standing(path, identity, is_read_only=bool(connection.open_flags & apsw.SQLITE_OPEN_READONLY))
    return stamp if stamp is not None and not has_moved(connection) else None


def has_moved(connection: apsw.Connection) -> bool:
    """True when the file that a connection has open is no longer at its path."""
    answer = ctypes.c_int(0)
    connection.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, ctypes.addressof(answer))
    return bool(answer.value)


def is_there(stamp: Stamp, path: Path) -> bool:
    """True when a path leads to the same file; for those who hold it open. Takes microseconds."""
    return _standing(path, stamp.identity, is_read_only=bool(stamp.written)) == stamp


def is_same(stamp: Stamp, path: Path) -> bool:
    """As `is_there`, and the file is still the same database. Takes a fraction of a millisecond."""
    return is_there(stamp, path) and _identity_at(path) == stamp.identity


def glance(path: Path) -> Glance | None:
    """When a database and its log were written; None when that was a moment ago, and may be once more."""
    try:
        found = path.stat()
        log = beside(path, LOG).stat() if beside(path, LOG).exists() else found
    except OSError:
        return None
    if time.time_ns() - max(found.st_mtime_ns, log.st_mtime_ns) < _SETTLED_NS:
        return None
    return Glance(
        found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size, log.st_ino, log.st_mtime_ns, log.st_size
    )


def replaced(path: Path) -> IndexReplaced:
    """What to say when others take the place of a database faster than it can be read."""
    return IndexReplaced(f"the index {path} is being replaced", hint="ask again in a moment")


def _identity_at(path: Path) -> str | None:
    """The identity of the database at a path, read anew; None when there is none."""
    try:
        with translated(path), closing(open_to_read(path)) as connection:
            # Only a glance: what is in the log stays there for those who work here.
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            try:
                return read_identity(connection)
            except apsw.SQLError:  # it has no tables yet
                return None
    except IndexMissing:
        return None


def _standing(path: Path, identity: str, *, is_read_only: bool) -> Stamp | None:
    try:
        found = path.stat()
        written = (found.st_mtime_ns, found.st_size, _log_bytes(path)) if is_read_only else ()
    except OSError:
        return None
    return Stamp(identity, found.st_dev, found.st_ino, written)


def _log_bytes(path: Path) -> int:
    try:
        return beside(path, LOG).stat().st_size
    except FileNotFoundError:
        return 0
