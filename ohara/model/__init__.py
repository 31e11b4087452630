"""The frozen values that flow through ohara, from a commit to a hit.

Plain data without behaviour. Text is already decoded, times are seconds since the epoch (UTC), shas are full
hex.
"""

from __future__ import annotations

from ohara.model.browsing import (
    AnnotatedLines,
    Annotation,
    ChangedFile,
    CommitDetails,
    Comparison,
    History,
    Kin,
    LineOrigin,
    NameKind,
    Place,
)
from ohara.model.explaining import Arrival, Explained, Role
from ohara.model.fate import Fate, FateFilter, FateState, Returned, together
from ohara.model.history import (
    ChangeKind,
    Commit,
    FileChange,
    Hunk,
    HunkId,
    LeftOut,
    Sha,
    Symbol,
    SymbolKind,
    submodule_blob,
    submodule_text,
)
from ohara.model.options import MOST_HITS, READ_HUNK, WHOLE_HUNK, ExplainOptions, Group, Order, SearchOptions
from ohara.model.query import Filters, Intent, Mode, Pattern, Polarity, Query, QueryClass
from ohara.model.related import Companion, Related
from ohara.model.results import (
    NOWHERE,
    AtHead,
    Hit,
    LaneReport,
    LaneStatus,
    LiteralSpan,
    Match,
    MatchCount,
    Part,
    Results,
    SpanScope,
    Unanswered,
    Unread,
)
from ohara.model.status import CUT_OFF, Failure, IndexStatus, LastRun, Pass, PassStatus, Progress
from ohara.model.threads import Copy, Thread, ThreadCommit
from ohara.model.vectors import VectorBlock, VectorForm

__all__ = [
    "CUT_OFF",
    "MOST_HITS",
    "NOWHERE",
    "READ_HUNK",
    "WHOLE_HUNK",
    "AnnotatedLines",
    "Annotation",
    "Arrival",
    "AtHead",
    "ChangeKind",
    "ChangedFile",
    "Commit",
    "CommitDetails",
    "Companion",
    "Comparison",
    "Copy",
    "ExplainOptions",
    "Explained",
    "Failure",
    "Fate",
    "FateFilter",
    "FateState",
    "FileChange",
    "Filters",
    "Group",
    "History",
    "Hit",
    "Hunk",
    "HunkId",
    "IndexStatus",
    "Intent",
    "Kin",
    "LaneReport",
    "LaneStatus",
    "LastRun",
    "LeftOut",
    "LineOrigin",
    "LiteralSpan",
    "Match",
    "MatchCount",
    "Mode",
    "NameKind",
    "Order",
    "Part",
    "Pass",
    "PassStatus",
    "Pattern",
    "Place",
    "Polarity",
    "Progress",
    "Query",
    "QueryClass",
    "Related",
    "Results",
    "Returned",
    "Role",
    "SearchOptions",
    "Sha",
    "SpanScope",
    "Symbol",
    "SymbolKind",
    "Thread",
    "ThreadCommit",
    "Unanswered",
    "Unread",
    "VectorBlock",
    "VectorForm",
    "submodule_blob",
    "submodule_text",
    "together",
]
