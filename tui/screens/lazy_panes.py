"""Adds the panes of the search screen after its first paint, and shares the room among them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tui.screens.paned import NARROW

if TYPE_CHECKING:
    from textual.geometry import Size

    from tui.screens.host import Commands
    from tui.screens.paned import PanedScreen
    from tui.session import Layout
    from tui.widgets.search_panes import SearchPanes

_SHORT = 30  # lines below which the timeline gives its place to hits
_SHARE_STEP = 5  # hundredths


class LazyPanes:
    """The panes of the search screen, which are added after its first paint."""

    def __init__(self, screen: PanedScreen, layout: Layout) -> None:
        self._screen = screen
        self._layout = layout
        self._panes: SearchPanes | None = None
        self.fit(screen.app.size)  # before the first paint: styling twice is what a start is slow by

    @property
    def mounted(self) -> SearchPanes | None:
        """The panes, once they are there."""
        return self._panes

    async def mount(self) -> SearchPanes:
        """Add the panes, in which there is nothing yet."""
        from tui.widgets.search_panes import SearchPanes

        panes = SearchPanes(self._layout)
        panes.display = False
        await self._screen.mount(panes, before=self._screen.advice)
        self._panes = panes
        self.fit(self._screen.size)
        return panes

    @property
    def layout(self) -> Layout:
        """How the panes are arranged, to be kept for the next time."""
        return self._panes.layout_options if self._panes is not None else self._layout

    def fit(self, size: Size) -> None:
        """Arrange the panes for a screen of this size."""
        narrow = size.width < NARROW
        self._screen.set_class(narrow, "-narrow")
        self._screen.set_class(size.height < _SHORT, "-short")
        if self._panes is not None:
            self._panes.stack(stacked=narrow)

    def commands(self) -> Commands:
        """Its commands, by action name."""
        return {
            "widen_list": partial(self._widen, _SHARE_STEP),
            "widen_diff": partial(self._widen, -_SHARE_STEP),
        }

    def _widen(self, by: int) -> None:
        if self._panes is not None:
            self._panes.share_room(self._panes.share + by)
