"""Which hunks may answer, as a condition on their numbers, with what words decide."""

from __future__ import annotations

import json
from dataclasses import field, replace
from typing import TYPE_CHECKING

from ohara.records import dataclass
from ohara.store.answers import UNRESOLVED
from ohara.store.sql.filters import HunkFilter
from ohara.store.sqlite.hunk_sets import HunkSet, flagged, flags, hunk_set

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.model import Filters, HunkId
    from ohara.store.answers import ResolvedCommits, WordQuery
    from ohara.store.sql.session import Asks
    from ohara.store.sqlite.session import Session

# A long list takes SQLite longer to sort than all the rest of a query; a byte for each hunk needs no sorting.
_FLAGGED_HUNKS = "substr(?, hunk.id, 1) = x'01'"
_UNFLAGGED_HUNKS = "substr(?, hunk.id, 1) != x'01'"
_MANY = 2_000
_NUMBERS = "SELECT json_group_array(hunk.id) FROM hunk WHERE {}"
_PASSING = """SELECT json_group_array(hunk.id) FROM numbers(?) AS asked
  CROSS JOIN hunk ON hunk.id = asked.value WHERE {}"""


@dataclass(frozen=True, slots=True)
class Holding:
    """A parameter that stands for the hunks that hold words: a session puts their flags in its place."""

    words: WordQuery


def listed(values: Iterable[object]) -> str:
    """A list as one parameter: SQLite reads JSON as a table."""
    return json.dumps(list(values))


@dataclass(frozen=True, slots=True)
class FtsFilter(HunkFilter):
    """Which hunks may answer; every condition is on `hunk.id`. `kept` is the set that filters made."""

    kept: HunkSet | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, kept: HunkSet) -> FtsFilter:
        """What lets a set of hunks through."""
        return cls(_FLAGGED_HUNKS, (kept.hunks,), kept)

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return self.kept.size if self.kept is not None else 0

    @staticmethod
    def listed(values: Iterable[object]) -> str:
        """A list as one parameter."""
        return listed(values)

    def among(self, hunks: Iterable[HunkId]) -> FtsFilter:
        """This filter narrowed to some hunks."""
        ids = sorted(hunks)
        return self.also(_FLAGGED_HUNKS, flags(ids)) if len(ids) > _MANY else super().among(ids)

    def apart_from(self, hunks: Iterable[HunkId]) -> FtsFilter:
        """This filter narrowed to all but some hunks."""
        ids = sorted(hunks)
        if len(ids) > _MANY:
            return self.also(_UNFLAGGED_HUNKS, flags(ids))
        return super().apart_from(ids)

    def on(self, column: str) -> str:
        """The condition put on a column that holds hunk ids, to append to a WHERE; "" when all may answer.

        The plus sign keeps the planner from asking a word table once for every hunk that may answer.
        """
        return f" AND {self.where.replace('hunk.id', f'+{column}')}" if self.where else ""

    def holding(self, words: WordQuery) -> FtsFilter:
        """This filter narrowed to hunks that hold one of the selecting words."""
        return self.also(_FLAGGED_HUNKS, Holding(words))

    def passing(self, session: Asks, hunks: list[int]) -> bytes:
        """A byte for each hunk: 1 for those of some that may answer; what it says of others means nothing."""
        if self.kept is not None and self.is_one_set:
            return self.kept.hunks
        return flagged(session, _PASSING.format(self.where), listed(hunks), *self.parameters)

    @property
    def is_one_set(self) -> bool:
        """True when every hunk may answer, or those of the set that filters made."""
        return self.everything or (self.kept is not None and len(self.parameters) == 1)

    def contents(self, session: Session) -> bytes | None:
        """A byte for each content, 1 for those of hunks that may answer; None when all may."""
        alone = self._alone(session)
        return alone.contents(session) if alone else None

    def commits(self, session: Session) -> bytes | None:
        """A byte for each commit, 1 for those of hunks that may answer; None when all may."""
        alone = self._alone(session)
        return alone.commits(session) if alone else None

    def as_one_set(self, session: Session) -> FtsFilter:
        """The same hunks, as a set."""
        alone = self._alone(session)
        return FtsFilter.of(alone) if alone else self

    def _alone(self, session: Session) -> HunkSet | None:
        """The hunks that pass all conditions: one lane asks for their contents, one for their commits."""
        if self.everything:
            return None
        if self.is_one_set:
            return self.kept
        return session.shared(("alone", self), lambda: self._worked_out(session))

    def _worked_out(self, session: Session) -> HunkSet:
        if self.where == " AND ".join([_FLAGGED_HUNKS] * len(self.parameters)):
            from ohara.store.sqlite.hunk_owners import in_all  # brings numpy, as in hunk_sets

            return HunkSet(in_all([session.flags_of(each) for each in self.parameters]))
        return HunkSet(flagged(session, _NUMBERS.format(self.where), *self.parameters))


EVERYTHING = FtsFilter()


def compile_filters(
    session: Session,
    filters: Filters,
    resolved: ResolvedCommits = UNRESOLVED,
    excluded: ResolvedCommits = UNRESOLVED,
) -> FtsFilter:
    """The hunks that filters let through as the index is now: worked out once, and kept until it changes."""
    within = replace(filters, repos=(), not_repos=(), fates=(), not_fates=())  # which are others' to decide

    def compiled() -> FtsFilter:
        found = hunk_set(session, within, resolved, excluded)
        return FtsFilter.of(found) if found is not None else EVERYTHING

    return session.shared(("filters", within, resolved, excluded), compiled)
