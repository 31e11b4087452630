"""Writes and reads `number_runs` as arrays: many numbers at once. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import zstandard

from ohara.arrays import np
from ohara.store.sqlite.number_runs import COUNT_BYTES, FAR, FAR_BYTES, opened

if TYPE_CHECKING:
    from ohara.store.sqlite.varints import Numbers

_LEVEL = (
    1  # higher ones take longer, and a percent more room: there is nothing to find but how often bytes are
)


def pack(numbers: Numbers) -> bytes:
    """One string of numbers below 2**32."""
    near = np.minimum(numbers, FAR).astype(np.uint8)
    far = (numbers[near == FAR] - FAR).astype("<u4")
    planes = far.view(np.uint8).reshape(-1, FAR_BYTES).T
    return closed(len(numbers).to_bytes(COUNT_BYTES, "little") + near.tobytes() + planes.tobytes())


def closed(plain: bytes) -> bytes:
    """Such a string as it is kept."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress(plain)


def unpack(string: bytes) -> Numbers:
    """The numbers of a string; raises ValueError for what `pack` did not make."""
    near, planes = opened(string)
    read = np.frombuffer(near, np.uint8)
    numbers = read.astype(np.int64)
    if planes:
        far = np.frombuffer(planes, np.uint8).reshape(FAR_BYTES, -1).T.copy().view("<u4")
        numbers[read == FAR] += far[:, 0]
    return numbers


def pack_steps(numbers: Numbers) -> bytes:
    """One string of numbers that rise."""
    return pack(np.diff(numbers, prepend=0))
