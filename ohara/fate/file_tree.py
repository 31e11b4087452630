"""The files of a commit with the origins of their lines, shared between commits that have most in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ohara.fate.segments import pack, unpack

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Sequence

    from ohara.store.lines import Segment

_BUCKETS = 128  # a branch copies this many references, a change to a file one bucket


class Version(NamedTuple):
    """A file's content, the origins of its lines, the commit that made it so, and its former names.

    The files of a hundred branches may be held at once, so origins are packed.
    """

    blob: str
    packed: array[int]
    made_by: int
    formerly: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, blob: str, segments: Iterable[Segment], made_by: int, formerly: tuple[str, ...] = ()
    ) -> Version:
        """A version whose lines have these origins."""
        return cls(blob, pack(segments), made_by, formerly)

    @property
    def segments(self) -> list[Segment]:
        """The origins of its lines."""
        return unpack(self.packed)


class FileTree:
    """Path to version; what was not put here is asked of `below`."""

    def __init__(
        self,
        below: Callable[[str], Version | None] | None = None,
        shared: Sequence[dict[str, Version | None]] = (),
    ) -> None:
        self._below = below
        self._buckets = list(shared) or [{} for _ in range(_BUCKETS)]
        self._is_own = [not shared] * _BUCKETS

    def copy(self) -> FileTree:
        """A tree that begins as this one; from now on both copy what they change."""
        self._is_own = [False] * _BUCKETS
        return FileTree(self._below, self._buckets)

    def get(self, path: str) -> Version | None:
        """The version at a path; None where there is no file."""
        bucket = self._buckets[hash(path) % _BUCKETS]
        if path in bucket:
            return bucket[path]
        found = self._below(path) if self._below else None
        if found is not None:
            self._put(path, found)
        return found

    def put(self, path: str, version: Version) -> None:
        """Let a path have a version."""
        self._put(path, version)

    def remove(self, path: str) -> None:
        """Let there be no file at a path."""
        self._put(path, None)

    def _put(self, path: str, version: Version | None) -> None:
        at = hash(path) % _BUCKETS
        if not self._is_own[at]:
            self._buckets[at] = dict(self._buckets[at])
            self._is_own[at] = True
        self._buckets[at][path] = version
