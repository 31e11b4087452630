"""Shows of each commit the change itself, and not its test, changelog line or docs, unless asked for.

A commit is found by whichever of its hunks speaks the words of the question, and that is often the changelog.
For hits that would show such a hunk, the commit's other hunks are read: the one in a file of code that holds
most of the question takes its place, if it holds nearly as much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.records import replace
from ohara.retrieve.priors import Priors
from ohara.retrieve.proximity import rarities
from ohara.store.answers import holds_change
from ohara.words import index_text, query_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.model import HunkId, Query
    from ohara.retrieve.ranking import ScoredHunk
    from ohara.store.answers import StoredHunk
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader

HUNKS_READ = 12  # of one commit: those whose file comes first
ENOUGH = 0.3  # of what the test or the docs hold of the question


def with_changes_shown(
    reader: Reader,
    *,
    query: Query,
    shown: Sequence[ScoredHunk],
    rows: Mapping[HunkId, StoredHunk],
    allowed: Allowed,
) -> tuple[list[ScoredHunk], dict[HunkId, StoredHunk]]:
    """The hits of a page with the hunks that they show, and the lines of all."""
    priors = Priors.of(query)
    beside = [one for one in shown if not one.pinned and _is_beside(priors, rows[one.hunk])]
    if not beside:
        return list(shown), dict(rows)
    others = _changes(reader, priors, {rows[one.hunk].commit_id for one in beside}, allowed)
    terms = query_terms(query.words)
    rarity = rarities(terms, reader.document_frequencies(terms).__getitem__, reader.hunk_count())
    chosen: dict[HunkId, StoredHunk] = {}
    for one in beside:
        found = others.get(one.sha, ())
        best = max(found, key=lambda row: (_held(row, rarity), -row.hunk), default=None)
        if best is not None and _held(best, rarity) > ENOUGH * _held(rows[one.hunk], rarity):
            chosen[one.hunk] = best
    swapped = [replace(one, hunk=chosen[one.hunk].hunk) if one.hunk in chosen else one for one in shown]
    return swapped, {**rows, **{row.hunk: row for row in chosen.values()}}


def _is_beside(priors: Priors, row: StoredHunk) -> bool:
    """True for a hunk that comes along with a change: a test, docs, generated text."""
    return bool(row.path) and priors.path(row.path, left_out=row.left_out is not None) < 1.0


def _changes(
    reader: Reader, priors: Priors, commits: set[int], allowed: Allowed
) -> dict[bytes, list[StoredHunk]]:
    """The hunks of commits that are in files of code, by the commit's object name."""
    taken: dict[bytes, list[HunkId]] = {}
    for at in reader.hunks_of_commits(commits, allowed):
        if at.path and priors.path(at.path) == 1.0 and len(taken.setdefault(at.sha, [])) < HUNKS_READ:
            taken[at.sha].append(at.hunk)
    read = reader.hydrate(hunk for hunks in taken.values() for hunk in hunks)
    return {
        sha: [
            row
            for hunk in hunks
            if (row := read.get(hunk)) and row.left_out is None and holds_change(row.body)
        ]
        for sha, hunks in taken.items()
    }


def _held(row: StoredHunk, rarity: Mapping[str, float]) -> float:
    """How much of the question a hunk's own lines, header and path hold, each word by its rarity."""
    changed = "\n".join(line[1:] for line in row.body.split("\n") if line[:1] in {"+", "-"})
    words = set(index_text(f"{row.path}\n{row.header}\n{changed}").split())
    return sum(rarity[word] for word in rarity.keys() & words)
