"""Looks on the side of a change where a description of a removal says that its words stood. Pure.

"Remove the deprecated hook" and "support for Python 3.9 is dropped" tell of lines that went. The commit that
once brought them holds the same words, and often more of them: it is told apart by the side they stand on.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from ohara.model import Intent, Polarity, QueryClass
from ohara.query.intent import REMOVING, describes_removal
from ohara.records import replace
from ohara.store.answers import lines_of_side
from ohara.words import index_text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ohara.model import HunkId, Query
    from ohara.retrieve.ranking import ScoredHunk
    from ohara.store.answers import StoredHunk

# What a hunk's fused score (the best is 1) gets when all that it holds of a description stands on removed
# lines alone, and loses when it stands on added ones alone.
SIDE = 0.25

_LEAST = 0.05  # of its score stays with a hunk, however it leans
_DOUBT = 1.0  # a word that every hunk holds weighs .7: by one word alone, a hunk leans little


def tells_of_removal(query: Query) -> bool:
    """True of prose that is no question about an ending, and names no side itself."""
    return (
        query.query_class is QueryClass.PROSE
        and query.intent is Intent.NONE
        and query.polarity is Polarity.ANY
        and describes_removal(query.words)
    )


def by_side(
    pooled: Sequence[ScoredHunk], rows: Mapping[HunkId, StoredHunk], words: Collection[str]
) -> list[ScoredHunk]:
    """The hunks with their fused scores by the side on which they hold index words; the best is 1 again.

    What the description does is not among what it is done to.
    """
    found = [one for one in pooled if one.hunk in rows]
    asked = frozenset(words).difference(index_text(" ".join(REMOVING)).split())
    sides = [_sides(rows[one.hunk].body, asked) for one in found]
    holding = Counter(word for added, removed in sides for word in added | removed)
    weight = {word: math.log(1.0 + len(found) / count) for word, count in holding.items()}
    scores = [
        max(one.fused * _LEAST, one.fused - SIDE * _lean(added, removed, weight))
        for one, (added, removed) in zip(found, sides, strict=True)
    ]
    highest = max(scores, default=1.0) or 1.0
    return [replace(one, fused=score / highest) for one, score in zip(found, scores, strict=True)]


def _lean(added: frozenset[str], removed: frozenset[str], weight: Mapping[str, float]) -> float:
    """On which side words stand that stand on one alone: 1 all of them on added lines, -1 on removed ones."""
    came = math.fsum(map(weight.__getitem__, added - removed))
    went = math.fsum(map(weight.__getitem__, removed - added))
    return (came - went) / (math.fsum(map(weight.__getitem__, added | removed)) + _DOUBT)


def _sides(body: str, asked: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    added, removed = (
        asked.intersection(index_text(lines_of_side(body, sign)).split()) for sign in ("+", "-")
    )
    return added, removed
