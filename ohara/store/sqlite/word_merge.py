"""Merges pieces of postings to one, without what was dropped; which pieces are worth it.

The texts of the merged piece are those of its parts, one part after the other, so that postings need not be
sorted: words are walked through in order, and each word's postings are joined.
"""

from __future__ import annotations

from collections import defaultdict
from heapq import merge as in_order
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from ohara.arrays import np
from ohara.store.sqlite.posting_codec import NOTHING, Postings, decode
from ohara.store.sqlite.word_blocks import forget_blocks, string_of
from ohara.store.sqlite.word_pieces import Texts, read_dropped, read_pieces, read_texts
from ohara.store.sqlite.word_writer import PieceWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from ohara.store.sqlite.connection import Connection
    from ohara.store.sqlite.varints import Numbers

# Pieces of about one size are merged when there are so many: each hunk is written again once for each time
# that its piece grows eightfold. The largest are left to `compact`: nobody who commits waits for them.
_ALIKE = 8
_LARGEST_MERGED = 30_000  # hunks, about a second

# Merging takes as long as writing. Large pieces are left as they are: to look words up in a dozen of them
# takes a millisecond.
_LARGE = 8_000  # hunks
_MANY = 24
_DROPPED_SHARE = 8  # an eighth of a piece

_AT_ONCE_BYTES = 3 << 20  # of postings, which take thirty times that while they are merged

_ROWS = """SELECT word, ?, change, message, change_places, message_places FROM posting
  WHERE piece = ? ORDER BY word"""
_FORGET = (
    "DELETE FROM posting WHERE piece = ?",
    "DELETE FROM word_piece WHERE piece = ?",
)
_FORGET_DROPPED = """DELETE FROM dropped_words
  WHERE piece < (SELECT coalesce(min(piece), 9e18) FROM word_piece)"""


class _Row(NamedTuple):
    """A word's postings in the part with this number."""

    word: str
    part: int
    change: bytes | None
    message: bytes | None
    change_places: bytes | None
    message_places: bytes | None

    @property
    def size(self) -> int:
        return sum(len(each) for each in self[2:] if each)


