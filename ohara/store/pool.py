"""Lends reading connections to worker threads, so that the event loop never waits for SQLite.

This is the only way from async code to the database. Whoever borrows may be cancelled at any time, by a
deadline or by the caller's own scope: the running statement is then interrupted and the connection comes
back usable. Connections outlive event loops; each is used by one thread at a time.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.lowlevel
import anyio.to_thread

from ohara.store.connection import translated
from ohara.store.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from ohara.store.connection import Connection

T = TypeVar("T")

# Three lanes and one look-up at a time; more connections than this only take memory from one another.
READERS = 4

# How soon an interrupt is repeated: the first may fall between two statements and stop neither.
_INTERRUPT_AGAIN_S = 0.02


class ReaderPool:
    """A few reading connections of one database, opened as they are needed."""

    def __init__(self, database: Path, *, size: int = READERS) -> None:
        self.database = database
        self._size = size
        self._idle: deque[Reader] = deque()
        self._limiter: anyio.lowlevel.RunVar[anyio.CapacityLimiter] = anyio.lowlevel.RunVar(
            f"readers of {database} {id(self)}"
        )

    async def run(self, work: Callable[[Connection], T], *, timeout_s: float | None = None) -> T:
        """Do blocking work with a connection in a thread; a TimeoutError when it takes too long."""
        return await self.read(lambda reader: work(reader.connection), timeout_s=timeout_s)

    async def read(self, work: Callable[[Reader], T], *, timeout_s: float | None = None) -> T:
        """Do blocking work with a reader in a thread; a TimeoutError when it takes too long."""
        with anyio.fail_after(timeout_s):
            async with self._turns():
                reader = await anyio.to_thread.run_sync(self._take)
                try:
                    return await self._interruptible(reader, work)
                finally:
                    self._idle.append(reader)

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
        try:
            return self._idle.pop()
        except IndexError:
            return Reader(self.database)

    def _turns(self) -> anyio.CapacityLimiter:
        limiter = self._limiter.get(None)
        if limiter is None:
            limiter = anyio.CapacityLimiter(self._size)
            self._limiter.set(limiter)
        return limiter

    def close(self) -> None:
        """Close the idle connections; those in use are closed by nobody and must have come back."""
        while self._idle:
            self._idle.pop().close()

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
