"""What matched in contents of files, kept in memory: for an index that has no folder of its own here."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MOST_CONTENTS = 100_000  # of all patterns together


class MatchMemory:
    """Matches by a pattern's name and a content's; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._found: dict[str, dict[str, bytes]] = {}

    def get(self, pattern: str, blobs: Sequence[str]) -> dict[str, bytes]:
        """What is known of some contents."""
        with self._lock:
            known = self._found.get(pattern, {})
            return {blob: known[blob] for blob in blobs if blob in known}

    def put(self, pattern: str, found: Mapping[str, bytes]) -> None:
        """Keep what was found; of too much, begin anew."""
        with self._lock:
            if sum(map(len, self._found.values())) + len(found) > _MOST_CONTENTS:
                self._found.clear()
            self._found.setdefault(pattern, {}).update(found)

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._found.clear()
