"""Two lines at the foot of the screen: the status of the answer and the index, and the keys that help now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from tui.cells import cell_width, cut, sanitize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events


@dataclass(frozen=True, slots=True)
class StatusPart:
    """A part of the status line and its style."""

    text: str
    style: str = "$muted"


class StatusLine(Widget):
    """Facts at the left, what is going on at the right; the left gives way when there is no room."""

    DEFAULT_CSS = "StatusLine { height: 1; padding: 0 1; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._left: tuple[StatusPart, ...] = ()
        self._right: tuple[StatusPart, ...] = ()

    def show(self, left: Sequence[StatusPart], right: Sequence[StatusPart]) -> None:
        """Show other parts."""
        parts = (tuple(left), tuple(right))
        if parts != (self._left, self._right):
            self._left, self._right = parts
            self.refresh()

    def render(self) -> Content:
        """The line."""
        width = self.content_size.width
        going = cut("  ".join(sanitize(part.text) for part in self._right), width)
        room = width - cell_width(going) - 2
        facts: list[tuple[str, str]] = []
        for part in self._left:
            text = cut(f"{' · ' if facts else ''}{sanitize(part.text)}", room)
            room -= cell_width(text)
            if room < 0 or not text:
                break
            facts.append((text, part.style))
        gap = " " * max(0, width - sum(cell_width(text) for text, _ in facts) - cell_width(going))
        style = self._right[-1].style if self._right else "$muted"
        return Content.assemble(*facts, gap, (going, style))


@dataclass(frozen=True, slots=True)
class Key:
    """A key in the footer: its title, and the action as Textual runs it."""

    label: str
    title: str
    action: str


class KeyLine(Widget):
    """Keys that help now; each can be clicked."""

    DEFAULT_CSS = "KeyLine { height: 1; padding: 0 1; }"

    class Pressed(Message):
        """A key was clicked."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._keys: tuple[Key, ...] = ()
        self._places: list[tuple[int, int, str]] = []

    def show(self, keys: Sequence[Key]) -> None:
        """Show other keys."""
        if tuple(keys) != self._keys:
            self._keys = tuple(keys)
            self.refresh()

    def render(self) -> Content:
        """As many keys as fit."""
        width = self.content_size.width
        self._places = []
        parts: list[tuple[str, str]] = []
        at = 0
        for key in self._keys:
            wide = cell_width(f"{key.label} {key.title}")
            if at + wide > width:
                break
            parts += [(key.label, "bold $footer-key-foreground"), (f" {key.title}   ", "$muted")]
            self._places.append((at, at + wide, key.action))
            at += wide + 3
        return Content.assemble(*parts)

    def on_click(self, event: events.Click) -> None:
        """Do what was clicked."""
        x = int(event.x) - self.styles.padding.left
        for first, last, action in self._places:
            if first <= x <= last:
                self.post_message(self.Pressed(action))
