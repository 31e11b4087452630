"""The index of one repository on a server, by the name that the server knows the repository by."""

from __future__ import annotations

import os
import shutil
import socket
import time
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING
from weakref import finalize

import psycopg

from ohara.errors import IndexLocked, IndexMissing
from ohara.store.facts import FINGERPRINT
from ohara.store.index import READERS, Examined
from ohara.store.match_memory import MatchMemory
from ohara.store.postgres import server as servers
from ohara.store.postgres.connected import Connected
from ohara.store.postgres.connection import connect, translated
from ohara.store.postgres.copying import CopySource
from ohara.store.postgres.pool import ReaderPool
from ohara.store.postgres.reader import Reader
from ohara.store.postgres.schema import SCHEMA, WRITER, schema_of
from ohara.store.postgres.writer import Writer
from ohara.store.sql.meta import read_fact
from ohara.store.sql.statistics import Statistics
from ohara.store.sql.stored_commits import StoredCommits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from ohara.model import Pass
    from ohara.store.index import MatchCache
    from ohara.store.locate import IndexLocation
    from ohara.store.postgres.connection import Connection, Server
    from ohara.store.postgres.server import Found
    from ohara.store.writing import Verdict

_LOCK_CLASS = 1869111666  # "ohar": tells these locks from others' in the same database
_TRY_LOCK = f"SELECT pg_try_advisory_lock({_LOCK_CLASS}, hashtext($1))"
_UNLOCK = f"SELECT pg_advisory_unlock({_LOCK_CLASS}, hashtext($1))"
# Who holds it says so in the name of its connection, which everybody may read.
_HOLDER = f"""SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND classid = {_LOCK_CLASS} AND objsubid = 2 AND granted
    AND objid = (hashtext($1)::bigint & 4294967295)::oid
    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())"""
_SIZE = """SELECT coalesce(sum(pg_total_relation_size(pg_class.oid)), 0)::bigint FROM pg_class
  JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1 AND relkind = 'r'"""
_WRITTEN = f"SELECT extract(epoch FROM written)::float8 FROM {SCHEMA}.repository WHERE name = $1"
_ASIDE = f"""UPDATE {SCHEMA}.repository SET aside_of = name, name = name || ' set aside ' || clock_timestamp()
  WHERE id = $1"""
_SET_ASIDE = f"SELECT id FROM {SCHEMA}.repository WHERE aside_of = $1"
_DAMAGE = (
    (
        "hunks without their lines",
        "hunk WHERE content_id IS NOT NULL AND content_id NOT IN (SELECT id FROM content)",
    ),
    ("hunks without their commit", "hunk WHERE commit_id NOT IN (SELECT id FROM commits)"),
    ("words without their hunk", "hunk_text WHERE hunk_id NOT IN (SELECT id FROM hunk)"),
    (
        "words in other postings than their texts say",
        """word JOIN (SELECT word, sum(texts) AS texts FROM posting GROUP BY word) AS held
        ON held.word = word.id WHERE held.texts != word.hunks""",
    ),
)
_POLL_S = 0.1


