"""What the readers of one index remember together, until the index changes.

A reader notices that another connection has written since it looked last, but cannot tell a state of the
index from another reader's. So whichever notices a change has all forgotten, and what was begun before is not
kept: what is found here was made after every change that anybody has seen. So does who looks for the first
time, unless the files are as they were before the first who came after the last change looked at them.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock, RLock
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

# Beside a million hunks a filter takes some two megabytes, and the bits of all vectors some forty.
_MOST_BYTES = 192 << 20


class Sized(Protocol):
    """What can be kept: it knows about how many bytes it takes."""

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        ...


S = TypeVar("S", bound=Sized)
T = TypeVar("T")


class SharedMemory:
    """Values by what they were made for, the least recently used dropped first; for any thread."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self.word_rows: dict[str, int] = {}
        self._values: dict[Hashable, object] = {}
        self._most_bytes = most_bytes
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, Sized] = OrderedDict()
        self._making: dict[Hashable, RLock] = {}
        self._bytes = 0
        self._state = 0
        self._unwritten: Hashable | None = None

    def forget(self, unwritten: Hashable | None = None) -> None:
        """The index has changed, or somebody looks at it for the first time.

        `unwritten` tells how its files were both before and after that; None where they were written to.
        """
        with self._lock:
            if unwritten is not None and unwritten == self._unwritten:
                return
            self._unwritten = unwritten
            self._state += 1
            self._kept.clear()
            self._bytes = 0
            # Not emptied: who writes into the former ones writes what was true then.
            self.word_rows = {}
            self._values = {}

    def remembered(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was made for a key, or what `make` makes now; kept whatever its size."""
        values = self._values
        if key not in values:
            values.setdefault(key, make())
        return cast("T", values[key])

    def found(self, key: Hashable, make: Callable[[], S]) -> S:
        """What was kept for a key, or what `make` makes now; who comes meanwhile waits for it."""
        known: S | None = self.kept(key)
        if known is not None:
            return known
        with self._lock:
            making = self._making.setdefault(key, RLock())
        try:
            with making:
                moment = self.moment()
                known = self.kept(key)
                if known is None:
                    known = make()
                    self.keep(key, known, moment)
                return known
        finally:
            with self._lock:
                self._making.pop(key, None)

    def moment(self) -> int:
        """What tells, later, whether the index has changed since."""
        return self._state

    def kept(self, key: Hashable) -> S | None:
        """What was kept for a key."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return cast("S", self._kept[key])

    def keep(self, key: Hashable, made: Sized, moment: int) -> None:
        """Keep what was begun at a moment, unless the index has changed since."""
        with self._lock:
            if moment != self._state:
                return
            former = self._kept.pop(key, None)
            self._bytes += made.size - (former.size if former is not None else 0)
            self._kept[key] = made
            while len(self._kept) > 1 and self._bytes > self._most_bytes:
                self._bytes -= self._kept.popitem(last=False)[1].size
