"""Judges commits whose message says nothing by what they did, and lifts them. Pure.

A message adds to a commit's score and is never held against it, so one that says "fix" loses to commits that
merely mention the words of a question. How little a message says is told by how common its words are among
the messages of the history (`store/facts`): "address review comments" is long and says nothing.
"""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING

from ohara.records import replace
from ohara.retrieve.lanes.commit_text import CommitTextLane
from ohara.retrieve.lanes.text import TextLane
from ohara.store.message_words import words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.model import HunkId
    from ohara.retrieve.ranking import ScoredHunk
    from ohara.store.answers import StoredHunk
    from ohara.store.message_words import MessageWords

# A message that tells fifteen nats is no riddle: three rare words. One that tells less than five says none.
TELLING, SILENT = 15.0, 5.0

# What a silent commit's fused score gets (the best is 1): for its silence alone, and for what the commit text
# lane says of it, which is then all that it did.
FLAT, BY_CHANGE = 0.05, 0.1

_FEWEST_COMMITS = 200  # in a younger history every word is rare


def silence_of(message: str, known: MessageWords) -> float:
    """How little a message says: 1 nothing, 0 enough."""
    told = math.fsum(
        math.log(known.commits / max(known.counts.get(word, 0), known.rarest)) for word in words_of(message)
    )
    return min(1.0, max(0.0, (TELLING - told) / (TELLING - SILENT)))


def lifted(
    pooled: Sequence[ScoredHunk], rows: Mapping[HunkId, StoredHunk], known: MessageWords | None
) -> Sequence[ScoredHunk]:
    """The hunks with their fused scores, those of silent commits raised; the best is 1 again.

    Who reranks is told how much more of the query a silent commit holds as a whole than the hunk does
    (`whole`), each against the mean of all hunks: so silence itself gains nothing by that.
    """
    there = [one for one in pooled if one.hunk in rows]
    whole, single = _over_best(there, CommitTextLane.name), _over_best(there, TextLane.name)
    if known is None or known.commits < _FEWEST_COMMITS or not any(whole):
        return pooled
    more = [by_commit - by_hunk for by_commit, by_hunk in zip(whole, single, strict=True)]
    usual = fmean(more)
    silences: dict[int, float] = {}
    found: list[ScoredHunk] = []
    for one, held, more_held in zip(there, whole, more, strict=True):
        row = rows[one.hunk]
        if row.commit_id not in silences:
            silences[row.commit_id] = silence_of(row.commit.message, known)
        silence = silences[row.commit_id]
        fused = one.fused + silence * (FLAT + BY_CHANGE * held)
        found.append(replace(one, fused=fused, whole=silence * (more_held - usual)))
    highest = max((one.fused for one in found), default=1.0) or 1.0
    return [replace(one, fused=one.fused / highest) for one in found]


def _over_best(hunks: Sequence[ScoredHunk], lane: str) -> list[float]:
    """A lane's scores over its best; 0 for a hunk that it did not find."""
    scores = [one.lane_scores.get(lane, 0.0) for one in hunks]
    best = max(scores, default=0.0) or 1.0
    return [score / best for score in scores]
