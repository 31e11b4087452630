"""Lends reading connections to worker threads, so that the event loop never waits for SQLite.

This is the only way from async code to the database. Whoever borrows may be cancelled at any time, by a
deadline or by the caller's own scope: the running statement is then interrupted and the connection comes
back usable. Connections outlive event loops; each is used by one thread at a time.

Connections stay open between questions, and the database may be replaced in the meantime: before each
question its path is looked at anew, and connections to another database than it leads to are closed.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.lowlevel
import anyio.to_thread

from ohara.store.index import READERS
from ohara.store.sqlite.connection import translated
from ohara.store.sqlite.identity import is_same, is_there, replaced
from ohara.store.sqlite.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path
    from types import TracebackType

    from ohara.store.sqlite.identity import Stamp

T = TypeVar("T")

# How soon an interrupt is repeated: the first may fall between two statements and stop neither.
_INTERRUPT_AGAIN_S = 0.02

_ATTEMPTS = 3  # at a question during which the database is replaced


class ReaderPool:
    """A few reading connections of one database, opened as they are needed."""

    def __init__(self, database: Path, *, size: int = READERS) -> None:
        self.database = database
        self._size = size
        self._idle: deque[Reader] = deque()
        self._stamp: Stamp | None = None  # of the database that all idle readers hold
        self._lock = Lock()
        self._limiter: anyio.lowlevel.RunVar[anyio.CapacityLimiter] = anyio.lowlevel.RunVar(
            f"readers of {database} {id(self)}"
        )

    async def of_one_index(self, question: Callable[[], Awaitable[T]]) -> T:
        """Do what reads several times, and do it again when the database was replaced in between.

        What it says is true of the database that is there now, and of that one alone.
        """
        for _ in range(_ATTEMPTS):
            before = await anyio.to_thread.run_sync(self._renewed, abandon_on_cancel=True)
            if before is None:
                before = await self.read(lambda reader: reader.stamp)
            try:
                answer = await question()
            except Exception:
                if await anyio.to_thread.run_sync(self._stands, before, abandon_on_cancel=True):
                    raise
            else:
                if await anyio.to_thread.run_sync(self._stands, before, abandon_on_cancel=True):
                    return answer
        raise replaced(self.database)

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
        with anyio.fail_after(timeout_s):
            async with turns or self._turns():
                # Opening may wait for a disk or a lock: who is cancelled does not wait for that.
                reader = await anyio.to_thread.run_sync(self._take, abandon_on_cancel=True)
                try:
                    return await self._interruptible(reader, work)
                finally:
                    self._put_back(reader)

    async def _interruptible(self, reader: Reader, work: Callable[[Reader], T]) -> T:
        """Run the work; when cancelled, stop it before the cancellation goes on."""
        results: list[T] = []
        faults: list[Exception] = []
        done = anyio.Event()
        async with anyio.create_task_group() as group:
            group.start_soon(_stop_when_cancelled, reader, done)
            try:
                results.append(await anyio.to_thread.run_sync(partial(self._guarded, reader, work)))
            except Exception as fault:  # noqa: BLE001 - a task group would wrap it; it is raised below
                faults.append(fault)
            finally:
                done.set()
                group.cancel_scope.cancel()
        # What an interrupted statement says is of no interest to who asked for the interrupt.
        await anyio.lowlevel.checkpoint_if_cancelled()
        for raised in faults:
            raise raised
        return results[0]

    def _guarded(self, reader: Reader, work: Callable[[Reader], T]) -> T:
        reader.resume()
        with translated(self.database):
            return work(reader)

    def _take(self) -> Reader:
        """A reader of the database that is there now."""
        with self._lock:
            stamp, reader = self._stamp, self._idle.pop() if self._idle else None
        if reader is not None:
            if reader.stamp == stamp and is_there(reader.stamp, self.database):
                return reader
            reader.close()
        reader = Reader(self.database)
        self._expect(reader.stamp)
        return reader

    def _put_back(self, reader: Reader) -> None:
        with self._lock:
            if reader.stamp == self._stamp:
                self._idle.append(reader)
                return
        reader.close()

    def _expect(self, stamp: Stamp | None) -> None:
        """Keep readers of this database only."""
        with self._lock:
            if stamp == self._stamp:
                return
            self._stamp = stamp
            strange = [self._idle.popleft() for _ in range(len(self._idle))]
        for reader in strange:
            reader.close()

    def _renewed(self) -> Stamp | None:
        """What the database is known by, read anew; None, and nothing kept, when it is not the one before."""
        stamp = self._stamp
        if stamp is not None and is_same(stamp, self.database):
            return stamp
        self._expect(None)
        return None

    def _stands(self, stamp: Stamp) -> bool:
        """True when all that was read since was read from one database, which is still there."""
        return self._stamp == stamp and is_there(stamp, self.database)

    @property
    def is_outdated(self) -> bool:
        """True when its connections hold a database that is no longer there."""
        stamp = self._stamp
        return stamp is not None and not is_there(stamp, self.database)

    def _turns(self) -> anyio.CapacityLimiter:
        limiter = self._limiter.get(None)
        if limiter is None:
            limiter = anyio.CapacityLimiter(self._size)
            self._limiter.set(limiter)
        return limiter

    def close(self) -> None:
        """Close the connections; those in use when they come back."""
        self._expect(None)

    def __enter__(self) -> ReaderPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


async def _stop_when_cancelled(reader: Reader, done: anyio.Event) -> None:
    """Sleep until cancelled; unless the work is done by then, interrupt it until it is."""
    try:
        await anyio.sleep_forever()
    finally:
        with anyio.CancelScope(shield=True):
            while not done.is_set():
                reader.stop()
                with anyio.move_on_after(_INTERRUPT_AGAIN_S):
                    await done.wait()
