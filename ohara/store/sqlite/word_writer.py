"""Writes the words of hunks: gathers them, and makes a piece of postings of each batch.

Texts come as the numbers of their words. Those of each vocabulary are made numbers of our own; sorting the
numbers of a batch, each with its place, puts the places of every word together.
"""

from __future__ import annotations

from itertools import groupby, pairwise, repeat
from typing import TYPE_CHECKING

from ohara.arrays import np
from ohara.store.sqlite.ordering import cuts_of
from ohara.store.sqlite.posting_codec import COLUMNS
from ohara.store.sqlite.standing_words import TEXT_BITS, Standing, written, written_of
from ohara.store.sqlite.word_blocks import BlockWriter
from ohara.store.sqlite.word_pieces import (
    INSERT_POSTING,
    Texts,
    add_piece,
    hunks_with_words,
)
from ohara.store.vocabulary import BYTES_OF_A_WORD, Numbering

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from ohara.store.sqlite.connection import Connection
    from ohara.store.sqlite.hunk_words import TextRow
    from ohara.store.sqlite.posting_codec import Postings
    from ohara.store.sqlite.standing_words import Strings, Written
    from ohara.store.sqlite.varints import Numbers
    from ohara.store.vocabulary import Packed, Vocabulary

_KEYS_AT_ONCE = 100_000  # a hundred bytes each, while postings are made of them

# A piece is written when its texts have so many words, lest a batch of one enormous commit take all memory.
_MOST_WORDS = 2_500_000
_MOST_TEXTS = 1 << TEXT_BITS
_MOST_AT_ONCE = 4_096  # texts
_NUMBERED_WORDS = 250_000  # some thirty megabytes; then numbering begins anew
_NUMBERINGS = 16  # that are remembered, at four bytes a word: each worker has one at a time
_NOTHING_KNOWN = np.zeros(0, np.int32)

_LAST_PIECE = "SELECT coalesce(max(piece), 0) FROM word_piece"
_DROP = "INSERT OR REPLACE INTO dropped_words(hunk, piece) VALUES(?, ?)"


class _Gathered:
    """Texts that are not written yet."""

    def __init__(self) -> None:
        self.hunks: list[int] = []
        self.units: list[int] = []
        self.commit = -1
        self.change = _Texts()
        self.message = _Texts()


