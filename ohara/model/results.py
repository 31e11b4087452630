"""The results of a query: hits, how each was found, and what was searched."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from ohara.model.explaining import Explained  # noqa: TC001
from ohara.model.fate import Fate  # noqa: TC001
from ohara.model.history import ChangeKind, Commit, HunkId, Sha  # noqa: TC001 - the types are read off the wire
from ohara.model.query import Query  # noqa: TC001
from ohara.model.status import IndexStatus  # noqa: TC001
from ohara.model.threads import Copy, Thread  # noqa: TC001
from ohara.records import dataclass

NOWHERE = "nowhere in this history"
"""How a note about words that no commit has ends; a front end adds what may be done about it."""


class LaneStatus(StrEnum):
    """How a lane ended."""

    OK = "ok"
    EMPTY = "empty"
    TIMEOUT = "timeout"
    FAILED = "failed"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class LaneReport:
    """What one lane did for one query; `detail` is the reason when it did not succeed.

    `repository` is set where several are searched and the lane of only one of them is meant.
    """

    name: str
    status: LaneStatus
    count: int
    elapsed_ms: float
    detail: str = ""
    repository: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """A highlighted span of an excerpt: 0-based line, and character columns after the +/- sign.

    In a match of a pattern of syntax, what one of its names stands for is marked too, and has that `name`.
    """

    line: int
    start: int
    end: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class MatchCount:
    """How often a pattern of syntax matches in a file before and after a change; what its names stand for."""

    before: int
    after: int
    captures: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hit:
    """One hunk that was found: its content, its commit and path, and how it was ranked.

    `line` and `old_line` number the line that matched, `top` and `old_top` the first line of the excerpt, in
    the new and in the old file. `also_in` are other commits that were found by the same change, `also_on` all
    copies of the commit, each with branches where it is not; `thread` is the first commit of its thread.
    `fate` is None where it is not known (yet). `repository` is the path of its repository, as `IndexStatus`
    has it; `explained`, where a place was explained, is the hit's part in its history. `above` and `below`
    count the changed lines of the hunk that the excerpt leaves out before and after it; `url` is its page on
    the web, "" where there is none, and `tag` the first release that held it, where that was asked for.
    """

    rank: int
    score: float
    hunk: HunkId
    commit: Commit
    path: str
    old_path: str | None
    kind: ChangeKind
    line: int
    old_line: int
    header: str
    symbol: str | None
    excerpt: str
    matches: tuple[Match, ...]
    lanes: dict[str, int] = field(default_factory=dict)
    lane_scores: dict[str, float] = field(default_factory=dict)
    fused: float = 0.0
    rerank: float | None = None
    recency: float = 1.0
    more_in_commit: int = 0
    also_in: tuple[Sha, ...] = ()
    also_on: tuple[Copy, ...] = ()
    thread: Sha | None = None
    top: int = 0
    old_top: int = 0
    repository: str = ""
    structural: MatchCount | None = None
    explained: Explained | None = None
    fate: Fate | None = None
    above: int = 0
    below: int = 0
    url: str = ""
    tag: str | None = None


class SpanScope(StrEnum):
    """What a span covers: the whole history, what was read of it, its indexed part, what filters let through.

    `READ` is of a history all of whose commits are indexed, and some of them not wholly read.
    """

    HISTORY = "history"
    READ = "read"
    INDEXED = "indexed"
    FILTERED = "filtered"


@dataclass(frozen=True, slots=True)
class AtHead:
    """How many lines in how many files match at HEAD; lower bounds when not `exact`.

    Of a pattern of syntax, how many nodes.
    """

    commit: Sha
    lines: int
    files: int
    exact: bool = True


@dataclass(frozen=True, slots=True)
class LiteralSpan:
    """When a literal or pattern was seen in history: first and last commit, and commits by year.

    `introduced` is the first commit that added it, where all of history before it is known; `head` its
    matches at HEAD, where those could be counted; `gone` the commit that removed it from there. `unread` is
    the number of commits that were not wholly read, where these are why no more is said.
    """

    first: Sha
    first_time: int
    last: Sha
    last_time: int
    by_year: tuple[tuple[int, int], ...]
    scope: SpanScope = SpanScope.HISTORY
    introduced: Sha | None = None
    introduced_time: int | None = None
    gone: Sha | None = None
    gone_time: int | None = None
    head: AtHead | None = None
    unread: int = 0


@dataclass(frozen=True, slots=True)
class Unread:
    """How many commits that may hold an answer were not wholly read; the reason, and what to do about it."""

    commits: int
    reason: str
    hint: str


@dataclass(frozen=True, slots=True)
class Part:
    """What one of several repositories answered: its index, its hits on this page, when a text was there."""

    index: IndexStatus
    hits: int
    literal: LiteralSpan | None = None


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A repository that did not answer, and the reason; `kind` is the name of the error's class."""

    repository: str
    reason: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    """The answer to a query: the hits, what was searched, and which lanes answered.

    Where several repositories were searched, `index` sums up what `parts` have of each, and `unanswered` are
    those that failed or were too slow.
    `total` is the number of hits in all where they are a list, and None where they are the best of a ranking.
    `unmatched` are filters that let nothing through, as they are written, when nothing was found. `outside`
    is the number of commits of the refs that were asked for which no indexed ref leads to. `unread` tells of
    commits that were not wholly read, where the hits are a list or there are none; `notes` have its reason.
    """

    query: Query
    hits: tuple[Hit, ...]
    lanes: tuple[LaneReport, ...]
    took_ms: float
    fusion: str
    index: IndexStatus
    literal: LiteralSpan | None = None
    next_cursor: str | None = None
    notes: tuple[str, ...] = ()
    threads: tuple[Thread, ...] = ()
    parts: tuple[Part, ...] = ()
    unanswered: tuple[Unanswered, ...] = ()
    total: int | None = None
    unmatched: tuple[str, ...] = ()
    outside: int = 0
    unread: Unread | None = None
