"""The options of a search, which every front end fills in."""

from __future__ import annotations

from enum import StrEnum

from ohara.model.query import Filters, Intent, Mode, Polarity
from ohara.records import dataclass

MOST_HITS = 100_000  # in one answer: more than anybody reads
# Lines of context to read a hunk with: more than nearly any has; of a line of a megabyte a part comes.
READ_HUNK = 1_000
WHOLE_HUNK = 1_000_000  # lines of context: more than any stored hunk has, and long lines are not cut either


class Order(StrEnum):
    """The order of hits."""

    RANK = "rank"
    DATE = "date"  # newest first
    OLDEST = "oldest"
    NEWEST = "newest"


class Group(StrEnum):
    """What makes one hit: the hunks of a commit, or those of a thread."""

    COMMIT = "commit"
    THREAD = "thread"


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How to answer a query; options that are None are taken from the settings of the repository.

    `k` is the number of hits; 0 returns all matches of a literal text or expression. `mode`, `filters`,
    `polarity`, `intent`, `ignore_case`, `whole_words` and `strict` apply when the query is a text; a parsed
    query already includes them.
    Without an `intent` it is read from the words. `strict` refuses a query that could only be answered more
    broadly than it was written. `after` is the cursor of the results that these continue. `context` is the
    number of lines around a match in an excerpt. `now` is the time that relative dates and recency count
    from. After `within_s` an exact search ends with what it has. `tags` asks for the first release that held
    each hit.
    """

    k: int | None = None
    mode: Mode = Mode.AUTO
    filters: Filters = Filters()
    polarity: Polarity = Polarity.ANY
    intent: Intent | None = None
    rerank: bool | None = None
    all_hunks: bool = False
    order: Order = Order.RANK
    group: Group = Group.COMMIT
    after: str | None = None
    context: int | None = None
    strict: bool = False
    now: int | None = None
    within_s: float | None = None
    ignore_case: bool = False
    whole_words: bool = False
    tags: bool = False


@dataclass(frozen=True, slots=True)
class ExplainOptions:
    """How to explain a place.

    `k` is the number of commits, 0 for all; `story` begins with the oldest. `ref` is the commit in which
    lines are counted: without it they are those of the work tree, or of HEAD where there is none. `since`
    leaves out what is older, `ignore` and, unless `all_revs`, what the repository says to ignore in blame.
    `all_hunks` shows every hunk of a commit that belongs to the place, not only the one that changed most of
    it. `moves` follows lines to where the same commit took them from. `after` is the cursor of the results
    that these continue, `context` the number of lines around the lines in question, `folder` where a path is
    relative to.
    """

    k: int = 10
    story: bool = False
    ref: str | None = None
    since: int | None = None
    ignore: tuple[str, ...] = ()
    all_revs: bool = False
    all_hunks: bool = False
    moves: bool = True
    after: str | None = None
    context: int | None = None
    folder: str = ""
    now: int | None = None
