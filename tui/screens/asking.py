"""Sends what is in the query bar: when typing pauses, when enter is pressed, when something asks again."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from tui.query_draft import problem_of
from tui.search_state import Stage

if TYPE_CHECKING:
    from textual.timer import Timer

    from tui.screens.search import SearchScreen

DEBOUNCE_S = 0.06  # between two keys of a person who types on; a pause longer than this is a question
_AGAIN_S = 1.5  # between two times that what found nothing is asked again while the index grows
_HIT_LINES = 2  # of the screen for each hit; a line each where the list has half of it


class Asking:
    """Decides what of the bar is a question; one that cannot be read stays there, and why is said."""

    def __init__(self, screen: SearchScreen) -> None:
        self._screen = screen
        self._debounce: Timer | None = None
        self._asked_again = 0.0

    def ask_soon(self) -> None:
        """Ask when typing pauses; the answer to the query before is not waited for, nor drawn, any more."""
        self._screen.workers.cancel_group(self._screen, "find")
        if self._debounce is not None:
            self._debounce.stop()
        ask = partial(self.ask, is_typing=self._screen.bar.input.has_focus)
        self._debounce = self._screen.set_timer(DEBOUNCE_S, ask)

    def ask_again(self, *, is_last: bool) -> None:
        """Ask again what found nothing, as the index has grown: now and then, and in any case at the last."""
        screen, state = self._screen, self._screen.finder.state
        now = time.monotonic()
        if is_last and state.loading and state.source == screen.bar.draft.source:
            self.ask()  # what is on its way may have been asked before the index was done
        elif (
            state.stage is Stage.NOTHING
            and state.has_answered(screen.bar.draft, screen.order, screen.group)
            and (is_last or now - self._asked_again >= _AGAIN_S)
        ):
            self._asked_again = now
            self._send(quietly=True)

    def ask(self, *, is_typing: bool = False) -> bool:
        """Send the query that is in the bar now; false when it cannot be read, and says why."""
        screen, finder, draft = self._screen, self._screen.finder, self._screen.bar.draft
        if self._debounce is not None:
            self._debounce.stop()
        if draft.is_empty:
            screen.workers.cancel_group(screen, "find")
            finder.clear()
            return True
        problem = problem_of(draft, now=int(screen.ohara.clock()), is_typing=is_typing)
        if problem is not None:
            screen.workers.cancel_group(screen, "find")
            finder.refuse(problem.said, is_typing=problem.is_typing)
            return False
        if is_typing and finder.is_done and finder.state.has_answered(draft, screen.order, screen.group):
            finder.accept()
            return True
        self._send()
        return True

    def _send(self, *, quietly: bool = False) -> None:
        screen = self._screen
        work = partial(
            screen.finder.ask,
            screen.bar.draft,
            order=screen.order,
            group=screen.group,
            reranks=screen.ohara.reranks,
            intent=screen.intent,
            room=screen.size.height // _HIT_LINES,
            quietly=quietly,
        )
        screen.start_worker(work, group="find", exclusive=True)

    def entered(self) -> None:
        """Go to the list, or do what the advice offers; a query that cannot be read stays to be mended."""
        screen = self._screen
        screen.bar.settle()
        state, draft = screen.finder.state, screen.bar.draft
        is_asked = state.source == draft.source and not state.complaint
        if not draft.is_empty and not is_asked and not self.ask():
            return
        if state.stage is Stage.RESULTS:
            screen.results.focus()
            screen.history.record()
        elif (draft.is_empty or is_asked) and screen.advice.chosen is not None:
            screen.choose(screen.advice.chosen)
        elif not draft.is_empty:  # the list has the focus as soon as it comes
            screen.advice.focus()
