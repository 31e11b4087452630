"""Puts what became of their lines into the hits of a history; a hunk in several pieces has one fate."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from ohara.fate.view import Asked
from ohara.model import HunkId, together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.fate.source import FateSource
    from ohara.model import Hit, Sha
    from ohara.store.lines import ChangedHunk
    from ohara.store.reading import Reader

FATES_WITHIN_S = 2.0


def with_fates(
    source: FateSource, reader: Reader, hits: Sequence[Hit], tip: Sha | None
) -> tuple[tuple[Hit, ...], str]:
    """The hits with their fates as seen from a commit, and why some have none; "" when all have."""
    rows = reader.hydrate([hit.hunk for hit in hits if hit.hunk])
    pieces: dict[HunkId, list[Asked]] = {}
    of_commit: dict[int, list[ChangedHunk]] = {}
    for hunk, row in rows.items():
        if row.commit_id not in of_commit:
            of_commit[row.commit_id] = reader.changed_hunks(row.commit_id)
        pieces[hunk] = [
            Asked(HunkId(piece.hunk), row.commit_id, row.path, piece.body)
            for piece in _pieces(of_commit[row.commit_id], hunk)
        ]
    asked = [each for run in pieces.values() for each in run]
    if not asked:
        return tuple(hits), ""
    fates = source.fates(reader, asked, tip, FATES_WITHIN_S)
    found = {
        hunk: reduce(together, known)
        for hunk, run in pieces.items()
        if (known := [fates.found[each.hunk] for each in run if each.hunk in fates.found])
    }
    return tuple(replace(hit, fate=found.get(hit.hunk)) for hit in hits), fates.note


def _pieces(hunks: Sequence[ChangedHunk], first: int) -> list[ChangedHunk]:
    """A hunk and the pieces that go on where it ends, in the order of the diff."""
    found: list[ChangedHunk] = []
    for piece in hunks:
        if piece.hunk == first:
            found.append(piece)
        elif found:
            before = found[-1]
            ends = (before.old_start + before.old_lines, before.new_start + before.new_lines)
            if piece.file != before.file or ends != (piece.old_start, piece.new_start):
                break
            found.append(piece)
    return found
