"""Compares the first hunks of a ranking with the query: by a cross-encoder, and by how they are worded.

Within one index that is a matter of its own ranking (`Alone`). Where several indexes are searched, their
first hunks are read together: a score says nothing beside what it was not compared with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ohara.model import LaneReport, LaneStatus
from ohara.records import dataclass
from ohara.retrieve import rerank as reranking
from ohara.retrieve.proximity import proximities, rarities

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ohara.embed.encoder import Reranker
    from ohara.retrieve.merge import SortKey
    from ohara.retrieve.proximity import Proximity


@dataclass(frozen=True, slots=True)
class WordCounts:
    """In how many hunks of an index each word of a query stands, and how many hunks there are."""

    rows: Mapping[str, int]
    hunks: int


@dataclass(frozen=True, slots=True)
class Shortlist:
    """The first hunks of an index, best first, as they are read; `commits` are those that they belong to.

    `fused` is what the lanes gave each, `reads` whether the cross-encoder is asked.
    """

    words: str
    documents: tuple[str, ...]
    commits: tuple[int, ...]
    fused: tuple[float, ...]
    counts: WordCounts
    reads: bool
    timeout_s: float


@dataclass(frozen=True, slots=True)
class Opinion:
    """What was made of one hunk: the cross-encoder's score (None when it was not asked), and its wording."""

    model: float | None
    wording: Proximity


@dataclass(frozen=True, slots=True)
class Compared:
    """The opinions of the hunks that were read, by their place in the shortlist; None when none was.

    `known` are words of the query that stand in some index that was searched along with this one.
    """

    opinions: Mapping[int, Opinion] | None
    report: LaneReport
    known: frozenset[str] = frozenset()


UNCOMPARED = Compared(None, LaneReport(reranking.NAME, LaneStatus.OFF, 0, 0.0))
"""What is made of hunks that nobody reads."""


class Comparer(Protocol):
    """Compares the first `depth` hunks of one index with the query."""

    @property
    def depth(self) -> int:
        """How many hunks it wants to see."""
        ...

    async def compare(self, first: Shortlist) -> Compared:
        """What is made of each."""
        ...


class Beside(Comparer, Protocol):
    """Compares the first hunks of one index with those of others, and tells what is wanted of the rest."""

    async def is_wanted(self) -> bool:
        """Whether an index of which nothing was read is looked at further: the others may have enough."""
        ...

    async def share(self, keys: Sequence[SortKey], *, is_all: bool) -> int | None:
        """How many hits of a first tier, told by their keys, are among the first of all.

        None when those are not settled yet: then as many are needed as if this index was searched alone.
        """
        ...


@dataclass(frozen=True, slots=True)
class Alone:
    """Compares the hunks of one index among themselves."""

    reranker: Callable[[], Reranker | None]
    depth: int = reranking.DEPTH

    async def compare(self, first: Shortlist) -> Compared:
        """What the cross-encoder and the wording make of each; nothing without the cross-encoder."""
        if not first.reads:
            return UNCOMPARED
        answer = await reranking.rerank(
            self.reranker, first.words, first.documents, timeout_s=first.timeout_s
        )
        if answer.opinions is None:
            return Compared(None, answer.report)
        said = wordings(first.words, first.documents, first.commits, first.counts)
        opinions = {
            place: Opinion(score, wording)
            for place, (score, wording) in enumerate(zip(answer.opinions, said, strict=True))
        }
        return Compared(opinions, answer.report)


def wordings(
    words: str, documents: Sequence[str], commits: Sequence[object], counts: WordCounts
) -> list[Proximity]:
    """How near each document's commit is to the query by its words, the rarer the more."""
    rarity = rarities(counts.rows, counts.rows.__getitem__, counts.hunks)
    return proximities(words, rarity, documents, commits)