def crowded(sizes: Iterable[tuple[int, int]]) -> list[int]:
    """The pieces to merge, of some with so many hunks: the smallest, when many are of one size; or none."""
    tiers: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for piece, hunks in sizes:
        tiers[max(hunks, 1).bit_length() // 3].append((piece, hunks))
    for tier in sorted(tiers):
        merged = [each for other in sorted(tiers) if other <= tier for each in tiers[other]]
        if len(tiers[tier]) >= _ALIKE and sum(hunks for _, hunks in merged) <= _LARGEST_MERGED:
            return sorted(piece for piece, _ in merged)
    return []


def merge_crowded(connection: Connection) -> None:
    """Merge small pieces while there are many of one size."""
    while pieces := crowded((piece, hunks) for piece, hunks, _ in read_pieces(connection)):
        merge(connection, pieces)


def compact(connection: Connection) -> None:
    """Merge all pieces that are not large to one; and all, when there are many."""
    pieces = read_pieces(connection)
    merged = [piece for piece, hunks, _ in pieces if hunks < _LARGE or len(pieces) > _MANY]
    if len(merged) > 1:
        merge(connection, merged)
    tidy(connection)


def tidy(connection: Connection) -> None:
    """Write those pieces anew that say much of hunks that were dropped."""
    dropped = read_dropped(connection)
    for piece, hunks, _ in read_pieces(connection) if dropped else ():
        kept = read_texts(connection, piece).kept(piece, dropped)
        if kept is not None and int((~kept).sum()) * _DROPPED_SHARE >= hunks:
            merge(connection, [piece])


def merge_all(connection: Connection) -> None:
    """Merge all pieces to one, unless there is but one that lacks nothing."""
    pieces = [piece for piece, _, _ in read_pieces(connection)]
    if len(pieces) > 1 or (pieces and read_dropped(connection)):
        merge(connection, pieces)


def merge(connection: Connection, pieces: Sequence[int]) -> None:
    """Make one piece of some."""
    dropped = read_dropped(connection)
    parts = _Parts([(piece, read_texts(connection, piece)) for piece in pieces], dropped)
    if len(parts.texts.hunks):
        merged = PieceWriter(connection, parts.texts)
        for rows in _portions(connection, pieces):
            _write(merged, rows, parts)
        merged.finish()
    for piece in pieces:
        for statement in _FORGET:
            connection.execute(statement, (piece,))
        forget_blocks(connection, piece)
    connection.execute(_FORGET_DROPPED)


class _Parts:
    """The texts of all parts together, and where those of each part went."""

    def __init__(self, pieces: Sequence[tuple[int, Texts]], dropped: dict[int, int]) -> None:
        kept = [
            np.ones(len(texts.hunks), bool) if (some := texts.kept(piece, dropped)) is None else some
            for piece, texts in pieces
        ]
        parts = [texts for _, texts in pieces]
        units = np.concatenate([texts.units for texts in parts])
        all_kept = np.concatenate(kept)
        left = np.add.reduceat(all_kept.astype(np.int64), np.cumsum(units) - units) if len(units) else units
        self.texts = Texts(
            np.concatenate([texts.hunks for texts in parts])[all_kept],
            np.concatenate([texts.lengths for texts in parts])[all_kept],
            left[left > 0],
        )
        self.text_starts, self.new_texts = _moved([len(texts.hunks) for texts in parts], all_kept)
        self.unit_starts, self.new_units = _moved([len(texts.units) for texts in parts], left > 0)


def _moved(sizes: Sequence[int], kept: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """Where each part begins among all, and the new place of each; -1 for what is not kept."""
    ends = np.cumsum(np.array(sizes, np.int64))
    return np.concatenate(([0], ends)), np.where(kept, np.cumsum(kept) - 1, -1)


def _portions(connection: Connection, pieces: Sequence[int]) -> Iterator[list[_Row]]:
    """The rows of all pieces in order of their words, as many at once as memory allows."""
    cursors = [connection.execute(_ROWS, (part, piece)) for part, piece in enumerate(pieces)]
    gathered: list[_Row] = []
    size = 0
    for each in in_order(*cursors, key=itemgetter(0, 1)):
        word, part, *strings = each
        row = _Row(word, part, *(string_of(connection, pieces[part], string) for string in strings))
        if size > _AT_ONCE_BYTES and row.word != gathered[-1].word:
            yield gathered
            gathered, size = [], 0
        gathered.append(row)
        size += row.size
    if gathered:
        yield gathered


def _write(merged: PieceWriter, rows: Sequence[_Row], parts: _Parts) -> None:
    words: dict[str, int] = {}
    for row in rows:
        words.setdefault(row.word, len(words))
    change = [(words[row.word], row.part, row.change, row.change_places or b"") for row in rows if row.change]
    message = [
        (words[row.word], row.part, row.message, row.message_places or b"") for row in rows if row.message
    ]
    merged.write(
        list(words),
        _joined(change, parts.text_starts, parts.new_texts, is_message=False),
        _joined(message, parts.unit_starts, parts.new_units, is_message=True),
    )


def _joined(
    rows: Sequence[tuple[int, int, bytes, bytes]], starts: Numbers, moved: Numbers, *, is_message: bool
) -> Postings:
    """The postings of rows (word, part, postings, places) in the merged piece."""
    if not rows:
        return NOTHING
    read = decode([row[2] for row in rows], is_message=is_message, places=[row[3] for row in rows])
    words, part = (np.array([row[at] for row in rows], np.int64)[read.rows] for at in (0, 1))
    before = starts[part] + read.texts
    if (read.texts < 0).any() or (before >= starts[part + 1]).any():
        raise ValueError("a posting names a text that is not there")
    texts = moved[before]
    kept = texts >= 0
    if kept.all() or read.places is None:
        runs = read.runs and (read.runs[0], np.array([row[0] for row in rows], np.int64)[read.runs[1]])
        return Postings(words, texts, read.codes, read.far, read.places, runs)
    times = read.codes if is_message else read.counts().sum(axis=1)
    far = read.far if is_message else read.far[kept[read.codes == 0]]
    places = read.places[np.repeat(kept, times)]
    return Postings(words[kept], texts[kept], read.codes[kept], far, places)
