"""Scores commits by the words of all their hunks together: BM25 in SQL in which a commit is one text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.store.bm25 import COMMIT_B, COMMIT_K1, LEAST_IDF
from ohara.store.postgres.words import HUNKS, LENGTH_BITS, Statement, in_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.store.answers import Weights
    from ohara.store.postgres.session import Session
    from ohara.store.postgres.words import Phrase

# `entry` is a word in a hunk, each time worth its column's weight; the message is that of all hunks of a
# commit, and counts once. `told` is the hunk that tells a commit: the one that holds most by itself.
_COMMITS = f"""WITH entry AS MATERIALIZED (
    SELECT word, hunk_id, hunk.commit_id, change, message FROM (
      SELECT word, unnest(places) >> {LENGTH_BITS} AS hunk_id, {{change}} AS change, {{message}} AS message
        FROM {HUNKS.postings} WHERE word = ANY(?::int[]){{there}}) AS held JOIN hunk ON hunk.id = hunk_id),
  times AS MATERIALIZED (
    SELECT word, commit_id, sum(change) + max(message) AS f FROM entry GROUP BY word, commit_id),
  worth AS MATERIALIZED (
    SELECT word, greatest(ln((? - count(*) + 0.5) / (count(*) + 0.5)), {LEAST_IDF}) AS idf
      FROM times WHERE f > 0 GROUP BY word),
  shown AS (SELECT DISTINCT hunk_id, commit_id FROM entry WHERE word = ANY(?::int[]){{allowed}}),
  told AS MATERIALIZED (
    SELECT DISTINCT ON (commit_id) commit_id, hunk_id FROM (
      SELECT commit_id, hunk_id, sum(idf * change) AS own
        FROM shown JOIN entry USING (commit_id, hunk_id) JOIN worth USING (word)
        GROUP BY commit_id, hunk_id) AS held
      ORDER BY commit_id, own DESC, hunk_id),
  lengths AS (
    SELECT hunk.commit_id, sum(cardinality(seq) - {len(HUNKS.columns) - 1}) AS length
      FROM hunk JOIN {HUNKS.sequences} ON {HUNKS.owner} = hunk.id
      WHERE hunk.commit_id IN (SELECT commit_id FROM told) GROUP BY hunk.commit_id),
  first AS (
    SELECT told.hunk_id,
        sum(idf * f * {COMMIT_K1 + 1} / (f + {COMMIT_K1 * (1 - COMMIT_B)!r} + ?::float8 * length)) AS score
      FROM told JOIN times USING (commit_id) JOIN worth USING (word) JOIN lengths USING (commit_id)
      GROUP BY told.hunk_id ORDER BY score DESC, hunk_id LIMIT ?)"""


def scoring_commits(
    session: Session,
    selecting: Sequence[Phrase],
    common: Sequence[Phrase],
    *,
    allowed: Statement,
    weights: Weights,
    limit: int,
) -> Statement:
    """The part of a statement that names commits with their scores, each by a hunk: `first`."""
    columns = selecting[0].columns or range(len(HUNKS.columns))
    parts = [f"{weights[at]!r}::float8 * {HUNKS.columns[at]}" for at in columns if at]
    statement = _COMMITS.format(
        change=" + ".join(parts) or "0::float8",
        message=f"{weights[0]!r}::float8 * {HUNKS.columns[0]}" if 0 in columns else "0::float8",
        there=in_columns(HUNKS, selecting[0].columns),
        allowed=allowed.sql,
    )
    commits = session.commits_with_words()
    average = (session.text_total(HUNKS).tokens / commits if commits else 0.0) or 1.0
    chosen = [each.words[0] for each in selecting]
    every = [*chosen, *(each.words[0] for each in common)]
    by_length = COMMIT_K1 * COMMIT_B / average
    return Statement(statement, (every, commits, chosen, *allowed.parameters, by_length, limit))
