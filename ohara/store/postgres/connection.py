"""Opens connections the one way ohara opens them, and gives PostgreSQL's errors a name people can act on.

Who one is and by which password is libpq's affair (service files, pgpass, the environment): ohara stores no
password, refuses one in a DSN, and names a server by the name that its owner gave it, never by its DSN.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ohara.errors import (
    ConfigError,
    IndexLocked,
    IndexMissing,
    InternalError,
    ServerAway,
    StoreError,
)
from ohara.records import dataclass
from ohara.store.postgres.text import adapt

if TYPE_CHECKING:
    from collections.abc import Iterator

Connection = psycopg.Connection[tuple[object, ...]]

CONNECT_TIMEOUT_S = 5
READ_TIMEOUT_MS = 30_000  # a question that takes longer is not worth its place on a shared server
LOCK_TIMEOUT_MS = 10_000
IDLE_TIMEOUT_MS = 600_000  # of an open batch: who stalls so long gives it up

_READER_SETTINGS = (
    ("max_parallel_workers_per_gather", "0"),  # many ask at once
    # An index of neighbours is walked on until as many were found as are asked for, filters or not; they are
    # compared exactly afterwards, so that their order does not matter.
    ("hnsw.iterative_scan", "relaxed_order"),
    ("hnsw.ef_search", "400"),
    ("hnsw.max_scan_tuples", "100000"),
)

_SET = "SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS setting(name, value)"

OLDEST_SERVER = 150_000  # PostgreSQL 15
OLDEST_VECTOR = (0, 8)  # iterative scans


@dataclass(frozen=True, slots=True)
class Server:
    """A PostgreSQL database by the name that people gave it, and how it is reached."""

    name: str
    dsn: str

    def __repr__(self) -> str:
        return f"Server({self.name!r})"  # how it is reached is nobody's business


def connect(server: Server, *, writes: bool = False) -> Connection:
    """A connection in which each statement is its own transaction, unless one is begun."""
    with translated(server):
        connection = psycopg.connect(_conninfo(server), autocommit=True, cursor_factory=psycopg.RawCursor)
    adapt(connection)
    timeouts = (
        ("lock_timeout", LOCK_TIMEOUT_MS),
        ("idle_in_transaction_session_timeout", IDLE_TIMEOUT_MS),
        ("statement_timeout", 0 if writes else READ_TIMEOUT_MS),
    )
    settings = (
        ("jit", "off"),  # compiling takes longer than these statements
        ("plan_cache_mode", "force_custom_plan"),  # how long a list is decides how it is joined
        ("work_mem", "64MB"),
        ("default_transaction_read_only", "off" if writes else "on"),
        *((name, str(value)) for name, value in timeouts),
        *(() if writes else _READER_SETTINGS),
    )
    with translated(server):
        connection.execute(_SET, ([name for name, _ in settings], [value for _, value in settings]))
    return connection


def _conninfo(server: Server) -> str:
    try:
        parts = conninfo_to_dict(server.dsn)
    except psycopg.ProgrammingError:  # which would repeat it
        raise ConfigError(
            f"the dsn of shared.{server.name} is none",
            hint='write dsn = "postgresql://host/database" or "service=NAME"',
        ) from None
    if parts.get("password"):
        raise ConfigError(
            f"the dsn of shared.{server.name} has a password in it",
            hint="put it into ~/.pgpass or a service file, where libpq finds it",
        )
    given = {name: str(value) for name, value in parts.items() if value is not None}
    return make_conninfo(
        "", **{"connect_timeout": str(CONNECT_TIMEOUT_S), "application_name": "ohara", **given}
    )


@contextmanager
def translated(server: Server) -> Iterator[None]:
    """Turn psycopg's exceptions into ohara's."""
    name = server.name
    try:
        yield
    except errors.QueryCanceled as error:
        raise StoreError(
            f"the shared index {name} took too long and was stopped ({_said(error)})",
            hint="narrow the question by filters, or ask again when the server is less busy",
        ) from error
    except errors.InsufficientPrivilege as error:
        raise StoreError(
            f"your role may not do that on {name}: {_said(error)}",
            hint="ask who runs the server for: ohara share grant",
        ) from error
    except (errors.UndefinedTable, errors.InvalidSchemaName) as error:
        raise IndexMissing(
            f"{name} has no such index ({_said(error)})", hint="ohara share status shows what it has"
        ) from error
    except (errors.LockNotAvailable, errors.DeadlockDetected) as error:
        raise IndexLocked(f"the shared index {name} is busy", hint="try again in a moment") from error
    except errors.ReadOnlySqlTransaction as error:
        raise StoreError(
            f"{name} is a replica, which is only read",
            hint="name both servers in its dsn, with target_session_attrs=read-write",
        ) from error
    except errors.DiskFull as error:
        raise StoreError(
            f"the disk of {name} is full", hint="what was pushed is kept; free space and push"
        ) from error
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise ServerAway(f"the server of {name} does not answer ({_said(error)})", hint=_AWAY) from error
    except psycopg.Error as error:
        raise InternalError(
            f"PostgreSQL refused a statement: {_said(error)}", hint="OHARA_DEBUG=1 shows where"
        ) from error


_AWAY = "check the network and the server; without --index your own index answers"


def _said(error: Exception) -> str:
    """The first line of what the server or libpq says; neither repeats a password."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
