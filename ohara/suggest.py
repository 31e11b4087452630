"""Suggests the known name nearest to a mistyped one.

Pure, and used only for hints: nothing is ever corrected automatically.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def edits(left: str, right: str) -> int:
    """The edit distance: characters added, dropped, replaced or swapped with a neighbour.

    This is the optimal string alignment distance: no substring is edited twice.
    """
    before: list[int] = []
    previous = list(range(len(right) + 1))
    for row, char in enumerate(left, start=1):
        current = [row]
        for column, other in enumerate(right, start=1):
            cost = min(
                previous[column] + 1,
                current[column - 1] + 1,
                previous[column - 1] + (char != other),
            )
            swapped = row > 1 and column > 1 and char == right[column - 2] and left[row - 2] == other
            if swapped:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        before, previous = previous, current
    return previous[-1]


def nearest(word: str, known: Iterable[str], *, within: int | None = None) -> str | None:
    """The known name fewest edits away, the first one on a tie; none when all are farther than `within`."""
    if not (names := list(known)):
        return None
    distance, _, best = min((edits(word, name), order, name) for order, name in enumerate(names))
    return best if within is None or distance <= within else None
