"""Reads loose objects, and lets libgit2 read them through here.

libgit2's own reader never ends on a file that was cut short, and takes a damaged file for the object even
where a pack has it whole. Here a damaged file is an object that is not there; packs are asked first, as git
asks them.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Final

import pygit2
from pygit2.enums import ObjectType

from ohara.safe_read import IrregularFile, read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

# Larger than what is ever read of a repository: blobs have a bound of their own, far below.
_MOST_BYTES: Final = 2**30
_HEADER = re.compile(rb"(commit|tree|blob|tag) (\d{1,19})\0")
_HEADER_BYTES: Final = 64
_KINDS: Final = {kind.name.lower().encode(): kind for kind in (
    ObjectType.COMMIT, ObjectType.TREE, ObjectType.BLOB, ObjectType.TAG
)}  # fmt: skip
_HEX_DIGITS: Final = 40

_PACKS_FIRST, _THEN_LOOSE = 2, 1


def object_database(folders: Sequence[Path]) -> pygit2.Odb:
    """The objects of a repository's `objects` folder and of those that it borrows from."""
    database = pygit2.Odb()
    for folder in folders:
        database.add_backend(pygit2.OdbBackendPack(str(folder)), _PACKS_FIRST)
    database.add_backend(_LooseObjects(folders), _THEN_LOOSE)
    return database


class _LooseObjects(pygit2.OdbBackend):
    """Loose objects of several folders; what is not whole raises KeyError, as what is not there."""

    def __init__(self, folders: Sequence[Path]) -> None:
        super().__init__()
        self._folders = tuple(folders)
        self._names: dict[str, frozenset[str]] = {}

    def read_cb(self, oid: pygit2.Oid | str) -> tuple[int, bytes]:
        """Called by libgit2 for an object's content."""
        for data in self._files(str(oid)):
            found = _whole(data)
            if found is not None:
                return found
        raise KeyError(str(oid))

    def read_header_cb(self, oid: pygit2.Oid | str) -> tuple[int, int]:
        """Called for an object's kind and size alone."""
        for data in self._files(str(oid)):
            found = _header(data)
            if found is not None:
                return found[0], found[1]
        raise KeyError(str(oid))

    def read_prefix_cb(self, oid: pygit2.Oid | str) -> tuple[int, bytes, pygit2.Oid]:
        """Called where an id may be abbreviated, as all may for pygit2."""
        whole = self.exists_prefix_cb(oid)
        return *self.read_cb(whole), whole

    def exists_cb(self, oid: pygit2.Oid | str) -> bool:
        """Called to know whether an object is there."""
        name = str(oid)
        return name[2:] in self._names_below(name[:2])

    def exists_prefix_cb(self, oid: pygit2.Oid | str) -> pygit2.Oid:
        """Called to complete an abbreviated id; ValueError where several begin so."""
        prefix = str(oid)
        if len(prefix) == _HEX_DIGITS:
            if not self.exists_cb(prefix):
                raise KeyError(prefix)
            return pygit2.Oid(hex=prefix)
        names = {
            f"{prefix[:2]}{file.name}"
            for folder in self._folders
            for file in folder.glob(f"{prefix[:2]}/{prefix[2:]}*")
            if len(file.name) == _HEX_DIGITS - 2
        }
        if len(names) > 1:
            raise ValueError(f"ambiguous: {prefix}")
        if not names:
            raise KeyError(prefix)
        return pygit2.Oid(hex=names.pop())

    def refresh_cb(self) -> None:
        """Called to look anew, whenever an object was not found anywhere."""
        self._names.clear()

    def _names_below(self, start: str) -> frozenset[str]:
        """The rest of the names that start so. Asked for every object that is read, also those of packs."""
        found = self._names.get(start)
        if found is None:
            found = self._names[start] = frozenset(
                name for folder in self._folders for name in _listed(folder / start)
            )
        return found

    def _files(self, name: str) -> Iterator[bytes]:
        for folder in self._folders:
            try:
                data = read_regular(folder / name[:2] / name[2:], _MOST_BYTES, follow=True)
            except (OSError, IrregularFile):
                continue
            if data:
                yield data


def _listed(folder: Path) -> list[str]:
    try:
        return [file.name for file in folder.iterdir()]
    except OSError:  # there is none
        return []


def _header(data: bytes) -> tuple[ObjectType, int, int] | None:
    """Kind, size and the length of the header, of a compressed object."""
    try:
        found = _HEADER.match(zlib.decompressobj().decompress(data, _HEADER_BYTES))
    except zlib.error:
        return None
    return (_KINDS[found[1]], int(found[2]), found.end()) if found else None


def _whole(data: bytes) -> tuple[int, bytes] | None:
    header = _header(data)
    if header is None or header[1] > _MOST_BYTES:
        return None
    kind, size, start = header
    reading = zlib.decompressobj()
    try:
        content = reading.decompress(data, start + size + 1)
        is_checked = reading.eof or not reading.decompress(reading.unconsumed_tail, 1)
    except zlib.error:
        return None
    if len(content) != start + size or not (is_checked and reading.eof):
        return None
    return kind, content[start:]
