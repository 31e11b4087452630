"""Steps through a diff: the next and previous row of some sort from where one stands. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def following(places: Sequence[int], here: int) -> int | None:
    """The first place after here, or the very first one; None when there are none. Places are sorted."""
    if not places:
        return None
    at = bisect_right(places, here)
    return places[at] if at < len(places) else places[0]


def preceding(places: Sequence[int], here: int) -> int | None:
    """The last place before here, or the very last one; None when there are none. Places are sorted."""
    if not places:
        return None
    return places[bisect_left(places, here) - 1]
