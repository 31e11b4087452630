"""Answers for the fates of hunks, or says why it cannot. It keeps a repository of its own open."""

from __future__ import annotations

import time
from dataclasses import field
from threading import Lock
from typing import TYPE_CHECKING, TypeGuard

from ohara.fate.tip import Tip, TookTooLong
from ohara.fate.view import FateView
from ohara.git.repo import Repository
from ohara.model import Fate, HunkId, Pass
from ohara.records import dataclass
from ohara.store.facts import HEAD_LINES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from ohara.fate.view import Asked, States
    from ohara.model import FateFilter, Sha
    from ohara.store.reading import Reader

    _Kept = tuple[str, str | None]

_KEPT_TIPS = 4  # branches that a person compares in one sitting


@dataclass(frozen=True, slots=True)
class Fates:
    """The fates that are known, and why others are not."""

    found: Mapping[HunkId, Fate] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class CommitFates:
    """The fates of commits that are known, and why others are not."""

    found: Mapping[Sha, Fate] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What `is:` asks for: one of these, and none of those."""

    any_of: tuple[FateFilter, ...]
    none_of: tuple[FateFilter, ...]


@dataclass(frozen=True, slots=True)
class Selected:
    """The hunks that `is:` lets through, or all but some; None of both when it cannot be told.

    `note` says why not, or what else is to be said.
    """

    among: Collection[HunkId] | None = None
    apart_from: Collection[HunkId] | None = None
    note: str = ""


class FateSource:
    """The fates of one repository's hunks, one question at a time."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._lock = Lock()
        self._repository: Repository | None = None
        self._tips: dict[tuple[_Kept, Sha], Tip] = {}
        self._states: tuple[tuple[_Kept, Sha], States] | None = None
        self._selected: tuple[States, dict[Wanted, Selected]] | None = None

    def fates(self, reader: Reader, hunks: Sequence[Asked], tip: Sha | None, within_s: float) -> Fates:
        """What became of some hunks, as seen from a commit; without one there is nothing to see."""
        until = time.monotonic() + within_s
        if (why := unknown_because(reader)) or not _is_indexed(tip, reader):
            return Fates(note=why)  # of a tip that is not indexed, others say so
        if not self._lock.acquire(timeout=within_s):
            return Fates(note=_SLOW)
        try:
            return Fates(self._view(reader, tip, until).fates(hunks))
        except TookTooLong:
            return Fates(note=_SLOW)
        finally:
            self._lock.release()

    def commit_fates(
        self, reader: Reader, shas: Collection[Sha], tip: Sha | None, within_s: float
    ) -> CommitFates:
        """What became of all lines that some commits added, as seen from a commit."""
        until = time.monotonic() + within_s
        if (why := unknown_because(reader)) or not _is_indexed(tip, reader):
            return CommitFates(note=why)
        if not self._lock.acquire(timeout=within_s):
            return CommitFates(note=_SLOW)
        try:
            numbers = reader.indexed(shas)
            fates = self._view(reader, tip, until).of_commits(numbers.values())
        except TookTooLong:
            return CommitFates(note=_SLOW)
        finally:
            self._lock.release()
        return CommitFates({sha: fates[number] for sha, number in numbers.items()})

    def select(self, reader: Reader, wanted: Wanted, tip: Sha | None, within_s: float) -> Selected:
        """The hunks of which one wanted thing is true and no unwanted one, as seen from a commit."""
        until = time.monotonic() + within_s
        if (why := unknown_because(reader)) or not _is_indexed(tip, reader):
            return Selected(note=why or "the commit from which it is seen is not indexed")
        if not self._lock.acquire(timeout=within_s):
            return Selected(note=_SLOW)
        try:
            states = self._all(reader, tip, until)
            if self._selected is None or self._selected[0] is not states:
                self._selected = (states, {})
            known = self._selected[1]
            if wanted not in known:
                known[wanted] = _selected(states, wanted)
            return known[wanted]
        except TookTooLong:
            return Selected(note=_SLOW)
        finally:
            self._lock.release()

    def _all(self, reader: Reader, tip: Sha, until: float) -> States:
        """What `is:` may say of every hunk; the last answer is kept, for all readers of the same state."""
        key = (_kept(reader), tip)
        if self._states is None or self._states[0] != key:
            self._states = (key, self._view(reader, tip, until).states())
        return self._states[1]

    def _view(self, reader: Reader, sha: Sha, until: float) -> FateView:
        if self._repository is None:
            self._repository = Repository.open(self._place)
        key = (_kept(reader), sha)
        if key not in self._tips:
            if len(self._tips) >= _KEPT_TIPS or any(kept != key[0] for kept, _ in self._tips):
                self._tips.clear()
            self._tips[key] = Tip(self._repository, sha)
        return FateView(reader, self._tips[key], until)


def _kept(reader: Reader) -> _Kept:
    """The state of an index, and whose files it keeps: a checkout alone changes only these."""
    return reader.state(), reader.fact(HEAD_LINES)


def _selected(states: States, wanted: Wanted) -> Selected:
    unwanted = [
        HunkId(hunk) for hunk, admits in states.admits.items() if not admits.isdisjoint(wanted.none_of)
    ]
    if not wanted.any_of:
        return Selected(apart_from=unwanted, note=states.note)
    barred = set(unwanted)
    admitted = [
        HunkId(hunk) for hunk, admits in states.admits.items() if not admits.isdisjoint(wanted.any_of)
    ]
    return Selected(among=[hunk for hunk in admitted if hunk not in barred], note=states.note)


_SLOW = "what became of lines could not be looked up in time"


def unknown_because(reader: Reader) -> str:
    """Why fates are not known yet; "" when they are."""
    done, total = next(
        ((each.done, each.total) for each in reader.counts().passes if each.stage is Pass.LINES), (0, 0)
    )
    if done < total:
        return f"what became of lines is not known yet: {done:,} of {total:,} commits are followed"
    return ""


def _is_indexed(tip: Sha | None, reader: Reader) -> TypeGuard[Sha]:
    return tip is not None and bool(reader.indexed((tip,)))
