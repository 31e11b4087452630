"""Answers that are lists and not rankings: what a pattern matches, a commit holds, filters let through.

They are complete and ordered by time, so a page is a slice of them. Commits are grouped and identical
changes collapsed before the slice is taken, and only what is shown is read in full.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ohara.retrieve.diversify import Ranked, Shown
from ohara.store.hydrate import contents_of, hydrate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.model import HunkId, Sha
    from ohara.store.reader import Reader


class Listed(NamedTuple):
    """A hunk of the list and its commit."""

    hunk: HunkId
    commit: Sha


@dataclass(frozen=True, slots=True)
class Entry:
    """What one line of the list will show."""

    hunk: HunkId
    commit: Sha
    more: int = 0
    also_in: tuple[Sha, ...] = ()


def grouped(found: Sequence[Listed]) -> list[Entry]:
    """One entry for each commit, in the order of their first hunks."""
    first: dict[Sha, HunkId] = {}
    count: dict[Sha, int] = {}
    for hunk, commit in found:
        first.setdefault(commit, hunk)
        count[commit] = count.get(commit, 0) + 1
    return [Entry(hunk, commit, more=count[commit] - 1) for commit, hunk in first.items()]


def merged(entries: Sequence[Entry], changes: Mapping[Sha, frozenset[int]]) -> list[Entry]:
    """Commits with the same changes made into one entry, the first, which names the others."""
    standing: dict[frozenset[int], int] = {}
    kept: list[Entry] = []
    also: dict[int, list[Sha]] = {}
    for entry in entries:
        changed = changes.get(entry.commit)
        if changed in standing:
            also.setdefault(standing[changed], []).append(entry.commit)
            continue
        if changed is not None:
            standing[changed] = len(kept)
        kept.append(entry)
    return [
        Entry(entry.hunk, entry.commit, entry.more, tuple(also.get(place, ())))
        for place, entry in enumerate(kept)
    ]


def listing(reader: Reader, found: Sequence[Listed], *, all_hunks: bool) -> list[Entry]:
    """The list as it will be shown: by commit, identical changes once, or simply every hunk."""
    if all_hunks:
        return [Entry(hunk, commit) for hunk, commit in found]
    entries = grouped(found)
    return merged(entries, _changes(reader, entries, found))


def _changes(reader: Reader, entries: Sequence[Entry], found: Sequence[Listed]) -> dict[Sha, frozenset[int]]:
    """What is listed of each commit, as contents, for those whose first hunk is that of another, too.

    A commit that shares one hunk with another and has more to show is not the same change.
    """
    firsts = contents_of(reader, (entry.hunk for entry in entries))
    times = Counter(firsts.values())
    alike = {entry.commit for entry in entries if times[firsts.get(entry.hunk, -1)] > 1}
    contents = contents_of(reader, (hunk for hunk, commit in found if commit in alike))
    changed: dict[Sha, set[int]] = {commit: set() for commit in alike}
    for hunk, commit in found:
        if commit in alike:
            changed[commit].add(contents.get(hunk, -hunk))
    return {commit: frozenset(each) for commit, each in changed.items()}


def read_entries(
    reader: Reader, entries: Sequence[Entry], lane: str | None, *, first_rank: int
) -> list[Shown]:
    """The entries of a page in full; one whose hunk was taken away meanwhile is left out."""
    rows = hydrate(reader, (entry.hunk for entry in entries))
    return [
        Shown(
            Ranked(rows[entry.hunk], score=0.0, worth=0.0, lanes={lane: rank} if lane else {}),
            more=entry.more,
            also_in=entry.also_in,
        )
        for rank, entry in enumerate(entries, first_rank)
        if entry.hunk in rows
    ]
