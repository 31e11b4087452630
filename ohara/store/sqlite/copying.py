"""Reads a database to be copied, its vectors included."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import VectorForm
from ohara.store.sql import copying
from ohara.store.sqlite.generations import has_commits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.store.sqlite.reader import Reader

_ONE = "SELECT embedding FROM {table} LIMIT 1"
_TYPE = "SELECT vec_type(embedding) FROM {table} LIMIT 1"
_COMMITS = "SELECT id, subject, change FROM {table} WHERE id IN (SELECT value FROM numbers(?))"


class CopySource(copying.CopySource):
    """One database."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader, reader)
        self._reader = reader
        self._made = reader.generations().current

    def vector_form(self) -> tuple[VectorForm, int] | None:
        """How vectors are packed, and their dimensions."""
        if self._made is None:
            return None
        found = self._reader.rows(_ONE.format(table=self._made.table))
        if not found:
            return None
        ((kind,),) = self._reader.rows(_TYPE.format(table=self._made.table))
        form = VectorForm(kind)
        return form, len(found[0][0]) * (8 if form is VectorForm.BIT else 1)

    def content_vectors(self, contents: Sequence[int]) -> Mapping[int, bytes]:
        """The vectors of contents."""
        return self._reader.content_vectors(contents, self._made.embedder) if self._made else {}

    def commit_vectors(self, numbers: Sequence[int]) -> Mapping[int, tuple[bytes, bytes]]:
        """The vectors of commits."""
        if self._made is None or not has_commits(self._reader, self._made):
            return {}
        rows = self._reader.rows(_COMMITS.format(table=self._made.commits), (self._reader.listed(numbers),))
        return {number: (subject or b"", change or b"") for number, subject, change in rows}
