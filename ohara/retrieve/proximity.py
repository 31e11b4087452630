"""Proximity of a hunk to the query: how many of its words it has, and how many side by side. Pure.

BM25 counts words one by one: a hunk with one rare word three times ranks above one that has them all, and
words side by side count no more than words pages apart. Here the first hits are read for that, together with
the other found hunks of their commit. Texts are compared in index words (`ohara.words`), so that what matched
there matches here.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from ohara.records import dataclass
from ohara.words import index_text

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Proximity:
    """Shares of the query that a commit's found hunks contain, each between 0 and 1.

    `held` counts the query's words, each by its rarity; `pairs` its neighbouring words that are neighbours.
    """

    held: float
    pairs: float


def rarities(words: Iterable[str], rows_of: Callable[[str], int], rows: int) -> dict[str, float]:
    """The weight of each word: the rarer in the index, the higher."""
    return {word: math.log(1.0 + rows / (1.0 + rows_of(word))) for word in words}


def proximities(
    query: str, rarity: Mapping[str, float], documents: Sequence[str], owners: Sequence[Hashable]
) -> list[Proximity]:
    """The proximity of each document's commit to the query; `owners` are the commits of the documents."""
    asked = set(pairwise(index_text(query).split()))
    words: dict[Hashable, set[str]] = {}
    pairs: dict[Hashable, set[tuple[str, str]]] = {}
    for owner, document in zip(owners, documents, strict=True):
        text = index_text(document).split()
        words.setdefault(owner, set()).update(rarity.keys() & set(text))
        pairs.setdefault(owner, set()).update(asked & set(pairwise(text)))
    whole = sum(rarity.values()) or 1.0
    said = {
        owner: Proximity(
            held=sum(map(rarity.__getitem__, words[owner])) / whole,
            pairs=len(pairs[owner]) / max(1, len(asked)),
        )
        for owner in words
    }
    return [said[owner] for owner in owners]