class PostgresIndex:
    """One repository on a server; nothing is opened until it is asked for."""

    def __init__(self, location: IndexLocation, server: Server, name: str) -> None:
        self.location = location
        self.server = server
        self.name = name

    @property
    def shared_by(self) -> str:
        """The name of the server."""
        return self.server.name

    @contextmanager
    def _connected(self, *, writes: bool = False) -> Iterator[Connection]:
        with closing(connect(self.server, writes=writes)) as connection, translated(self.server):
            servers.require_set_up(connection, self.server)
            if writes:
                connection.execute(f"SET ROLE {WRITER}")
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connected]:
        with self._connected() as connection:
            servers.opened(connection, self.server, self.name)
            yield Connected(self.server, connection)

    def _found(self) -> Found | None:
        with self._connected() as connection:
            return servers.find(connection, self.name)

    @property
    def exists(self) -> bool:
        """True when the server has an index by this name that this role may read."""
        try:
            return self._found() is not None
        except IndexMissing:  # nothing was ever set up there
            return False

    def size_bytes(self) -> int:
        """What the index takes on the server."""
        found = self._found()
        if found is None:
            return 0
        with self._connected() as connection:
            ((size,),) = connection.execute(_SIZE, (schema_of(found.id),)).fetchall()
            return int(str(size))

    def last_written(self) -> float:
        """When it was last written; 0 when there is none."""
        with self._connected() as connection:
            row = connection.execute(_WRITTEN, (self.name,)).fetchone()
            return float(str(row[0])) if row else 0.0

    @contextmanager
    def locked(self, *, wait_s: float) -> Iterator[None]:
        """Hold the lock of the one writer: the server's own, which goes with the connection that has it."""
        deadline = time.monotonic() + wait_s
        with self._connected(writes=True) as connection:
            said = f"ohara {os.getpid()} {int(time.time())} {socket.gethostname()}"[:63]
            connection.execute("SELECT set_config('application_name', $1, false)", (said,))
            while not _is_true(connection, _TRY_LOCK, self.name):
                if time.monotonic() >= deadline:
                    raise self._locked(connection)
                time.sleep(_POLL_S)
            try:
                yield
            finally:
                # Said, not left to the end of the connection: the server notices that only after a while.
                with suppress(psycopg.Error):  # a connection that is gone holds no lock
                    connection.execute(_UNLOCK, (self.name,))

    def _locked(self, connection: Connection) -> IndexLocked:
        who = connection.execute(_HOLDER, (self.name,)).fetchone()
        at = f" ({who[0]})" if who else ""
        return IndexLocked(
            f"somebody else is pushing {self.name} to {self.server.name}{at}",
            hint="wait for it, or push later",
        )

    def locked_by(self) -> tuple[int, int] | None:
        """The process that holds the lock, on whatever machine, and since when; or None."""
        with self._connected() as connection:
            row = connection.execute(_HOLDER, (self.name,)).fetchone()
        if row is None:
            return None
        _, pid, since, *_ = [*str(row[0]).split(), "0", "0"]
        return (int(pid), int(since)) if pid.isdigit() and since.isdigit() else (0, 0)

    def writer(self, *, passes: frozenset[Pass], verdict: Verdict) -> Writer:
        """The one connection that writes."""
        return Writer(self.server, self.name, passes=passes, verdict=verdict)

    def stored_commits(self) -> StoredCommits:
        """A connection that reads commits back as they were stored."""
        reader = Reader(self.server, self.name)
        stored = StoredCommits(reader)
        finalize(stored, reader.close)  # nobody says when it is no longer needed
        return stored

    def line_history(self) -> AbstractContextManager[Reader]:
        """A connection that follows lines."""
        return closing(Reader(self.server, self.name))

    def readers(self, *, size: int = READERS) -> ReaderPool:
        """Connections that answer questions."""
        return ReaderPool(self.server, self.name, size=size)

    @contextmanager
    def copy_source(self) -> Iterator[CopySource]:
        """A connection that reads the index to be copied."""
        with closing(Reader(self.server, self.name)) as reader, reader.snapshot():
            yield CopySource(reader)

    def match_cache(self) -> MatchCache:
        """What this process found, in its memory."""
        return MatchMemory()

    @contextmanager
    def statistics(self) -> Iterator[Statistics]:
        """A connection that counts."""
        with self._reading() as session:
            yield Statistics(session)

    def examine(self) -> Examined:
        """Look for rows that lack what they need; the server checks its own pages."""
        with self._reading() as session:
            for said, rows in _DAMAGE:
                ((count,),) = session.rows(f"SELECT count(*) FROM {rows}")
                if count:
                    return Examined(f"{count} {said}", read_fact(session, FINGERPRINT))
            return Examined("", read_fact(session, FINGERPRINT))

    def set_aside(self) -> None:
        """Give the index another name, so that a new one can be built."""
        with self._connected(writes=True) as connection:
            found = servers.find(connection, self.name)
            if found is not None:
                connection.execute(_ASIDE, (found.id,))

    def discard_aside(self) -> None:
        """Delete what was set aside."""
        with self._connected(writes=True) as connection:
            for (number,) in connection.execute(_SET_ASIDE, (self.name,)).fetchall():
                servers.drop(connection, int(str(number)))

    def forget(self, *, wait_s: float) -> int:
        """Delete the index, waiting for whoever writes; how many bytes that freed."""
        if self._found() is None:
            raise servers.missing(self.server, self.name)
        with self.locked(wait_s=wait_s), self._connected(writes=True) as connection:
            freed = self.size_bytes()
            found = servers.find(connection, self.name)
            if found is not None:
                servers.drop(connection, found.id)
        with suppress(FileNotFoundError):
            shutil.rmtree(self.location.folder)
        return freed

    def dump(self) -> list[str]:
        """All that the index says, one fact a line."""
        from ohara.store.postgres.dump import dump  # late: for comparing indexes, not for using them

        with closing(Reader(self.server, self.name)) as session:
            return dump(session)


def _is_true(connection: Connection, statement: str, name: str) -> bool:
    row = connection.execute(statement, (name,)).fetchone()
    return bool(row and row[0])
