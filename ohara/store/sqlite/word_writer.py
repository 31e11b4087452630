"""Writes the words of hunks: gathers them, and makes a piece of postings of each batch.

Words come analysed, as strings with blanks between them. They are numbered as they come; sorting the numbers
of a batch, each with its place, puts the places of every word together.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ohara.arrays import np
from ohara.store.sqlite.posting_codec import CODED, COLUMNS, Postings, codes_of, encode, encode_places
from ohara.store.sqlite.word_blocks import BlockWriter
from ohara.store.sqlite.word_pieces import (
    INSERT_POSTING,
    Texts,
    add_piece,
    hunks_holding,
    hunks_with_words,
)
from ohara.store.tokens import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from ohara.store.sqlite.connection import Connection
    from ohara.store.sqlite.varints import Numbers

_WIDTH = len(COLUMNS)

# A word, a text, a column and a place are sorted as one number: so many bits for each.
_TEXT_BITS, _COLUMN_BITS, _PLACE_BITS = 17, 3, 21
_LAST_PLACE = (1 << _PLACE_BITS) - 1

# A piece is written when its texts have so many bytes, lest a batch of one enormous commit take all memory.
_MOST_BYTES = 16 << 20
_MOST_TEXTS = 1 << _TEXT_BITS
_NUMBERED_WORDS = 500_000  # some sixty megabytes; then numbering begins anew

_END, _END_NUMBER = b" . ", 0  # between texts: no word

_LAST_PIECE = "SELECT coalesce(max(piece), 0) FROM word_piece"
_DROP = "INSERT OR REPLACE INTO dropped_words(hunk, piece) VALUES(?, ?)"


class _Numbered(dict[bytes, int]):
    """Words, numbered as they come; the first is what stands between texts."""

    def __init__(self) -> None:
        super().__init__({_END.strip(): _END_NUMBER})

    def __missing__(self, word: bytes) -> int:
        number = self[word] = len(self)
        return number


class _Gathered:
    """Texts that are not written yet; what `raw` and `said` hold is cut into words all at once."""

    def __init__(self) -> None:
        self.hunks: list[int] = []
        self.raw: list[bytes] = []  # column after column
        self.units: list[int] = []
        self.said: list[bytes] = []
        self.size = 0
        self.commit = -1


class WordWriter:
    """What is added is written by `finish`, as part of the open batch."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._numbers = _Numbered()
        self._gathered = _Gathered()
        self._there: bytearray | None = None  # a byte for each hunk, 1 for those with words

    def add(self, hunk: int, commit: int, message: str, columns: Sequence[str]) -> None:
        """Add the words of a hunk, column by column, and those of its commit's message."""
        gathered = self._gathered
        if gathered.size >= _MOST_BYTES or len(gathered.hunks) >= _MOST_TEXTS:
            self.finish()
            gathered = self._gathered
        if commit != gathered.commit:
            gathered.commit = commit
            gathered.said.append(plain(message))
            gathered.units.append(0)
        gathered.units[-1] += 1
        gathered.hunks.append(hunk)
        raw = [plain(column) for column in columns]
        gathered.raw += raw
        gathered.size += sum(map(len, raw))
        if self._there is not None:
            self._mark([hunk])

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
        numbers, sizes = self._cut(gathered.raw)
        said, said_sizes = self._cut(gathered.said)
        words = list(self._numbers)
        units = np.array(gathered.units, np.int64)
        lengths = sizes.reshape(-1, _WIDTH).sum(axis=1) + np.repeat(said_sizes, units)
        used = np.zeros(len(words), bool)
        used[numbers] = used[said] = True
        ordered = sorted(np.flatnonzero(used).tolist(), key=words.__getitem__)
        ranks = np.zeros(len(words), np.int64)
        ranks[ordered] = np.arange(len(ordered))
        change = _postings(ranks[numbers], sizes, _WIDTH)
        message = _postings(ranks[said], said_sizes, 1)
        piece = PieceWriter(self._connection, Texts(np.array(gathered.hunks, np.int64), lengths, units))
        piece.write([words[each].decode() for each in ordered], change, message)
        piece.finish()
        if len(self._numbers) > _NUMBERED_WORDS:
            self._numbers = _Numbered()

    def _cut(self, texts: Sequence[bytes]) -> tuple[Numbers, Numbers]:
        """The numbers of all words of some texts, and how many words each text has."""
        words = _END.join(texts).split()
        numbers = np.fromiter(map(self._numbers.__getitem__, words), np.int32, len(words))
        ends = np.flatnonzero(numbers == _END_NUMBER)
        bounds = np.concatenate(([-1], ends, [len(numbers)]))
        return numbers[numbers != _END_NUMBER].astype(np.int64), np.diff(bounds) - 1

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


