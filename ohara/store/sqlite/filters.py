"""The condition that filters put on hunks, with what the word table decides."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ohara.store.sql import filters as shared
from ohara.store.sqlite.fts_query import word_expression

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ohara.model import Filters, HunkId, Sha
    from ohara.store.answers import WordQuery
    from ohara.store.sql.session import Asks

# A long list takes SQLite longer to sort than all the rest of a query; a byte for each hunk needs no sorting.
_FLAGGED_HUNKS = "substr(?, hunk.id, 1) = x'01'"
_UNFLAGGED_HUNKS = "substr(?, hunk.id, 1) != x'01'"
_MANY = 2_000
_HOLDING = "hunk.id IN (SELECT rowid FROM fts_hunk_text WHERE fts_hunk_text MATCH ?)"


def listed(values: Iterable[object]) -> str:
    """A list as one parameter: SQLite reads JSON as a table."""
    return json.dumps(list(values))


@dataclass(frozen=True, slots=True)
class FtsFilter(shared.HunkFilter):
    """Which hunks may answer."""

    @staticmethod
    def listed(values: Iterable[object]) -> str:
        """A list as one parameter."""
        return listed(values)

    def among(self, hunks: Iterable[HunkId]) -> FtsFilter:
        """This filter narrowed to some hunks."""
        ids = sorted(hunks)
        return (
            self.also(_FLAGGED_HUNKS, _flags(ids)) if len(ids) > _MANY else super(FtsFilter, self).among(ids)
        )

    def apart_from(self, hunks: Iterable[HunkId]) -> FtsFilter:
        """This filter narrowed to all but some hunks."""
        ids = sorted(hunks)
        if len(ids) > _MANY:
            return self.also(_UNFLAGGED_HUNKS, _flags(ids))
        return super(FtsFilter, self).apart_from(ids)

    def on(self, column: str) -> str:
        """The condition put on a column that holds hunk ids, to append to a WHERE; "" when all may answer.

        The plus sign keeps the planner from asking a word table once for every hunk that may answer.
        """
        return f" AND +{column} IN (SELECT hunk.id FROM hunk WHERE {self.where})" if self.where else ""

    def holding(self, words: WordQuery) -> FtsFilter:
        """This filter narrowed to hunks that hold one of the selecting words."""
        return self.also(_HOLDING, word_expression(words))


EVERYTHING = FtsFilter()


def _flags(hunks: Sequence[int]) -> bytes:
    """A byte for each hunk up to the last of some, which are in order: 1 for those, 0 for the others."""
    flags = bytearray(hunks[-1])
    for hunk in hunks:
        flags[hunk - 1] = 1
    return bytes(flags)


def compile_filters(
    session: Asks,
    filters: Filters,
    *,
    reachable: Collection[int] | None = None,
    named: Collection[Sha] = (),
    not_reachable: Collection[int] | None = None,
    not_named: Collection[Sha] = (),
) -> FtsFilter:
    """The condition that filters put on hunks, as the index stands now."""
    return shared.compile_filters(
        session,
        filters,
        EVERYTHING,
        reachable=reachable,
        named=named,
        not_reachable=not_reachable,
        not_named=not_named,
    )
