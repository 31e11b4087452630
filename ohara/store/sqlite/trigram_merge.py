"""Merges pieces of trigrams to one, without what was dropped; which pieces are worth it."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from ohara.arrays import np
from ohara.store.sqlite.trigram_lists import codes_of, contents_of, decode
from ohara.store.sqlite.trigram_pieces import BLOCKS, kept_members, read_dropped, read_pieces
from ohara.store.sqlite.trigram_writer import PieceWriter
from ohara.store.sqlite.word_blocks import forget_blocks
from ohara.store.sqlite.word_merge import crowded
from ohara.store.trigram_codes import CODES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ohara.store.sqlite.connection import Connection
    from ohara.store.sqlite.trigram_pieces import Piece
    from ohara.store.sqlite.varints import Numbers

# Merging takes as long as writing. Large pieces are left as they are, if they are few: with a dozen of them a
# search takes a fifth longer. And so is a piece that is so many times as large as all smaller ones together.
_LARGE = 8_000  # contents
_MANY = 24
_MUCH_LARGER = 4
_LARGEST_JOINED = 250_000  # contents: four seconds
_DROPPED_SHARE = 8  # an eighth of a piece
_BYTES_AT_ONCE = 200_000  # of blocks: two entries a byte, thirty bytes each while they are merged

_FORGET = "DELETE FROM trigram_piece WHERE piece = ?"
_FORGET_DROPPED = """DELETE FROM dropped_trigrams
  WHERE piece < (SELECT coalesce(min(piece), 9e18) FROM trigram_piece)"""


def merge_crowded(connection: Connection) -> None:
    """Merge small pieces while there are many of one size."""
    while numbers := set(crowded((each.number, each.contents) for each in read_pieces(connection))):
        merge(connection, [each for each in read_pieces(connection) if each.number in numbers])


def compact(connection: Connection) -> None:
    """Merge all pieces that are not large to one; and where there are many, all but the much larger ones."""
    pieces = sorted(read_pieces(connection), key=lambda each: each.contents)
    small = sum(each.contents < _LARGE for each in pieces)
    if len(pieces) > _MANY:
        before = accumulate((each.contents for each in pieces), initial=0)
        for at, (each, smaller) in enumerate(zip(pieces, before, strict=False)):
            if each.contents <= _MUCH_LARGER * smaller:
                small = at + 1
    if small > 1:
        merge(connection, sorted(pieces[:small], key=lambda each: each.number))
    tidy(connection)


def join(connection: Connection) -> None:
    """Merge all pieces to one beside other work, unless that is much or most is in one already."""
    pieces = read_pieces(connection)
    contents = sum(each.contents for each in pieces)
    if len(pieces) < 2 or contents > _LARGEST_JOINED:
        return
    largest = max(each.contents for each in pieces)
    if largest <= _MUCH_LARGER * (contents - largest):
        merge(connection, pieces)


def tidy(connection: Connection) -> None:
    """Write those pieces anew that say much of contents that were dropped."""
    dropped = read_dropped(connection)
    for piece in read_pieces(connection) if dropped else ():
        gone = piece.contents - len(kept_members(connection, piece.number, dropped))
        if gone * _DROPPED_SHARE >= piece.contents:
            merge(connection, [piece])


def merge_all(connection: Connection) -> None:
    """Merge all pieces to one, unless there is but one that lacks nothing."""
    pieces = read_pieces(connection)
    if len(pieces) > 1 or (pieces and read_dropped(connection)):
        merge(connection, pieces)


def merge(connection: Connection, pieces: Sequence[Piece]) -> None:
    """Make one piece of some."""
    dropped = read_dropped(connection)
    members = [np.array(kept_members(connection, piece.number, dropped), np.int64) for piece in pieces]
    contents = np.unique(np.concatenate(members))
    if len(contents):
        merged = PieceWriter(connection, contents)
        for low, high in _ranges(pieces):
            parts = [
                _entries(connection, piece, own, low, high, is_whole=len(own) == piece.contents)
                for piece, own in zip(pieces, members, strict=True)
            ]
            entries = np.concatenate(parts)
            entries.sort(kind="stable")  # the quickest for parts that are sorted: it merges them
            merged.write(entries)
        merged.finish()
    for piece in pieces:
        connection.execute(_FORGET, (piece.number,))
        forget_blocks(connection, piece.number, BLOCKS)
    connection.execute(_FORGET_DROPPED)


def _ranges(pieces: Sequence[Piece]) -> Iterator[tuple[int, int]]:
    """All trigrams, as many at once as memory allows, by the first and the one behind the last."""
    blocks = sorted(block for piece in pieces for block in zip(piece.firsts, piece.lengths, strict=True))
    cuts, size = {0, CODES}, 0
    for first, length in blocks:
        if size > _BYTES_AT_ONCE:
            cuts.add(first)
            size = 0
        size += length
    return pairwise(sorted(cuts))


def _entries(
    connection: Connection, piece: Piece, members: Numbers, low: int, high: int, *, is_whole: bool
) -> Numbers:
    """The entries of a piece in a range of trigrams."""
    begin, end = np.searchsorted(piece.firsts, [low + 1, high]).tolist()
    found = [np.zeros(0, np.int64)]
    for at in range(max(0, begin - 1), end):
        entries = decode(piece.block(connection, at))
        if at < begin or at == end - 1:
            codes = codes_of(entries)
            entries = entries[(codes >= low) & (codes < high)]
        found.append(entries if is_whole else entries[np.isin(contents_of(entries), members)])
    return np.concatenate(found)
