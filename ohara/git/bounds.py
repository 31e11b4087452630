"""Bounds how much of a tree is listed: a few small objects can describe more files than any disk holds.

A tree of ten entries that are all one tree of ten entries, and so on, ten deep, stands for ten thousand
million files. So before many files are listed they are counted, each distinct folder once; a folder that
holds more than may be listed is passed over, and named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")

Folders: TypeAlias = tuple[tuple[bytes | None, ...], bytes | None]
"""The same folder in several trees, and in the one that is compared with them."""

# Files and folders that are listed of one commit: several times what the largest public repositories have
# (Linux 90,000, Chromium 500,000). Held as a list they take half a gigabyte, which a worker may have.
MOST_ENTRIES: Final = 2_000_000

# Fewer are listed without being counted first, which takes as long again.
_UNCOUNTED_ENTRIES: Final = 20_000

# Folders deeper than this are taken for an attack on the stack (paths rarely have more than 20).
_DEEPEST: Final = 256


class _Many(Exception):
    """There are more entries than are listed uncounted."""


class Bounds:
    """How much may still be listed of one tree; `below` lists a folder, `beyond` takes what is left out."""

    def __init__(
        self, below: Callable[[Folders], tuple[int, list[Folders]]], most: int, beyond: set[bytes]
    ) -> None:
        self._beyond = beyond
        self._passed_over: set[bytes] = set()
        self._below = below
        self._most = most
        self._left = min(most, _UNCOUNTED_ENTRIES)
        self._weights: dict[Folders, int] | None = None

    def count(self) -> None:
        """Count one file that is listed."""
        self._left -= 1
        if self._left < 0 and self._weights is None:
            raise _Many

    def admits(self, folders: Folders, path: bytes) -> bool:
        """Count a folder; True when it may be listed."""
        self.count()
        fits = path.count(b"/") <= _DEEPEST
        if fits and self._weights is not None:
            fits = self._weight(folders, 1) <= self._left
        if not fits:
            self._passed_over.add(path)
        return fits

    def begin_counting(self) -> None:
        """From now on, list only folders that can be listed completely."""
        self._left = self._most
        self._weights = {}
        self._passed_over = self._beyond

    def tell(self) -> None:
        """Report what was left out of a walk that ended without counting."""
        self._beyond |= self._passed_over

    def _weight(self, folders: Folders, depth: int) -> int:
        """How many files and folders a folder holds; over the limit when it is too deep to count."""
        weights = self._weights
        if weights is None or depth > _DEEPEST or len(weights) > self._most:
            return self._most + 1
        known = weights.get(folders)
        if known is None:
            files, inside = self._below(folders)
            known = weights[folders] = files + sum(1 + self._weight(each, depth + 1) for each in inside)
        return known


def bounded(walk: Callable[[], Iterator[T]], bounds: Bounds) -> Iterator[T]:
    """The entries of a walk, within bounds: a walk that turns out to be long starts again, counting first."""
    try:
        found = list(walk())
    except _Many:
        bounds.begin_counting()
        yield from walk()
    else:
        bounds.tell()
        yield from found
