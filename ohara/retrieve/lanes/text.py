"""The text lane: BM25 over messages, paths, headers and lines, scored by every word of the query.

Rows are selected by the query's rarest words and scored by all of them: walking the rows of common words
costs most of the time and finds nothing new, yet leaving them out of the score loses answers. An exact name,
issue number or path is looked for as such first, and pinned.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ohara.model import Mode, QueryClass
from ohara.retrieve.lane import Lane
from ohara.retrieve.ranking import HUNKS_PER_COMMIT, Candidate, made_candidate, ranking
from ohara.retrieve.word_choice import Bounds, choose, columns_of
from ohara.store.answers import WordQuery
from ohara.words import index_text, query_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.model import HunkId, Query
    from ohara.retrieve.lane import LaneQuery
    from ohara.retrieve.profile import Profile
    from ohara.retrieve.ranking import Ranking
    from ohara.store.answers import ScoredByWords
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader

# Words select rows while all of them together have no more than these: a bound on the lane's time that does
# not grow with the history. The rarest three select up to a further bound, and the rarest in any case.
SELECTED_ROWS = 8_000
FEWEST_SELECTING = 3
MOST_ROWS = 32_000

# BM25 in an index counts the rows of every word it scores by, one after the other. The rarest score while all
# of them together have no more rows than these; only questions in histories of a million hunks have more.
SCORED_ROWS = 1_000_000

# A pasted page has hundreds of words; the rarest of them find what it is about.
MOST_WORDS = 48

# Rows taken from the word table before commits are capped. All hunks of a commit share its message, so where
# one of hundreds of hunks crowds out the others more rows are taken.
_ROWS_PER_HIT = 4
_ROWS_PER_HIT_IN_A_CROWD = 40

_EXACT = frozenset({QueryClass.SYMBOL, QueryClass.ISSUE})


class TextLane(Lane):
    """Finds hunks by the words of their message, path, header and lines."""

    name = "text"
    modes = frozenset({Mode.TEXT})

    def find(self, reader: Reader, asked: LaneQuery) -> Ranking:
        """The best hunks for a query's words."""
        return rank(reader, asked.query, asked.profile, asked.allowed, limit=asked.limit)


def rank(reader: Reader, query: Query, profile: Profile, allowed: Allowed, *, limit: int) -> Ranking:
    """Search in this thread."""
    found: dict[HunkId, Candidate] = {}
    pinned: list[HunkId] = []
    if query.query_class is QueryClass.PATH:
        found = _at_path(reader, query.words, allowed, limit)
        pinned = list(found)
    elif query.query_class in _EXACT:
        names = WordQuery(_names(query), columns=columns_of(query, profile))
        found = _candidates(_scored(reader, names, profile, allowed, limit), profile)
        pinned = list(found)
    if len(found) < limit:
        words = choose_words(reader, query_terms(query.words), columns_of(query, profile))
        if words.selecting:
            more = _candidates(_scored(reader, words, profile, allowed, limit), profile)
            found = {**more, **found} if pinned else more
    # Fewer rows than were asked for is all there is, however many of one commit are left out.
    whole = len(found) < limit * _ROWS_PER_HIT
    return ranking(TextLane.name, found.values(), limit, pinned=pinned, whole=whole)


def choose_words(reader: Reader, terms: Sequence[str], columns: tuple[str, ...] = ()) -> WordQuery:
    """Which words select rows and which only score."""
    bounds = Bounds(SELECTED_ROWS, FEWEST_SELECTING, MOST_ROWS, SCORED_ROWS, MOST_WORDS)
    return choose(reader, terms, columns, bounds)


def _names(query: Query) -> tuple[str, ...]:
    """The names in a query, in the index's spelling."""
    return tuple(filter(None, map(index_text, query.words.split())))


def _scored(
    reader: Reader, words: WordQuery, profile: Profile, allowed: Allowed, limit: int
) -> list[ScoredByWords]:
    rows = reader.by_words(words, profile.weightings, allowed, limit * _ROWS_PER_HIT)
    crowd = Counter([at.commit for at, _ in rows])
    kept = sum(min(count, HUNKS_PER_COMMIT) for count in crowd.values())
    if kept < limit and len(rows) == limit * _ROWS_PER_HIT:
        return reader.by_words(words, profile.weightings, allowed, limit * _ROWS_PER_HIT_IN_A_CROWD)
    return rows


def _candidates(found: Iterable[ScoredByWords], profile: Profile) -> dict[HunkId, Candidate]:
    """One score from those of all weightings, each scaled by this query's best.

    A merge without lines of its own repeats in its message what a commit it merges has done: it counts less,
    before scaling, lest its short text set the scale.
    """
    rows = [one for one in found if one.scores]
    if not rows:
        return {}
    hunks, _, times, shas, lineless, merges = zip(*[at for at, _ in rows], strict=True)
    repeating = [place for place, both in enumerate(zip(lineless, merges, strict=True)) if all(both)]
    total = sum(share for _, share in profile.weightings)
    mixed = [0.0] * len(rows)
    of_weightings = zip(*[scores for _, scores in rows], strict=True)
    for (_, share), of_rows in zip(profile.weightings, of_weightings, strict=True):
        scores = list(of_rows)
        for place in repeating:
            scores[place] *= profile.lineless_merge
        best = max(scores)
        if best > 0:
            mixed = [so_far + share * score / best for so_far, score in zip(mixed, scores, strict=True)]
    shares = [score / total for score in mixed]
    return dict(zip(hunks, map(made_candidate, zip(hunks, shares, times, shas, strict=True)), strict=True))


def _at_path(reader: Reader, written: str, allowed: Allowed, limit: int) -> dict[HunkId, Candidate]:
    """The hunks at a path, newest best."""
    newest = reader.at_path(written, allowed, limit * _ROWS_PER_HIT)
    return {
        at.hunk: Candidate(at.hunk, 1.0 - place / (len(newest) + 1), at.time, at.sha)
        for place, at in enumerate(newest)
    }
