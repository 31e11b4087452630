"""A server as a whole: set up and brought up to date, which repositories it has, and who may read which."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING
from uuid import uuid4

from psycopg import sql

from ohara.errors import IndexMissing, IndexTooNew, StoreError
from ohara.records import dataclass
from ohara.store.postgres import schema
from ohara.store.postgres.connection import OLDEST_SERVER, OLDEST_VECTOR, connect, translated
from ohara.store.postgres.schema import READER, SCHEMA, WRITER, schema_of

if TYPE_CHECKING:
    from ohara.store.postgres.connection import Connection, Server

_VECTOR = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
_VECTOR_AT = """SELECT quote_ident(nspname) FROM pg_extension
  JOIN pg_namespace ON pg_namespace.oid = extnamespace
  WHERE extname = 'vector'"""
_IS_SET_UP = "SELECT to_regclass('ohara.migration') IS NOT NULL"
_MIGRATION = """CREATE TABLE IF NOT EXISTS migration(
  number int PRIMARY KEY, digest text NOT NULL, applied timestamptz NOT NULL DEFAULT now())"""
_APPLIED = f"SELECT number, digest FROM {SCHEMA}.migration ORDER BY number"
_FOUND = f"SELECT id, identity, format, state FROM {SCHEMA}.repository WHERE name = $1"
_NAMES = f"SELECT name FROM {SCHEMA}.repository ORDER BY id"
_GRANTED = f"SELECT role::text FROM {SCHEMA}.granted WHERE repository = $1 ORDER BY role"
_ADD = f"INSERT INTO {SCHEMA}.repository(name, identity, format) VALUES($1, $2, 0) RETURNING id"
_SETUP_LOCK = "SELECT pg_advisory_xact_lock(1869111666, 0)"  # "ohar": one sets up at a time


@dataclass(frozen=True, slots=True)
class Found:
    """A repository of a server."""

    id: int
    identity: str
    format: int
    state: int = 0  # counts what was written


@dataclass(frozen=True, slots=True)
class Shared:
    """What a server says of one of its repositories."""

    name: str
    commits: int
    hunks: int
    size_bytes: int
    written: float
    readers: tuple[str, ...]


def initialise(server: Server) -> str:
    """Make roles, schema and tables, or bring them up to date; what the server is, for people."""
    with closing(connect(server, writes=True)) as connection, translated(server):
        version = connection.info.server_version
        if version < OLDEST_SERVER:
            raise StoreError(
                f"{server.name} is PostgreSQL {version // 10_000}; ohara needs 15 or newer",
                hint="upgrade the server",
            )
        vector = _ensure_vector(connection, server)
        with connection.transaction():
            connection.execute(_SETUP_LOCK)
            for role in (WRITER, READER):
                if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = $1", (role,)).fetchone():
                    connection.execute(f"CREATE ROLE {role} NOLOGIN")
                    connection.execute(f"GRANT {role} TO CURRENT_USER")
            if not connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'ohara'").fetchone():
                database = sql.Identifier(connection.info.dbname)
                connection.execute(sql.SQL("GRANT CREATE ON DATABASE {} TO ohara_writer").format(database))
                connection.execute(f"CREATE SCHEMA {SCHEMA} AUTHORIZATION {WRITER}")
            connection.execute(f"SET LOCAL ROLE {WRITER}")
            _migrate_server(connection)
            names = connection.execute(_NAMES).fetchall()
        for (name,) in names:  # each by itself: a large one takes a while
            ensure(connection, server, str(name))
        return f"PostgreSQL {version // 10_000}.{version % 10_000} with pgvector {vector}"


def _ensure_vector(connection: Connection, server: Server) -> str:
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    ((found,),) = connection.execute(_VECTOR).fetchall()
    if tuple(int(part) for part in str(found).split(".")[:2]) < OLDEST_VECTOR:
        raise StoreError(
            f"{server.name} has pgvector {found}; ohara needs 0.8 or newer",
            hint="install a newer one, then: ALTER EXTENSION vector UPDATE",
        )
    return str(found)


def _migrate_server(connection: Connection) -> None:
    connection.execute(f"SET LOCAL search_path = {SCHEMA}, {vector_schema(connection)}")
    connection.execute(_MIGRATION)
    applied = check_migrations(connection)
    for number, migration in enumerate(schema.MIGRATIONS[applied:], applied + 1):
        connection.execute(migration.of_server)
        connection.execute("INSERT INTO migration(number, digest) VALUES($1, $2)", (number, migration.digest))
    connection.execute(f"GRANT SELECT ON migration TO {READER}")


def check_migrations(connection: Connection) -> int:
    """How many migrations a server has; an error when they are not this ohara's."""
    known = schema.MIGRATIONS
    applied = connection.execute(_APPLIED).fetchall()
    for number, digest in applied:
        if int(str(number)) > len(known):
            raise IndexTooNew(
                f"the server has format {number}; this ohara knows formats up to {len(known)}",
                hint="upgrade ohara",
            )
        if known[int(str(number)) - 1].digest != digest:
            raise StoreError(
                f"step {number} of the server's tables is not the one that this ohara knows",
                hint="use the version of ohara that set the server up, or drop the schema and push anew",
            )
    return len(applied)


