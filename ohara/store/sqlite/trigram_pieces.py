"""The pieces that trigrams are kept in: each is whole in itself, written once and never changed.

    trigram_piece(piece, contents, members, blocks)  which contents it speaks of; where its blocks begin
    trigram_block(id, bytes)                         its blocks, one behind the other (`word_blocks`)
    dropped_trigrams(content, piece)                 a content of which pieces up to this one no longer speak

A batch adds a piece; small pieces are merged to larger ones, and then what was dropped is left out. A search
need not know what was dropped: what it finds are candidates.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from ohara.records import dataclass
from ohara.store.sqlite.number_runs import NumberRun, opened
from ohara.store.sqlite.word_blocks import kept_at, string_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.store.sqlite.connection import Connection

BLOCKS = "trigram_block"
TABLES = ("trigram_piece", BLOCKS, "dropped_trigrams")

_NUMBERS = "SELECT piece FROM trigram_piece ORDER BY piece"
_PIECE = "SELECT contents, blocks FROM trigram_piece WHERE piece = ?"
_MEMBERS = "SELECT contents, members FROM trigram_piece WHERE piece = ?"
_SIZES = "SELECT contents, blocks FROM trigram_piece"
_CONTENTS = "SELECT count(*) FROM content"
_BYTES = f"SELECT coalesce(sum(length(bytes)), 0) FROM {BLOCKS}"
_SMALLEST_BLOCK = 9  # bytes, of which a compressed string has not less
_DROPPED = "SELECT content, piece FROM dropped_trigrams"
_THERE = "SELECT 1 FROM sqlite_schema WHERE name = 'trigram_piece'"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece: of how many contents it speaks; of each block the first trigram, the length and the place."""

    number: int
    contents: int
    firsts: Sequence[int]
    lengths: Sequence[int]
    kept: Sequence[int]

    @property
    def size(self) -> int:
        """About how many bytes it takes in memory."""
        return 120 * len(self.kept)

    def block(self, connection: Connection, at: int) -> bytes:
        """One of its blocks."""
        return string_of(connection, self.number, self.kept[at], BLOCKS) or b""


def are_there(connection: Connection) -> bool:
    """True when an index has the tables; one that no run has brought up to date has not."""
    return connection.execute(_THERE).fetchone() is not None


def piece_numbers(connection: Connection) -> list[int]:
    """The numbers of all pieces."""
    return [row[0] for row in connection.execute(_NUMBERS)]


def read_piece(connection: Connection, number: int) -> Piece:
    """A piece by its number; raises ValueError when it makes no sense."""
    contents, blocks = connection.execute(_PIECE, (number,)).get
    run = NumberRun(blocks)
    count = len(run) // 2
    lengths = run.some(count, 2 * count)
    begins = accumulate(lengths, initial=0)
    kept = [kept_at(begin, length) for begin, length in zip(begins, lengths, strict=False)]
    return Piece(number, int(contents), list(run.sums(0, count)), lengths, kept)


def read_pieces(connection: Connection) -> list[Piece]:
    """All pieces; raises ValueError when one makes no sense."""
    return [read_piece(connection, number) for number in piece_numbers(connection)]


def read_members(connection: Connection, piece: int) -> list[int]:
    """The contents that a piece speaks of, in order; raises ValueError when there are not so many."""
    contents, members = connection.execute(_MEMBERS, (piece,)).get
    run = NumberRun(members, contents)
    if len(run) != contents:
        raise ValueError("a piece of trigrams does not have as many contents as it says")
    return list(run.sums(0, len(run)))


def check_sizes(connection: Connection) -> None:
    """Raise ValueError when pieces that nothing was dropped from say more than there can be.

    Of what somebody else wrote: a few bytes may stand for more numbers than fit into memory.
    """
    contents = connection.execute(_CONTENTS).get
    blocks = connection.execute(_BYTES).get // _SMALLEST_BLOCK
    for own, where in connection.execute(_SIZES):
        contents -= own
        blocks -= len(opened(where, 2 * blocks)[0]) // 2
        if contents < 0 or blocks < 0:
            raise ValueError("a piece of trigrams says more than there can be")


def read_dropped(connection: Connection) -> dict[int, int]:
    """Which contents were dropped, and up to which piece."""
    return dict(connection.execute(_DROPPED))


def kept_members(connection: Connection, piece: int, dropped: dict[int, int]) -> list[int]:
    """Those contents of a piece of which it still speaks."""
    return [each for each in read_members(connection, piece) if dropped.get(each, 0) < piece]


def contents_with_trigrams(connection: Connection) -> list[int]:
    """The contents whose trigrams are there, be there none."""
    dropped = read_dropped(connection)
    return [
        content
        for piece in read_pieces(connection)
        for content in kept_members(connection, piece.number, dropped)
    ]
