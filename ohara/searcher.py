"""What every front end searches with, wherever the answers come from.

`ohara.engine.Engine` searches one index in this process, `ohara.client.RemoteSearcher` the same through the
background service. A searcher may cover several repositories: each hit names its own, and `statuses` has one
entry for each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ohara.model import ExplainOptions, Hit, IndexStatus, Query, Related, Results, SearchOptions


class Searcher(Protocol):
    """Answers queries over one repository or several."""

    def find_pattern(self, query: str | Query, options: SearchOptions = ...) -> Results:
        """Search; a query that is already parsed includes its mode, filters and polarity."""
        ...

    def explain(self, place: str, options: ExplainOptions = ...) -> Results:
        """The commits that made a place (lines, a file, a symbol) what it is; one hit for each."""
        ...

    def show(self, commit: str) -> tuple[Hit, ...]:
        """All hunks of one commit, whole, named by sha, prefix or ref."""
        ...

    def related(self, place: str, k: int = ...) -> Related:
        """What changes together with a path, lines of it, a symbol or a commit."""
        ...

    def statuses(self) -> tuple[IndexStatus, ...]:
        """The status of each index that is searched."""
        ...