def vector_schema(connection: Connection) -> str:
    """The schema that pgvector is in, as it is quoted."""
    found = connection.execute(_VECTOR_AT).fetchone()
    return str(found[0]) if found else "public"


def require_set_up(connection: Connection, server: Server) -> None:
    """An error when nobody ever ran `ohara share init` there."""
    found = connection.execute(_IS_SET_UP).fetchone()
    if not (found and found[0]):
        raise IndexMissing(f"{server.name} is not set up for ohara", hint="ohara share init DSN sets it up")


def find(connection: Connection, name: str) -> Found | None:
    """A repository by its name, or None; also when the role may not see it."""
    row = connection.execute(_FOUND, (name,)).fetchone()
    return Found(int(str(row[0])), str(row[1]), int(str(row[2])), int(str(row[3]))) if row else None


def use(connection: Connection, repository: int) -> None:
    """Put the schema of a repository first, so that statements are about it."""
    path = f"{schema_of(repository)}, {SCHEMA}, {vector_schema(connection)}"
    connection.execute("SELECT set_config('search_path', $1, false)", (path,))


def ensure(connection: Connection, server: Server, name: str) -> Found:
    """A repository, made if need be, its tables brought up to date; for writers."""
    require_set_up(connection, server)
    connection.execute(f"SET ROLE {WRITER}")
    applied = check_migrations(connection)
    if applied < len(schema.MIGRATIONS):
        raise StoreError(
            f"the tables of {server.name} are older than this ohara",
            hint="bring them up to date: ohara share init",
        )
    with connection.transaction():
        connection.execute(_SETUP_LOCK)
        found = find(connection, name)
        if found is None:
            identity = uuid4().hex
            ((number,),) = connection.execute(_ADD, (name, identity)).fetchall()
            found = Found(int(str(number)), identity, 0)
            connection.execute(f"CREATE SCHEMA {schema_of(found.id)}")
        if found.format < len(schema.MIGRATIONS):
            use(connection, found.id)
            for migration in schema.MIGRATIONS[found.format :]:
                connection.execute(migration.of_repository.replace(":id", str(found.id)))
            for (role,) in connection.execute(_GRANTED, (found.id,)).fetchall():
                grant(connection, str(role), found.id)  # the new tables, too
            connection.execute(
                f"UPDATE {SCHEMA}.repository SET format = $1 WHERE id = $2",
                (len(schema.MIGRATIONS), found.id),
            )
    use(connection, found.id)
    return Found(found.id, found.identity, len(schema.MIGRATIONS))


def grant(connection: Connection, role: str, repository: int) -> None:
    """Let a role read the tables of a repository."""
    who, where = sql.Identifier(role), sql.Identifier(schema_of(repository))
    connection.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(where, who))
    connection.execute(sql.SQL("GRANT SELECT ON ALL TABLES IN SCHEMA {} TO {}").format(where, who))


def drop(connection: Connection, repository: int) -> None:
    """Delete a repository with all that belongs to it."""
    with connection.transaction():
        connection.execute(_SETUP_LOCK)
        connection.execute(f"DROP SCHEMA IF EXISTS {schema_of(repository)} CASCADE")
        connection.execute(f"DELETE FROM {SCHEMA}.repository WHERE id = $1", (repository,))


def opened(connection: Connection, server: Server, name: str) -> Found:
    """The repository that a reader asks for, its schema put first; an error when there is none to be read."""
    require_set_up(connection, server)
    found = find(connection, name)
    if found is None:
        raise missing(server, name)
    if found.format > len(schema.MIGRATIONS):
        raise IndexTooNew(
            f"{name} has format {found.format}; this ohara knows formats up to {len(schema.MIGRATIONS)}",
            hint="upgrade ohara",
        )
    if found.format < len(schema.MIGRATIONS):
        raise StoreError(
            f"the tables of {name} on {server.name} are older than this ohara",
            hint="who runs the server brings them up to date: ohara share init",
        )
    use(connection, found.id)
    return found


def missing(server: Server, name: str) -> IndexMissing:
    """What to say of a repository that is not there, or not for this role."""
    return IndexMissing(
        f"{server.name} has no index of {name}, or your role may not read it",
        hint="ohara share status lists what you may read; ohara share push puts one there",
    )
