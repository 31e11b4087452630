"""The actions of the selected hit: open it, follow it, explain it, mark it, search for more like it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tui.query_draft import QueryDraft, sample_of

if TYPE_CHECKING:
    from tui.screens.host import Commands, SearchHost
    from tui.screens.search_history import SearchHistory
    from tui.widgets.search_panes import SearchPanes


class HitActions:
    """Moves in the list of hits and works with the selected one."""

    def __init__(self, host: SearchHost, panes: SearchPanes, history: SearchHistory) -> None:
        self._host = host
        self._panes = panes
        self._history = history

    def commands(self) -> Commands:
        """What it does, by the names in the table of actions."""
        results = self._panes.results
        return {
            "page_down": partial(results.move_page, 1),
            "page_up": partial(results.move_page, -1),
            "cursor_first": partial(results.move_to, 0),
            "cursor_last": lambda: results.move_to(len(results.hits) - 1),
            "open_hit": self.open,
            "history": self.open_history,
            "why": self.explain,
            "more_like": self.search_similar,
            "search_selected": self.search_selected,
            "mark": self.mark,
        }

    def open(self) -> None:
        """Open the commit of the hit."""
        hit = self._host.selected
        if hit is not None:
            self._history.record()
            self._host.ohara.open_commit(hit.commit.sha, hit)

    def open_history(self) -> None:
        """Open the history of the hit's symbol or lines."""
        hit = self._host.selected
        if hit is not None:
            self._history.record()
            self._host.ohara.open_history(hit)

    def explain(self) -> None:
        """Explain why the hit was found."""
        from tui.screens.why import WhyScreen

        hit, results = self._host.selected, self._host.finder.state.results
        if hit is not None and results is not None:
            self._host.ohara.push_screen(WhyScreen(hit, results, self._panes.results.position))

    def search_similar(self) -> None:
        """Search for more hunks like this one, best first.

        By time it would be those that hold every word of it, which often is this one alone.
        """
        hit = self._host.selected
        if hit is not None:
            self._search(QueryDraft("", self._host.bar.draft.chips, sample_of(hit)), order="rank")

    def search_selected(self) -> None:
        """Search for the selected text, or for the hit's symbol."""
        hit = self._host.selected
        text = " ".join(self._panes.diff.selected_text.split())
        if text:
            quoted = text.replace("\\", "\\\\").replace('"', '\\"')
            self._search(QueryDraft(f'"{quoted}"'))
        elif hit is not None and hit.symbol:
            self._search(QueryDraft(hit.symbol))
        else:
            self._host.notify("Select text in the diff with the mouse, or a hit in a symbol.", timeout=3)

    def _search(self, draft: QueryDraft, order: str = "") -> None:
        """Search for something else, in this order or as before; the search before can be gone back to."""
        self._history.record()
        self._host.order = order or self._host.order
        self._host.bar.show(draft)
        self._host.ask()
        self._panes.results.focus()

    def mark(self) -> None:
        """Mark the hit or unmark it, and go on to the next; in the diff, the hunk under its cursor."""
        diff, results, ohara = self._panes.diff, self._panes.results, self._host.ohara
        is_reading = diff.has_focus
        hit = diff.selected_hit if is_reading else self._host.selected
        if hit is None:
            return
        ohara.toggle_mark(hit)
        results.mark(frozenset(ohara.marks))
        diff.mark(results.marked)
        if is_reading:
            diff.next_hunk()
        else:
            results.move(1)
        self._host.refresh_status()
