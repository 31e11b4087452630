"""Numbers in as few bytes as they need, seven bits in each, many at once. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.arrays import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

_BITS = 7
_MORE = 1 << _BITS  # in a byte: the number goes on
_LONGEST = 9  # bytes of a number below 2**63


def pack(numbers: Numbers) -> tuple[bytes, Numbers]:
    """The bytes of numbers, one behind the other, and where each ends."""
    sizes = np.ones(len(numbers), np.int64)
    largest = int(numbers.max()) if len(numbers) else 0
    bound = _MORE
    while largest >= bound:
        sizes += numbers >= bound
        bound <<= _BITS
    ends = np.cumsum(sizes)
    packed = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    starts = ends - sizes
    left, at = numbers, starts
    while len(left):
        goes_on = left >= _MORE
        packed[at] = (left & (_MORE - 1)) | np.where(goes_on, _MORE, 0)
        left, at = left[goes_on] >> _BITS, at[goes_on] + 1
    return packed.tobytes(), ends


def unpack(packed: bytes) -> Numbers:
    """The numbers of bytes; raises ValueError for what `pack` did not make."""
    raw = np.frombuffer(packed, np.uint8)
    starts, ends = _bounds(raw)
    return raw.astype(np.int64) if len(ends) == len(raw) else _read(raw, starts, ends)


def unpack_some(packed: bytes, wanted: Numbers) -> tuple[Numbers, int]:
    """Some of the numbers of bytes, by which of them they are; and how many there are in all."""
    raw = np.frombuffer(packed, np.uint8)
    ends = _ends(raw)
    if len(wanted) and int(wanted.max()) >= len(ends):
        raise ValueError("there are fewer numbers")
    if len(ends) == len(raw):
        return raw[wanted].astype(np.int64), len(raw)
    starts = np.where(wanted, ends[wanted - 1] + 1, 0)
    return _read(raw, starts, ends[wanted]), len(ends)


def _ends(raw: NDArray[np.uint8]) -> Numbers:
    """The last byte of each number."""
    ends = np.flatnonzero(raw < _MORE)
    if len(raw) and (not len(ends) or ends[-1] != len(raw) - 1):
        raise ValueError("a number has no end")
    return ends


def _bounds(raw: NDArray[np.uint8]) -> tuple[Numbers, Numbers]:
    """The first and the last byte of each number."""
    ends = _ends(raw)
    starts = np.zeros_like(ends)
    starts[1:] = ends[:-1] + 1
    return starts, ends


def _read(raw: NDArray[np.uint8], starts: Numbers, ends: Numbers) -> Numbers:
    numbers = (raw[starts] & (_MORE - 1)).astype(np.int64)
    long = np.flatnonzero(ends > starts)
    shift = 0
    while len(long):
        shift += 1
        if shift == _LONGEST:
            raise ValueError("a number is too long")
        numbers[long] |= (raw[starts[long] + shift] & (_MORE - 1)).astype(np.int64) << (_BITS * shift)
        long = long[ends[long] > starts[long] + shift]
    return numbers


def ends_of(packed: bytes) -> Numbers:
    """Where each number ends, counted in bytes."""
    return np.flatnonzero(np.frombuffer(packed, np.uint8) < _MORE) + 1
