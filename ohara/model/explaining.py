"""Values of an explanation: what each commit did to the lines, and what brought it in."""

from __future__ import annotations

from enum import StrEnum

from ohara.model.history import Sha  # noqa: TC001 - the types are read off the wire
from ohara.records import dataclass


class Role(StrEnum):
    """What a commit did to the lines that are explained; unknown where history is cut off."""

    BEGAN = "began"
    CHANGED = "changed"
    REFORMATTED = "reformatted"
    MOVED = "moved"
    RENAMED = "renamed"
    REMOVED = "removed"
    CUT_OFF = "cut_off"


@dataclass(frozen=True, slots=True)
class Arrival:
    """How a commit came into history: the merge and the pull request that brought it, the first tag with it.

    A commit that was put on the main line itself has no merge; one that was squashed may name its pull
    request.
    """

    merge: Sha | None = None
    merge_subject: str = ""
    pull: int | None = None
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class Explained:
    """The part of a commit in the history of some lines.

    `first` and `last` are the lines in the commit's own version of the file, `old_first` and `old_last` in
    its parent's, 0 where there are none; `moved_from` is the place (path:line) that the commit took them
    from. `omitted` counts lines of the hunk that belong to them and are not in the excerpt.
    """

    role: Role
    first: int = 0
    last: int = 0
    old_first: int = 0
    old_last: int = 0
    moved_from: str | None = None
    omitted: int = 0
    arrival: Arrival = Arrival()
