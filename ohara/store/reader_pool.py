"""Lends readers to worker threads, so that the event loop never waits for an index.

This is the only way from async code to an index. Whoever borrows may be cancelled at any time, by a
deadline or by the caller's own scope: the running statement is then interrupted, and the next who borrows has
a usable reader. Readers outlive event loops; each is used by one thread at a time.

Readers stay open between questions, and the index may be replaced in the meantime: before each question it is
looked at anew, and readers of another index than the one that is there now are closed. What an index is known
by is its *stamp*.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import anyio
import anyio.lowlevel
import anyio.to_thread

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Self

    from ohara.errors import IndexReplaced

T = TypeVar("T")

# How soon an interrupt is repeated: the first may fall between two statements and stop neither.
_INTERRUPT_AGAIN_S = 0.02

_ATTEMPTS = 3  # at a question during which the index is replaced


class Lent(Protocol):
    """What a pool needs of a reader."""

    @property
    def stamp(self) -> object:
        """What the index that it reads is known by."""
        ...

    @property
    def is_usable(self) -> bool:
        """False when what was interrupted may still take effect on what comes next."""
        ...

    def stop(self) -> None:
        """Interrupt what runs, from another thread, and refuse to run more until `resume`."""
        ...

    def resume(self) -> None:
        """Be ready for new work."""
        ...

    def close(self) -> None:
        """Give the connection up."""
        ...


R = TypeVar("R", bound=Lent)


class ReaderPool(ABC, Generic[R]):
    """A few readers of one index, opened as they are needed; an engine says how."""

    def __init__(self, name: str, *, size: int) -> None:
        self._size = size
        self._idle: deque[R] = deque()
        self._stamp: object = None  # of the index that all idle readers hold
        self._lock = Lock()
        self._limiter: anyio.lowlevel.RunVar[anyio.CapacityLimiter] = anyio.lowlevel.RunVar(
            f"readers of {name} {id(self)}"
        )

    @abstractmethod
    def opened(self) -> R:
        """A new reader of the index that is there now."""

    @abstractmethod
    def is_there(self, stamp: object) -> bool:
        """True when the index of a reader that is held open is still there."""

    @abstractmethod
    def is_same(self, stamp: object) -> bool:
        """As `is_there`, read anew."""

    @abstractmethod
    def replaced(self) -> IndexReplaced:
        """What to say when others take the place of an index faster than it can be read."""

    @abstractmethod
    def translated(self) -> AbstractContextManager[None]:
        """Turn the engine's exceptions into ohara's."""

    async def of_one_index(self, question: Callable[[], Awaitable[T]]) -> T:
        """Do what reads several times, and do it again when the index was replaced in between.

        What it says is true of the index that is there now, and of that one alone.
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
        raise self.replaced()

    async def read(
        self,
        work: Callable[[R], T],
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

    async def _interruptible(self, reader: R, work: Callable[[R], T]) -> T:
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

    def _guarded(self, reader: R, work: Callable[[R], T]) -> T:
        reader.resume()
        with self.translated():
            return work(reader)

    def _take(self) -> R:
        """A reader of the index that is there now."""
        with self._lock:
            stamp, reader = self._stamp, self._idle.pop() if self._idle else None
        if reader is not None:
            if reader.stamp == stamp and self.is_there(reader.stamp):
                return reader
            reader.close()
        reader = self.opened()
        self._expect(reader.stamp)
        return reader

    def _put_back(self, reader: R) -> None:
        with self._lock:
            if reader.stamp == self._stamp and reader.is_usable:
                self._idle.append(reader)
                return
        reader.close()

    def _expect(self, stamp: object) -> None:
        """Keep readers of this index only."""
        with self._lock:
            if stamp == self._stamp:
                return
            self._stamp = stamp
            strange = [self._idle.popleft() for _ in range(len(self._idle))]
        for reader in strange:
            reader.close()

    def _renewed(self) -> object:
        """What the index is known by, read anew; None, and nothing kept, when it is not the one before."""
        stamp = self._stamp
        if stamp is not None and self.is_same(stamp):
            return stamp
        self._expect(None)
        return None

    def _stands(self, stamp: object) -> bool:
        """True when all that was read since was read from one index, which is still there."""
        return self._stamp == stamp and self.is_there(stamp)

    @property
    def is_outdated(self) -> bool:
        """True when its readers hold an index that is no longer there."""
        stamp = self._stamp
        return stamp is not None and not self.is_there(stamp)

    def _turns(self) -> anyio.CapacityLimiter:
        limiter = self._limiter.get(None)
        if limiter is None:
            limiter = anyio.CapacityLimiter(self._size)
            self._limiter.set(limiter)
        return limiter

    def close(self) -> None:
        """Close the readers; those in use when they come back."""
        self._expect(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


async def _stop_when_cancelled(reader: Lent, done: anyio.Event) -> None:
    """Sleep until cancelled; unless the work is done by then, interrupt it until it is."""
    try:
        await anyio.sleep_forever()
    finally:
        with anyio.CancelScope(shield=True):
            while not done.is_set():
                reader.stop()
                with anyio.move_on_after(_INTERRUPT_AGAIN_S):
                    await done.wait()
