"""Orders millions of small numbers in less than half the time that sorting them takes. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.arrays import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HALF_BITS = 16


def stable_order(numbers: NDArray[np.signedinteger | np.unsignedinteger]) -> NDArray[np.intp]:
    """Where the numbers, which are below 2**32, stand in order; equal ones stay as they are.

    numpy sorts numbers of two bytes by counting them, and so this is done half by half, the lower one first.
    """
    order = np.argsort(numbers.astype(np.uint16), kind="stable")
    if len(numbers) and int(numbers.max()) >> _HALF_BITS:
        upper = (numbers >> _HALF_BITS).astype(np.uint16)
        order = order[np.argsort(upper[order], kind="stable")]
    return order
