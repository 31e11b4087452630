"""The bar between two panes, which can be dragged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message
from textual.widget import Widget

if TYPE_CHECKING:
    from textual import events


class Splitter(Widget):
    """A line that posts where it was dragged to; its screen moves the panes."""

    DEFAULT_CSS = """
    Splitter { width: 1; height: 100%; color: $border-blurred; &:hover { color: $border; } }
    """

    class Dragged(Message):
        """The splitter was dragged to this cell of the screen."""

        def __init__(self, x: int, y: int) -> None:
            super().__init__()
            self.x = x
            self.y = y

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Start dragging."""
        self.capture_mouse()
        event.stop()

    def on_mouse_up(self) -> None:
        """Stop dragging."""
        self.release_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow the mouse while dragged."""
        if self.app.mouse_captured is self:
            self.post_message(self.Dragged(int(event.screen_x), int(event.screen_y)))

    def render(self) -> str:
        """A line of dots, upright or lying."""
        if self.size.width >= self.size.height:
            return "┄" * self.size.width
        return "\n".join("┆" * self.size.height)
