"""What an index says of itself as a whole, read through a connection of its own: facts, counts, failures."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, TypeVar

from ohara.store.sqlite import meta
from ohara.store.sqlite.connection import translated
from ohara.store.sqlite.schema import open_reader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ohara.model import Failure, LeftOut, PassStatus, Sha
    from ohara.store.facts import Fact
    from ohara.store.sqlite.connection import Connection

T = TypeVar("T")


@contextmanager
def statistics(database: Path) -> Iterator[Statistics]:
    """What an index says of itself, to be asked while the context lasts."""
    with closing(open_reader(database)) as connection, translated(database):
        yield Statistics(connection)


class Statistics:
    """Counts and facts of one index."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def fact(self, fact: Fact[T]) -> T:
        """A stored fact, or what holds when it is not stored."""
        return meta.read_fact(self._connection, fact)

    def commits(self) -> int:
        """How many commits are shown."""
        return meta.count_live(self._connection)

    def hunks(self) -> int:
        """How many hunks are stored."""
        return meta.count_rows(self._connection, "hunk")

    def contents(self) -> int:
        """How many different bodies the hunks have."""
        return meta.count_rows(self._connection, "content")

    def symbols(self) -> int:
        """How many symbols are known."""
        return meta.count_rows(self._connection, "symbol")

    def passes(self) -> tuple[PassStatus, ...]:
        """How far each pass is."""
        return meta.read_passes(self._connection)

    def left_out(self) -> tuple[tuple[LeftOut, int], ...]:
        """How many file changes are left out of search, or have lines that are, by reason."""
        return meta.read_left_out(self._connection)

    def failures(self) -> tuple[Failure, ...]:
        """The commits that could not be wholly read."""
        return meta.read_failures(self._connection)

    def failed(self) -> list[Sha]:
        """The commits that could not be read at all, and so are not in the index."""
        return meta.read_failed(self._connection)
