"""Finds and scores commits by the words of all their hunks together: BM25 in which a commit is one text.

Hunks of a commit that are written together are one unit of the postings (`word_pieces`), and nearly every
commit is one. A commit so large that others came in between, or some of whose hunks were written anew, is
several, which are put together here.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ohara.arrays import np
from ohara.records import dataclass
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


# As two texts, not as a row for each of all commits: these would take as long to fetch as all else together.
_COMMITS = """SELECT json_group_array(hunk.id), json_group_array(hunk.commit_id) FROM numbers(?) AS asked
  CROSS JOIN hunk ON hunk.id = asked.value"""


@dataclass(frozen=True, slots=True, eq=False)
class _Owners:
    """The commit of each text and of each unit, as a number from 0 on, and how many there are.

    `lengths` is how many words each commit has, those of texts that no longer count among them.
    """

    of_text: Numbers
    of_unit: Numbers
    commits: int
    lengths: Floats

    @property
    def size(self) -> int:
        """How many bytes it takes."""
        return int(self.of_text.nbytes + self.of_unit.nbytes + self.lengths.nbytes)


class CommitSearch(WordSearch):
    """The words of an index by commits, within one snapshot."""

    def scored_commits(
        self, words: WordQuery, weights: Weights, allowed: FtsFilter, limit: int
    ) -> list[tuple[int, float]]:
        """The commits that hold words, best first, each by the hunk that holds most of them."""
        columns = named_columns(words.columns)
        held, found = self._selected(words, columns, allowed)
        if not len(found):
            return []
        owners = self._owners()
        is_found = np.zeros(owners.commits, bool)
        is_found[owners.of_text[found]] = True
        commits = np.flatnonzero(is_found)
        weighting = Weighting.of(weights, columns)
        scores, worths = self._commit_scores(held, commits, owners, weighting)
        best = best_of(scores, commits, limit)
        is_best = np.zeros(owners.commits, bool)
        is_best[commits[best]] = True
        of_best = found[is_best[owners.of_text[found]]]
        of_texts = self._text_scores(held, of_best, worths, weighting)
        hunks = self._hunks(_best_texts(of_best, owners.of_text[of_best], of_texts, commits[best]))
        return list(zip(hunks.tolist(), scores[best].tolist(), strict=True))

    def _owners(self) -> _Owners:
        """Which commit each text, and each unit, belongs to; worked out once for all readers."""
        session = self._session
        key = (session.stamp.identity, "commits of texts", tuple(self._texts.pieces))
        return session.shared(key, self._read_owners)

    def _read_owners(self) -> _Owners:
        texts = self._texts
        firsts = texts.hunks[texts.unit_starts]
        read = self._session.rows(_COMMITS, (self._session.listed(firsts.tolist()),))[0]
        hunks, commits = (np.array(json.loads(each), np.int64) for each in read)
        if not np.array_equal(hunks, firsts):  # some are gone: of those the commit is 0
            known = dict(zip(hunks.tolist(), commits.tolist(), strict=True))
            commits = np.array([known.get(hunk, 0) for hunk in firsts.tolist()], np.int64)
        found, of_unit = np.unique(commits, return_inverse=True)
        of_text = of_unit[texts.unit_of_text]
        return _Owners(of_text, of_unit, len(found), _added_up(texts.lengths, of_text, len(found)))

    def _commit_scores(
        self, held: Sequence[Held], commits: Numbers, owners: _Owners, weighting: Weighting
    ) -> tuple[Floats, list[float]]:
        """The BM25 of some commits, and what each word is worth where commits are texts."""
        kept = self._kept
        lengths, is_there, total = owners.lengths, np.ones(0, bool), owners.commits
        if kept is not None:
            lengths = _added_up(self._texts.lengths * kept, owners.of_text, owners.commits)
            is_there = np.bincount(owners.of_text[kept], minlength=owners.commits) > 0
            total = int(np.count_nonzero(is_there))
        average = (self._words / total if total else 0.0) or 1.0
        norms = COMMIT_K1 * (1.0 - COMMIT_B + COMMIT_B * lengths[commits] / average)
        scores, found = np.zeros(len(commits)), list[float]()
        for each in held:
            worths = each.weighted(weighting)
            if kept is not None:
                worths = worths * kept[each.changed]
            times = np.zeros(owners.commits)
            # A message once, in however many units it stands.
            times[owners.of_unit.take(each.units)] = weighting.weights[0] * each.times
            times += np.bincount(owners.of_text.take(each.changed), worths, owners.commits)
            if kept is not None:
                times *= is_there
            worth = idf(total, int(np.count_nonzero(times)))
            some = times[commits]
            scores += worth * (some * (COMMIT_K1 + 1.0) / (some + norms))
            found.append(worth)
        return scores, found

    def _text_scores(
        self, held: Sequence[Held], texts: Numbers, worths: Sequence[float], weighting: Weighting
    ) -> Floats:
        """What the changes of some texts hold of words that are worth so much."""
        is_asked = np.zeros(self._size, bool)
        is_asked[texts] = True
        of_all = np.zeros(self._size)
        for each, worth in zip(held, worths, strict=True):
            some = each.narrowed(is_asked)
            of_all[some.changed] += worth * some.weighted(weighting)
        return of_all[texts]


def _added_up(lengths: Numbers, of_text: Numbers, commits: int) -> Floats:
    """How many words each of so many commits has, by how many its texts have."""
    return np.bincount(of_text, lengths, commits).astype(np.float64, copy=False)


def _best_texts(texts: Numbers, owners: Numbers, scores: Floats, commits: Numbers) -> Numbers:
    """Of texts, the owners and scores of which are given, that of each commit which holds most."""
    order = np.lexsort((texts, -scores, owners))
    first_owners, firsts = np.unique(owners[order], return_index=True)
    best: Numbers = texts[order][firsts][np.searchsorted(first_owners, commits)]
    return best
