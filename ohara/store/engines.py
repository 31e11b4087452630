"""Chooses the engine that keeps an index. Nothing else outside of an engine knows that there are several."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from ohara.errors import UsageError
from ohara.extras import install_command
from ohara.store.sqlite.files import try_database
from ohara.store.sqlite.index import SqliteIndex

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ohara.model import Sha
    from ohara.store.index import Analysis, Exported, Index
    from ohara.store.locate import IndexLocation
    from ohara.store.shared import SharedServer


def index_at(location: IndexLocation) -> Index:
    """The index at a location, whether or not it exists yet."""
    return SqliteIndex(location)


def shared_server(name: str, dsn: str) -> SharedServer:
    """The server that keeps a team's indexes, by the name it goes by here and how it is reached."""
    if find_spec("psycopg") is None:
        raise UsageError("a shared index needs psycopg", hint=install_command("postgres"))
    from ohara.store.postgres.shared import PostgresServer  # late: who shares nothing need not have it

    return PostgresServer(name, dsn)


def try_engine() -> str:
    """Make an index with all that ohara uses and forget it; the engine and its version, for people."""
    return try_database()


def export_index(location: IndexLocation, file: Path, analysis: Analysis, *, derived: bool) -> int:
    """Write an index to a file, with or without words, trigrams and vectors; how many commits it has."""
    from ohara.store.sqlite.export import export  # late: few do this, and never while they search

    return export(location.database, file, analysis, derived=derived)


def roots_of(location: IndexLocation) -> tuple[Sha, ...]:
    """The live commits of an index that have no parents."""
    from ohara.store.sqlite import export

    return export.roots_of(location.database)


def read_exported(file: Path) -> Exported:
    """What a file with an index says of itself; an error when it is damaged, or not for this version."""
    from ohara.store.sqlite import install

    return install.read_exported(file)


def install_exported(location: IndexLocation, file: Path, progress: Callable[[int], None]) -> int:
    """Make an index of a file, for whoever holds the lock; how many commits it has."""
    from ohara.store.sqlite.install import install

    return install(location, file, progress)
