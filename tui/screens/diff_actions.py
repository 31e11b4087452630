"""The actions of a diff, for every screen that has one: its own, and those that work anywhere."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tui.screens.export_actions import ExportActions
from tui.screens.find_actions import FindActions
from tui.screens.shell_actions import GitActions
from tui.screens.trace_actions import TraceActions

if TYPE_CHECKING:
    from collections.abc import Callable

    from tui.screens.host import Commands, Host
    from tui.widgets.diff_view import DiffView

_LINES = 3  # what a key press scrolls: quick, and still easy to follow


def diff_commands(host: Host, diff: DiffView) -> Commands:
    """Everything that can be done with a diff: moving about in it, taking from it, tracing its lines."""
    return {
        **DiffActions(host, diff).commands(),
        **ExportActions(host, diff).commands(),
        **TraceActions(host, diff).commands(),
        **GitActions(host, lambda: diff.selected_hit or next(iter(diff.hits), None)).commands(),
    }


class DiffActions:
    """Moves about in a diff and changes how it is shown."""

    def __init__(self, host: Host, diff: DiffView) -> None:
        self._host = host
        self._diff = diff

    def commands(self) -> Commands:
        """Its commands, by action name."""
        diff = self._diff
        return {
            "scroll_down": partial(self._scroll, 1),
            "scroll_up": partial(self._scroll, -1),
            "line_down": partial(diff.scroll_diff, 1),
            "line_up": partial(diff.scroll_diff, -1),
            "diff_page_down": partial(diff.move_page, 1),
            "diff_page_up": partial(diff.move_page, -1),
            "diff_first": partial(diff.move_cursor, 0),
            "diff_last": diff.move_to_last,
            "diff_next_hunk": diff.next_hunk,
            "diff_previous_hunk": diff.previous_hunk,
            "scroll_left": partial(diff.scroll_sideways, -1),
            "scroll_right": partial(diff.scroll_sideways, 1),
            "next_match": partial(self._go_to_match, diff.next_match),
            "previous_match": partial(self._go_to_match, diff.previous_match),
            "find_in_diff": FindActions(self._host, diff).find,
            "mark": self.mark,
            "wrap": self._wrap,
            "line_numbers": diff.toggle_numbers,
            "split_diff": diff.toggle_split,
            "whitespace": diff.toggle_whitespace,
            "less_context": diff.less_context,
            "more_context": diff.more_context,
        }

    def _scroll(self, way: int) -> None:
        self._diff.scroll_diff(way if self._diff.has_focus else way * _LINES)

    def mark(self) -> None:
        """Mark the hunk under the cursor or unmark it, and go on to the next."""
        hit = self._diff.selected_hit
        if hit is not None:
            self._host.ohara.toggle_mark(hit)
            self._diff.mark(frozenset(self._host.ohara.marks))
            self._diff.next_hunk()
            self._host.refresh_status()

    def _wrap(self) -> None:
        if self._diff.is_split:
            self._host.notify("Old and new side by side are cut, not wrapped.", timeout=3)
        else:
            self._diff.toggle_wrap()

    def _go_to_match(self, step: Callable[[], bool]) -> None:
        if not step():
            self._host.notify("No match is marked here.", timeout=2)
