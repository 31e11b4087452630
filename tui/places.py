"""The places that can be visited and gone back to: a search with its selected hit, a commit, a history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from ohara.model import Hit
    from tui.asking import Asking
    from tui.tracing import Trace


@dataclass(frozen=True, slots=True)
class SearchPlace:
    """A search, its order, and the hit that was selected in it, by sha and hunk."""

    repository: str
    asking: Asking
    by_date: bool = False
    selected: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class CommitPlace:
    """A commit, and what it was opened for: a hit, or a line of the new version of a file."""

    repository: str
    sha: str
    hit: Hit | None = None
    line: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class HistoryPlace:
    """The history of a hit's symbol or lines, or of what else is to be traced from there."""

    repository: str
    hit: Hit
    trace: Trace | None = None


Place: TypeAlias = SearchPlace | CommitPlace | HistoryPlace
