"""Decides whose turn it is to be indexed, and when a job that runs gives way. Pure: it starts nothing.

A repository that was just asked for goes first. Then whoever has waited too long; then the words of the
others, by why they wait, the index that was left longest first; then symbols and vectors. A job that has had
its turn goes back behind those that wait, so that none holds up another, however long its history.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

# A job begins with some seconds of starting and looking at history: a turn is several times that.
TURN_S = 10.0
# What somebody waits for comes in sooner, and so do words where symbols and vectors are being made.
SHORT_TURN_S = 2.0
_LONGEST_WAIT_S = 60.0


class Reason(IntEnum):
    """Why a repository should be indexed; the smaller, the sooner."""

    ASKED = 0
    MOVED = 1
    DUE = 2


@dataclass(frozen=True, slots=True)
class Wanted:
    """Why a repository waits and since when, whether it had a turn already and is beyond its words."""

    reason: Reason
    since: float
    begun: bool = False
    later: bool = False

    @property
    def just_asked(self) -> bool:
        """True when somebody asked for it and it had no turn yet."""
        return self.reason is Reason.ASKED and not self.begun


class Queue:
    """The repositories that wait; `changed` says when an index was last written."""

    def __init__(self, changed: Callable[[Path], float]) -> None:
        self._changed = changed
        self._waiting: dict[Path, Wanted] = {}

    def __contains__(self, repository: Path) -> bool:
        return repository in self._waiting

    def add(self, repository: Path, reason: Reason, now: float) -> bool:
        """Let a repository wait; True when it did not before. The better of two reasons holds."""
        known = self._waiting.get(repository)
        if known is None:
            self._waiting[repository] = Wanted(reason, now)
        elif reason is Reason.ASKED and known.reason is not Reason.ASKED:
            self._waiting[repository] = replace(known, reason=reason, begun=False)
        elif reason < known.reason:
            self._waiting[repository] = replace(known, reason=reason)
        return known is None

    def put_back(self, repository: Path, wanted: Wanted, now: float, *, later: bool) -> None:
        """Let a repository wait for its next turn."""
        known = self._waiting.get(repository)
        reason = min(wanted.reason, known.reason) if known else wanted.reason
        self._waiting[repository] = Wanted(reason, now, begun=True, later=later)

    def take(self, repository: Path) -> Wanted | None:
        """No longer let it wait."""
        return self._waiting.pop(repository, None)

    def ordered(self, now: float, *, but: Collection[Path] = ()) -> list[tuple[Path, Wanted]]:
        """Who waits, next first, without some."""
        waiting = [(place, wanted) for place, wanted in self._waiting.items() if place not in but]
        return sorted(waiting, key=lambda each: self._rank(each[0], each[1], now))

    def _rank(self, repository: Path, wanted: Wanted, now: float) -> tuple[int, int, float]:
        if wanted.just_asked:
            return 0, 0, wanted.since
        if now - wanted.since >= _LONGEST_WAIT_S:
            return 1, 0, wanted.since
        return 3 if wanted.later else 2, wanted.reason, self._changed(repository)


def gives_way(runs: Wanted, ran_s: float, *, later: bool, to: Wanted) -> bool:
    """True when a job that has run so long, in its later passes or not, ends its turn for who is next."""
    is_urgent = to.just_asked and not runs.just_asked
    is_first_words = later and not to.later
    return ran_s >= (SHORT_TURN_S if is_urgent or is_first_words else TURN_S)
