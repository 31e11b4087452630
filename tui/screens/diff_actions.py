"""The actions of a diff, for every screen that has one; its keys work wherever the focus is."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tui.screens.export_actions import ExportActions
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
            "scroll_left": partial(diff.scroll_sideways, -1),
            "scroll_right": partial(diff.scroll_sideways, 1),
            "next_match": partial(self._go_to_match, diff.next_match),
            "previous_match": partial(self._go_to_match, diff.previous_match),
            "line_numbers": diff.toggle_numbers,
            "split_diff": diff.toggle_split,
            "whitespace": diff.toggle_whitespace,
            "less_context": diff.less_context,
            "more_context": diff.more_context,
        }

    def _scroll(self, way: int) -> None:
        self._diff.scroll_diff(way if self._diff.has_focus else way * _LINES)

    def _go_to_match(self, step: Callable[[], bool]) -> None:
        if not step():
            self._host.notify("No match is marked here.", timeout=2)
