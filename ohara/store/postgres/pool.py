"""The readers of one shared index: bounded connections, and a look before each question at what is there."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from psycopg import OperationalError, errors

from ohara.errors import IndexReplaced
from ohara.store import reader_pool
from ohara.store.postgres import server as servers
from ohara.store.postgres.connection import connect, translated
from ohara.store.postgres.reader import Reader

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ohara.store.postgres.connection import Connection, Server


class ReaderPool(reader_pool.ReaderPool[Reader]):
    """A few reading connections of one repository's index, opened as they are needed."""

    def __init__(self, server: Server, name: str, *, size: int) -> None:
        super().__init__(f"{server.name} {name}", size=size)
        self._server = server
        self._name = name
        self._looking: Connection | None = None  # kept open: a look before each question takes one round trip
        self._look_lock = Lock()
        self._state = -1  # of the index, at the last look

    def opened(self) -> Reader:
        """A reader of the index that is there now."""
        return Reader(self._server, self._name)

    def is_there(self, stamp: object) -> bool:
        """True when the repository of this name is still the same, and the server was not away since."""
        with self._look_lock, translated(self._server):
            if self._looking is None:
                self._looking = connect(self._server)
            try:
                found = servers.find(self._looking, self._name)
            except errors.UndefinedTable:  # the whole server was emptied
                return False
            except OperationalError:  # it was away: what else is open was lost as well, and is opened anew
                self._looking = connect(self._server)
                return False
            self._state = found.state if found is not None else -1
            return found is not None and found.identity == stamp

    def _taken(self) -> Reader:
        """A reader of the index that is there now, told of its state."""
        reader = super()._taken()
        if self._looking is None:  # the first one
            self.is_there(reader.stamp)
        reader.told(self._state)
        return reader

    def _put_back(self, reader: Reader) -> None:
        """Keep a reader, which has been told nothing of the time from now on."""
        reader.told(None)
        super()._put_back(reader)

    def close(self) -> None:
        """Close the connections; those in use when they come back."""
        super().close()
        with self._look_lock:
            if self._looking is not None:
                self._looking.close()
                self._looking = None

    def is_same(self, stamp: object) -> bool:
        """As `is_there`, which always looks anew."""
        return self.is_there(stamp)

    def replaced(self) -> IndexReplaced:
        """What to say when the index is replaced again and again."""
        return IndexReplaced(
            f"the index of {self._name} on {self._server.name} is being replaced",
            hint="ask again in a moment",
        )

    def translated(self) -> AbstractContextManager[None]:
        """Turn psycopg's exceptions into ohara's."""
        return translated(self._server)
