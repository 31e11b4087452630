"""Writes postings: for each word, the texts that hold it, those alike together.

    posting(word, message, path, header, added, removed, context, texts, places)

A row is a word, how often it stands in each column, and the places of all texts in which it stands just so
often: what a word is worth in a text is computed once a row, and is added up by walking one array. A place is
a text's number and how many words it has, in one number. Each batch adds rows of its own; when there are many
small ones of a word, they are joined.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ohara.store.postgres.words import LENGTH_BITS, LONGEST

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ohara.store.postgres.words import Texts
    from ohara.store.postgres.writer import Writer

_MOST_TIMES = (1 << 15) - 1  # what a smallint holds
_TIMES_BITS = 32  # of how often a word stands in a column, while it is counted
_TIMES = (1 << _TIMES_BITS) - 1

SMALL_ROW = 1_000  # places; larger rows are not joined again, so that none is written many times over
_ROWS_OF_A_WORD = 8  # small ones that may stay beside each other
MERGE_EVERY = 16  # batches

_DROP = """UPDATE {table} SET texts = cardinality(kept), places = kept
  FROM (SELECT word, {columns}, ctid AS row, ARRAY(
      SELECT place FROM unnest(places) AS place WHERE place >> {bits} != ALL(?::bigint[])) AS kept
    FROM {table} WHERE word = ANY(?::int[])) AS changed
  WHERE {table}.ctid = changed.row AND cardinality(changed.kept) != {table}.texts"""
_DROP_EMPTY = "DELETE FROM {table} WHERE texts = 0 AND word = ANY(?::int[])"
# Joined are rows of words that have many times more small ones than they need.
_MERGE = """WITH crowded AS (
    SELECT word FROM {table} WHERE texts < {small}
    GROUP BY word HAVING count(*) > {rows} AND count(*) > 2 * count(DISTINCT ({columns}))),
  taken AS (
    DELETE FROM {table} USING crowded WHERE {table}.word = crowded.word AND {table}.texts < {small}
    RETURNING {table}.*)
  INSERT INTO {table}(word, {columns}, texts, places)
    SELECT word, {columns}, count(*), array_agg(place ORDER BY place) FROM taken, unnest(places) AS place
    GROUP BY word, {columns}"""


def place(text: int, length: int) -> int:
    """Where a text with so many words is, in one number."""
    return text << LENGTH_BITS | min(length, LONGEST)


class Postings:
    """One table of postings; what is added is written when a batch ends, or before something is taken out."""

    def __init__(self, writer: Writer, texts: Texts) -> None:
        self._writer = writer
        self._table = texts.postings
        self._columns = ", ".join(texts.columns)
        self._shifts = [_TIMES_BITS * at for at in range(len(texts.columns))]
        self._pending: defaultdict[tuple[int, int], list[int]] = defaultdict(list)

    def add(self, text: int, columns: Sequence[Sequence[int]]) -> Iterable[int]:
        """Add the words of a text, column by column; the words it holds."""
        times: dict[int, int] = {}
        for shift, words in zip(self._shifts, columns, strict=True):
            for word in words:
                times[word] = times.get(word, 0) + (1 << shift)
        at = place(text, sum(map(len, columns)))
        for each in times.items():
            self._pending[each].append(at)
        return times.keys()

    def undo(self) -> None:
        """Forget what is not written yet."""
        self._pending.clear()

    def finish(self) -> None:
        """Write what was added, as part of the batch."""
        self._writer.copy(
            f"{self._table}(word, {self._columns}, texts, places)",
            ("int4", *("int2" for _ in self._shifts), "int4", "int8[]"),
            [
                (word, *(min(times >> shift & _TIMES, _MOST_TIMES) for shift in self._shifts), len(at), at)
                for (word, times), at in sorted(self._pending.items())
            ],
        )
        self._pending.clear()

    def drop(self, texts: Collection[int], words: Collection[int]) -> None:
        """Take texts out of the postings of words."""
        self.finish()
        asked = self._said(_DROP)
        self._writer.run(asked, (list(texts), list(words)))
        self._writer.run(self._said(_DROP_EMPTY), (list(words),))

    def drop_all(self) -> None:
        """Take all texts out."""
        self._pending.clear()
        self._writer.run(f"DELETE FROM {self._table}")

    def merge(self) -> None:
        """Join small rows where a word has many, and let their room be used again; between batches."""
        self._writer.run(self._said(_MERGE))
        self._writer.run(f"VACUUM (ANALYZE) {self._table}")

    def _said(self, statement: str) -> str:
        return statement.format(
            table=self._table,
            columns=self._columns,
            bits=LENGTH_BITS,
            small=SMALL_ROW,
            rows=_ROWS_OF_A_WORD,
        )
