"""Finds and scores commits by the words of all their hunks together: BM25 in which a commit is one text.

A unit of the postings (`word_pieces`) stands for its commit: hunks that are written together are one. Of a
commit whose hunks were written at two times, each part is scored by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.arrays import np
from ohara.store.bm25 import COMMIT_B, COMMIT_K1, idf
from ohara.store.sqlite.held_words import Weighting
from ohara.store.sqlite.word_search import WordSearch, best_of, named_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ohara.store.answers import Weights, WordQuery
    from ohara.store.sqlite.filters import FtsFilter
    from ohara.store.sqlite.held_words import Held
    from ohara.store.sqlite.varints import Numbers

    Floats = NDArray[np.float64]


class CommitSearch(WordSearch):
    """The words of an index by commits, within one snapshot."""

    def scored_commits(
        self, words: WordQuery, weights: Weights, allowed: FtsFilter, limit: int
    ) -> list[tuple[int, float]]:
        """The commits that hold words, best first, each by the hunk that holds most of them."""
        columns = named_columns(words.columns)
        held = self._held(words.selecting, columns)
        found = self._holding(held, columns)
        if not allowed.everything and len(found):
            found = found[self._passing(allowed, self._hunks(found))]
        if not len(found):
            return []
        held += self._held(words.common, columns)
        units = np.unique(self._texts.unit_of_text[found]).astype(np.int64)
        scores, of_texts = self._commit_scores(held, units, Weighting(np.array(weights) * columns))
        best = best_of(scores, units, limit)
        hunks = self._hunks(self._best_texts(found, units[best], of_texts))
        return list(zip(hunks.tolist(), scores[best].tolist(), strict=True))

    def _commit_scores(
        self, held: Sequence[Held], units: Numbers, weighting: Weighting
    ) -> tuple[Floats, Floats]:
        """The BM25 of some units, and what the change of each text holds of it."""
        count = len(self._texts.units)
        lengths, texts = self._per_unit(self._texts.lengths), self._per_unit(None)
        commits = int(np.count_nonzero(texts))
        average = (self._words / commits if commits else 0.0) or 1.0
        norms = COMMIT_K1 * (1.0 - COMMIT_B + COMMIT_B * lengths[units] / average)
        scores, of_texts = np.zeros(len(units)), np.zeros(self._size)
        for each in held:
            changed, worths = each.changed, each.weighted(weighting)
            if self._kept is not None:
                worths = worths * self._kept[changed]
            # Of nothing, it would be whole numbers.
            times = np.bincount(self._texts.unit_of_text[changed], worths, count).astype(np.float64)
            times[each.units] += weighting.weights[0] * each.times * (texts[each.units] > 0)
            worth = idf(commits, int(np.count_nonzero(times)))
            some = times[units]
            scores += worth * (some * (COMMIT_K1 + 1.0) / (some + norms))
            of_texts[changed] += worth * worths
        return scores, of_texts

    def _per_unit(self, numbers: Numbers | None) -> Floats:
        """Numbers of texts that still count, added up for each unit; how many texts, without numbers."""
        units, kept = self._texts.unit_of_text, self._kept
        if kept is not None:
            units, numbers = units[kept], numbers[kept] if numbers is not None else None
        return np.bincount(units, numbers, len(self._texts.units)).astype(np.float64)

    def _best_texts(self, found: Numbers, units: Numbers, of_texts: Floats) -> Numbers:
        """Of the texts that were found, that of each unit which holds most."""
        owners = self._texts.unit_of_text[found]
        order = np.lexsort((found, -of_texts[found], owners))
        _, firsts = np.unique(owners[order], return_index=True)
        best = dict(zip(owners[order][firsts].tolist(), found[order][firsts].tolist(), strict=True))
        return np.array([best[unit] for unit in units.tolist()], np.int64)
