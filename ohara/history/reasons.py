"""Commits and the reasons why they belong together, as links are found. Plain values."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Reason(IntEnum):
    """Why commits belong together, the surest first; the last is a guess."""

    PICKED = 1
    SAME_PATCH = 2
    SAME_CHANGE = 3
    REVERT = 4
    FIX = 5
    MERGE = 6
    REQUEST = 7
    ISSUE = 8
    LIKELY = 9

    @property
    def word(self) -> str:
        """The reason as answers name it."""
        return self.name.lower().replace("_", "-")


class Node(NamedTuple):
    """A commit as links are found among; files, symbols and people by number.

    A parent that is not known is -1. `patch` is the same number for commits whose changes are all equal, and
    0 for one without changed lines.
    """

    id: int
    sha: str
    parents: tuple[int, ...]
    author: int
    author_time: int
    time: int
    message: str
    patch: int
    paths: tuple[int, ...]
    symbols: tuple[int, ...] = ()


class Link(NamedTuple):
    """Commits that belong together, and why."""

    reason: Reason
    commits: tuple[int, ...]
