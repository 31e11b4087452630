"""A small menu in which one key chooses: what to copy, how to export."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.inert import cut, plain

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


class MenuScreen(ModalScreen[str | None]):
    """Asks for one of a few things; answers with its key, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Back")]

    def __init__(self, title: str, items: Sequence[Item]) -> None:
        super().__init__()
        self._title = title
        self._items = tuple(items)

    def compose(self) -> ComposeResult:
        """The items, one a line."""
        lines = [
            Content.assemble(
                (f" {item.key} ", "bold $accent"),
                (f" {item.title:<12}", "$foreground"),
                (cut(plain(item.value), _VALUE_CELLS), "$muted"),
            )
            for item in self._items
        ]
        box = Static(Content("\n").join(lines), classes="dialog")
        box.border_title = self._title
        box.border_subtitle = "esc back"
        yield box

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
