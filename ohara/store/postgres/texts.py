"""Writes words: gives each a number, keeps texts as sequences of numbers, counts who holds a word."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ohara.store.postgres import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.store.postgres.writer import Writer

_KNOWN = "SELECT word, id FROM word WHERE word = ANY(?::text[])"
_LAST = "SELECT coalesce(max(id), 0) FROM word"
_COUNT = """UPDATE word SET hunks = hunks + counted.n
  FROM unnest(?::int[], ?::int[]) AS counted(id, n) WHERE word.id = counted.id"""
_TOTAL = "UPDATE text_total SET texts = texts + ?, tokens = tokens + ?"
_DROP_HUNKS = "DELETE FROM hunk_text WHERE hunk_id = ANY(?::bigint[]) RETURNING seq"
_DROP_SYMBOLS = "DELETE FROM symbol_text WHERE symbol_id = ANY(?::bigint[])"
_FORGET = (
    "DELETE FROM hunk_text",
    "UPDATE word SET hunks = 0",
    "UPDATE text_total SET texts = 0, tokens = 0",
)

_REMEMBERED = 500_000  # words: some eighty megabytes
_ENDS = 5  # between the six columns of a hunk's text

HunkWords = tuple[int, str, str, str, str, str, str]
"""A hunk, and its columns as analysed text."""


class TextRows:
    """The writer's texts; what it counts is written when a batch ends."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._numbers: dict[str, int] = {}
        self._next: int | None = None
        self._counts: Counter[int] = Counter()
        self._texts = 0
        self._tokens = 0

    def undo(self) -> None:
        """Forget what was added since the last batch ended: it was rolled back."""
        self._numbers.clear()
        self._next = None
        self._reset()

    def _reset(self) -> None:
        self._counts.clear()
        self._texts = self._tokens = 0

    def finish(self) -> None:
        """Write what was counted, as part of the batch."""
        if self._counts:
            self._writer.run(_COUNT, (list(self._counts), list(self._counts.values())))
        if self._texts or self._tokens:
            self._writer.run(_TOTAL, (self._texts, self._tokens))
        self._reset()

    def add(self, rows: Sequence[HunkWords]) -> None:
        """Add the words of hunks that have none."""
        made = self._sequences(rows)
        self._writer.copy("hunk_text(hunk_id, seq)", ("int8", "int4[]"), made)
        for _, seq in made:
            self._count(seq, 1)

    def drop(self, hunks: Iterable[int]) -> None:
        """Take the words of hunks away."""
        for (seq,) in self._writer.rows(_DROP_HUNKS, (list(hunks),)):
            self._count(seq, -1)

    def drop_all(self) -> None:
        """Take the words of all hunks away."""
        for statement in _FORGET:
            self._writer.run(statement)
        self._reset()

    def add_symbols(self, rows: Sequence[tuple[int, str, str, str]]) -> None:
        """Make these the words of symbols."""
        self._writer.copy("symbol_text(symbol_id, seq)", ("int8", "int4[]"), self._sequences(rows))

    def drop_symbols(self, symbols: Iterable[int]) -> None:
        """Take the words of symbols away."""
        self._writer.run(_DROP_SYMBOLS, (list(symbols),))

    def _count(self, seq: Sequence[int], sign: int) -> None:
        for number in set(seq):
            if number != tokens.END:
                self._counts[number] += sign
        self._texts += sign
        self._tokens += sign * (len(seq) - _ENDS)

    def _sequences(self, rows: Sequence[tuple[int | str, ...]]) -> list[tuple[int, list[int]]]:
        cut = [(int(row[0]), [tokens.words(str(column)) for column in row[1:]]) for row in rows]
        self._number({word for _, columns in cut for column in columns for word in column})
        numbers = self._numbers
        return [
            (owner, tokens.sequence([numbers[word] for word in column] for column in columns))
            for owner, columns in cut
        ]

    def _number(self, words: set[str]) -> None:
        """Give every word a number that has none."""
        if len(self._numbers) > _REMEMBERED:
            self._numbers.clear()
        unknown = sorted(words - self._numbers.keys())
        if not unknown:
            return
        self._numbers.update(self._writer.rows(_KNOWN, (unknown,)))
        if self._next is None:
            self._next = int(self._writer.rows(_LAST)[0][0]) + 1
        new = [word for word in unknown if word not in self._numbers]
        made = list(enumerate(new, self._next))
        self._writer.copy("word(id, word)", ("int4", "text"), made)
        self._numbers.update({word: number for number, word in made})
        self._next += len(made)
