"""The commit text lane: BM25 in which a commit is one text, its message and all its hunks together.

What a change is about is spread over its hunks: the function here, the option there, the test that names the
case. A hunk holds a few of a question's words, the commit most of them. What a commit scores holds for every
hunk of it that another lane found (`of_commits`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ohara.retrieve.lane import Lane
from ohara.retrieve.ranking import Ranking, made_candidate, ranking
from ohara.retrieve.word_choice import Bounds, choose, columns_of
from ohara.words import query_terms

if TYPE_CHECKING:
    from ohara.model import Mode, Query
    from ohara.retrieve.lane import LaneQuery
    from ohara.retrieve.profile import Profile
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader

# The words of a question are spread over the hunks of a commit: more of them select than where hunks are
# found one by one. Common ones score until these rows are counted, as there.
BOUNDS = Bounds(selected=64_000, fewest=3, most=64_000, scored=1_000_000, words=48)

# Merges without lines of their own repeat what a commit did that they merge, and are the text lane's: so many
# times the commits are read, lest merges crowd the others out.
_WITH_MERGES = 2


class CommitTextLane(Lane):
    """Finds commits by the words of their message and of all their hunks."""

    name = "commit_text"
    modes: ClassVar[frozenset[Mode]] = frozenset()

    def find(self, reader: Reader, asked: LaneQuery) -> Ranking:
        """The best commits for a query's words, each by one of its hunks."""
        return rank(reader, asked.query, asked.profile, asked.allowed, limit=asked.limit)


def rank(reader: Reader, query: Query, profile: Profile, allowed: Allowed, *, limit: int) -> Ranking:
    """Search in this thread."""
    words = choose(reader, query_terms(query.words), columns_of(query, profile), BOUNDS)
    if not words.selecting:
        return Ranking(CommitTextLane.name)
    rows = reader.commits_by_words(words, profile.commit_weighting, allowed, limit * _WITH_MERGES)
    if rows is None:
        return Ranking(CommitTextLane.name, detail="words of former versions: ohara index converts them")
    found = [
        made_candidate((hunk, score, time, sha))
        for (hunk, _, time, sha, lineless, merge), (score,) in rows
        if not (lineless and merge)
    ]
    whole = len(rows) < limit * _WITH_MERGES
    return ranking(CommitTextLane.name, found, limit, of_commits=True, whole=whole)
