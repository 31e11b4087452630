"""Which commit a hunk belongs to, looked up once each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from ohara.store.lines import LineHistory


class HunkCommits:
    """The commits of hunks that were asked for, or of all."""

    def __init__(self, history: LineHistory) -> None:
        self._history = history
        self._known: dict[int, int] = {}

    def read_all(self) -> None:
        """Look all of them up at once, where most will be asked for."""
        self._known = self._history.hunk_commits()

    def of(self, hunks: Collection[int]) -> dict[int, int]:
        """The commit of each hunk."""
        unknown = [hunk for hunk in hunks if hunk not in self._known]
        if unknown:
            self._known |= self._history.commits_of(unknown)
        return {hunk: self._known[hunk] for hunk in hunks if hunk in self._known}
