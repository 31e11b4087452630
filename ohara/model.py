"""The frozen values that flow through ohara, from a commit to a hit.

Nothing here reads, writes or decides: a module that needs behaviour takes these values and returns
others. Text is already decoded, times are seconds since the epoch (UTC), shas are full hex.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NewType

Sha = NewType("Sha", str)
HunkId = NewType("HunkId", int)


# -- what git holds ------------------------------------------------------------------------------


class ChangeKind(StrEnum):
    """What happened to a file in a commit."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"


class LeftOut(StrEnum):
    """Why a changed file is not read by the text, symbol and vector passes.

    `BINARY`, `OVERSIZED` and `MISSING` files are not read at all; the others stay in the literal pass.
    """

    BINARY = "binary"
    OVERSIZED = "oversized"
    MISSING = "missing"
    LOCK = "lock"
    MINIFIED = "minified"
    VENDORED = "vendored"
    GENERATED = "generated"
    LARGE = "large"
    IGNORED = "ignored"

    @property
    def unread(self) -> bool:
        """True when even the literal pass has no lines of the file."""
        return self in _UNREAD


_UNREAD = frozenset({LeftOut.BINARY, LeftOut.OVERSIZED, LeftOut.MISSING})


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit's identity and words, without its changes."""

    sha: Sha
    parents: tuple[Sha, ...]
    author: str
    email: str
    author_time: int
    author_offset: int
    committer_time: int
    committer_offset: int
    message: str

    @property
    def subject(self) -> str:
        """The message's first line that is not blank."""
        return next((line.strip() for line in self.message.splitlines() if line.strip()), "")

    @property
    def is_merge(self) -> bool:
        """True when the commit joins two or more lines of history."""
        return len(self.parents) > 1


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of changed lines with their context, or one piece of such a run that was too long.

    `body` is in unified form: each line starts with "+", "-" or " " ("\\" for git's remark on a
    missing final newline) and lines are joined by a single newline, with none at the end.
    """

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    header: str
    body: str


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file's part in a commit. No hunks: a pure rename, a mode change, or left out."""

    kind: ChangeKind
    path: str
    old_path: str | None
    old_blob: str | None
    new_blob: str | None
    additions: int
    deletions: int
    hunks: tuple[Hunk, ...]
    left_out: LeftOut | None = None


class SymbolKind(StrEnum):
    """The kinds of named things that the parsers tell apart."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    STRUCT = "struct"
    INTERFACE = "interface"
    TRAIT = "trait"
    ENUM = "enum"
    MODULE = "module"
    TYPE = "type"
    CONSTANT = "constant"
    MACRO = "macro"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named thing defined in a file; `first_line` and `last_line` are 1-based and inclusive."""

    kind: SymbolKind
    name: str
    qualified: str
    first_line: int
    last_line: int
    siblings: tuple[str, ...] = ()


# -- what a person asks --------------------------------------------------------------------------


class Mode(StrEnum):
    """Which lanes answer a query."""

    AUTO = "auto"
    HYBRID = "hybrid"
    TEXT = "text"
    SEMANTIC = "semantic"
    SYMBOL = "symbol"
    LITERAL = "literal"
    REGEX = "regex"


class QueryClass(StrEnum):
    """What kind of thing a query looks like; chooses lane weights and is shown with the answer."""

    SHA = "sha"
    ISSUE = "issue"
    PATH = "path"
    SYMBOL = "symbol"
    LITERAL = "literal"
    REGEX = "regex"
    PROSE = "prose"
    SNIPPET = "snippet"


class Polarity(StrEnum):
    """Which side of a change a term must stand on."""

    ANY = "any"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A term every hit must contain on one changed line: a literal, or a regular expression.

    `flags` is a subset of "ism" in that order; literals carry none and match case-sensitively.
    """

    text: str
    is_regex: bool = False
    flags: str = ""
    polarity: Polarity = Polarity.ANY


@dataclass(frozen=True, slots=True)
class Filters:
    """Which commits and files may answer. Values of one filter are alternatives; filters combine."""

    authors: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    not_paths: tuple[str, ...] = ()
    langs: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    kinds: tuple[ChangeKind, ...] = ()
    refs: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: the words that rank, the patterns that are required, the filters that bound.

    `polarity` is what a bare `added:` or `removed:` asked of the whole query.
    """

    source: str
    words: str
    patterns: tuple[Pattern, ...]
    filters: Filters
    mode: Mode
    query_class: QueryClass
    polarity: Polarity = Polarity.ANY


