"""What the readers of one index remember together, until the index changes.

A reader notices that another connection has written since it looked last, but cannot tell a state of the
index from another reader's. So whichever notices a change, or looks for the first time, has all forgotten,
and what was begun before is not kept: what is found here was made after every change that anybody has seen.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

# Beside a million hunks a filter takes some two megabytes.
_MOST_BYTES = 48 << 20


class Sized(Protocol):
    """What can be kept: it knows about how many bytes it takes."""

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        ...


S = TypeVar("S", bound=Sized)


class SharedMemory:
    """Values by what they were made for, the least recently used dropped first; for any thread."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self.word_rows: dict[str, int] = {}
        self._most_bytes = most_bytes
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, Sized] = OrderedDict()
        self._state = 0

    def forget(self) -> None:
        """The index has changed."""
        with self._lock:
            self._state += 1
            self._kept.clear()
            self.word_rows = {}  # not emptied: who writes into the former one writes what was true then

    def found(self, key: Hashable, make: Callable[[], S]) -> S:
        """What was kept for a key, or what `make` makes now."""
        with self._lock:
            state = self._state
            if key in self._kept:
                self._kept.move_to_end(key)
                return cast("S", self._kept[key])
        made = make()
        with self._lock:
            if state == self._state:
                self._kept[key] = made
                while len(self._kept) > 1 and sum(one.size for one in self._kept.values()) > self._most_bytes:
                    self._kept.popitem(last=False)
        return made
