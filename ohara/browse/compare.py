"""Finds what differs between two commits, as `git diff` does, some files at a time."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.git.diff import Differing, differing, file_change
from ohara.git.walk import read_commit
from ohara.model import ChangedFile, Comparison, Hit, HunkId
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ohara.git.repo import Repository
    from ohara.model import Commit, FileChange, Sha

_ENOUGH_S = 0.4  # a first screen soon; whoever reads on asks for more
_ENOUGH_CHARACTERS = 2_000_000  # of one answer: well inside a frame


@dataclass(frozen=True, slots=True)
class Differences:
    """The files that differ between two commits, before any is read."""

    old: Sha
    new: Sha
    found: Differing


def differences(repository: Repository, old: str, new: str) -> Differences:
    """The files that differ between two commits, renames paired."""
    before, after = repository.commit_named(old), repository.commit_named(new)
    return Differences(before, after, differing(repository, before, after))


def compared(repository: Repository, differences: Differences, first: int) -> Comparison:
    """Some of the files that differ, from a number on: as many as are read in a moment, one at least."""
    old = read_commit(repository, differences.old)
    new = read_commit(repository, differences.new)
    between = replace(new, parents=(old.sha,))
    deltas = differences.found.deltas
    until = time.monotonic() + _ENOUGH_S
    files: list[ChangedFile] = []
    hits: list[Hit] = []
    at, size = first, 0
    while at < len(deltas) and (at == first or (time.monotonic() < until and size < _ENOUGH_CHARACTERS)):
        change = file_change(differences.found, at)
        size += sum(len(hunk.body) for hunk in change.hunks)
        files.append(_listed(change))
        hits += _hits(between, change, at)
        at += 1
    return Comparison(old, new, tuple(files), tuple(hits), len(deltas), at if at < len(deltas) else None)


def _listed(change: FileChange) -> ChangedFile:
    return ChangedFile(
        change.kind,
        change.path,
        change.old_path,
        change.additions,
        change.deletions,
        len(change.hunks),
        change.left_out,
    )


_FILE_NUMBERS = 1_000_000  # hunks of one file: numbers of hunks are by file, then by hunk, and all differ


def _hits(between: Commit, change: FileChange, file: int) -> Iterator[Hit]:
    for number, hunk in enumerate(change.hunks):
        yield Hit(
            rank=0,
            score=0.0,
            hunk=HunkId(-1 - file * _FILE_NUMBERS - number),  # none of the index's
            commit=between,
            path=change.path,
            old_path=change.old_path,
            kind=change.kind,
            line=hunk.new_start,
            old_line=hunk.old_start,
            header=hunk.header,
            symbol=None,
            excerpt=hunk.body,
            matches=(),
            top=hunk.new_start,
            old_top=hunk.old_start,
        )
