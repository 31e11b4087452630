"""Finds and scores commits by the words of all their hunks together: BM25 in which a commit is one text.

Hunks of a commit that are written together are one unit of the postings (`word_pieces`), and nearly every
commit is one. A commit so large that others came in between, or some of whose hunks were written anew, is
several: only then is it looked up which commit a hunk belongs to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ohara.arrays import np
from ohara.store.bm25 import COMMIT_B, COMMIT_K1, idf
from ohara.store.sqlite.held_words import Weighting
from ohara.store.sqlite.hunk_owners import Owners
from ohara.store.sqlite.word_search import WordSearch, best_of, named_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ohara.store.answers import Weights, WordQuery
    from ohara.store.sqlite.filters import FtsFilter
    from ohara.store.sqlite.held_words import Held
    from ohara.store.sqlite.varints import Numbers

    Floats = NDArray[np.float64]


_COMMITS = "SELECT count(*) FROM commits"
_COMMIT = "commit_id"


class _Owners(NamedTuple):
    """The commit of each text and of each unit, as a number from 0 on, and how many there are."""

    of_text: Numbers
    of_unit: Numbers
    commits: int


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
        owners = self._owners()
        commits = np.unique(owners.of_text[found])
        scores, of_texts = self._commit_scores(held, commits, owners, Weighting(np.array(weights) * columns))
        best = best_of(scores, commits, limit)
        hunks = self._hunks(self._best_texts(found, commits[best], owners, of_texts))
        return list(zip(hunks.tolist(), scores[best].tolist(), strict=True))

    def _owners(self) -> _Owners:
        """Which commit each text, and each unit, belongs to."""
        texts = self._texts
        count = len(texts.units)
        if count == self._rows(_COMMITS).get:
            return _Owners(texts.unit_of_text.astype(np.int64), np.arange(count), count)
        session = self._session
        commits = session.shared(("owners", _COMMIT), lambda: Owners.read(session, _COMMIT)).numbers
        of_hunks = np.zeros(int(texts.hunks.max(initial=0)) + 1, np.int64)  # of a hunk that is gone: nobody's
        known = min(len(of_hunks) - 1, len(commits))
        of_hunks[1 : known + 1] = commits[:known]
        found, of_text = np.unique(of_hunks[texts.hunks], return_inverse=True)
        return _Owners(of_text, of_text[texts.unit_starts], len(found))

    def _commit_scores(
        self, held: Sequence[Held], commits: Numbers, owners: _Owners, weighting: Weighting
    ) -> tuple[Floats, Floats]:
        """The BM25 of some commits, and what the change of each text holds of it."""
        kept = np.ones(self._size, bool) if self._kept is None else self._kept
        lengths = np.bincount(owners.of_text, self._texts.lengths * kept, owners.commits)
        is_there = np.bincount(owners.of_text[kept], minlength=owners.commits) > 0
        total = int(np.count_nonzero(is_there))
        average = (self._words / total if total else 0.0) or 1.0
        norms = COMMIT_K1 * (1.0 - COMMIT_B + COMMIT_B * lengths[commits] / average)
        scores, of_texts = np.zeros(len(commits)), np.zeros(self._size)
        for each in held:
            worths = each.weighted(weighting) * kept[each.changed]
            times = np.zeros(owners.commits)
            # A message once, in however many units it stands.
            times[owners.of_unit[each.units]] = weighting.weights[0] * each.times
            times += np.bincount(owners.of_text[each.changed], worths, owners.commits)
            times *= is_there
            worth = idf(total, int(np.count_nonzero(times)))
            some = times[commits]
            scores += worth * (some * (COMMIT_K1 + 1.0) / (some + norms))
            of_texts[each.changed] += worth * worths
        return scores, of_texts

    @staticmethod
    def _best_texts(found: Numbers, commits: Numbers, owners: _Owners, of_texts: Floats) -> Numbers:
        """Of the texts that were found, that of each commit which holds most."""
        of_found = owners.of_text[found]
        order = np.lexsort((found, -of_texts[found], of_found))
        first_owners, firsts = np.unique(of_found[order], return_index=True)
        best: Numbers = found[order][firsts][np.searchsorted(first_owners, commits)]
        return best
