"""Draws the finder's state: hits in their panes, or advice in their place, and the lines at the foot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from tui.actions import Scope
from tui.advice import advise
from tui.cells import sanitize
from tui.search_state import Stage
from tui.status_line import activity, facts

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.timer import Timer
    from textual.widget import Widget

    from tui.finder import Finder
    from tui.screens.lazy_panes import LazyPanes
    from tui.screens.paned import PanedScreen
    from tui.widgets.footer import Key
    from tui.widgets.query_bar import QueryBar
    from tui.widgets.search_panes import SearchPanes

_DIM_AFTER_S = 0.5  # an answer that comes sooner, as nearly all do, does not make the panes flicker
_FOCUS_ADVICE = frozenset({Stage.NOT_INDEXED, Stage.NO_REPOSITORY})  # what is left to do takes one key


class SearchView:
    """Draws the search screen; everything it draws follows from the finder's state."""

    def __init__(self, screen: PanedScreen, finder: Finder, bar: QueryBar, lazy: LazyPanes) -> None:
        self._screen = screen
        self._finder = finder
        self._bar = bar
        self._lazy = lazy
        self._dim: Timer | None = None
        self._advice_focused = False
        self.completions: Callable[[], str] = str  # none before there are panes

    def draw(self) -> None:
        """Draw everything but the hits themselves."""
        screen, state = self._screen, self._finder.state
        has_hits = state.stage is Stage.RESULTS
        screen.advice.display = not has_hits
        if self._lazy.mounted is not None:
            self._draw_panes(self._lazy.mounted, has_hits=has_hits)
        if not has_hits:
            recent = screen.ohara.session.recent(state.repository)
            screen.advice.show(advise(state, recent, screen.ohara.keys))
            before = self._advice_focused
            self._advice_focused = state.stage in _FOCUS_ADVICE and self._bar.draft.is_empty
            if self._advice_focused:
                screen.advice.focus()
            elif before and screen.advice.has_focus:  # now there is something to type for
                self._bar.input.focus()
        self._bar.set_class(bool(state.complaint), "-complaint")
        self._bar.set_class(state.is_typing, "-typing")
        self.draw_hint()
        self.draw_foot()

    def draw_hint(self) -> None:
        """Draw what is said under the bar: what is wrong, what is missing, what it can be completed to."""
        state, hint = self._finder.state, self.completions()
        said = (
            "  ".join(filter(None, (state.complaint, hint))) if state.is_typing else state.complaint or hint
        )
        _set_titles(self._bar, f"ohara · {state.name}" if state.name else "ohara", said)

    def _draw_panes(self, panes: SearchPanes, *, has_hits: bool) -> None:
        panes.display = has_hits
        if has_hits and self._screen.advice.has_focus:
            panes.results.focus()
        if not has_hits and self._screen.focused in {panes.results, panes.diff}:
            self._screen.advice.focus()  # keys stay keys: what emptied the list is pressed again to undo it
        if not self._finder.state.loading:
            self._set_stale(panes, stale=False)
        elif self._dim is None:
            self._dim = self._screen.set_timer(
                _DIM_AFTER_S, lambda: self._set_stale(panes, stale=self._finder.state.loading)
            )

    def _set_stale(self, panes: SearchPanes, *, stale: bool) -> None:
        if self._dim is not None and not stale:
            self._dim.stop()
        self._dim = None
        panes.dim(stale=stale)

    # -- the foot --------------------------------------------------------------------------------

    def draw_foot(self) -> None:
        """Draw the lines at the foot and the titles of the list."""
        screen, state, position = self._screen, self._finder.state, 0
        if self._lazy.mounted is not None:
            results = self._lazy.mounted.results
            position = results.position
            title = "Threads" if state.group == "thread" else "Hits"
            results.set_titles(title, "best first" if state.order == "rank" else f"{state.order} first")
        now = activity(state, len(screen.ohara.marks), screen.ohara.keys)
        screen.status_line.show(facts(state, screen.ohara.keys, position), now)
        screen.key_line.show(self._footer())

    @property
    def active_scopes(self) -> tuple[Scope, ...]:
        """The scopes whose keys work where the focus is, the nearest first."""
        if self._bar.input.has_focus:
            return (Scope.QUERY, Scope.SEARCH, Scope.DIFF)
        is_reading = self._lazy.mounted is not None and self._lazy.mounted.diff.has_focus
        if is_reading:
            return (Scope.READING, Scope.DIFF, Scope.SEARCH)
        return (Scope.SEARCH, Scope.DIFF)

    def _footer(self) -> list[Key]:
        ohara = self._screen.ohara
        if self._bar.input.has_focus:
            return ohara.footer_keys(Scope.QUERY, typing=True)
        if self._finder.state.stage is Stage.RESULTS:
            return ohara.footer_keys(*self.active_scopes)
        offered = {choice.action for choice in self._screen.advice.advice.choices}
        return ohara.footer_keys(Scope.SEARCH, only={"focus_query", "filters", *offered})


def _set_titles(pane: Widget, title: str, subtitle: str) -> None:
    """Write into a pane's border what is not there yet."""
    for name, text in (("border_title", sanitize(title)), ("border_subtitle", sanitize(subtitle))):
        if str(getattr(pane, name) or "") != text:
            setattr(pane, name, Content(text))
