"""Goes back to earlier searches: past queries of this repository, and visits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.query_draft import QueryDraft, parse_draft
from tui.visits import SearchVisit

if TYPE_CHECKING:
    from tui.screens.host import SearchHost


class SearchHistory:
    """The past queries and visits of the search screen."""

    def __init__(self, host: SearchHost) -> None:
        self._host = host
        self._wanted: tuple[str, tuple[str, int]] | None = None
        self._recalled = -1
        self._recall = QueryDraft()

    def parse(self, source: str) -> QueryDraft:
        """A whole query as the bar shows it."""
        return parse_draft(source, now=int(self._host.ohara.clock()))

    # -- queries ---------------------------------------------------------------------------------

    def recall(self, by: int) -> None:
        """Take an older (-1) or newer (1) query of this repository."""
        recent = self._host.ohara.session.recent(self._host.finder.state.repository)
        self._recalled = max(-1, min(self._recalled - by, len(recent) - 1))
        self._recall = self.parse(recent[self._recalled] if self._recalled >= 0 else "")
        self._host.bar.show(self._recall)

    def query_changed(self, draft: QueryDraft) -> None:
        """Start again from the newest old query once something was typed."""
        if draft != self._recall:
            self._recalled = -1

    # -- visits ----------------------------------------------------------------------------------

    def record(self) -> None:
        """Note this search as visited, and remember its query."""
        host = self._host
        state, hit = host.finder.state, host.selected
        host.ohara.remember_query(state.repository, host.bar.draft.source)
        selected = (hit.commit.sha, hit.hunk) if hit else None
        visit = SearchVisit(state.repository, host.bar.draft, host.order, selected, host.group)
        host.ohara.visited.record(visit)

    def restore(self, visit: SearchVisit) -> None:
        """Go back to a search, and to the hit that was selected in it."""
        host = self._host
        is_asked = (host.order, host.group) == (visit.order, visit.group)
        host.order, host.group = visit.order, visit.group
        if visit.repository != host.finder.state.repository:
            host.use_repository(visit.repository)
        self._wanted = (visit.draft.source, visit.selected) if visit.selected else None
        if visit.draft == host.bar.draft and is_asked:
            self.select_wanted()
        else:
            host.bar.show(visit.draft)
            host.ask()

    def select_wanted(self) -> None:
        """Select the hit of the restored visit, once it is among the results."""
        if self._wanted is None or self._wanted[0] != self._host.finder.state.source:
            return
        if self._host.select(*self._wanted[1]):
            self._wanted = None
