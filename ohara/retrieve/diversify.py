"""Turns ranked hunks into hits worth reading: one for each commit, identical changes shown once. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.records import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ohara.model import HunkId, Sha
    from ohara.retrieve.ranking import ScoredHunk


def in_order(found: Iterable[ScoredHunk]) -> list[ScoredHunk]:
    """Sort: pinned hunks first, then reranked ones, then by score.

    Ties go to the newest commit, then by its sha, then by the hunk's position in the commit.
    """
    by_place = sorted(found, key=lambda one: one.hunk)
    return sorted(
        by_place,
        key=lambda one: (one.pinned, not one.below, one.score, one.time, one.sha),
        reverse=True,
    )


def one_for_each_commit(found: Sequence[ScoredHunk]) -> list[ScoredHunk]:
    """One hit per commit, at the rank of its best hunk, showing the hunk with the highest `worth`.

    A pinned hunk is never replaced by one that is not.
    """
    by_commit: dict[bytes, list[ScoredHunk]] = {}
    for one in found:
        by_commit.setdefault(one.sha, []).append(one)
    return [
        hunks[0] if len(hunks) == 1 else max(hunks, key=lambda one: (one.pinned, one.worth, -one.hunk))
        for hunks in by_commit.values()
    ]


def collapsed(
    hits: Sequence[ScoredHunk],
    contents: Mapping[HunkId, int],
    occurrences: Mapping[int, Sequence[Sha]],
    above: Sequence[ScoredHunk] = (),
) -> list[ScoredHunk]:
    """Collapse identical changes: the best one stays and names the other commits with the same change.

    `contents` gives the content of each hunk that has lines, `occurrences` for each content the commits that
    may answer, newest first. A commit that is a hit of its own by another change is not named. `above` are
    hits that rank higher and stay as they are.
    """
    kept: list[ScoredHunk] = []
    seen = {contents[hit.hunk] for hit in above if hit.hunk in contents}
    for hit in hits:
        content = contents.get(hit.hunk)
        if content is None or content not in seen:
            kept.append(hit)
        if content is not None:
            seen.add(content)
    own = {hit.sha.hex() for hit in (*above, *kept)}
    named = (tuple(sha for sha in _others(hit, contents, occurrences) if sha not in own) for hit in kept)
    return [replace(hit, also_in=also) if also else hit for hit, also in zip(kept, named, strict=True)]


def _others(
    hit: ScoredHunk, contents: Mapping[HunkId, int], occurrences: Mapping[int, Sequence[Sha]]
) -> Sequence[Sha]:
    content = contents.get(hit.hunk)
    return occurrences.get(content, ()) if content is not None else ()
