"""Meaning and words in one statement: every hunk scored by both, each scaled to 0…1, the two added by weight.

The way of many search services, beside ohara's own (each lane takes its best, ranks are fused): for those who
ask the tables themselves, and to measure one against the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ohara.store.postgres.nearest import as_parameter, distance
from ohara.store.postgres.words import HUNKS, phrases, scoring
from ohara.store.sql.lane_queries import OCCURRENCE, occurrence

if TYPE_CHECKING:
    from ohara.store.answers import Occurrence, Weights, WordQuery
    from ohara.store.candidates import Gathered, Probe
    from ohara.store.postgres.filters import WordFilter
    from ohara.store.postgres.reader import Reader

V = TypeVar("V", bound="Gathered")

_JOINED = f"""{{scored}},
  near AS (SELECT content_id, -({{distance}})::float8 AS likeness FROM vec_content WHERE generation = ?),
  joined AS (
    SELECT hunk.id, coalesce(first.s0, 0) AS words,
      coalesce(near.likeness, (SELECT min(likeness) FROM near)) AS meaning
    FROM hunk LEFT JOIN first ON first.id = hunk.id LEFT JOIN near ON near.content_id = hunk.content_id
    WHERE {{allowed}}),
  bounds AS (
    SELECT min(words) AS low_words, greatest(max(words) - min(words), 1e-9) AS of_words,
      min(meaning) AS low_meaning, greatest(max(meaning) - min(meaning), 1e-9) AS of_meaning FROM joined),
  scaled AS (
    SELECT id, (words - low_words) / of_words AS words, (meaning - low_meaning) / of_meaning AS meaning
    FROM joined, bounds),
  nearest AS (
    SELECT id, words, meaning, ?::float8 * meaning + ?::float8 * words AS score FROM scaled
    ORDER BY score DESC, id LIMIT ?)
SELECT {OCCURRENCE}, score, meaning, words FROM nearest JOIN hunk ON hunk.id = nearest.id
  JOIN commits ON commits.id = hunk.commit_id ORDER BY score DESC, nearest.id"""


class HybridHit(NamedTuple):
    """A hunk with its score, and the two that it is made of, each from 0 to 1."""

    at: Occurrence
    score: float
    semantic: float
    fulltext: float


def hybrid(
    reader: Reader,
    words: WordQuery,
    probe: Probe[V],
    *,
    weights: Weights,
    model: str,
    allowed: WordFilter,
    limit: int,
    semantic_weight: float = 0.5,
    fulltext_weight: float = 0.5,
) -> list[HybridHit]:
    """The best hunks by meaning and words together; none without vectors of the model, or a known word."""
    generation = reader.generations().of(model)
    wanted = phrases(reader, words.selecting, words.columns)
    if generation is None or not wanted:
        return []
    asked = scoring(reader, HUNKS, wanted, weightings=[(weights, 1.0)], limit=reader.hunk_count())
    statement = _JOINED.format(
        scored=asked.sql,
        distance=distance(generation),
        allowed=allowed.condition,
    )
    rows = reader.rows(
        statement,
        (
            *asked.parameters,
            as_parameter(generation.form, probe.packed),
            generation.number,
            *allowed.parameters,
            semantic_weight,
            fulltext_weight,
            limit,
        ),
    )
    return [HybridHit(occurrence(row), *row[6:]) for row in rows]
