"""Finds and scores commits by the words of all their hunks together: BM25 in which a commit is one text.

Hunks of a commit that are written together are one unit of the postings (`word_pieces`), and nearly every
commit is one. A commit so large that others came in between, or some of whose hunks were written anew, is
several, which are put together here.
"""

from __future__ import annotations

import json
from functools import cached_property, partial
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


@dataclass(frozen=True, slots=True, eq=False)
class _HeldByCommits:
    """The commits that hold a word, in order, and what its times in each are worth together."""

    commits: Numbers
    times: Floats

    @property
    def size(self) -> int:
        """How many bytes it takes."""
        return int(self.commits.nbytes + self.times.nbytes)


class CommitSearch(WordSearch):
    """The words of an index by commits, within one snapshot."""

    def scored_commits(
        self, words: WordQuery, weights: Weights, allowed: FtsFilter, limit: int
    ) -> list[tuple[int, float]]:
        """The commits that hold words, best first, each by the hunk that holds most of them."""
        columns = named_columns(words.columns)
        held = self._held(words.selecting, columns)
        owners = self._owners()
        weighting = Weighting.of(weights, columns)
        by_commits = self._by_commits(words.selecting, held, owners, weighting)
        is_found = np.zeros(owners.commits, bool)
        found: Numbers | None = None
        if allowed.everything and self._kept is None and columns.all():
            for each in by_commits:
                is_found[each.commits] = True
        else:  # which commits depends on which of their texts
            found = self._allowed(held, columns, allowed)
            is_found[owners.of_text[found]] = True
        commits = np.flatnonzero(is_found)
        if not len(commits):
            return []
        common = self._held(words.common, columns)
        by_commits += self._by_commits(words.common, common, owners, weighting)
        scores, worths = self._commit_scores(by_commits, commits, owners)
        best = best_of(scores, commits, limit)
        if found is None:
            texts, held = self._held_texts(commits[best], held, common, owners)
        else:
            is_best = np.zeros(owners.commits, bool)
            is_best[commits[best]] = True
            texts, held = found[is_best[owners.of_text[found]]], [*held, *common]
        of_texts = self._text_scores(held, texts, worths, weighting)
        firsts = _best_texts(texts, owners.of_text[texts], of_texts, commits[best])
        return list(zip(self._hunks(firsts).tolist(), scores[best].tolist(), strict=True))

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

    @cached_property
    def _there(self) -> NDArray[np.bool_]:
        """Which commits have a text that still counts."""
        owners = self._owners()
        found: NDArray[np.bool_] = np.bincount(owners.of_text[self._kept], minlength=owners.commits) > 0
        return found

    def _by_commits(
        self, written: Sequence[str], held: Sequence[Held], owners: _Owners, weighting: Weighting
    ) -> list[_HeldByCommits]:
        """What the commits hold of each word; where all texts count, worked out once for all readers."""
        if self._kept is not None:
            return [self._added_up(each, owners, weighting) for each in held]
        state = (self._state, tuple(weighting.weights.tolist()))
        return [
            self._session.shared((state, word), partial(self._added_up, each, owners, weighting))
            for word, each in zip(written, held, strict=True)
        ]

    def _added_up(self, held: Held, owners: _Owners, weighting: Weighting) -> _HeldByCommits:
        kept = self._kept
        worths = held.weighted(weighting)
        if kept is not None:
            worths = worths * kept[held.changed]
        times = np.zeros(owners.commits)
        # A message once, in however many units it stands.
        of_units = owners.of_unit.take(held.units)
        times[of_units] = weighting.weights[0] * held.times
        of_texts = owners.of_text.take(held.changed)
        times += np.bincount(of_texts, worths, owners.commits)
        is_holding = np.zeros(owners.commits, bool)
        is_holding[of_units] = True
        is_holding[of_texts] = True
        if kept is not None:
            is_holding &= self._there
        commits = np.flatnonzero(is_holding)
        return _HeldByCommits(commits, times[commits])

    def _commit_scores(
        self, held: Sequence[_HeldByCommits], commits: Numbers, owners: _Owners
    ) -> tuple[Floats, list[float]]:
        """The BM25 of some commits, and what each word is worth where commits are texts."""
        lengths, total = owners.lengths, owners.commits
        if self._kept is not None:
            lengths = _added_up(self._texts.lengths * self._kept, owners.of_text, owners.commits)
            total = int(np.count_nonzero(self._there))
        average = (self._words / total if total else 0.0) or 1.0
        norms = COMMIT_K1 * (1.0 - COMMIT_B + COMMIT_B * lengths[commits] / average)
        places = np.full(owners.commits, -1)
        places[commits] = np.arange(len(commits))
        scores, found = np.zeros(len(commits)), list[float]()
        for each in held:
            worth = idf(total, int(np.count_nonzero(each.times)))
            at = places.take(each.commits)
            asked = np.flatnonzero(at >= 0)
            at, some = at[asked], each.times[asked]
            scores[at] += worth * (some * (COMMIT_K1 + 1.0) / (some + norms[at]))
            found.append(worth)
        return scores, found

    def _held_texts(
        self, commits: Numbers, selecting: Sequence[Held], common: Sequence[Held], owners: _Owners
    ) -> tuple[Numbers, list[Held]]:
        """The texts of some commits that hold a selecting word, and what all words hold of these commits."""
        is_asked = np.zeros(owners.commits, bool)
        is_asked[commits] = True
        of_unit = is_asked[owners.of_unit]
        texts = self._texts.of_units(np.flatnonzero(of_unit))
        is_among, is_held = np.zeros((2, self._size), bool)
        is_among[texts] = True
        narrowed = [each.narrowed(is_among) for each in (*selecting, *common)]
        for each, some in zip(selecting, narrowed, strict=False):
            is_held[some.changed] = True
            is_held[self._texts.of_units(each.units[of_unit[each.units]])] = True
        return texts[is_held[texts]], narrowed

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
