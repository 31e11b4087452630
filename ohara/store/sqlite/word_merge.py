"""Merges pieces of postings to one, without what was dropped; which pieces are worth it.

The texts of the merged piece are those of its parts, one part after the other, so that postings need not be
sorted: words are walked through in order, and each word's postings are joined.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ohara.arrays import np
from ohara.store.sqlite.posting_codec import NOTHING, Postings, decode, join_places
from ohara.store.sqlite.word_blocks import forget_blocks, string_of
from ohara.store.sqlite.word_pieces import Texts, read_dropped, read_pieces, read_texts
from ohara.store.sqlite.word_writer import PieceWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from ohara.store.sqlite.connection import Connection
    from ohara.store.sqlite.varints import Numbers
    from ohara.store.sqlite.word_blocks import Kept
    from ohara.store.sqlite.word_pieces import Dropped

# Pieces of about one size are merged when there are so many: each hunk is written again once for each time
# that its piece grows eightfold. The largest are left to `compact`: nobody who commits waits for them.
_ALIKE = 8
_LARGEST_MERGED = 30_000  # hunks, about a second

# Merging takes as long as writing. Large pieces are left as they are: to look words up in a dozen of them
# takes a millisecond.
_LARGE = 8_000  # hunks
_MANY = 24
_LARGEST_JOINED = 250_000  # hunks: four seconds, and memory that is there while workers are
_DROPPED_SHARE = 8  # an eighth of a piece

_TEXTS_AT_ONCE = 200_000  # entries of postings, some 250 bytes each while they are merged

_ROWS = """SELECT word, piece, hunks, change, change_places, message, message_places FROM posting
  WHERE piece IN ({}) ORDER BY word, piece"""
_FORGET = (
    "DELETE FROM posting WHERE piece = ?",
    "DELETE FROM word_piece WHERE piece = ?",
)
_FORGET_DROPPED = """DELETE FROM dropped_words
  WHERE piece < (SELECT coalesce(min(piece), 9e18) FROM word_piece)"""
_FORGET_DROPPED_HUNK = "DELETE FROM dropped_words WHERE hunk = ?"
_COUNT_DROPPED = "SELECT count(*) FROM dropped_words"


_Row = tuple[str, int, int, "Kept", "Kept", "Kept", "Kept"]
"""A word's postings in a piece: how many hunks hold it; its strings, each followed by that of its places."""

_Strings = tuple[int, int, bytes, bytes]
"""The number of a word and of a part, the word's postings there and their places."""


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
    """Merge all pieces of which no large part is left to one; and all, when there are many."""
    pieces = read_pieces(connection)
    gone = {piece: len(hunks) for piece, hunks in _gone(connection)}
    merged = [
        piece for piece, hunks, _ in pieces if hunks - gone.get(piece, 0) < _LARGE or len(pieces) > _MANY
    ]
    if len(merged) > 1:
        merge(connection, merged)
    tidy(connection)


def needs_compaction(connection: Connection) -> bool:
    """True when so many hunks were dropped that questions wait for it; never after `tidy`."""
    dropped = int(connection.execute(_COUNT_DROPPED).get)
    return dropped > 0 and dropped * _DROPPED_SHARE >= sum(hunks for _, hunks, _ in read_pieces(connection))


def tidy(connection: Connection) -> None:
    """Write those pieces anew that say much of hunks that were dropped; of others forget that they were."""
    sizes = {piece: hunks for piece, hunks, _ in read_pieces(connection)}
    for piece, gone in _gone(connection):
        if len(gone) * _DROPPED_SHARE >= sizes[piece]:
            merge(connection, [piece])
    # A piece that is left may be older than what was dropped from others only.
    still_said = {hunk for _, gone in _gone(connection) for hunk in gone.tolist()}
    forgotten = [(hunk,) for hunk in read_dropped(connection).hunks.tolist() if hunk not in still_said]
    connection.executemany(_FORGET_DROPPED_HUNK, forgotten)


def _gone(connection: Connection) -> list[tuple[int, Numbers]]:
    """The pieces that speak of hunks that were dropped, and of which."""
    dropped = read_dropped(connection)
    found: list[tuple[int, Numbers]] = []
    for piece, _, _ in read_pieces(connection) if len(dropped.hunks) else ():
        hunks = read_texts(connection, piece).hunks
        kept = dropped.kept(hunks, piece)
        if kept is not None:
            found.append((piece, hunks[~kept]))
    return found


def join(connection: Connection) -> None:
    """Merge all pieces to one beside other work, unless that is much: `compact` has more time and memory."""
    if sum(hunks for _, hunks, _ in read_pieces(connection)) <= _LARGEST_JOINED:
        merge_all(connection)


def merge_all(connection: Connection) -> None:
    """Merge all pieces to one, unless there is but one that lacks nothing."""
    pieces = [piece for piece, _, _ in read_pieces(connection)]
    if len(pieces) > 1 or (pieces and len(read_dropped(connection).hunks)):
        merge(connection, pieces)


