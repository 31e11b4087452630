"""How a query is to be answered: the one set of options that every front end fills in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ohara.model.question import Filters, Mode, Polarity

MOST_HITS = 100_000  # in one answer: more than anybody reads
WHOLE_HUNK = 1_000_000  # lines of context: more than any stored hunk has, and long lines are not cut either


class Order(StrEnum):
    """In which order hits are shown."""

    RANK = "rank"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How a query is to be answered; what is None is left to the settings of the repository.

    `k` is how many hits are wanted; 0 is everything that a literal text or expression matches. `mode`,
    `filters`, `polarity` and `strict` say how a text is read as a query; a query that is already parsed has
    them in it. `strict` refuses what would be read more widely than it was written. `after` is the cursor of
    the answer that this one continues. `context` is how many lines an excerpt shows around a match. `now` is
    the moment that dates and recency count from. After `within_s` an exact search ends with what it has.
    """

    k: int | None = None
    mode: Mode = Mode.AUTO
    filters: Filters = Filters()  # noqa: RUF009 - frozen
    polarity: Polarity = Polarity.ANY
    rerank: bool | None = None
    all_hunks: bool = False
    order: Order = Order.RANK
    after: str | None = None
    context: int | None = None
    strict: bool = False
    now: int | None = None
    within_s: float | None = None
