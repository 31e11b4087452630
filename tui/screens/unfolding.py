"""The panes of the search screen, which come after the first paint, and the room that they share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.screens.paned import NARROW
from tui.screens.tracing import TracingActions

if TYPE_CHECKING:
    from textual import events
    from textual.geometry import Size

    from tui.session import Layout
    from tui.widgets.diffview import DiffView
    from tui.widgets.results import ResultList
    from tui.widgets.searchpanes import SearchPanes
    from tui.widgets.strip import TimelineStrip

_SHORT = 30  # lines below which the timeline gives its place to hits
_SHARE_STEP = 5  # hundredths


class UnfoldingScreen(TracingActions):
    """A screen that is seen before its panes are there; until then no key reaches them."""

    def __init__(self) -> None:
        super().__init__()
        self.unfolded: SearchPanes | None = None
        self._fit(self.app.size)  # before the first paint: styling twice is what a start is slow by

    async def unfold(self) -> None:
        """Bring the panes, in which there is nothing yet."""
        from tui.widgets.searchpanes import SearchPanes

        panes = SearchPanes(self.ohara.session.layout)
        panes.display = False
        await self.mount(panes, before=self.advice)
        self.unfolded = panes
        self._fit(self.size)
        self.trace_lines()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let no key reach panes that are not there yet."""
        return self.unfolded is not None and super().check_action(action, parameters)

    @property
    def panes(self) -> SearchPanes:
        """List, timeline and diff, for those who know that they are there."""
        if self.unfolded is None:
            raise RuntimeError("the search screen has no panes yet")
        return self.unfolded

    @property
    def results(self) -> ResultList:
        """The list of hits."""
        return self.panes.results

    @property
    def timeline(self) -> TimelineStrip:
        """The hits in time."""
        return self.panes.timeline

    @property
    def diff(self) -> DiffView:
        """The diff of the selected hit."""
        return self.panes.diff

    # -- room ------------------------------------------------------------------------------------

    @property
    def arrangement(self) -> Layout:
        """How the panes are arranged, to be kept for the next time."""
        return self.unfolded.arrangement if self.unfolded is not None else self.ohara.session.layout

    def on_resize(self, event: events.Resize) -> None:
        """Choose between side by side and one above the other."""
        self._fit(event.size)

    def _fit(self, size: Size) -> None:
        narrow = size.width < NARROW
        self.set_class(narrow, "-narrow")
        self.set_class(size.height < _SHORT, "-short")
        if self.unfolded is not None:
            self.unfolded.stack(stacked=narrow)

    def action_widen_list(self) -> None:
        """More room for the list."""
        self.panes.share_room(self.panes.share + _SHARE_STEP)

    def action_widen_diff(self) -> None:
        """More room for the diff."""
        self.panes.share_room(self.panes.share - _SHARE_STEP)
