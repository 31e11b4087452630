"""What changes together: support, confidence and lift of one thing beside another, decayed by age. Pure.

The constants were chosen on the held-out commits of pytest and redis (docs/benchmarks/related.md).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Sequence

# A commit of more files is a sweep (a reformat, a rename, a new licence) and says nothing of any two of them.
MOST_FILES = 30
# What changed together two years ago counts half: shorter forgets what is stable, longer what has moved.
HALF_LIFE_S = 2 * 365 * 86_400
# So many commits that changed the subject and nothing else are always added: one commit alone is no habit.
PRIOR = 1.0


class Change(NamedTuple):
    """A commit that changed the subject: its number, its time, how many files and which things it changed."""

    commit: int
    time: int
    files: int
    things: frozenset[Hashable]


class Cochange(NamedTuple):
    """A thing that changed with the subject: in how many of its commits, how surely, and in which."""

    thing: Hashable
    together: int
    of: int
    confidence: float
    lift: float
    score: float
    commits: tuple[int, ...]


def is_sweep(files: int) -> bool:
    """True for a commit that changed too many files to say anything of two of them."""
    return files > MOST_FILES


def cochanges(
    changes: Sequence[Change],
    own: Collection[Hashable],
    share: Callable[[Hashable], float],
    *,
    limit: int,
) -> list[Cochange]:
    """What changed with the subject, the closest first; sweeps are left out.

    `changes` are the commits that changed it, newest first, `own` the subject itself under all its names.
    `share` is the part of all commits that changes a thing. In a small commit two things are closer than in a
    large one: a commit of n files gives each of the others 1 / √(n - 1).
    """
    telling = [change for change in changes if not is_sweep(change.files)]
    if not telling:
        return []
    newest = max(change.time for change in telling)
    weight: dict[Hashable, float] = defaultdict(float)
    decayed: dict[Hashable, float] = defaultdict(float)
    commits: dict[Hashable, list[int]] = defaultdict(list)
    total = PRIOR
    for change in telling:
        fresh = 0.5 ** ((newest - change.time) / HALF_LIFE_S)
        total += fresh
        near = fresh / max(1, change.files - 1) ** 0.5
        for thing in change.things.difference(own):
            weight[thing] += near
            decayed[thing] += fresh
            commits[thing].append(change.commit)
    found = [
        Cochange(
            thing,
            together=len(commits[thing]),
            of=len(telling),
            confidence=decayed[thing] / total,
            lift=(decayed[thing] / total) / share(thing) if share(thing) > 0 else 0.0,
            score=weight[thing] / total,
            commits=tuple(commits[thing]),
        )
        for thing in weight
    ]
    return sorted(found, key=lambda each: (-each.score, str(each.thing)))[:limit]
