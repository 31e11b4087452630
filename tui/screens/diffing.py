"""The actions of a diff, for every screen that has one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.screens.paned import PanedScreen

if TYPE_CHECKING:
    from tui.widgets.diffview import DiffView

_LINES = 3  # what a key press scrolls: quick, and still easy to follow


class DiffActions(PanedScreen):
    """A screen with a diff, whose keys work wherever the focus is."""

    @property
    def diff(self) -> DiffView:
        """The diff that is shown."""
        raise NotImplementedError

    def action_scroll_down(self) -> None:
        """Scroll the diff down."""
        self.diff.scroll_diff(1 if self.diff.has_focus else _LINES)

    def action_scroll_up(self) -> None:
        """Scroll the diff up."""
        self.diff.scroll_diff(-1 if self.diff.has_focus else -_LINES)

    def action_diff_page_down(self) -> None:
        """Scroll the diff a page down."""
        self.diff.scroll_diff(pages=1)

    def action_diff_page_up(self) -> None:
        """Scroll the diff a page up."""
        self.diff.scroll_diff(pages=-1)

    def action_scroll_left(self) -> None:
        """Scroll the diff to the left."""
        self.diff.scroll_sideways(-1)

    def action_scroll_right(self) -> None:
        """Scroll the diff to the right."""
        self.diff.scroll_sideways(1)

    def action_next_match(self) -> None:
        """Go to the next match."""
        if not self.diff.next_match():
            self.notify("No match is marked here.", timeout=2)

    def action_previous_match(self) -> None:
        """Go to the previous match."""
        if not self.diff.previous_match():
            self.notify("No match is marked here.", timeout=2)

    def action_line_numbers(self) -> None:
        """Show or hide line numbers."""
        self.diff.toggle_numbers()

    def action_split_diff(self) -> None:
        """Show the diff unified or side by side."""
        self.diff.toggle_split()

    def action_whitespace(self) -> None:
        """Show or hide spaces and tabs."""
        self.diff.toggle_whitespace()

    def action_less_context(self) -> None:
        """Show less around changes."""
        self.diff.less_context()

    def action_more_context(self) -> None:
        """Show more around changes."""
        self.diff.more_context()
