"""What became of the lines of a hunk, as seen from HEAD or from another ref."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from ohara.model.history import Sha  # noqa: TC001 - who reads values off the wire asks for the types
from ohara.records import dataclass


class FateState(StrEnum):
    """What became of a hunk's added lines."""

    ALIVE = "alive"  # all of them are there
    CHANGED = "changed"  # some of them are
    MOVED = "moved"  # none where they were, but some in another file
    GONE = "gone"
    REVERTED = "reverted"  # gone, by a commit that took this one back
    UNMERGED = "unmerged"  # the commit is not part of this history
    REMOVAL = "removal"  # the hunk adds no lines


class FateFilter(StrEnum):
    """What `is:` may ask for; `alive` admits alive, changed and moved."""

    ALIVE = "alive"
    GONE = "gone"
    MOVED = "moved"
    REVERTED = "reverted"


@dataclass(frozen=True, slots=True)
class Returned:
    """Removed lines that stand there again: how many of how many, the first of them, and who added it."""

    lines: int
    of: int
    path: str | None = None
    line: int | None = None
    by: Sha | None = None
    by_time: int | None = None


@dataclass(frozen=True, slots=True)
class Fate:
    """How many of a hunk's added lines stand, blank ones not counted, and where the first of them is now.

    `by` is the newest commit that took lines away; of lines that are all there, the one that brought them
    back; of moved lines, the one that moved the first of them there. `returned` speaks of the lines that the
    hunk removed, if there are any.
    """

    state: FateState
    kept: int
    of: int
    path: str | None = None
    line: int | None = None
    by: Sha | None = None
    by_time: int | None = None
    returned: Returned | None = None


def together(above: Fate, below: Fate) -> Fate:
    """The fate of two pieces of one hunk."""
    adding = [each for each in (above, below) if each.state is not FateState.REMOVAL]
    returned = _returned(above.returned, below.returned)
    if len(adding) < 2:
        return replace(adding[0] if adding else above, returned=returned)
    kept, of = above.kept + below.kept, above.of + below.of
    states = {above.state, below.state}
    newest = max(adding, key=lambda each: each.by_time or 0)
    first = next((each for each in adding if each.path), above)
    state = above.state
    if len(states) > 1:
        here = states & {FateState.ALIVE, FateState.CHANGED}
        state = FateState.CHANGED if here else FateState.MOVED if first.path else FateState.GONE
    return Fate(state, kept, of, first.path, first.line, newest.by, newest.by_time, returned)


def _returned(above: Returned | None, below: Returned | None) -> Returned | None:
    if above is None or below is None:
        return above or below
    first = above if above.lines else below
    return replace(first, lines=above.lines + below.lines, of=above.of + below.of)
