"""Finds text in the diff of a screen: what is typed is marked at once, and the match keys go through it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tui.formats import count

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tui.screens.host import Host
    from tui.widgets.diff_view import DiffView


class FindActions:
    """Looks for text in a diff; `complete` fetches what of it was not fetched yet."""

    def __init__(
        self, host: Host, diff: DiffView, complete: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self._host = host
        self._diff = diff
        self._complete = complete

    def find(self) -> None:
        """Ask what to look for."""
        from tui.screens.prompt import PromptScreen

        hint = "find in this diff; enter keeps it, esc goes back"
        prompt = PromptScreen("/", hint, self._diff.look_for, self._diff.wanted)
        self._host.ohara.push_screen(prompt, self._chosen)

    def _chosen(self, text: str | None) -> None:
        self._diff.look_for(text or "")
        if text:
            self._diff.focus()
            self._host.start_worker(partial(self._tell, text), group="find-in-diff", exclusive=True)

    async def _tell(self, text: str) -> None:
        """Say how often it is there; what of the diff is not here yet is fetched first."""
        if self._complete is not None:
            await self._complete()
            self._diff.look_for(text)
        lines, cut = self._diff.lines_found, self._diff.cut_lines
        keys = self._host.ohara.keys
        there = f"{lines:,} {'line' if lines == 1 else 'lines'} with {text}"
        through = (
            f"; {keys.first_label('next_match')} and {keys.first_label('previous_match')} go through them"
        )
        said = f"{there}{through if lines > 1 else ''}." if lines else f"Nothing here holds {text}."
        if cut and not lines:
            said = f"Nothing shown here holds {text}; of {count(cut, 'long line')} only a part is here."
        self._host.notify(said, timeout=3, markup=False)
