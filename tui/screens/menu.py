"""A small menu in which one key chooses: what to copy, how to export."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from tui.cells import cut, sanitize
from tui.screens.dialog import Dialog

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

_VALUE_CELLS = 48


@dataclass(frozen=True, slots=True)
class Item:
    """One choice: its key, what it is, and what it would give."""

    key: str
    title: str
    value: str = ""


class MenuScreen(Dialog[str | None]):
    """Asks for one of a few things; answers with its key, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", "Next"),
        Binding("up", "move(-1)", "Previous"),
        Binding("enter", "choose", "Choose"),
    ]

    def __init__(self, title: str, items: Sequence[Item]) -> None:
        super().__init__()
        self._title = title
        self._items = tuple(items)
        self._at = 0

    def _lines(self) -> Content:
        lines = [
            Content.assemble(
                ("▌" if at == self._at else " ", "$primary"),
                (f"{item.key} ", "bold $accent"),
                (f" {item.title:<12}", "bold $foreground" if at == self._at else "$foreground"),
                (cut(sanitize(item.value), _VALUE_CELLS), "$muted"),
            )
            for at, item in enumerate(self._items)
        ]
        return Content("\n").join(lines)

    def compose(self) -> ComposeResult:
        """The items, one a line."""
        box = Static(self._lines(), classes="dialog")
        box.border_title = self._title
        box.border_subtitle = "esc back"
        yield box

    def action_move(self, by: int) -> None:
        """Go to another item."""
        self._at = max(0, min(self._at + by, len(self._items) - 1))
        self.query_one(Static).update(self._lines())

    def action_choose(self) -> None:
        """Choose the item under the cursor."""
        self.dismiss(self._items[self._at].key)

    def on_key(self, event: events.Key) -> None:
        """Choose by key."""
        if event.character is not None and any(item.key == event.character for item in self._items):
            event.stop()
            self.dismiss(event.character)

    def on_click(self, event: events.Click) -> None:
        """Choose by mouse; a click beside the menu leaves it."""
        box = self.query_one(Static)
        inside = box.content_region
        if inside.contains_point(event.screen_offset):
            at = event.screen_y - inside.y
            if 0 <= at < len(self._items):
                self.dismiss(self._items[int(at)].key)
        elif not box.region.contains_point(event.screen_offset):
            self.dismiss(None)
