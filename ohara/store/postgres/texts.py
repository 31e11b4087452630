"""Writes words: gives each a number, keeps texts as sequences of numbers, says which texts hold a word."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ohara.store.postgres import tokens
from ohara.store.postgres.postings import MERGE_EVERY, Postings
from ohara.store.postgres.words import HUNKS, SYMBOLS
from ohara.store.tokens import words as words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.store.postgres.writer import Writer
    from ohara.store.vocabulary import Packed, Vocabulary

_KNOWN = "SELECT word, id FROM word WHERE word = ANY(?::text[])"
_LAST = "SELECT coalesce(max(id), 0) FROM word"
_COUNT = """UPDATE word SET hunks = hunks + counted.n
  FROM unnest(?::int[], ?::int[]) AS counted(id, n) WHERE word.id = counted.id"""
_TOTAL = "UPDATE text_total SET texts = texts + ?, tokens = tokens + ?"
_DROP_HUNKS = "DELETE FROM hunk_text WHERE hunk_id = ANY(?::bigint[]) RETURNING seq"
_DROP_SYMBOLS = "DELETE FROM symbol_text WHERE symbol_id = ANY(?::bigint[]) RETURNING seq"
_FORGET = (
    "DELETE FROM hunk_text",
    "UPDATE word SET hunks = 0",
    "UPDATE text_total SET texts = 0, tokens = 0",
)

_REMEMBERED = 500_000  # words: some eighty megabytes

HunkWords = tuple["Vocabulary", int, "Packed", "Packed", "Packed", "Packed", "Packed", "Packed"]
"""A hunk, and its columns as packed words, with their vocabulary in front."""


class TextRows:
    """The writer's texts; what it counts is written when a batch ends."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._numbers: dict[str, int] = {}
        self._next: int | None = None
        self._counts: Counter[int] = Counter()
        self._texts = 0
        self._tokens = 0
        self._hunks = Postings(writer, HUNKS)
        self._symbols = Postings(writer, SYMBOLS)
        self._batches = 0

    def undo(self) -> None:
        """Forget what was added since the last batch ended: it was rolled back."""
        self._numbers.clear()
        self._next = None
        self._hunks.undo()
        self._symbols.undo()
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
            self._batches += 1
        self._hunks.finish()
        self._symbols.finish()
        self._reset()

    def merge(self, *, now: bool) -> None:
        """Join what many batches added, now or when there were enough of them; between batches."""
        if now or self._batches >= MERGE_EVERY:
            self._hunks.merge()
            self._batches = 0
        if now:
            self._symbols.merge()

    def add(self, rows: Sequence[HunkWords]) -> None:
        """Add the words of hunks that have none."""
        cut = self._numbered(
            [(hunk, list(map(vocabulary.listed, texts))) for vocabulary, hunk, *texts in rows]
        )
        self._writer.copy("hunk_text(hunk_id, seq)", ("int8", "int4[]"), _sequences(cut))
        for hunk, columns in cut:
            self._counts.update(self._hunks.add(hunk, columns))
            self._tokens += sum(map(len, columns))
        self._texts += len(cut)

    def drop(self, hunks: Iterable[int]) -> None:
        """Take the words of hunks away."""
        dropped = list(hunks)
        held = [row[0] for row in self._writer.rows(_DROP_HUNKS, (dropped,))]
        for seq in held:
            self._counts.subtract(set(seq) - {tokens.END})
            self._tokens -= len(seq) - (len(HUNKS.columns) - 1)
        self._texts -= len(held)
        self._hunks.drop(dropped, _words_of(held))

    def drop_all(self) -> None:
        """Take the words of all hunks away."""
        for statement in _FORGET:
            self._writer.run(statement)
        self._hunks.drop_all()
        self._reset()

    def add_symbols(self, rows: Sequence[tuple[int, str, str, str]]) -> None:
        """Make these the words of symbols."""
        cut = self._numbered([(symbol, list(map(words_of, columns))) for symbol, *columns in rows])
        self._writer.copy("symbol_text(symbol_id, seq)", ("int8", "int4[]"), _sequences(cut))
        for symbol, columns in cut:
            self._symbols.add(symbol, columns)

    def drop_symbols(self, symbols: Iterable[int]) -> None:
        """Take the words of symbols away."""
        dropped = list(symbols)
        held = [row[0] for row in self._writer.rows(_DROP_SYMBOLS, (dropped,))]
        self._symbols.drop(dropped, _words_of(held))

    def drop_all_symbols(self) -> None:
        """Take the words of all symbols away."""
        self._writer.run("DELETE FROM symbol_text")
        self._symbols.drop_all()

    def _numbered(self, cut: Sequence[tuple[int, list[list[str]]]]) -> list[tuple[int, list[list[int]]]]:
        """Texts with their words as numbers, column by column."""
        self._number({word for _, columns in cut for column in columns for word in column})
        numbers = self._numbers
        return [(owner, [[numbers[word] for word in column] for column in columns]) for owner, columns in cut]

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


def _sequences(cut: Iterable[tuple[int, list[list[int]]]]) -> list[tuple[int, list[int]]]:
    return [(owner, tokens.sequence(columns)) for owner, columns in cut]


def _words_of(sequences: Iterable[Sequence[int]]) -> set[int]:
    return {word for seq in sequences for word in seq} - {tokens.END}
