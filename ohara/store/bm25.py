"""BM25: what a word is worth in a text. Pure, and the same in every engine."""

from __future__ import annotations

from math import log

K1, B = 1.2, 0.75

# Of whole commits: a word that stands in several hunks says more than once in one, and what is large
# holds every word.
COMMIT_K1, COMMIT_B = 2.0, 0.9
LEAST_IDF = 1e-6  # of a word in more than half of the texts


def idf(texts: int, holding: int) -> float:
    """What a word is worth that so many of the texts hold."""
    worth = log((texts - holding + 0.5) / (holding + 0.5))
    return worth if worth > 0 else LEAST_IDF
