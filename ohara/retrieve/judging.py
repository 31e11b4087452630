"""Judges the first hits of a ranking: whether they are an answer, and which word of the query was a slip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import NOWHERE, Intent
from ohara.records import dataclass
from ohara.retrieve.proximity import rarities
from ohara.retrieve.relevance import (
    corrected,
    is_judged,
    is_relevant,
    rare_first,
    telling_of,
    telling_words,
    unknown_tokens,
    written_out,
)
from ohara.suggest import edits

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ohara.model import HunkId, Query
    from ohara.retrieve.ranking import ScoredHunk
    from ohara.store.answers import StoredHunk
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader

# A slip is one edit in a short word and two in a long one; shorter words are near to too many others.
_SHORTEST, _LONG = 5, 7

NOTHING = 'nothing relevant was found: try other words, fewer filters, or "quoted text" for an exact search'


@dataclass(frozen=True, slots=True)
class Verdict:
    """The hits that stand, and what is to be said of the query and of them."""

    shown: list[ScoredHunk]
    notes: tuple[str, ...] = ()


def judge(
    reader: Reader,
    *,
    query: Query,
    shown: Sequence[ScoredHunk],
    rows: Mapping[HunkId, StoredHunk],
    allowed: Allowed,
    known: Collection[str] = (),
) -> Verdict:
    """What of a ranking's first hits stands; none when they are no answer.

    Words that are `known` to another index of the same search are no slips.
    """
    if not reader.hunk_count():  # what stands in nothing may stand anywhere
        return Verdict(list(shown), _nothing(shown))
    words = telling_words(query)
    frequencies = reader.document_frequencies(words)
    rarity = rarities(words, frequencies.__getitem__, reader.hunk_count())
    telling = telling_of(rarity, frequencies, reader.hunk_count())
    unknown = unknown_tokens(query.words, frequencies)
    meant = _meant(reader, {token: word for token, word in unknown.items() if word not in known}, allowed)
    notes = _did_you_mean(query, meant)
    if not is_judged(query):
        return Verdict(list(shown), notes or _nothing(shown))
    forgiven = {unknown[token] for token in meant}
    if not shown or not is_relevant(telling, shown, rows, forgiven):
        return Verdict([], (NOTHING, *notes, *_nowhere([token for token in unknown if token not in meant])))
    if telling.rare and query.intent is Intent.NONE:
        return Verdict(rare_first(telling.rare, shown, rows), notes)
    return Verdict(list(shown), notes)


def _nothing(shown: Sequence[ScoredHunk]) -> tuple[str, ...]:
    return () if shown else (NOTHING,)


def _nowhere(tokens: Sequence[str]) -> tuple[str, ...]:
    if not tokens:
        return ()
    verb = "stands" if len(tokens) == 1 else "stand"
    return (f"{' and '.join(tokens)} {verb} {NOWHERE}",)


def _did_you_mean(query: Query, meant: Mapping[str, str]) -> tuple[str, ...]:
    if not meant:
        return ()
    tokens = " and ".join(meant)
    verb = "stands" if len(meant) == 1 else "stand"
    return (f"{tokens} {verb} nowhere in this history: did you mean {corrected(query.words, meant)!r}?",)


def _meant(reader: Reader, unknown: Mapping[str, str], allowed: Allowed) -> dict[str, str]:
    """What mistyped words were meant to be, by the index's own vocabulary; few are near to any."""
    meant: dict[str, str] = {}
    for token, word in unknown.items():
        if len(word) < _SHORTEST:
            continue
        within = 2 if len(word) >= _LONG else 1
        near = [
            (distance, -rows, other)
            for other, rows in reader.similar_words(word, within)
            if (distance := edits(word, other)) <= within
        ]
        if near:
            meant[token] = _written(reader, min(near)[2], allowed)
    return meant


def _written(reader: Reader, stem: str, allowed: Allowed) -> str:
    """A word of the vocabulary as people write it."""
    at = reader.holding_all((stem,), (), allowed, oldest=False, limit=1)
    rows = reader.hydrate(one.hunk for one in at)
    return next((written_out(stem, row) for row in rows.values()), stem)
