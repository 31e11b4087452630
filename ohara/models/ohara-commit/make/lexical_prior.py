"""What a search by words already knows: a BM25 of a repository's digests, for the encoder to add to.

The encoder's nearness is only ever added to a lexical order. Trained beside that order (its logits get a learnt share of this score)
it learns what the words do not tell.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))
from ohara.words import index_text, query_terms

K1, B = 1.2, 0.75


class Prior:
    """A BM25 in which a digest is one document; how rare words are, it has from the digests that it was made of."""

    def __init__(self, digests: Iterable[str]) -> None:
        self._words: dict[str, Counter[str]] = {text: Counter(index_text(text).split()) for text in digests}
        self._holding = Counter(word for words in self._words.values() for word in words)
        self._length = np.mean([words.total() for words in self._words.values()])

    def scores(self, queries: Sequence[str], digests: Sequence[str]) -> np.ndarray:
        """Every digest for every query, the best of each query 1."""
        count = len(self._words)
        told = [self._words[text] for text in digests]
        norms = [K1 * (1 - B + B * words.total() / self._length) for words in told]
        out = np.zeros((len(queries), len(digests)), dtype=np.float32)
        for row, query in enumerate(queries):
            for word in query_terms(query):
                held = self._holding.get(word, 0)
                rarity = max(1e-6, math.log((count - held + 0.5) / (held + 0.5))) if held else 0.0
                for place, words in enumerate(told if rarity else ()):
                    if word in words:
                        out[row, place] += rarity * words[word] * (K1 + 1) / (words[word] + norms[place])
        return out / np.maximum(out.max(1, keepdims=True), 1e-6)
