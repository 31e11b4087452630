"""Lifts commits whose message says nothing, so that they are judged by what they did. Pure.

A message adds to a commit's score and is never held against it, so one that says "fix" loses to commits that
merely mention the words of a question. How little a message says is told by how common its words are among
the messages of the history (`store/facts`): "address review comments" is long and says nothing. The merge
that brought such a commit in often says what it did not.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ohara.records import replace
from ohara.retrieve.lanes.commit_text import CommitTextLane
from ohara.retrieve.proximity import rarities
from ohara.store.message_words import words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.model import HunkId
    from ohara.retrieve.comparing import WordCounts
    from ohara.retrieve.ranking import ScoredHunk
    from ohara.store.answers import StoredHunk
    from ohara.store.message_words import MessageWords

# A message that tells fifteen nats is no riddle: three rare words. One that tells less than five says none.
TELLING, SILENT = 15.0, 5.0

# What a silent commit's fused score gets (the best is 1): for its silence alone, for what the commit text
# lane says of it, which is then all that it did, and for what its merge says of the question.
FLAT, BY_CHANGE, BY_MERGE = 0.05, 0.2, 0.2

# From here on a commit is read under the title of its merge, if that says more.
RETITLED = 0.5
TITLE_CHARS = 160  # beyond, they would push the lines out of what a reranker reads

FEWEST_COMMITS = 200  # in a younger history every word is rare


def silence_of(message: str, known: MessageWords) -> float:
    """How little a message says: 1 nothing, 0 enough."""
    held, commits, rarest = known.counts.get, known.commits, known.rarest
    told = math.fsum([math.log(commits / max(held(word, 0), rarest)) for word in words_of(message)])
    return min(1.0, max(0.0, (TELLING - told) / (TELLING - SILENT)))


def said_of(messages: Mapping[int, str], counts: WordCounts) -> dict[int, float]:
    """How much of a question each message says, its words by their rarity."""
    rarity = rarities(counts.rows, counts.rows.__getitem__, counts.hunks)
    whole = math.fsum(rarity.values()) or 1.0
    return {
        commit: math.fsum(map(rarity.__getitem__, rarity.keys() & words_of(message))) / whole
        for commit, message in messages.items()
    }


def lifted(
    pooled: Sequence[ScoredHunk],
    rows: Mapping[HunkId, StoredHunk],
    silences: Mapping[int, float],
    by_merge: Mapping[int, float],
) -> Sequence[ScoredHunk]:
    """The hunks with their fused scores, those of silent commits raised; the best is 1 again.

    `silences` tells how silent each commit is, `by_merge` how much of the question its merge says.
    """
    best = max((one.lane_scores.get(CommitTextLane.name, 0.0) for one in pooled), default=0.0)
    if not silences or not best:
        return pooled
    found = [one for one in pooled if one.hunk in rows]
    raised: list[float] = []
    for one in found:
        commit = rows[one.hunk].commit_id
        held = one.lane_scores.get(CommitTextLane.name, 0.0) / best
        more = FLAT + BY_CHANGE * held + BY_MERGE * by_merge.get(commit, 0.0)
        raised.append(one.fused + silences[commit] * more)
    highest = max(raised, default=1.0) or 1.0
    return [replace(one, fused=fused / highest) for one, fused in zip(found, raised, strict=True)]


def titles_of(
    messages: Mapping[int, str], silences: Mapping[int, float], known: MessageWords
) -> dict[int, str]:
    """What silent commits are read under: the title of their merge, where it says more than they do."""
    silent = {commit: _title(message) for commit, message in messages.items() if silences[commit] >= RETITLED}
    return {commit: title for commit, title in silent.items() if silence_of(title, known) < silences[commit]}


def _title(message: str) -> str:
    """What a merge says of what it brings in: the lines below its subject, or else the subject."""
    subject, _, below = message.strip().partition("\n")
    return (" ".join(below.split()) or subject)[:TITLE_CHARS]
