"""A PostgreSQL server as `store/shared` knows it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from psycopg import sql

from ohara.errors import UsageError
from ohara.store.locate import IndexLocation
from ohara.store.postgres import server as servers
from ohara.store.postgres.connection import Server, connect, translated
from ohara.store.postgres.index import PostgresIndex
from ohara.store.postgres.schema import READER, SCHEMA, WRITER, schema_of
from ohara.store.shared import SharedIndex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ohara.store.postgres.connection import Connection

_ALL = f"""SELECT id, name, extract(epoch FROM written)::float8,
    (SELECT coalesce(sum(pg_total_relation_size(pg_class.oid)), 0)::bigint FROM pg_class
     JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = '{SCHEMA}_r' || repository.id AND relkind = 'r')
  FROM {SCHEMA}.repository WHERE aside_of IS NULL ORDER BY name"""
_COUNTS = "SELECT (SELECT count(*) FROM {0}.commits WHERE live = 1), (SELECT count(*) FROM {0}.hunk)"
_IS_WRITER = f"SELECT pg_has_role('{WRITER}', 'MEMBER')"
_READERS = f"SELECT role::text FROM {SCHEMA}.granted WHERE repository = $1 ORDER BY role"
_ROLE = "SELECT 1 FROM pg_roles WHERE rolname = $1"
_GRANT = f"INSERT INTO {SCHEMA}.granted(role, repository) VALUES($1, $2) ON CONFLICT DO NOTHING"
_REVOKE = f"DELETE FROM {SCHEMA}.granted WHERE role = $1 AND repository = $2"


class PostgresServer:
    """One server."""

    def __init__(self, name: str, dsn: str) -> None:
        self._server = Server(name, dsn)

    @property
    def name(self) -> str:
        """What it is called here."""
        return self._server.name

    def initialise(self) -> str:
        """Set it up, or bring it up to date."""
        return servers.initialise(self._server)

    def index(self, location: IndexLocation, name: str) -> PostgresIndex:
        """The index of a repository by its name."""
        return PostgresIndex(location, self._server, name)

    def indexes(self) -> list[SharedIndex]:
        """The indexes that this role may read."""
        with closing(connect(self._server)) as connection, translated(self._server):
            servers.require_set_up(connection, self._server)
            writes = _asked(connection, _IS_WRITER)
            return list(_told(connection, may_know_readers=bool(writes)))

    def grant(self, role: str, name: str) -> None:
        """Let a role read an index: its rows, and the tables they are in."""
        with closing(connect(self._server, writes=True)) as connection, translated(self._server):
            number = self._writable(connection, role, name)
            with connection.transaction():
                connection.execute(_GRANT, (role, number))
                servers.grant(connection, role, number)
            connection.execute("RESET ROLE")
            connection.execute(sql.SQL(f"GRANT {READER} TO {{}}").format(sql.Identifier(role)))

    def revoke(self, role: str, name: str) -> None:
        """Let it read that index no more."""
        with closing(connect(self._server, writes=True)) as connection, translated(self._server):
            number = self._writable(connection, role, name)
            who, where = sql.Identifier(role), sql.Identifier(schema_of(number))
            with connection.transaction():
                connection.execute(_REVOKE, (role, number))
                connection.execute(
                    sql.SQL("REVOKE ALL ON ALL TABLES IN SCHEMA {} FROM {}").format(where, who)
                )
                connection.execute(sql.SQL("REVOKE ALL ON SCHEMA {} FROM {}").format(where, who))

    def _writable(self, connection: Connection, role: str, name: str) -> int:
        servers.require_set_up(connection, self._server)
        if not connection.execute(_ROLE, (role,)).fetchone():
            raise UsageError(
                f"{self.name} has no role {role}", hint=f'make it there: CREATE ROLE "{role}" LOGIN'
            )
        connection.execute(f"SET ROLE {WRITER}")
        found = servers.find(connection, name)
        if found is None:
            raise servers.missing(self._server, name)
        return found.id

    def drop(self, name: str) -> int:
        """Delete an index; how many bytes that freed."""
        nowhere = IndexLocation(Path(), Path("/nonexistent"))
        return self.index(nowhere, name).forget(wait_s=5.0)


def _told(connection: Connection, *, may_know_readers: bool) -> Iterator[SharedIndex]:
    for number, name, written, size in connection.execute(_ALL).fetchall():
        ((commits, hunks),) = connection.execute(_COUNTS.format(schema_of(int(str(number))))).fetchall()
        readers = connection.execute(_READERS, (number,)).fetchall() if may_know_readers else []
        yield SharedIndex(
            str(name),
            int(str(commits)),
            int(str(hunks)),
            int(str(size)),
            float(str(written)),
            tuple(str(row[0]) for row in readers),
        )


def _asked(connection: Connection, statement: str) -> object:
    row = connection.execute(statement).fetchone()
    return row[0] if row else None
