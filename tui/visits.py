"""The history of visits, for going back and forward as in a browser: searches, commits, histories. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from ohara.model import Hit
    from tui.query_draft import QueryDraft
    from tui.trace import Trace

_MOST = 200  # nobody goes back further


@dataclass(frozen=True, slots=True)
class SearchVisit:
    """A search, its order and grouping, and the hit that was selected in it, by sha and hunk."""

    repository: str
    draft: QueryDraft
    order: str = "rank"
    selected: tuple[str, int] | None = None
    group: str = "commit"


@dataclass(frozen=True, slots=True)
class CommitVisit:
    """A commit, and what it was opened for: a hit, or a line of the new version of a file."""

    repository: str
    sha: str
    hit: Hit | None = None
    line: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class HistoryVisit:
    """The history of a hit's symbol or lines, or of what else is to be traced from there."""

    repository: str
    hit: Hit
    trace: Trace | None = None


@dataclass(frozen=True, slots=True)
class ExplainVisit:
    """The explanation of a place: what is typed for it, and the commit in which its lines are counted.

    Without a commit they are the work tree's. `hit` is what it was opened from.
    """

    repository: str
    place: str
    ref: str | None = None
    hit: Hit | None = None


@dataclass(frozen=True, slots=True)
class FileVisit:
    """A whole file as it is in a commit, and the line to begin at."""

    repository: str
    sha: str
    path: str
    line: int = 1


@dataclass(frozen=True, slots=True)
class CompareVisit:
    """What differs between two commits."""

    repository: str
    old: str
    new: str


Visit: TypeAlias = SearchVisit | CommitVisit | HistoryVisit | ExplainVisit | FileVisit | CompareVisit


@dataclass(frozen=True, slots=True)
class Visits:
    """All visits in their order, and the index of the current one."""

    visits: tuple[Visit, ...] = ()
    index: int = -1

    @property
    def current(self) -> Visit | None:
        """What is visited now."""
        return self.visits[self.index] if self.visits else None

    def add(self, visit: Visit) -> Visits:
        """Add a visit and drop those ahead of the current one; the same visit again changes nothing."""
        if self.visits and self.visits[self.index] == visit:
            return self
        visits = (*self.visits[: self.index + 1], visit)[-_MOST:]
        return Visits(visits, len(visits) - 1)

    def update(self, visit: Visit) -> Visits:
        """Replace the current visit, with more details."""
        if not self.visits:
            return self.add(visit)
        return replace(self, visits=(*self.visits[: self.index], visit, *self.visits[self.index + 1 :]))

    def back(self) -> Visits | None:
        """One step back; None at the beginning."""
        return replace(self, index=self.index - 1) if self.index > 0 else None

    def forward(self) -> Visits | None:
        """One step forward; None at the end."""
        return replace(self, index=self.index + 1) if self.index + 1 < len(self.visits) else None
