"""Counts what a commit has beside the hunk that is shown, as git counts hunks: long ones are in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.retrieve.commit_memory import pieces_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ohara.model import HunkId
    from ohara.store.answers import StoredHunk
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader


def more_found(
    reader: Reader, shown: Sequence[StoredHunk], found: Mapping[HunkId, Collection[HunkId]]
) -> dict[HunkId, int]:
    """How many more hunks of its commit were found beside each that is shown.

    `found` are the pieces that were found of its commit; what has no lines is no hunk.
    """
    pieces = pieces_of(reader, {row.commit_id for row in shown})
    lines = reader.contents_of({each for row in shown for each in found[row.hunk]})
    counts: dict[HunkId, int] = {}
    for row in shown:
        first = pieces[row.commit_id].first
        hunks = {first.get(each, each) for each in found[row.hunk] if each in lines}
        counts[row.hunk] = len(hunks - {first.get(row.hunk, row.hunk)})
    return counts


def more_allowed(reader: Reader, shown: Sequence[StoredHunk], allowed: Allowed) -> dict[HunkId, int]:
    """How many more hunks of its commit may answer beside each that is shown."""
    if allowed.everything:
        pieces = pieces_of(reader, {row.commit_id for row in shown})
        return {row.hunk: pieces[row.commit_id].hunks - (row.content is not None) for row in shown}
    by_commit: dict[str, list[HunkId]] = {}
    for at in reader.hunks_of_commits({row.commit_id for row in shown}, allowed):
        by_commit.setdefault(at.sha.hex(), []).append(at.hunk)
    return more_found(reader, shown, {row.hunk: by_commit.get(row.commit.sha, ()) for row in shown})
