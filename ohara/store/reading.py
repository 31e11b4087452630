"""What answering a question needs of an index: the protocols that every engine implements.

Look-ups speak of hunks, contents, commits, symbols and paths. A *content* is the text of a hunk; equal hunks
share one. Numbers that stand for a hunk, a content, a commit or a symbol are the index's own and mean nothing
to another.

Wherever hunks are returned in order, the order does not depend on the order of indexing: newest commit first
(by committer time, then by object name), then by the hunk's position in its commit. Only commits that are
shown count: those that a rewrite made unreachable never answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from ohara.store.candidates import Candidates, Named, Vectors
from ohara.store.facts import KnowsFacts
from ohara.store.history import Changes, History, Hunks, Threads, Versions
from ohara.store.lines import LineHistory

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractContextManager

    import anyio

    from ohara.model import Sha
    from ohara.store.answers import Counts

T = TypeVar("T")


class Interrupted(Exception):
    """The work was told to stop; whoever told it is no longer listening."""


class Reader(
    Candidates,
    Vectors,
    Named,
    Hunks,
    Versions,
    History,
    Changes,
    Threads,
    LineHistory,
    KnowsFacts,
    Protocol,
):
    """One way into an index, for reading only; used by one thread at a time, stopped from any."""

    def state(self) -> str:
        """A text that changes whenever an answer might: pages of one list must come from one state."""
        ...

    def counts(self) -> Counts:
        """How many commits there are and how far the passes have come."""
        ...

    def failed(self) -> list[Sha]:
        """The commits that could not be read at all, and so are not in the index."""
        ...

    def snapshot(self) -> AbstractContextManager[object]:
        """All reads in this context see one state of the index."""
        ...

    def remembered(self, name: str, make: Callable[[], T]) -> T:
        """What `make` returns, kept under a name until the index changes."""
        ...

    def check(self) -> None:
        """Raise Interrupted when told to stop; for work that takes long between two reads."""
        ...


class Readers(Protocol):
    """The readers of one index, lent to worker threads so that an event loop never waits for the index.

    Whoever borrows one may be cancelled at any time: what runs is then interrupted.
    """

    async def read(
        self,
        work: Callable[[Reader], T],
        *,
        timeout_s: float | None = None,
        turns: anyio.CapacityLimiter | None = None,
    ) -> T:
        """Do blocking work with a reader in a thread; a TimeoutError when it takes too long.

        Work that has turns of its own does not wait for the others, nor they for it.
        """
        ...

    async def of_one_index(self, question: Callable[[], Awaitable[T]]) -> T:
        """Do what reads several times, again when the index was replaced by another in between.

        The result is true of the index that is there now, and of that one alone.
        """
        ...

    @property
    def is_outdated(self) -> bool:
        """True when readers hold an index that is no longer there."""
        ...

    def close(self) -> None:
        """Close the readers; those in use when they come back."""
        ...
