"""The index of one repository as one SQLite database, in the index's folder."""

from __future__ import annotations

import shutil
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

from ohara.errors import IndexMissing
from ohara.store import writer_lock
from ohara.store.index import READERS
from ohara.store.locate import not_entered
from ohara.store.sql.statistics import Statistics
from ohara.store.sqlite import files
from ohara.store.sqlite.connected import Connected
from ohara.store.sqlite.connection import beside, translated
from ohara.store.sqlite.match_cache import MatchCache
from ohara.store.sqlite.pool import ReaderPool
from ohara.store.sqlite.reader import Reader
from ohara.store.sqlite.schema import open_reader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from ohara.model import Pass
    from ohara.store.index import Examined
    from ohara.store.locate import IndexLocation
    from ohara.store.sql.stored_commits import StoredCommits
    from ohara.store.sqlite.copying import CopySource
    from ohara.store.sqlite.writer import Writer
    from ohara.store.writing import Verdict


class SqliteIndex:
    """One database; nothing is opened until it is asked for, and what only writers need is not loaded."""

    shared_by = ""

    def __init__(self, location: IndexLocation) -> None:
        self.location = location

    @property
    def exists(self) -> bool:
        """True when a database was created here."""
        try:
            return self.location.database.exists()
        except PermissionError as error:
            raise not_entered(self.location.folder) from error

    def size_bytes(self) -> int:
        """What the index takes on disk, write-ahead log included."""
        database = self.location.database
        total = 0
        for file in database.parent.glob(f"{database.name}*"):
            with suppress(FileNotFoundError):  # the log comes and goes
                total += file.stat().st_size
        return total

    def last_written(self) -> float:
        """When the database was last written; 0 when there is none."""
        try:
            return self.location.database.stat().st_mtime
        except OSError:
            return 0.0

    def locked(self, *, wait_s: float) -> AbstractContextManager[None]:
        """Hold the lock of the one writer."""
        return writer_lock.writer_lock(self.location.lock, wait_s=wait_s)

    def locked_by(self) -> tuple[int, int] | None:
        """The process that holds the lock and since when, or None."""
        return writer_lock.holder(self.location.lock)

    def writer(self, *, passes: frozenset[Pass], verdict: Verdict) -> Writer:
        """The one connection that writes."""
        from ohara.store.sqlite.writer import Writer

        return Writer(self.location.database, passes=passes, verdict=verdict)

    def stored_commits(self) -> StoredCommits:
        """A connection that reads commits back as they were stored."""
        from ohara.store.sql.stored_commits import StoredCommits

        return StoredCommits(Connected(self.location.database, open_reader(self.location.database)))

    def line_history(self) -> AbstractContextManager[Reader]:
        """A connection that follows lines."""
        return closing(Reader(self.location.database))

    def readers(self, *, size: int = READERS) -> ReaderPool:
        """Connections that answer questions."""
        return ReaderPool(self.location.database, size=size)

    @contextmanager
    def copy_source(self) -> Iterator[CopySource]:
        """A connection that reads the index to be copied."""
        from ohara.store.sqlite.copying import CopySource

        with closing(Reader(self.location.database)) as reader, reader.snapshot():
            yield CopySource(reader)

    def match_cache(self) -> MatchCache:
        """A small database beside the index."""
        return MatchCache(beside(self.location.database, ".matches"))

    @contextmanager
    def statistics(self) -> Iterator[Statistics]:
        """A connection that counts."""
        database = self.location.database
        with closing(open_reader(database)) as connection, translated(database):
            yield Statistics(Connected(database, connection))

    def examine(self) -> Examined:
        """Read the database through."""
        return files.examine(self.location.database)

    def set_aside(self) -> None:
        """Rename the database, so that a new one can be built."""
        files.set_aside(self.location)

    def discard_aside(self) -> None:
        """Delete what was set aside."""
        files.discard_aside(self.location)

    def forget(self, *, wait_s: float) -> int:
        """Delete the folder, waiting for whoever writes; how many bytes that freed."""
        folder, repository = self.location.folder, self.location.common_dir
        if not folder.is_dir():
            raise IndexMissing(f"{repository} has no index", hint="ohara repos lists the indexes")
        with self.locked(wait_s=wait_s):
            freed = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
            self.location.database.unlink(missing_ok=True)  # first: nobody shall open it without its log
            shutil.rmtree(folder)
        return freed

    def dump(self) -> list[str]:
        """All that the index says, one fact a line."""
        from ohara.store.sqlite.dump import dump  # late: for comparing indexes, not for using them

        return dump(self.location.database)
