"""Where long strings of postings are kept: one behind the other, in blocks that fill a page of the database.

    word_block(id, bytes)      id = the piece's number, and the block's within it; so `trigram_block`

A row of postings has a short string itself, and of a long one where it begins and how long it is, in one
number. In the row a long string would take whole pages, the last of them half empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.store.sqlite.connection import Connection

    Kept = bytes | int | None
    """A string as a row has it."""

_LONG = 400  # bytes: a row has four strings, and its word, in the quarter of a page that fits
_BLOCK = 8_140  # what fits into a page of 8,192 bytes
_BLOCK_BITS = 32
_LENGTH_BITS = 28

WORD_BLOCKS = "word_block"
_ADD = "INSERT INTO {}(id, bytes) VALUES(?, ?)"
_READ = "SELECT bytes FROM {} WHERE id BETWEEN ? AND ? ORDER BY id"
_FORGET = "DELETE FROM {} WHERE id BETWEEN ? AND ?"


class BlockWriter:
    """The blocks of a piece that is being written."""

    def __init__(self, connection: Connection, piece: int, table: str = WORD_BLOCKS) -> None:
        self._connection = connection
        self._add = _ADD.format(table)
        self._first = piece << _BLOCK_BITS
        self._written = 0
        self._waiting = bytearray()

    def keep_long(self, columns: Sequence[Sequence[bytes | None]]) -> list[list[Kept]]:
        """What rows have for their strings, column by column; the long ones of a row lie side by side."""
        kept: list[list[Kept]] = [list(column) for column in columns]
        long = {
            at for column in columns for at, string in enumerate(column) if string and len(string) >= _LONG
        }
        for at in sorted(long):
            for column, found in zip(columns, kept, strict=True):
                string = column[at]
                if string and len(string) >= _LONG:
                    found[at] = self.keep(string)
        return kept

    def keep(self, string: bytes) -> int:
        """Where a string went, and how long it is."""
        begin = self._written * _BLOCK + len(self._waiting)
        self._waiting += string
        while len(self._waiting) >= _BLOCK:
            self._write(bytes(self._waiting[:_BLOCK]))
            del self._waiting[:_BLOCK]
        return kept_at(begin, len(string))

    def finish(self) -> None:
        """Write the last block."""
        if self._waiting:
            self._write(bytes(self._waiting))
            self._waiting.clear()

    def _write(self, block: bytes) -> None:
        self._connection.execute(self._add, (self._first + self._written, block))
        self._written += 1


def string_of(connection: Connection, piece: int, kept: Kept, table: str = WORD_BLOCKS) -> bytes | None:
    """The string that a row has; raises ValueError when it is not there."""
    if not isinstance(kept, int):
        return kept
    begin, length = kept >> _LENGTH_BITS, kept & ((1 << _LENGTH_BITS) - 1)
    first, last = begin // _BLOCK, (begin + length - 1) // _BLOCK
    bounds = ((piece << _BLOCK_BITS) + first, (piece << _BLOCK_BITS) + last)
    joined = b"".join(row[0] for row in connection.execute(_READ.format(table), bounds))
    string = joined[begin - first * _BLOCK :][:length]
    if len(string) != length:
        raise ValueError("a block is missing")
    return string


def kept_at(begin: int, length: int) -> int:
    """What a row has for a string that begins at a place and is so long."""
    return begin << _LENGTH_BITS | length


def forget_blocks(connection: Connection, piece: int, table: str = WORD_BLOCKS) -> None:
    """Delete the blocks of a piece."""
    first = piece << _BLOCK_BITS
    connection.execute(_FORGET.format(table), (first, first + (1 << _BLOCK_BITS) - 1))
