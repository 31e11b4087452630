"""Decides which repository is indexed next, and when a running job yields to another. Pure: starts nothing.

First a repository that a client just requested; then those that have waited too long; then the text pass of
the others, by their reason, stalest index first; then what is made of stored text: symbols, lines, vectors. A
job whose turn ended goes behind the waiting ones, so that a long history does not block the others.
"""

from __future__ import annotations

from dataclasses import replace
from enum import IntEnum
from typing import TYPE_CHECKING

from ohara.model import Pass
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

# A job spends its first seconds starting up and surveying history: a turn is several times that.
TURN_S = 10.0
# A requested repository waits less; so does a text pass while symbols and vectors of another are being made.
SHORT_TURN_S = 2.0
_LONGEST_WAIT_S = 60.0
_TEXT_PASSES = frozenset({Pass.TEXT, Pass.LITERAL})


class Reason(IntEnum):
    """Why a repository should be indexed; smaller values go first."""

    ASKED = 0
    MOVED = 1
    DUE = 2


@dataclass(frozen=True, slots=True)
class Wanted:
    """A queue entry: its reason, since when, whether it had a turn and whether its text pass is done."""

    reason: Reason
    since: float
    begun: bool = False
    later: bool = False

    @property
    def just_asked(self) -> bool:
        """True when a client requested it and it had no turn yet."""
        return self.reason is Reason.ASKED and not self.begun


class Queue:
    """The waiting repositories; `changed` returns when an index was last written."""

    def __init__(self, changed: Callable[[Path], float]) -> None:
        self._changed = changed
        self._waiting: dict[Path, Wanted] = {}

    def __contains__(self, repository: Path) -> bool:
        return repository in self._waiting

    def add(self, repository: Path, reason: Reason, now: float) -> bool:
        """Queue a repository, keeping the better reason if it is queued already; True when it was not."""
        known = self._waiting.get(repository)
        if known is None:
            self._waiting[repository] = Wanted(reason, now)
        elif reason is Reason.ASKED and known.reason is not Reason.ASKED:
            self._waiting[repository] = replace(known, reason=reason, begun=False)
        elif reason < known.reason:
            self._waiting[repository] = replace(known, reason=reason)
        return known is None

    def put_back(self, repository: Path, wanted: Wanted, now: float, *, later: bool) -> None:
        """Queue a repository again after its turn."""
        known = self._waiting.get(repository)
        reason = min(wanted.reason, known.reason) if known else wanted.reason
        self._waiting[repository] = Wanted(reason, now, begun=True, later=later)

    def take(self, repository: Path) -> Wanted | None:
        """Remove a repository from the queue and return its entry."""
        return self._waiting.pop(repository, None)

    def ordered(self, now: float, *, but: Collection[Path] = ()) -> list[tuple[Path, Wanted]]:
        """The queue in order, next first, without the repositories in `but`."""
        waiting = [(place, wanted) for place, wanted in self._waiting.items() if place not in but]
        return sorted(waiting, key=lambda each: self._rank(each[0], each[1], now))

    def _rank(self, repository: Path, wanted: Wanted, now: float) -> tuple[int, int, float]:
        if wanted.just_asked:
            return 0, 0, wanted.since
        if now - wanted.since >= _LONGEST_WAIT_S:
            return 1, 0, wanted.since
        return 3 if wanted.later else 2, wanted.reason, self._changed(repository)


def is_later(stage: Pass) -> bool:
    """True for a pass behind the text: a repository that has none yet need not wait for it."""
    return stage not in _TEXT_PASSES


def gives_way(runs: Wanted, ran_s: float, *, later: bool, to: Wanted) -> bool:
    """True when a job that has run for `ran_s` should end its turn for the next one in the queue."""
    is_urgent = to.just_asked and not runs.just_asked
    is_first_words = later and not to.later
    return ran_s >= (SHORT_TURN_S if is_urgent or is_first_words else TURN_S)
