"""Results that are lists, not rankings: matches of a pattern, hunks of a commit, what filters let through.

They are complete and ordered by time, so a page is a slice of them. Hunks are grouped by commit and identical
changes collapsed before the slice is taken, and only the hunks of the page are read in full.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ohara.model import Sha
from ohara.records import dataclass, replace
from ohara.retrieve.more_hunks import more_found
from ohara.retrieve.ranking import ScoredHunk
from ohara.retrieve.together import Together, firsts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.model import HunkId
    from ohara.retrieve.ranking import Candidate
    from ohara.store.answers import StoredHunk
    from ohara.store.reading import Reader


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry: the first hunk of a commit, its others in the list, and the commits with the same change.

    In a list of threads, `matched` are the other commits of its thread that are in the list.
    """

    first: Candidate
    others: tuple[HunkId, ...] = ()
    also_in: tuple[Sha, ...] = ()
    matched: tuple[Sha, ...] = ()

    @property
    def sha(self) -> Sha:
        """The commit."""
        return Sha(self.first.sha.hex())


def grouped(found: Sequence[Candidate]) -> list[Entry]:
    """One entry for each commit, in the order of their first hunks."""
    hunks: dict[bytes, list[Candidate]] = {}
    for one in found:
        hunks.setdefault(one.sha, []).append(one)
    return [Entry(each[0], others=tuple(one.hunk for one in each[1:])) for each in hunks.values()]


def merged(entries: Sequence[Entry], changes: Mapping[bytes, frozenset[int]]) -> list[Entry]:
    """Merge commits with the same changes into the first entry, which names the others."""
    known: dict[frozenset[int], int] = {}
    kept: list[Entry] = []
    also: dict[int, list[Sha]] = {}
    for entry in entries:
        changed = changes.get(entry.first.sha)
        if changed in known:
            also.setdefault(known[changed], []).append(Sha(entry.first.sha.hex()))
            continue
        if changed is not None:
            known[changed] = len(kept)
        kept.append(entry)
    for place, others in also.items():
        kept[place] = replace(kept[place], also_in=tuple(others))
    return kept


def listing(
    reader: Reader, found: Sequence[Candidate], *, all_hunks: bool, by_thread: bool = False
) -> list[Entry]:
    """The list as it is shown: one entry per commit or thread, identical changes once; or every hunk."""
    if all_hunks:
        return [Entry(one) for one in found]
    entries = grouped(found)
    entries = merged(entries, _changes(reader, entries, found))
    together = Together.read(reader, {entry.sha for entry in entries}, by_thread=by_thread)
    kept = [
        replace(entry, also_in=(*entry.also_in, *_commits(others))) if others else entry
        for entry, others in firsts(entries, lambda entry: together.changes.get(entry.sha))
    ]
    return [
        replace(entry, matched=tuple(other.sha for other in others)) if others else entry
        for entry, others in firsts(kept, lambda entry: together.threads.get(entry.sha))
    ]


def _commits(entries: Sequence[Entry]) -> tuple[Sha, ...]:
    return tuple(sha for entry in entries for sha in (entry.sha, *entry.also_in))


def _changes(
    reader: Reader, entries: Sequence[Entry], found: Sequence[Candidate]
) -> dict[bytes, frozenset[int]]:
    """The contents of each commit's hunks, for commits whose first hunk also occurs in another.

    A commit that shares one hunk with another and has more to show is not the same change.
    """
    firsts = reader.contents_of(entry.first.hunk for entry in entries)
    times = Counter(firsts.values())
    alike = {entry.first.sha for entry in entries if times[firsts.get(entry.first.hunk, -1)] > 1}
    contents = reader.contents_of(one.hunk for one in found if one.sha in alike)
    changed: dict[bytes, set[int]] = {sha: set() for sha in alike}
    for one in found:
        if one.sha in alike:
            changed[one.sha].add(contents.get(one.hunk, -one.hunk))
    return {sha: frozenset(each) for sha, each in changed.items()}


def read_entries(
    reader: Reader, entries: Sequence[Entry], lane: str | None, *, first_rank: int
) -> tuple[list[ScoredHunk], dict[HunkId, StoredHunk]]:
    """The entries of a page and their lines; an entry whose hunk was removed meanwhile is left out."""
    rows = reader.hydrate(entry.first.hunk for entry in entries)
    others = {entry.first.hunk: entry.others for entry in entries if entry.others}
    more = more_found(reader, [rows[hunk] for hunk in others if hunk in rows], others)
    shown = [
        ScoredHunk(
            entry.first.hunk,
            entry.first.time,
            entry.first.sha,
            lanes={lane: rank} if lane else {},
            more=more.get(entry.first.hunk, 0),
            also_in=entry.also_in,
            matched=entry.matched,
        )
        for rank, entry in enumerate(entries, first_rank)
        if entry.first.hunk in rows
    ]
    return shown, rows
