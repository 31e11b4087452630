"""Reads commits back as they were stored, for the passes that work from stored bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ohara.model import Pass
from ohara.store.derived import IndexedHunk
from ohara.store.sql.session import EFFECTIVE_LEFT_OUT, PASS_BITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ohara.store.sql.session import Asks

_HUNKS = f"""SELECT hunk.id, path.path, path.language, coalesce(header.header, ''),
    {EFFECTIVE_LEFT_OUT} IS NULL,
    content.id, content.passes & {PASS_BITS[Pass.VECTOR]}, content.body,
    file.old_blob, file.new_blob, hunk.old_start, hunk.new_start
  FROM hunk JOIN file ON file.id = hunk.file_id JOIN path ON path.id = file.path_id
  LEFT JOIN content ON content.id = hunk.content_id LEFT JOIN header ON header.id = hunk.header_id"""
HUNKS = f"{_HUNKS} WHERE hunk.commit_id = ? ORDER BY hunk.id"
HUNKS_BY_ID = f"{_HUNKS} WHERE hunk.id IN (SELECT value FROM numbers(?))"
MESSAGE = "SELECT message FROM commits WHERE id = ?"


class StoredCommits:
    """A reading session that decodes hunks."""

    def __init__(self, session: Asks) -> None:
        self._session = session
        self._codec = session.codec

    def message(self, commit_id: int) -> str:
        """A commit's message."""
        ((message,),) = self._session.rows(MESSAGE, (commit_id,))
        return str(message)

    def hunks(self, commit_id: int) -> list[IndexedHunk]:
        """A commit's hunks, in order."""
        return [self._hunk(row) for row in self._session.rows(HUNKS, (commit_id,))]

    @property
    def compress(self) -> Callable[[bytes], bytes] | None:
        """What compresses a body, with the dictionary that was there when this was opened; None without."""
        return self._codec.pack if self._codec.has_learnt else None

    def hunks_by_id(self, hunks: Iterable[int]) -> dict[int, IndexedHunk]:
        """Those of the hunks that are there."""
        asked = self._session.listed(hunks)
        return {row[0]: self._hunk(row) for row in self._session.rows(HUNKS_BY_ID, (asked,))}

    def _hunk(self, row: tuple[Any, ...]) -> IndexedHunk:
        (hunk_id, path, language, header, searchable, content_id, has_vector, body, *rest) = row
        old_blob, new_blob, old_start, new_start = rest
        return IndexedHunk(
            hunk_id,
            path,
            language,
            header,
            bool(searchable),
            content_id,
            bool(has_vector),
            self._codec.unpack(body) if body is not None else "",
            old_blob.hex() if old_blob else None,
            new_blob.hex() if new_blob else None,
            old_start,
            new_start,
        )
