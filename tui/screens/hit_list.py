"""Fills the panes of the search screen with hits, and moves among them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from anyio import to_thread

from tui.finder import Change
from tui.highlight import prepare
from tui.screens.preview import Preview
from tui.search_state import Stage, same_lines
from tui.timeline import months_between

if TYPE_CHECKING:
    from textual.timer import Timer

    from ohara.model import Hit, Sha
    from tui.screens.search import SearchScreen

_DIFF_AFTER_S = 0.06  # as the debounce: a key that is typed meanwhile does not wait for a diff to be drawn


class HitList:
    """The hits on screen, and which of them is selected."""

    def __init__(self, screen: SearchScreen) -> None:
        self._screen = screen
        self._shown: tuple[str, ...] | None = None
        self._thread_shown: Sha | None = None
        self._was_listed = False  # something, when the hits of now came
        self._soon: Timer | None = None
        self.preview = Preview(screen)

    def fill(self, change: Change) -> None:
        """Put hits into the panes."""
        screen, state = self._screen, self._screen.finder.state
        results, timeline = screen.results, screen.timeline
        self._was_listed = screen.panes.display
        results.now = screen.ohara.clock()
        results.threads = state.threads
        if change is Change.ANSWER and state.hits:
            shown, self._shown = self._shown, (state.repository, state.source, state.order, state.group)
            results.show(state.hits, keep=shown == self._shown and self._is_reading)
            screen.history.select_wanted()
            screen.ohara.typed = state.source
            screen.call_after_refresh(self._prepare, {hit.path for hit in state.hits})
        elif change is Change.ORDER:
            results.show(state.hits, keep=self._is_reading)
        elif change is Change.MORE:
            results.extend(state.hits[len(results.hits) :])
        narrowed = screen.query_actions.narrowed_to
        if narrowed is None:
            timeline.show(state.hits, results.selected, now=results.now, uncounted=self._uncounted)
        else:
            timeline.choose(narrowed)

    @property
    def _uncounted(self) -> range:
        """The months in which hits may lie that have not come yet."""
        state = self._screen.finder.state
        if state.results is None or state.cursor is None:
            return range(0)
        filters = state.results.query.filters
        return months_between(filters.since, filters.until, now=self._screen.results.now)

    @property
    def _is_reading(self) -> bool:
        """True when a person chose the selected hit, or reads it: then the cursor stays on it."""
        return self._screen.results.was_moved or self._screen.diff.has_focus

    def _prepare(self, paths: set[str]) -> None:
        """Load the colours of all hits beside the drawing, once the first is drawn."""
        self._screen.start_worker(partial(to_thread.run_sync, prepare, paths), group="lexers", exclusive=True)

    def selected(self, hit: Hit) -> None:
        """Show the diff of a hit that was selected: while somebody types, after the list, when keys pause."""
        if self._soon is not None:
            self._soon.stop()
            self._soon = None
        screen = self._screen
        if screen.bar.input.has_focus and self._was_listed and not screen.results.was_moved:
            self._soon = screen.set_timer(_DIFF_AFTER_S, self._show_selected)
        else:
            self.show_diff(hit)

    @property
    def is_at_rest(self) -> bool:
        """True when the diff of the selected hit is there, with all that is told beside it."""
        return self._soon is None and (self._screen.selected is None or self.preview.is_complete)

    def typed(self) -> None:
        """Let a key go before the diffs that are still to be drawn."""
        self.preview.postpone()
        if self._soon is not None:
            self._soon.reset()

    def _show_selected(self) -> None:
        self._soon = None
        hit = self._screen.selected
        if hit is not None:
            self.show_diff(hit)

    def show_diff(self, hit: Hit) -> None:
        """Show the diff of a hit; of the same lines in another order nothing is drawn anew."""
        diff = self._screen.diff
        thread = hit.thread if hit.thread in self._screen.finder.state.threads else None
        if diff.hits and same_lines(diff.hits[0], hit) and thread == self._thread_shown:
            diff.adopt(hit)
            return
        self._thread_shown = thread
        self.preview.show(hit)
        self._screen.refresh_status()

    def select(self, sha: str, hunk: int) -> bool:
        """Put the cursor on a hit; false when it is not listed."""
        for at, hit in enumerate(self._screen.results.hits):
            if (hit.commit.sha, hit.hunk) == (sha, hunk):
                self._screen.results.move_to(at)
                return True
        return False

    def move(self, by: int) -> None:
        """Move among the hits, or among what the advice offers."""
        results = self._screen.results
        if self._screen.finder.state.stage is Stage.RESULTS:
            results.move(by)
            if results.selected is not None:  # at once: list and diff are then painted together
                self.show_diff(results.selected)
        else:
            self._screen.advice.move(by)
