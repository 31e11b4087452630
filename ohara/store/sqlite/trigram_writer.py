"""Writes the trigrams of contents: gathers them, and makes a piece of each batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.arrays import np
from ohara.speedups import compiled
from ohara.store.sqlite.number_arrays import closed, pack, pack_steps
from ohara.store.sqlite.ordering import cuts_of, ordered_by_range
from ohara.store.sqlite.trigram_lists import encode, entries_of, portions
from ohara.store.sqlite.trigram_pieces import BLOCKS, TABLES, contents_with_trigrams
from ohara.store.sqlite.word_blocks import BlockWriter
from ohara.store.trigram_codes import BYTES_OF_A_TRIGRAM, CODES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from ohara.store.sqlite.connection import Connection
    from ohara.store.sqlite.varints import Numbers
    from ohara.store.trigram_codes import Packed

# A piece is written when there are so many: twelve bytes of memory each, and fifty for those that are sorted
# at once.
_MOST_ENTRIES = 2_000_000
_ENTRIES_AT_ONCE = 400_000
_SAMPLED, _CUT_BETWEEN = 16, 256

_ADD = "INSERT INTO trigram_piece(contents, members, blocks) VALUES(?, ?, x'') RETURNING piece"
_END = "UPDATE trigram_piece SET blocks = ? WHERE piece = ?"
_LAST_PIECE = "SELECT coalesce(max(piece), 0) FROM trigram_piece"
_DROP = "INSERT OR REPLACE INTO dropped_trigrams(content, piece) VALUES(?, ?)"


class TrigramWriter:
    """What is added is written by `finish`, as part of the open batch."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._contents: list[int] = []
        self._packed: list[Packed] = []
        self._entries = 0
        self._there: bytearray | None = None  # a byte for each content, 1 for those with trigrams

    def add(self, content: int, trigrams: Packed) -> None:
        """Add the trigrams of a content that has none yet."""
        if self._entries >= _MOST_ENTRIES:
            self.finish()
        self._contents.append(content)
        self._packed.append(trigrams)
        self._entries += len(trigrams) // BYTES_OF_A_TRIGRAM
        if self._there is not None:
            self._mark([content])

    def has(self, content: int) -> bool:
        """True when the trigrams of a content are there."""
        there = self._listed()
        return content < len(there) and bool(there[content])

    def drop(self, contents: Iterable[int]) -> None:
        """Take the trigrams of contents away; of those that have any."""
        gone = [content for content in contents if self.has(content)]
        if not gone:
            return
        self.finish()
        last = self._connection.execute(_LAST_PIECE).get
        self._connection.executemany(_DROP, [(content, last) for content in gone])
        for content in gone:
            self._listed()[content] = 0

    def drop_all(self) -> None:
        """Take all trigrams away."""
        self.undo()
        for table in TABLES:
            self._connection.execute(f"DELETE FROM {table}")

    def undo(self) -> None:
        """Forget what is not written yet, and what was known of the rest."""
        self._contents, self._packed, self._entries = [], [], 0
        self._there = None

    def finish(self) -> None:
        """Write what was added, as a piece."""
        if not self._contents:
            return
        contents, packed = np.array(self._contents, np.int64), self._packed
        self._contents, self._packed, self._entries = [], [], 0
        # They come in the order of their numbers, unless some were there before without their trigrams.
        are_sorted = bool((np.diff(contents) > 0).all())
        piece = PieceWriter(self._connection, contents if are_sorted else np.sort(contents))
        if compiled is not None and are_sorted:
            piece.put((first, closed(plain)) for first, plain in compiled.trigram_blocks(packed, contents))
        else:
            for entries in _entries(packed, contents):
                piece.write(entries if are_sorted else np.sort(entries))
        piece.finish()

    def _listed(self) -> bytearray:
        if self._there is None:
            self._there = bytearray()
            self._mark(contents_with_trigrams(self._connection))
            self._mark(self._contents)
        return self._there

    def _mark(self, contents: Sequence[int]) -> None:
        there = self._there
        if there is not None and contents:
            there.extend(bytes(max(0, max(contents) + 1 - len(there))))
            for content in contents:
                there[content] = 1


def _entries(packed: Sequence[Packed], contents: Numbers) -> Iterator[Numbers]:
    """The entries of contents in order of their trigrams, all those of a trigram together."""
    sizes = np.fromiter(map(len, packed), np.int64, len(packed)) // BYTES_OF_A_TRIGRAM
    codes = np.frombuffer(b"".join(packed), "<u4")
    owners = np.repeat(contents.astype(np.uint32), sizes)
    for where in ordered_by_range(codes, _cuts(codes)):
        yield entries_of(codes[where].astype(np.int64), owners[where].astype(np.int64))


def _cuts(codes: NDArray[np.uint32]) -> list[int]:
    """Between which trigrams to cut, to have about as many entries at once as memory allows: by a sample."""
    counts = np.bincount(codes[::_SAMPLED] // _CUT_BETWEEN, minlength=CODES // _CUT_BETWEEN)
    return [cut * _CUT_BETWEEN for cut in cuts_of(counts, _ENTRIES_AT_ONCE // _SAMPLED)]


class PieceWriter:
    """Writes a piece, a part of its trigrams after the other."""

    def __init__(self, connection: Connection, contents: Numbers) -> None:
        self._connection = connection
        self._piece = int(connection.execute(_ADD, (len(contents), pack_steps(contents))).get)
        self._blocks = BlockWriter(connection, self._piece, BLOCKS)
        self._firsts: list[int] = []
        self._lengths: list[int] = []

    def write(self, entries: Numbers) -> None:
        """Write sorted entries, all those of their trigrams."""
        for some in portions(entries, _ENTRIES_AT_ONCE):
            self.put(encode(some))

    def put(self, blocks: Iterable[tuple[int, bytes]]) -> None:
        """Write blocks, each with its first trigram."""
        for first, block in blocks:
            self._firsts.append(first)
            self._lengths.append(len(block))
            self._blocks.keep(block)

    def finish(self) -> None:
        """Write what is left."""
        self._blocks.finish()
        firsts = np.diff(np.array(self._firsts, np.int64), prepend=0)
        where = pack(np.concatenate((firsts, np.array(self._lengths, np.int64))))
        self._connection.execute(_END, (where, self._piece))
