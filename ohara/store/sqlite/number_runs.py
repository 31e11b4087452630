"""Numbers as one string of which a part can be read, without numpy, which takes long to load. Pure.

A number has one byte; what is 255 or more has 255 there, and the rest in four bytes behind all of these: the
lowest bytes of all, then the next. All of it is compressed. `number_arrays` writes them, many at once.
"""

from __future__ import annotations

import sys
from array import array
from itertools import accumulate
from threading import local
from typing import TYPE_CHECKING

import zstandard

if TYPE_CHECKING:
    from collections.abc import Iterable

FAR = 255  # in the byte of a number: the rest is behind
FAR_BYTES = 4
COUNT_BYTES = 4  # in front: how many numbers there are
_LARGEST = 1 << 28  # bytes, of a hundred million numbers


class _OfThread(local):
    """A decompressor serves one thread; making one takes as long as opening a string."""

    def __init__(self) -> None:
        self.decompress = zstandard.ZstdDecompressor().decompress


_of_thread = _OfThread()


def opened(string: bytes, most: int = _LARGEST) -> tuple[bytes, bytes]:
    """The bytes of all numbers, and what is behind them; raises ValueError for what nobody wrote.

    What has more numbers than there can be is not unpacked.
    """
    largest = min(_LARGEST, COUNT_BYTES + (1 + FAR_BYTES) * most + 1)
    try:
        if zstandard.frame_content_size(string) not in range(largest):
            raise ValueError("a string is too long")
        plain = _of_thread.decompress(string)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error
    end = COUNT_BYTES + int.from_bytes(plain[:COUNT_BYTES], "little")
    near, far = plain[COUNT_BYTES:end], plain[end:]
    if len(plain) < end or len(far) != FAR_BYTES * near.count(FAR):
        raise ValueError("numbers are missing")
    return near, far


class NumberRun:
    """The numbers of one string."""

    __slots__ = ("_far", "_near")

    def __init__(self, string: bytes, most: int = _LARGEST) -> None:
        self._near, planes = opened(string, most)
        count = len(planes) // FAR_BYTES
        joined = bytearray(len(planes))
        for at in range(FAR_BYTES):
            joined[at::FAR_BYTES] = planes[at * count : (at + 1) * count]
        self._far = array("I", bytes(joined))
        if sys.byteorder == "big":
            self._far.byteswap()

    def __len__(self) -> int:
        return len(self._near)

    def some(self, begin: int, end: int) -> list[int]:
        """The numbers from one place to another."""
        near = self._near
        found = list(near[begin:end])
        if len(found) != end - begin:
            raise ValueError("numbers are missing")
        at = near.find(FAR, begin, end)
        if at >= 0:
            which = near.count(FAR, 0, begin)
            while at >= 0:
                found[at - begin] += self._far[which]
                which += 1
                at = near.find(FAR, at + 1, end)
        return found

    def sums(self, begin: int, end: int) -> Iterable[int]:
        """The numbers from one place to another, each with all before it added."""
        return accumulate(self.some(begin, end))
