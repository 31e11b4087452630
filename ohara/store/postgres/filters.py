"""The condition that filters put on hunks, with what the word table decides."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from ohara.records import dataclass
from ohara.store.postgres import words as asked
from ohara.store.sql.filters import HunkFilter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ohara.store.answers import WordQuery
    from ohara.store.postgres.session import Session
    from ohara.store.postgres.words import Statement

_HOLDING = "hunk.id IN ({})"


@dataclass(frozen=True, slots=True)
class WordFilter(HunkFilter):
    """Which hunks may answer; the session that compiled it knows the numbers of words."""

    session: Session = field(kw_only=True, compare=False, repr=False)

    @staticmethod
    def listed(values: Iterable[object]) -> list[object]:
        """A list as one parameter."""
        return list(values)

    def on(self, column: str) -> Statement:
        """The condition put on a column that holds hunks' numbers, to append to a WHERE."""
        where = f" AND {column} IN (SELECT hunk.id FROM hunk WHERE {self.where})" if self.where else ""
        return asked.Statement(where, self.parameters)

    def holding(self, words: WordQuery) -> WordFilter:
        """This filter narrowed to hunks that hold one of the selecting words."""
        found = asked.holding_any(asked.HUNKS, asked.phrases(self.session, words.selecting, words.columns))
        return self.also(_HOLDING.format(found.sql), *found.parameters)