# -- what answers --------------------------------------------------------------------------------


class LaneStatus(StrEnum):
    """How a lane ended."""

    OK = "ok"
    EMPTY = "empty"
    TIMEOUT = "timeout"
    FAILED = "failed"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class LaneReport:
    """What one lane did for one query; `detail` says why when it is not plain success."""

    name: str
    status: LaneStatus
    count: int
    elapsed_ms: float
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hunk that a lane found, with the lane's own score (larger is better)."""

    hunk: HunkId
    score: float


@dataclass(frozen=True, slots=True)
class Match:
    """A marked stretch of an excerpt: 0-based line, and character columns after the +/- sign."""

    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Hit:
    """One answer: an occurrence of a hunk in a commit, with how it was found.

    `line` and `old_line` number the line that matched, `top` and `old_top` the first line of the excerpt, in
    the new and in the old file.
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
    top: int = 0
    old_top: int = 0


@dataclass(frozen=True, slots=True)
class LiteralSpan:
    """When a literal or pattern was seen in history: first and last commit, and commits by year.

    `removed` is the newest commit that only took it away, if there is one.
    """

    first: Sha
    first_time: int
    last: Sha
    last_time: int
    by_year: tuple[tuple[int, int], ...]
    removed: Sha | None = None
    removed_time: int | None = None


@dataclass(frozen=True, slots=True)
class Results:
    """The whole answer to a query, honest about what was searched and which lanes answered."""

    query: Query
    hits: tuple[Hit, ...]
    lanes: tuple[LaneReport, ...]
    took_ms: float
    fusion: str
    index: IndexStatus
    literal: LiteralSpan | None = None
    next_cursor: str | None = None
    notes: tuple[str, ...] = ()


# -- what browsing shows --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kin:
    """A parent or child of a commit; no subject when it is not indexed."""

    sha: Sha
    subject: str
    time: int


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that a commit changed, and in how many indexed hunks."""

    kind: ChangeKind
    path: str
    old_path: str | None
    additions: int
    deletions: int
    hunks: int
    left_out: LeftOut | None = None


@dataclass(frozen=True, slots=True)
class CommitDetails:
    """Everything about a commit but its lines; `refs` are the branches and tags that point at it."""

    commit: Commit
    committer: str
    committer_email: str
    parents: tuple[Kin, ...]
    children: tuple[Kin, ...]
    refs: tuple[str, ...]
    files: tuple[ChangedFile, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file as it was in a commit."""

    sha: Sha
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Origin:
    """Who last touched a line: where it stands there, its commit, and where to go on from in the parent.

    `before` is None when the file began there; `was_there` says whether the line, in some form, is older.
    """

    place: Place
    commit: Commit
    before: Place | None
    was_there: bool


@dataclass(frozen=True, slots=True)
class History:
    """Every hunk that touched a symbol or some lines, newest first, and the names their file had.

    `note` says why there may be more: empty when the history goes back to the beginning.
    """

    hits: tuple[Hit, ...]
    paths: tuple[str, ...]
    note: str = ""


# -- how the index stands ------------------------------------------------------------------------


class Pass(StrEnum):
    """The passes over history, in order of usefulness."""

    TEXT = "text"
    LITERAL = "literal"
    SYMBOL = "symbol"
    VECTOR = "vector"


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of an index run: which pass, how many of its commits, at what pace."""

    stage: Pass
    done: int
    total: int
    hunks: int
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class Failure:
    """A commit that could not be wholly processed: why, and how often it was tried."""

    sha: Sha
    reason: str
    attempts: int


@dataclass(frozen=True, slots=True)
class PassStatus:
    """How many commits one pass has finished, of how many that are indexed."""

    stage: Pass
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class LastRun:
    """How the newest index run went: when it began, how long it took, and what came of it."""

    started: int
    elapsed_s: float
    outcome: str
    scheduled: bool


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """What is in an index and how far behind the repository it is.

    `older` commits are left out by the setting index.since, and `gone` are chosen refs that are no more.
    """

    repository: str
    commits: int
    indexed: int
    behind: int
    hunks: int
    contents: int
    symbols: int
    size_bytes: int
    passes: tuple[PassStatus, ...]
    left_out: tuple[tuple[LeftOut, int], ...]
    failures: tuple[Failure, ...]
    refs: tuple[tuple[str, Sha], ...]
    last_run: LastRun | None
    shallow: bool = False
    older: int = 0
    gone: tuple[str, ...] = ()
