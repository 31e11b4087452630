"""Which commit a hunk belongs to, looked up once each, or of all hunks at once.

The hunks of a commit have numbers in a row, but for those of very large commits that are written in parts.
So the first of each run and its commit tell of all hunks: sixteen bytes for a commit, where a dictionary took
a hundred and fifty for each hunk.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from ohara.store.lines import LineHistory


class HunkCommits:
    """The commits of hunks that were asked for, or of all."""

    def __init__(self, history: LineHistory) -> None:
        self._history = history
        self._known: dict[int, int] = {}
        self._first_hunks = array("q")
        self._commits = array("q")

    def read_all(self) -> None:
        """Look all of them up at once, where most will be asked for."""
        for first, commit in self._history.hunk_runs():
            self._first_hunks.append(first)
            self._commits.append(commit)

    def of(self, hunks: Collection[int]) -> dict[int, int]:
        """The commit of each of some hunks, which are there."""
        if self._commits:
            return {hunk: self._commits[bisect_right(self._first_hunks, hunk) - 1] for hunk in hunks}
        unknown = [hunk for hunk in hunks if hunk not in self._known]
        if unknown:
            self._known |= self._history.commits_of(unknown)
        return {hunk: self._known[hunk] for hunk in hunks if hunk in self._known}
