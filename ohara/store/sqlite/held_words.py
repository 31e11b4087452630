"""Where a word or a phrase stands, and what that is worth under a weighting of columns. Pure."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from ohara.arrays import np
from ohara.records import dataclass
from ohara.store.sqlite.posting_codec import counts_by_code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ohara.store.sqlite.varints import Numbers

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]


class Weighting:
    """What a word is worth in each column, message first, and by each code of a change."""

    def __init__(self, weights: Floats) -> None:
        self.weights = weights
        self.by_code = _counts() @ weights[1:]
        self.of_change = bool(weights[1:].any())  # False where only messages count

    @classmethod
    def of(cls, weights: Sequence[float], columns: Floats) -> Weighting:
        """Weights of columns, of which only some count; every question has the same few."""
        return _weighting(tuple((np.array(weights) * columns).tolist()))


@lru_cache(maxsize=64)
def _weighting(weights: tuple[float, ...]) -> Weighting:
    return Weighting(np.array(weights))


@cache
def _counts() -> Floats:
    return counts_by_code().astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Where a word or phrase stands: in the changes of some texts, by code, and in the messages of units.

    `hunks` is how many hold it in one or the other, where the index says so.
    """

    changed: Numbers
    codes: Numbers
    far: NDArray[np.int64]
    units: Numbers
    times: Numbers
    hunks: int | None = None

    def weighted(self, weighting: Weighting) -> Floats:
        """What its times in each change are worth together."""
        found: Floats = weighting.by_code.take(self.codes)
        if len(self.far):
            found[self.codes == 0] = self.far @ weighting.weights[1:]
        return found

    def narrowed(self, wanted: Flags) -> Held:
        """Only what stands in the changes of texts that have a flag."""
        inside = wanted.take(self.changed)  # which is quicker with narrow numbers than brackets are
        at = np.flatnonzero(inside)
        far = self.far[inside[self.codes == 0]] if len(self.far) else self.far
        return Held(self.changed[at], self.codes[at], far, self.units, self.times)

    def said(self, units: NDArray[np.int32], count: int) -> Numbers:
        """How often the messages of some units, of so many, hold it."""
        of_all = np.zeros(count, self.times.dtype)
        of_all[self.units] = self.times
        found: Numbers = of_all.take(units)
        return found
