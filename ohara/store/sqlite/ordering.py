"""Puts millions of small numbers in order, a range after the other: quick, and in little memory. Pure."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ohara.arrays import np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Small = NDArray[np.signedinteger | np.unsignedinteger]

_HALF_BITS = 16


def ordered_by_range(numbers: Small, cuts: Sequence[int]) -> Iterator[NDArray[np.intp]]:
    """Where numbers stand, in order and equal ones as they come: those from each cut to the next together.

    To order all of them at once takes forty bytes for each; to look for those of a range takes two.
    """
    for first, last in pairwise(cuts):
        where = np.flatnonzero((numbers >= first) & (numbers < last))
        yield where[stable_order(numbers[where] - first)]


def stable_order(numbers: Small) -> NDArray[np.intp]:
    """Where the numbers, which are below 2**32, stand in order; equal ones stay as they are.

    numpy sorts numbers of two bytes by counting them, and so this is done half by half, the lower one first:
    in less than half the time that sorting them takes.
    """
    order = np.argsort(numbers.astype(np.uint16), kind="stable")
    if len(numbers) and int(numbers.max()) >> _HALF_BITS:
        upper = (numbers >> _HALF_BITS).astype(np.uint16)
        order = order[np.argsort(upper[order], kind="stable")]
    return order


def cuts_of(counts: NDArray[np.int64], most: int) -> list[int]:
    """Cuts between which there are about so many numbers at most, by how many there are of each from 0 on."""
    ends = np.cumsum(counts)
    cuts, begun = [0], 0
    while cuts[-1] < len(ends):
        last = int(np.searchsorted(ends, begun + most, side="right"))
        cuts.append(max(last, cuts[-1] + 1))
        begun = int(ends[cuts[-1] - 1])
    return cuts
