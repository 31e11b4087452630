"""Reads commits, trees and blobs out of a repository, within bounded memory.

An object that is absent (a partial clone, a collected commit) or damaged reads as None or as
LeftOut.MISSING; nothing here raises for it and nothing is fetched. Ids are raw bytes throughout: the
hexadecimal form is for people.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from functools import cache
from typing import TYPE_CHECKING, Final

import pygit2
from pygit2.enums import ObjectType

from ohara.model import LeftOut

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ohara.git.grafts import Grafts

_MIB: Final = 1024 * 1024

# Newest first, a commit's old blobs and trees are the next commits' new ones, so half of all reads hit.
# Larger caches hardly help, and of blobs few are read here at all where git compares them. With libgit2's own
# for delta bases (16 MiB a pack) they keep a process's share under 40 MiB.
_BLOB_CACHE_BYTES: Final = 4 * _MIB
_TREE_CACHE_BYTES: Final = 8 * _MIB
_COMMIT_CACHE_BYTES: Final = 1 * _MIB  # a commit is read for its words, for its tree, and as a parent
_LIBGIT2_CACHE_BYTES: Final = 4 * _MIB
_SIZES_REMEMBERED: Final = 20_000  # half of them are asked for again, as those blobs are

# Mapped pack files count as memory too; libgit2's defaults (1 GiB windows, 8 GiB in all) assume a server.
# In small windows a quarter of that does as well as windows of eight and 64 in all.
_PACK_WINDOW_BYTES: Final = 1 * _MIB
_PACK_MAPPED_BYTES: Final = 16 * _MIB

# A read that fails makes libgit2 look for new packs each time; this many failures are remembered.
_MISSING_REMEMBERED: Final = 200_000

# A tree of any other form is refused by git, too.
_TREE = re.compile(rb"(?:[0-7]++ [^\0]++\0.{20})*+", re.DOTALL)

_UNREADABLE: Final = (KeyError, ValueError, OSError, pygit2.GitError)


@cache
def tune() -> None:
    """Sets libgit2 up for reading, once per process.

    Hashes are not verified again on every read (git's own log does not either), and repositories
    marked as partial clones may be opened: ohara copes with what they lack.
    """
    settings = pygit2.settings
    settings.enable_strict_hash_verification(False)
    settings.cache_object_limit(ObjectType.TREE, 0)  # cached here, by least recent use
    settings.cache_max_size(_LIBGIT2_CACHE_BYTES)
    settings.mwindow_size = _PACK_WINDOW_BYTES
    settings.mwindow_mapped_limit = _PACK_MAPPED_BYTES
    settings.set_extensions(["partialclone"])


class _Recent:
    """The most recently used byte strings, up to a total size."""

    __slots__ = ("_held", "_limit", "_size")

    def __init__(self, limit: int) -> None:
        # Not a plain dict: finding its oldest key slows down with every one that was deleted before it.
        self._held: OrderedDict[bytes, bytes] = OrderedDict()
        self._limit = limit
        self._size = 0

    def get(self, key: bytes) -> bytes | None:
        """Returns what is held, as now the most recent."""
        data = self._held.get(key)
        if data is not None:
            self._held.move_to_end(key)
        return data

    def put(self, key: bytes, data: bytes) -> None:
        """Holds one more, letting go of the oldest; what fills a quarter by itself is not held."""
        if len(data) > self._limit // 4:
            return
        self._held[key] = data
        self._size += len(data)
        while self._size > self._limit:
            self._size -= len(self._held.popitem(last=False)[1])


class Objects:
    """One repository's object database, with replacements applied."""

    def __init__(self, handle: pygit2.Repository, folders: Sequence[Path], grafts: Grafts) -> None:
        """The objects of a repository, whose packs are below these folders."""
        self._odb = handle.odb
        self._packs = [pygit2.OdbBackendPack(str(folder)) for folder in folders]
        self._replaced = grafts.replaced
        self._blobs = _Recent(_BLOB_CACHE_BYTES)
        self._trees = _Recent(_TREE_CACHE_BYTES)
        self._commits = _Recent(_COMMIT_CACHE_BYTES)
        self._sizes: dict[bytes, int] = {}
        self._missing: set[bytes] = set()

    def blob(self, oid: bytes, cap: int) -> bytes | LeftOut:
        """Returns a blob's bytes, or why there are none: missing, or larger than `cap` (then not loaded)."""
        data = self._blobs.get(oid)
        if data is None:
            size = self.size(oid)
            if size is None:
                return LeftOut.MISSING
            if size > cap:
                return LeftOut.OVERSIZED
            data = self._read_into(self._blobs, oid, ObjectType.BLOB)
            if data is None:
                return LeftOut.MISSING
        return data if len(data) <= cap else LeftOut.OVERSIZED

    def tree(self, oid: bytes) -> bytes | None:
        """Returns a tree object's bytes."""
        return self._trees.get(oid) or self._read_into(self._trees, oid, ObjectType.TREE)

    def commit(self, oid: bytes) -> bytes | None:
        """Returns a commit object's bytes."""
        return self._commits.get(oid) or self._read_into(self._commits, oid, ObjectType.COMMIT)

    def exists(self, oid: bytes) -> bool:
        """Looks whether an object is there now, also one that was found missing before."""
        try:
            found = self._odb.exists(self._actual(oid))
        except _UNREADABLE:
            return False
        if found:
            self._missing.discard(oid)
        return found

    def size(self, oid: bytes) -> int | None:
        """Returns how large an object is, without loading it."""
        size = self._sizes.get(oid)
        if size is not None or oid in self._missing:
            return size
        try:
            size = self._odb.read_header(self._actual(oid))[1]
        except _UNREADABLE:
            self._remember_missing(oid)
            return None
        if len(self._sizes) >= _SIZES_REMEMBERED:
            self._sizes.clear()
        self._sizes[oid] = size
        return size

    def _read_into(self, recent: _Recent, oid: bytes, wanted: ObjectType) -> bytes | None:
        if oid in self._missing:
            return None
        try:
            kind, data = self._read(self._actual(oid))
        except _UNREADABLE:
            self._remember_missing(oid)
            return None
        if kind != wanted or (kind == ObjectType.TREE and not _TREE.fullmatch(data)):
            return None
        recent.put(oid, data)
        return data

    def _read(self, oid: pygit2.Oid) -> tuple[int, bytes]:
        # Packs first, each by itself: asked for all at once, pygit2 takes an id for the beginning of several
        # and has loose objects looked through for every one that a pack has, which takes as long again.
        for packs in self._packs:
            try:
                return packs.read(oid)
            except _UNREADABLE:
                continue
        return self._odb.read(oid)

    def _actual(self, oid: bytes) -> pygit2.Oid:
        return pygit2.Oid(raw=self._replaced.get(oid, oid) if self._replaced else oid)

    def _remember_missing(self, oid: bytes) -> None:
        if len(self._missing) < _MISSING_REMEMBERED:
            self._missing.add(oid)
