"""Tells whether a commit takes another one back: its message says so, or it is the inverse of it."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from ohara.fate.hunk_lines import own_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.store.lines import ChangedHunk, FileOfCommit, LineHistory

_SAID = re.compile(r"\bThis reverts commit\s+([0-9a-f]{7,40})\b")
_MOST_LINES = 20_000  # of a commit that is compared line by line


def said_to_revert(message: str) -> tuple[str, ...]:
    """The commits, by the beginnings of their names, that a message says it reverts."""
    return tuple(_SAID.findall(message))


def is_inverse(history: LineHistory, commit: int, other: int) -> bool:
    """True when a commit puts back exactly what another one changed, file by file and line by line."""
    ours, theirs = history.changed_files(commit), history.changed_files(other)
    if _size(ours) != _size(theirs)[::-1] or len(ours) != len(theirs) or sum(_size(ours)) > _MOST_LINES:
        return False
    return _changes(history, commit, ours) == _swapped(_changes(history, other, theirs))


def _size(versions: Iterable[FileOfCommit]) -> tuple[int, int]:
    added = removed = 0
    for version in versions:
        added += version.additions
        removed += version.deletions
    return added, removed


Change = tuple[str, str, tuple[str, ...], tuple[str, ...]]


def _changes(history: LineHistory, commit: int, versions: Sequence[FileOfCommit]) -> Counter[Change]:
    hunks: dict[int, list[ChangedHunk]] = {}
    for hunk in history.changed_hunks(commit):
        hunks.setdefault(hunk.file, []).append(hunk)
    found: Counter[Change] = Counter()
    for version in versions:
        lines = [own_lines(hunk) for hunk in hunks.get(version.file, ())]
        added = tuple(line for each in lines for line in each.added)
        removed = tuple(line for each in lines for line in each.removed)
        found[version.old_path or version.path, version.path, added, removed] += 1
    return found


def _swapped(changes: Counter[Change]) -> Counter[Change]:
    return Counter(
        {
            (path, old_path, removed, added): count
            for (old_path, path, added, removed), count in changes.items()
        }
    )
