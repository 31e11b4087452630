"""Lifts commits whose message says nothing, so that they are judged by what they did. Pure.

A message adds to a commit's score and is never held against it, so one that says "fix" loses to commits that
merely mention the words of a question. How little a message says is told by how common its words are among
the messages of the history (`store/facts`): "address review comments" is long and says nothing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ohara.records import replace
from ohara.retrieve.lanes.commit_text import CommitTextLane
from ohara.store.message_words import words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping, Sequence

    from ohara.model import HunkId
    from ohara.retrieve.ranking import ScoredHunk
    from ohara.store.answers import StoredHunk
    from ohara.store.message_words import MessageWords

# A message that tells fifteen nats is no riddle: three rare words. One that tells less than five says none.
TELLING, SILENT = 15.0, 5.0

# What a silent commit's fused score gets (the best is 1): for its silence alone, and for what the commit text
# lane says of it, which is then all that it did.
FLAT, BY_CHANGE = 0.05, 0.2

_FEWEST_COMMITS = 200  # in a younger history every word is rare


def silence_of(message: str, known: MessageWords) -> float:
    """How little a message says: 1 nothing, 0 enough."""
    held, commits, rarest = known.counts.get, known.commits, known.rarest
    told = math.fsum([math.log(commits / max(held(word, 0), rarest)) for word in words_of(message)])
    return min(1.0, max(0.0, (TELLING - told) / (TELLING - SILENT)))


def lifted(
    pooled: Sequence[ScoredHunk],
    rows: Mapping[HunkId, StoredHunk],
    known: MessageWords | None,
    silences: MutableMapping[int, float],
) -> Sequence[ScoredHunk]:
    """The hunks with their fused scores, those of silent commits raised; the best is 1 again.

    `silences` is what is known already of commits, and more is known afterwards: questions come back to them.
    """
    best = max((one.lane_scores.get(CommitTextLane.name, 0.0) for one in pooled), default=0.0)
    if known is None or known.commits < _FEWEST_COMMITS or not best:
        return pooled
    found = [one for one in pooled if one.hunk in rows]
    raised: list[float] = []
    for one in found:
        row = rows[one.hunk]
        silence = silences.get(row.commit_id)
        if silence is None:
            silence = silences[row.commit_id] = silence_of(row.commit.message, known)
        held = one.lane_scores.get(CommitTextLane.name, 0.0) / best
        raised.append(one.fused + silence * (FLAT + BY_CHANGE * held))
    highest = max(raised, default=1.0) or 1.0
    return [replace(one, fused=fused / highest) for one, fused in zip(found, raised, strict=True)]
