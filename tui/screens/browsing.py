"""What reading a commit and reading a history share: a list at the left moves a diff at the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal, Vertical

from tui.screens.paned import NARROW
from tui.screens.tracing import TracingActions
from tui.widgets.diffview import DiffView

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from ohara.model import Hit


class BrowsingScreen(TracingActions):
    """A screen about one place in one repository."""

    def __init__(self, repository: str) -> None:
        super().__init__()
        self._repository = repository
        self._diff = DiffView(id="diff")

    def compose(self) -> ComposeResult:
        """What is chosen from at the left, the diff at the right."""
        with Horizontal(id="main"):
            with Vertical(id="left"):
                yield from self.compose_left()
            yield self._diff
        yield from self.compose_foot()

    def compose_left(self) -> ComposeResult:
        """What is chosen from."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Let the diff ask for more of its files."""
        self.trace_lines()

    @property
    def repository(self) -> str:
        """The repository that is shown."""
        return self._repository

    @property
    def diff(self) -> DiffView:
        """The hunks of what is chosen."""
        return self._diff

    @property
    def selected(self) -> Hit | None:
        """The hunk that actions are about."""
        return self._diff.selected_hit

    def on_resize(self, event: events.Resize) -> None:
        """Choose between side by side and one above the other."""
        self.set_class(event.size.width < NARROW, "-narrow")
