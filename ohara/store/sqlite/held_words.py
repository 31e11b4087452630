"""Where a word or a phrase stands, and what that is worth under a weighting of columns. Pure."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ohara.arrays import np
from ohara.records import dataclass
from ohara.store.sqlite.posting_codec import counts_by_code

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ohara.store.sqlite.varints import Numbers

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]


class Weighting:
    """What a word is worth in each column, message first, and by each code of a change."""

    def __init__(self, weights: Floats) -> None:
        self.weights = weights
        self.by_code = _counts() @ weights[1:]


@cache
def _counts() -> Floats:
    return counts_by_code().astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Where a word or phrase stands: in the changes of some texts, by code, and in the messages of some."""

    changed: Numbers
    codes: Numbers
    far: NDArray[np.int64]
    said: Numbers
    times: Numbers

    def weighted(self, weighting: Weighting) -> Floats:
        """What its times in each change are worth together."""
        found = weighting.by_code[self.codes]
        if len(self.far):
            found[self.codes == 0] = self.far @ weighting.weights[1:]
        return found

    def narrowed(self, wanted: Flags) -> Held:
        """Only what stands in some of the changes."""
        far = self.far[wanted[self.codes == 0]] if len(self.far) else self.far
        return Held(self.changed[wanted], self.codes[wanted], far, self.said, self.times)
