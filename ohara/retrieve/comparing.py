"""Compares the first hunks of a ranking with the query: by a cross-encoder, and by how they are worded.

Within one index that is a matter of its own ranking (`Alone`). Where several indexes are searched, their
first hunks are read together: a score says nothing beside what it was not compared with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ohara.model import LaneReport, LaneStatus
from ohara.retrieve import rerank as reranking
from ohara.retrieve.proximity import proximities, rarities

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from ohara.embed.encoder import Reranker
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
    counts: Callable[[], Awaitable[WordCounts]]
    reads: bool
    timeout_s: float


@dataclass(frozen=True, slots=True)
class Opinion:
    """What was made of one hunk: the cross-encoder's score (None when it was not asked), and its wording."""

    model: float | None
    wording: Proximity


@dataclass(frozen=True, slots=True)
class Compared:
    """The opinions of the hunks that were read, by their place in the shortlist; None when none was."""

    opinions: Mapping[int, Opinion] | None
    report: LaneReport


class Comparer(Protocol):
    """Compares the first `depth` hunks of one index with the query."""

    @property
    def depth(self) -> int:
        """How many hunks it wants to see."""
        ...

    async def compare(self, first: Shortlist) -> Compared:
        """What is made of each."""
        ...


@dataclass(frozen=True, slots=True)
class Alone:
    """Compares the hunks of one index among themselves."""

    reranker: Callable[[], Reranker | None]
    depth: int = reranking.DEPTH

    async def compare(self, first: Shortlist) -> Compared:
        """What the cross-encoder and the wording make of each; nothing without the cross-encoder."""
        if not first.reads:
            return Compared(None, LaneReport(reranking.NAME, LaneStatus.OFF, 0, 0.0))
        answer = await reranking.rerank(
            self.reranker, first.words, first.documents, timeout_s=first.timeout_s
        )
        if answer.opinions is None:
            return Compared(None, answer.report)
        counts = await first.counts()
        said = wordings(first.words, first.documents, first.commits, counts)
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
