"""Runs libgit2's line diff over two texts and returns its patch, as bytes.

libgit2 computes the object id of every buffer it is given to compare, with a hash that takes longer than
the diff itself. Blobs have their id already, so larger texts are handed over as two blobs of an
object database that lives in memory and makes up their ids.
"""

from __future__ import annotations

from functools import cache
from itertools import count
from typing import Final

import pygit2
from pygit2.enums import DiffOption, ObjectType

from ohara.errors import RepositoryError

_FLAGS: Final = DiffOption.INDENT_HEURISTIC | DiffOption.FORCE_TEXT

# Below this many bytes in both texts together, hashing them costs less than two blobs.
_WORTH_A_BLOB_BYTES: Final = 4096


def patch(old: bytes, new: bytes, context: int) -> bytes:
    """Returns a unified diff, its own header lines included; empty when the texts are equal."""
    try:
        if len(old) + len(new) < _WORTH_A_BLOB_BYTES:
            # The patch only borrows the two texts, so both must outlive the reading of its data.
            return pygit2.Patch.create_from(old, new, context_lines=context, flag=_FLAGS).data
        before, after = _unhashed_blobs().blob(old), _unhashed_blobs().blob(new)
        return pygit2.Patch.create_from(before, after, context_lines=context, flag=_FLAGS).data
    except pygit2.GitError as error:
        raise RepositoryError(f"two versions of a file cannot be compared ({error})") from error


class _Texts(pygit2.OdbBackend):
    """An object database of the texts that are being compared, under ids that are used once."""

    def __init__(self) -> None:
        super().__init__()
        self._held: dict[bytes, bytes] = {}
        self._numbers = count(1)

    def put(self, text: bytes) -> pygit2.Oid:
        """Makes up an id for a text."""
        raw = next(self._numbers).to_bytes(20, "big")
        self._held[raw] = text
        return pygit2.Oid(raw=raw)

    def drop(self, oid: pygit2.Oid) -> None:
        """Forgets a text."""
        del self._held[oid.raw]

    def read_cb(self, oid: pygit2.Oid | str) -> tuple[int, bytes]:
        """Called by libgit2 for an object's content."""
        return ObjectType.BLOB, self._held[pygit2.Oid(hex=oid).raw if isinstance(oid, str) else oid.raw]

    def read_prefix_cb(self, oid: pygit2.Oid | str) -> tuple[int, bytes, pygit2.Oid | str]:
        """Called instead where an id may be abbreviated, as all may for pygit2."""
        return *self.read_cb(oid), oid


class _UnhashedBlobs:
    """Makes blobs with made-up ids, without hashing the texts."""

    def __init__(self) -> None:
        # A made-up id is no hash of the content; `objects.tune` turns the check off for the same process.
        pygit2.settings.enable_strict_hash_verification(False)
        self._texts = _Texts()
        database = pygit2.Odb()
        database.add_backend(self._texts, 1)
        self._repository = pygit2.Repository()
        self._repository.set_odb(database)

    def blob(self, text: bytes) -> pygit2.Blob:
        """Returns a blob with a copy of the text."""
        oid = self._texts.put(text)
        try:
            return self._repository[oid].peel(pygit2.Blob)
        finally:
            self._texts.drop(oid)


@cache
def _unhashed_blobs() -> _UnhashedBlobs:
    return _UnhashedBlobs()
