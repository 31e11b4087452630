"""Compares the first hunks of several indexes: one reading by the cross-encoder, one count of rare words.

What an index thinks of its own hunks says nothing beside another's, so each contributes by rank: its first
few are looked at, and those that hold most of the query are read by the cross-encoder, together and once. A
word counts by how rare it is in all indexes together.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import anyio

from ohara.model import LaneReport, LaneStatus
from ohara.records import dataclass
from ohara.retrieve import rerank as reranking
from ohara.retrieve.comparing import Compared, Opinion, WordCounts, wordings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from ohara.embed.encoder import Reranker
    from ohara.retrieve.comparing import Shortlist
    from ohara.retrieve.profile import Blend
    from ohara.retrieve.proximity import Proximity

# Of each index: what stands lower in its own order is rarely the answer of all.
FIRST_OF_EACH = 15


@dataclass(frozen=True, slots=True)
class _Entry:
    """A hunk of a shortlist: whose it is, where it stands there, and its worth before it is read."""

    member: int
    place: int
    document: str
    wording: Proximity
    worth: float


async def read_together(
    shortlists: Mapping[int, Shortlist], reranker: Callable[[], Reranker | None], blend: Blend
) -> dict[int, Compared]:
    """What is made of the hunks of each index, beside those of all others."""
    counts = _joint_counts(shortlists.values())
    entries = await anyio.to_thread.run_sync(_entries, shortlists, counts, blend)
    read = sorted(entries, key=lambda one: (-one.worth, one.place, one.member))[: reranking.DEPTH]
    opinions: Sequence[float | None] = [None] * len(read)
    report = LaneReport(reranking.NAME, LaneStatus.OFF, 0, 0.0)
    asked = next(iter(shortlists.values()), None)
    if asked is not None and asked.reads:
        answer = await reranking.rerank(
            reranker, asked.words, [one.document for one in read], timeout_s=asked.timeout_s
        )
        report, opinions = answer.report, answer.opinions or opinions
    found: dict[int, dict[int, Opinion]] = {member: {} for member in shortlists}
    for one, opinion in zip(read, opinions, strict=True):
        found[one.member][one.place] = Opinion(opinion, one.wording)
    known = frozenset(word for word, rows in counts.rows.items() if rows)
    return {member: Compared(said, report, known) for member, said in found.items()}


def _joint_counts(shortlists: Collection[Shortlist]) -> WordCounts:
    rows: Counter[str] = Counter()
    for first in shortlists:
        rows.update(first.counts.rows)
    return WordCounts(rows, sum(first.counts.hunks for first in shortlists))


def _entries(shortlists: Mapping[int, Shortlist], counts: WordCounts, blend: Blend) -> list[_Entry]:
    entries = []
    for member, first in shortlists.items():
        said = wordings(first.words, first.documents, first.commits, counts)
        entries += [
            _Entry(member, place, document, wording, blend.value(fused, None, wording))
            for place, (document, fused, wording) in enumerate(
                zip(first.documents, first.fused, said, strict=True)
            )
        ]
    return entries
