"""Tells of most contents that they are not stored yet, without asking the database. Pure.

A bit stands for each beginning of a digest. Of a hundred thousand contents that were added one in two hundred
looks as if it might be there; of a million, one in seventeen.
"""

from __future__ import annotations

_BITS = 24
_BYTES = _BITS // 8


class DigestFilter:
    """The digests that were added, as far as their beginnings tell them apart: two megabytes."""

    __slots__ = ("_bits",)

    def __init__(self) -> None:
        self._bits = bytearray(1 << (_BITS - 3))

    def may_hold(self, digest: bytes) -> bool:
        """False when this digest was never added."""
        number = int.from_bytes(digest[:_BYTES], "little")
        return bool(self._bits[number >> 3] & (1 << (number & 7)))

    def add(self, digest: bytes) -> None:
        """Note a digest."""
        number = int.from_bytes(digest[:_BYTES], "little")
        self._bits[number >> 3] |= 1 << (number & 7)
