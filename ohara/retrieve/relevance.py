"""Tells an answer from what merely came nearest, and a slip of the keyboard from a word. Pure.

A question about something that a history knows nothing of still finds hunks: they hold its common words. What
tells them apart is how much of the question the best of them hold, each word counted by its rarity; a word
that stands nowhere counts most. A short question must be held by half, a long one by less: nobody repeats a
whole sentence. What a model of meaning finds very near is an answer, whatever its words.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from ohara.model import Intent, Mode, QueryClass
from ohara.query.intent import read_intent
from ohara.records import dataclass
from ohara.words import index_text, query_terms

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from ohara.model import HunkId, Query
    from ohara.retrieve.ranking import ScoredHunk
    from ohara.store.answers import StoredHunk

# The least share that the best hits hold of a question of up to so many words.
NEEDED = ((4, 0.5), (8, 0.35), (1_000, 0.25))

NEAR = 0.75  # a cosine from which on meaning alone is enough
# A word that stands nowhere counts so many times the rarest that stands somewhere: in a history of few words,
# where all of them are common, one that is missing must not be all that counts.
UNKNOWN_TIMES = 1.5
# A young history knows few words, and that one is missing says little: counted in full from so many hunks on,
# below that by the logarithm.
WELL_READ = 10_000

LOOKED_AT = 10  # of the first hits: an answer is among them or not seen

# One word of a short question that is rare where all others are common is what it is about; a sentence has
# other words for that.
SHORT = 4
RARE_SHARE = 0.0005
RARE_ROWS = 20
TIMES_RARER = 8

_TOKEN = re.compile(r"[^\W_](?:[\w-]*\w)?")


@dataclass(frozen=True, slots=True)
class Telling:
    """The words that tell one change from another: how rare each is, and in how many hunks it stands."""

    rarity: Mapping[str, float]
    rows: Mapping[str, int]
    hunks: int

    @property
    def rare(self) -> str | None:
        """The one word that is rare where all others are common; none when there is no such word."""
        if not 1 < len(self.rows) <= SHORT:
            return None
        (first, least), (_, second) = sorted(self.rows.items(), key=lambda item: item[1])[:2]
        bound = max(RARE_ROWS, self.hunks * RARE_SHARE)
        return first if 0 < least <= bound and second >= TIMES_RARER * least else None


def telling_of(rarity: Mapping[str, float], rows: Mapping[str, int], hunks: int) -> Telling:
    """The words of a query by their rarity, those that stand nowhere bounded by those that do."""
    rarest = max((value for word, value in rarity.items() if rows[word]), default=1.0)
    most = UNKNOWN_TIMES * rarest * min(1.0, math.log(max(hunks, 2), WELL_READ))
    bounded = {word: value if rows[word] else min(value, most) for word, value in rarity.items()}
    return Telling(bounded, rows, hunks)


def telling_words(query: Query) -> tuple[str, ...]:
    """The words by which an answer is judged; of a question, those of the thing that it is about."""
    if query.intent is Intent.NONE:
        return query_terms(query.words)
    return query_terms(" ".join(read_intent(query.words, query.intent).subject))


def is_judged(query: Query) -> bool:
    """True for queries whose answers are judged: prose alone, which says nothing of where it may be."""
    asks = query.query_class is QueryClass.PROSE and query.mode is Mode.AUTO
    return asks and not query.patterns and not query.is_filtered


def words_of(row: StoredHunk) -> frozenset[str]:
    """All that a hunk and its message say, in index words."""
    return frozenset(index_text(f"{row.commit.message}\n{row.path}\n{row.header}\n{row.body}").split())


def shares(
    telling: Telling,
    shown: Sequence[ScoredHunk],
    rows: Mapping[HunkId, StoredHunk],
    forgiven: Collection[str] = (),
) -> Iterator[float]:
    """The share of the question that each of the first hits holds; forgiven words do not count."""
    rarity = {word: value for word, value in telling.rarity.items() if word not in forgiven}
    whole = sum(rarity.values())
    if not whole:
        yield 1.0
        return
    for one in shown[:LOOKED_AT]:
        yield sum(rarity[word] for word in rarity.keys() & words_of(rows[one.hunk])) / whole


def is_relevant(
    telling: Telling,
    shown: Sequence[ScoredHunk],
    rows: Mapping[HunkId, StoredHunk],
    forgiven: Collection[str] = (),
) -> bool:
    """True when the first hits are an answer, and not only what came nearest."""
    if any(score >= NEAR for one in shown[:LOOKED_AT] for score in _cosines(one)):
        return True
    needed = next(share for words, share in NEEDED if len(telling.rarity) <= words)
    return any(share >= needed for share in shares(telling, shown, rows, forgiven))


def _cosines(one: ScoredHunk) -> list[float]:
    return [score for lane, score in one.lane_scores.items() if lane in {"vector", "commit"}]


def rare_first(rare: str, shown: Sequence[ScoredHunk], rows: Mapping[HunkId, StoredHunk]) -> list[ScoredHunk]:
    """Hits whose hunk or message holds the rare word above all others; both keep their order."""
    holding = [one for one in shown if rare in words_of(rows[one.hunk])]
    there = {one.hunk for one in holding}
    return [*holding, *(one for one in shown if one.hunk not in there)]


# -- slips ---------------------------------------------------------------------------------------


def unknown_tokens(words: str, rows: Mapping[str, int]) -> dict[str, str]:
    """The written words that stand nowhere, each with the index word that it was looked up by."""
    unknown: dict[str, str] = {}
    for token in dict.fromkeys(_TOKEN.findall(words)):
        indexed = index_text(token).split()
        if indexed and indexed[0] in rows and not rows[indexed[0]] and indexed[0].isalpha():
            unknown[token] = indexed[0]
    return unknown


def corrected(words: str, meant: Mapping[str, str]) -> str:
    """The query with words put in place of those that were mistyped."""
    return _TOKEN.sub(lambda token: meant.get(token[0], token[0]), words)


def written_out(stem: str, row: StoredHunk) -> str:
    """A word as people write it, from a hunk that holds its stem; the stem itself when none is found."""
    text = f"{row.commit.message}\n{row.header}\n{row.body}\n{row.path}"
    found = [word for word in re.findall(r"[^\W\d_]{3,}", text) if index_text(word.lower()).split() == [stem]]
    return min((word.lower() for word in found), key=lambda word: (len(word), word), default=stem)