def merge(connection: Connection, pieces: Sequence[int]) -> None:
    """Make one piece of some."""
    dropped = read_dropped(connection)
    parts = _Parts([(piece, read_texts(connection, piece)) for piece in pieces], dropped)
    if len(parts.texts.hunks):
        merged = PieceWriter(connection, parts.texts)
        for rows in _portions(connection, pieces):
            _write(connection, merged, rows, parts)
        merged.finish()
    for piece in pieces:
        for statement in _FORGET:
            connection.execute(statement, (piece,))
        forget_blocks(connection, piece)
    connection.execute(_FORGET_DROPPED)


class _Parts:
    """The texts of all parts together, and where those of each part went."""

    def __init__(self, pieces: Sequence[tuple[int, Texts]], dropped: Dropped) -> None:
        kept = [
            np.ones(len(texts.hunks), bool) if (some := dropped.kept(texts.hunks, piece)) is None else some
            for piece, texts in pieces
        ]
        parts = [texts for _, texts in pieces]
        self.numbers = {piece: number for number, (piece, _) in enumerate(pieces)}
        units = np.concatenate([texts.units for texts in parts])
        all_kept = np.concatenate(kept)
        left = np.add.reduceat(all_kept.astype(np.int64), np.cumsum(units) - units) if len(units) else units
        self.texts = Texts(
            np.concatenate([texts.hunks for texts in parts])[all_kept],
            np.concatenate([texts.lengths for texts in parts])[all_kept],
            left[left > 0],
        )
        self.are_whole = bool(all_kept.all())
        self.text_starts, self.new_texts = _moved([len(texts.hunks) for texts in parts], all_kept)
        self.unit_starts, self.new_units = _moved([len(texts.units) for texts in parts], left > 0)


def _moved(sizes: Sequence[int], kept: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """Where each part begins among all, and the new place of each; -1 for what is not kept."""
    ends = np.cumsum(np.array(sizes, np.int64))
    return np.concatenate(([0], ends)), np.where(kept, np.cumsum(kept) - 1, -1)


def _portions(connection: Connection, pieces: Sequence[int]) -> Iterator[list[_Row]]:
    """The rows of all pieces in order of their words, as many at once as memory allows."""
    gathered: list[_Row] = []
    texts = 0
    for row in connection.execute(_ROWS.format(", ".join("?" * len(pieces))), tuple(pieces)):
        if texts > _TEXTS_AT_ONCE and row[0] != gathered[-1][0]:
            yield gathered
            gathered, texts = [], 0
        gathered.append(row)
        texts += row[2]
    if gathered:
        yield gathered


def _write(connection: Connection, merged: PieceWriter, rows: Sequence[_Row], parts: _Parts) -> None:
    words: list[str] = []
    change: list[_Strings] = []
    message: list[_Strings] = []
    for word, piece, _, changed, places, said, said_places in rows:
        if not words or word != words[-1]:
            words.append(word)
        for strings, kept, kept_places in ((change, changed, places), (message, said, said_places)):
            if kept is not None:
                string = kept if type(kept) is bytes else string_of(connection, piece, kept)
                where = (
                    kept_places
                    if type(kept_places) is bytes
                    else string_of(connection, piece, kept_places) or b""
                )
                strings.append((len(words) - 1, parts.numbers[piece], string or b"", where))
    merged.write(
        words,
        _joined(change, parts, is_message=False),
        _joined(message, parts, is_message=True),
        # Where nothing was dropped, places are the same as before, one part's after the other's.
        [_joined_places(each, len(words)) for each in (change, message)] if parts.are_whole else (),
    )


def _joined(rows: Sequence[_Strings], parts: _Parts, *, is_message: bool) -> Postings:
    """The postings of rows in the merged piece; with places where some are dropped."""
    if not rows:
        return NOTHING
    starts, moved = (
        (parts.unit_starts, parts.new_units) if is_message else (parts.text_starts, parts.new_texts)
    )
    where = None if parts.are_whole else [row[3] for row in rows]
    read = decode([row[2] for row in rows], is_message=is_message, places=where)
    words, part = (np.array([row[at] for row in rows], np.int64)[read.rows] for at in (0, 1))
    before = starts[part] + read.texts
    if (read.texts < 0).any() or (before >= starts[part + 1]).any():
        raise ValueError("a posting names a text that is not there")
    texts = moved[before]
    if read.places is None:
        return Postings(words, texts, read.codes, read.far)
    kept = texts >= 0
    times = read.codes if is_message else read.counts().sum(axis=1)
    far = read.far if is_message else read.far[kept[read.codes == 0]]
    places = read.places[np.repeat(kept, times)]
    return Postings(words[kept], texts[kept], read.codes[kept], far, places)


def _joined_places(rows: Sequence[_Strings], count: int) -> list[bytes | None]:
    return join_places([row[0] for row in rows], [row[3] for row in rows], count)