def _postings(ranks: Numbers, sizes: Numbers, width: int) -> Postings:
    """The postings of words that stand one after the other, in texts of so many columns of so many words."""
    columns = np.arange(len(sizes))
    begins = (columns // width << _COLUMN_BITS | columns % width) << _PLACE_BITS
    if len(sizes) and int(sizes.max()) > _LAST_PLACE:
        raise ValueError("a column has too many words")
    keys = np.repeat(begins - (np.cumsum(sizes) - sizes), sizes)
    keys += np.arange(len(ranks))
    keys += ranks << (_TEXT_BITS + _COLUMN_BITS + _PLACE_BITS)
    keys.sort()
    runs = keys >> _PLACE_BITS
    begins = np.flatnonzero(np.diff(runs, prepend=-1))
    times = np.diff(begins, append=len(keys))
    runs = runs[begins]
    of_texts = runs >> _COLUMN_BITS
    first = np.diff(of_texts, prepend=-1) != 0
    owners = of_texts[first]
    columns = runs & ((1 << _COLUMN_BITS) - 1)
    codes, far = _codes(first, columns, times) if width > 1 else (times, np.zeros((0, _WIDTH), np.int64))
    texts = owners & ((1 << _TEXT_BITS) - 1)
    rows = owners >> _TEXT_BITS
    return Postings(rows, texts, codes, far, keys & _LAST_PLACE, (begins, of_texts >> _TEXT_BITS))


def _codes(first: NDArray[np.bool_], columns: Numbers, times: Numbers) -> tuple[Numbers, NDArray[np.int64]]:
    """The codes of texts, of each of which one or more columns hold a word so many times.

    Most words stand in one column of a text, a few times: what these have for a code is looked up.
    """
    simple = _codes_of_one_column()
    begins = np.flatnonzero(first)
    codes = simple[columns[begins], np.minimum(times[begins], simple.shape[1] - 1)]
    codes[np.diff(begins, append=len(first)) > 1] = 0
    others = np.cumsum(codes == 0) - 1
    texts = np.cumsum(first) - 1
    wanted = codes[texts] == 0
    counts = np.zeros((int(others[-1]) + 1 if len(others) else 0, _WIDTH), np.int64)
    counts[others[texts[wanted]], columns[wanted]] = times[wanted]
    found, far = codes_of(counts)
    codes[codes == 0] = found
    return codes, far


@cache
def _codes_of_one_column() -> NDArray[np.int64]:
    """By column and times; 0 for as many times as have no code."""
    times = CODED + 2
    counts = np.zeros((_WIDTH * times, _WIDTH), np.int64)
    counts[np.arange(len(counts)), np.arange(len(counts)) // times] = np.arange(len(counts)) % times
    return codes_of(counts)[0].reshape(_WIDTH, times)


class PieceWriter:
    """Writes a piece, a part of its words after the other."""

    def __init__(self, connection: Connection, texts: Texts) -> None:
        self._connection = connection
        self._texts = texts
        self._piece = add_piece(connection, texts)
        self._blocks = BlockWriter(connection, self._piece)

    def write(self, words: Sequence[str], change: Postings, message: Postings) -> None:
        """Write the postings of words, each a row."""
        rows = len(words)
        strings = (
            encode(change, rows, is_message=False),
            encode(message, rows, is_message=True),
            encode_places(change, rows, is_message=False),
            encode_places(message, rows, is_message=True),
        )
        held = hunks_holding(change, message, self._texts, rows).tolist()
        keep = self._blocks.keep
        self._connection.executemany(
            INSERT_POSTING,
            (
                (self._piece, word, hunks, *map(keep, of_word))
                for word, hunks, *of_word in zip(words, held, *strings, strict=True)
                if hunks
            ),
        )

    def finish(self) -> None:
        """Write what is left."""
        self._blocks.finish()