class _Texts:
    """Columns of texts: the numbers of their words, one column behind the other."""

    def __init__(self) -> None:
        self.words = 0
        self._numbers: list[NDArray[np.int32]] = []
        self._sizes: list[NDArray[np.int64]] = []

    def add(self, packed: Sequence[Packed], known: NDArray[np.int32]) -> None:
        """Add columns, of which `known` says by what number each word goes here."""
        numbers = known[np.frombuffer(b"".join(packed), np.int32)]
        self._numbers.append(numbers)
        self._sizes.append(np.fromiter(map(len, packed), np.int64, len(packed)) // BYTES_OF_A_WORD)
        self.words += len(numbers)

    def joined(self) -> tuple[NDArray[np.int32], Numbers]:
        """The numbers of all words, and how many words each column has."""
        if not self._numbers:
            return np.zeros(0, np.int32), np.zeros(0, np.int64)
        return np.concatenate(self._numbers), np.concatenate(self._sizes)


class WordWriter:
    """What is added is written by `finish`, as part of the open batch."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._numbers = Numbering()
        self._known: dict[int, NDArray[np.int32]] = {}  # by numbering: the number here of each there, or -1
        self._gathered = _Gathered()
        self._there: bytearray | None = None  # a byte for each hunk, 1 for those with words

    def add(self, rows: Sequence[TextRow]) -> None:
        """Add the words of hunks, and those of their commits' messages."""
        for _, of_one in groupby(rows, key=lambda row: id(row.vocabulary)):
            same = list(of_one)
            for begin in range(0, len(same), _MOST_AT_ONCE):
                self._add(same[begin : begin + _MOST_AT_ONCE])

    def _add(self, rows: Sequence[TextRow]) -> None:
        """Add hunks whose words go by one vocabulary."""
        if self._gathered.change.words >= _MOST_WORDS or len(self._gathered.hunks) > _MOST_TEXTS - len(rows):
            self.finish()
        gathered = self._gathered
        said: list[Packed] = []
        change: list[Packed] = []
        for _, hunk, commit, message, *columns in rows:
            if commit != gathered.commit:
                gathered.commit = commit
                said.append(message)
                gathered.units.append(0)
            gathered.units[-1] += 1
            gathered.hunks.append(hunk)
            change += columns
        known = self._numbers_of(rows[0].vocabulary)
        gathered.change.add(change, known)
        gathered.message.add(said, known)
        if self._there is not None:
            self._mark([row.hunk for row in rows])

    def _numbers_of(self, vocabulary: Vocabulary) -> NDArray[np.int32]:
        """By which number each word of a vocabulary goes here."""
        known = self._known.pop(vocabulary.numbering, _NOTHING_KNOWN)
        theirs = np.frombuffer(vocabulary.numbers, np.int32)
        if (size := int(theirs.max(initial=-1)) + 1) > len(known):
            known = np.concatenate((known, np.full(size - len(known), -1, np.int32)))
        new = np.flatnonzero(known[theirs] < 0)
        words = vocabulary.words
        ours = map(self._numbers.__getitem__, map(words.__getitem__, new.tolist()))
        known[theirs[new]] = np.fromiter(ours, np.int32, len(new))
        self._known[vocabulary.numbering] = known
        if len(self._known) > _NUMBERINGS:
            del self._known[next(iter(self._known))]
        return known

    def drop(self, hunks: Iterable[int]) -> None:
        """Take the words of hunks away; of those that have any."""
        there = self._listed()
        gone = [hunk for hunk in hunks if hunk < len(there) and there[hunk]]
        if not gone:
            return
        if not set(gone).isdisjoint(self._gathered.hunks):
            self.finish()
        last = self._connection.execute(_LAST_PIECE).get
        self._connection.executemany(_DROP, [(hunk, last) for hunk in gone])
        for hunk in gone:
            there[hunk] = 0

    def drop_all(self) -> None:
        """Take all words away."""
        self.undo()
        for table in ("posting", "word_block", "word_piece", "dropped_words"):
            self._connection.execute(f"DELETE FROM {table}")

    def undo(self) -> None:
        """Forget what is not written yet, and what was known of the rest."""
        self._gathered = _Gathered()
        self._there = None

    def finish(self) -> None:
        """Write what was added, as a piece."""
        gathered, self._gathered = self._gathered, _Gathered()
        if not gathered.hunks:
            return
        numbers, sizes = gathered.change.joined()
        said, said_sizes = gathered.message.joined()
        del gathered.change, gathered.message
        words = list(self._numbers)
        units = np.array(gathered.units, np.int64)
        lengths = sizes.reshape(-1, len(COLUMNS)).sum(axis=1) + np.repeat(said_sizes, units)
        used = np.zeros(len(words), bool)
        used[numbers] = used[said] = True
        ordered = sorted(np.flatnonzero(used).tolist(), key=words.__getitem__)
        ranks = np.zeros(len(words), np.int32)
        ranks[ordered] = np.arange(len(ordered))
        change, message = Standing(ranks[numbers], sizes), Standing(ranks[said], said_sizes)
        del numbers, sizes, said, said_sizes
        texts = Texts(np.array(gathered.hunks, np.int64), lengths, units)
        piece = PieceWriter(self._connection, texts)
        cuts = cuts_of(np.bincount(change.ranks, minlength=len(ordered)), _KEYS_AT_ONCE)
        for (first, last), made in zip(pairwise(cuts), written(change, message, texts, cuts), strict=True):
            piece.put([words[each] for each in ordered[first:last]], made)
        piece.finish()
        if len(self._numbers) > _NUMBERED_WORDS:
            self._numbers.clear()
            self._known.clear()

    def _listed(self) -> bytearray:
        if self._there is None:
            self._there = bytearray()
            self._mark(hunks_with_words(self._connection))
            self._mark(self._gathered.hunks)
        return self._there

    def _mark(self, hunks: Sequence[int]) -> None:
        there = self._there
        if there is not None and hunks:
            there.extend(bytes(max(0, max(hunks) + 1 - len(there))))
            for hunk in hunks:
                there[hunk] = 1


class PieceWriter:
    """Writes a piece, a part of its words after the other."""

    def __init__(self, connection: Connection, texts: Texts) -> None:
        self._connection = connection
        self._texts = texts
        self._piece = add_piece(connection, texts)
        self._blocks = BlockWriter(connection, self._piece)

    def write(
        self, words: Sequence[str], change: Postings, message: Postings, places: Sequence[Strings] = ()
    ) -> None:
        """Write the postings of words, each a row; `places` are those of changes and messages if encoded."""
        self.put(words, written_of(change, message, self._texts, len(words), places))

    def put(self, words: Sequence[str], written: Written) -> None:
        """Write the strings of words, each a row."""
        kept = self._blocks.keep_long(written.strings)
        of_words = zip(repeat(self._piece, len(words)), words, written.held, *kept, strict=True)
        self._connection.executemany(
            INSERT_POSTING, of_words if all(written.held) else (row for row in of_words if row[2])
        )

    def finish(self) -> None:
        """Write what is left."""
        self._blocks.finish()
