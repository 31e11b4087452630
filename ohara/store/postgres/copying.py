"""Reads a shared index to be copied, its vectors included."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ohara.store.postgres.nearest import packed
from ohara.store.sql import copying

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.model import VectorForm
    from ohara.store.postgres.reader import Reader

_COMMITS = """SELECT commit_id, place, bits, numbers::real[] FROM vec_commit
  WHERE generation = ? AND commit_id IN (SELECT value FROM numbers(?))"""


class CopySource(copying.CopySource):
    """One repository of a server."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader, reader)
        self._reader = reader
        self._made = reader.generations().current

    def vector_form(self) -> tuple[VectorForm, int] | None:
        """How vectors are packed, and their dimensions."""
        return (self._made.form, self._made.dimensions) if self._made else None

    def content_vectors(self, contents: Sequence[int]) -> Mapping[int, bytes]:
        """The vectors of contents."""
        return self._reader.content_vectors(contents, self._made.embedder) if self._made else {}

    def commit_vectors(self, numbers: Sequence[int]) -> Mapping[int, tuple[bytes, bytes]]:
        """The vectors of commits."""
        if self._made is None:
            return {}
        found: dict[int, list[bytes]] = defaultdict(lambda: [b"", b""])
        for commit, place, bits, numbers_ in self._reader.rows(_COMMITS, (self._made.number, list(numbers))):
            found[commit][place] = packed(self._made.form, bits if bits is not None else numbers_)
        return {commit: (both[0], both[1]) for commit, both in found.items()}
