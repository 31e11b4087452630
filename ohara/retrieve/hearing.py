"""Hears out the silent among found commits: what their merges say is looked up, and counts for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.retrieve.commit_memory import merges_of, silences_of
from ohara.retrieve.silence import FEWEST_COMMITS, lifted, said_of, titles_of
from ohara.store.facts import MESSAGE_WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.model import HunkId
    from ohara.retrieve.comparing import WordCounts
    from ohara.retrieve.ranking import ScoredHunk
    from ohara.store.answers import StoredHunk
    from ohara.store.reading import Reader

    Titles = Mapping[int, str]


def hear_silent(
    reader: Reader, pooled: Sequence[ScoredHunk], rows: Mapping[HunkId, StoredHunk], counts: WordCounts
) -> tuple[Sequence[ScoredHunk], Titles]:
    """The hunks with those of silent commits lifted, and the titles that such commits are read under.

    A history that is too young to tell which messages say nothing has no silent commits.
    """
    known = reader.fact(MESSAGE_WORDS)
    if known is None or known.commits < FEWEST_COMMITS:
        return pooled, {}
    messages = {row.commit_id: row.commit.message for row in rows.values()}
    silences = silences_of(reader, messages, known)
    merges = merges_of(reader, [commit for commit, silence in silences.items() if silence > 0])
    heard = lifted(pooled, rows, silences, said_of(merges, counts))
    return heard, titles_of(merges, silences, known)
