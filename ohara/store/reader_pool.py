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
from threading import Event, Lock
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
_LOOK_AGAIN_S = 0.001  # whether it has stopped

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

    def rest(self) -> None:
        """Nobody works with it until `resume`."""
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
        if timeout_s is not None:
            with anyio.fail_after(timeout_s):
                return await self.read(work, turns=turns)
        return await self._interruptible(_Loan(), work, turns or self._turns())

    async def _interruptible(self, loan: _Loan[R], work: Callable[[R], T], turns: anyio.CapacityLimiter) -> T:
        """Run the work; when cancelled, stop it before the cancellation goes on.

        One visit to a thread and no task of its own: a question reads more than ten times. The reader is
        taken there, since opening one may wait for a disk or a lock.
        """
        results: list[T] = []
        try:
            await anyio.to_thread.run_sync(
                self._work, loan, work, results, abandon_on_cancel=True, limiter=turns
            )
        except anyio.get_cancelled_exc_class():
            if not loan.reached() and not loan.begun():
                with anyio.CancelScope(shield=True):
                    await _stopped(loan)
            raise
        return results[0]

    def _work(self, loan: _Loan[R], work: Callable[[R], T], results: list[T]) -> None:
        """Do the work in this thread, unless who wanted it has left."""
        if not loan.reached():
            return
        reader = loan.reader = self._taken()  # which may wait, and nobody has to wait for it
        try:
            if loan.begun():
                reader.resume()
                with self.translated():
                    results.append(work(reader))
        finally:
            reader.rest()
            self._put_back(reader)
            loan.done.set()

    def _taken(self) -> R:
        """A reader of the index that is there now: an idle one, or a new one."""
        reader = self._idle_one() or self._open()
        if reader.stamp == self._stamp and self.is_there(reader.stamp):
            return reader
        reader.close()
        return self._open()

    def _idle_one(self) -> R | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _open(self) -> R:
        reader = self.opened()
        self._expect(reader.stamp)
        return reader

    def _put_back(self, reader: R) -> None:
        with self._lock:
            # One that was interrupted comes back after its turn: others may have been opened meanwhile.
            room = len(self._idle) < 2 * self._size
            if room and reader.stamp == self._stamp and reader.is_usable:
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


class _Loan(Generic[R]):
    """A reader while somebody has it.

    The thread that works with it and who waits for that both say that it was `reached`, and that the work has
    `begun`; whoever says so first is told True, and the other knows what has happened. `done` is set when
    the reader is back.
    """

    def __init__(self) -> None:
        self.reader: R | None = None  # until the thread has taken one
        self.done = Event()
        self._reached = Lock()
        self._begun = Lock()

    def reached(self) -> bool:
        """True for the first who says it."""
        return self._reached.acquire(blocking=False)

    def begun(self) -> bool:
        """True for the first who says it."""
        return self._begun.acquire(blocking=False)


async def _stopped(loan: _Loan[R]) -> None:
    """Interrupt work until it has ended."""
    waits = round(_INTERRUPT_AGAIN_S / _LOOK_AGAIN_S)
    looks = 0
    while not loan.done.is_set():
        if looks % waits == 0 and loan.reader is not None:
            loan.reader.stop()
        looks += 1
        await anyio.sleep(_LOOK_AGAIN_S)
