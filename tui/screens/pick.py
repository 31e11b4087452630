"""A dialog that lists things, of which one is chosen; typing narrows the list down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import Vertical

from tui.cells import cell_width, cut
from tui.screens.dialog import Dialog
from tui.widgets.row_list import Part, RowList
from tui.widgets.text_input import TextInput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widgets import Input

    from tui.widgets.row_list import Row

_TITLE = 20  # cells after which the notes stand one below the other


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that can be chosen: what it is, what it does, and which characters of it were typed."""

    title: str
    note: str = ""
    keys: str = ""
    do: Callable[[], object] = lambda: None
    typed: frozenset[int] = frozenset()

    def found_at(self, places: Sequence[int]) -> Entry:
        """The same entry with what was typed marked."""
        return replace(self, typed=frozenset(places))


class PickScreen(Dialog[Entry | None]):
    """Asks for one of many things."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,ctrl+n", "move(1)", "Next", priority=True),
        Binding("up", "move(-1)", "Previous", priority=True),
        Binding("pagedown", "page(1)", "Page down", priority=True),
        Binding("pageup", "page(-1)", "Page up", priority=True),
        Binding("enter", "choose", "Choose", priority=True),
    ]

    def __init__(
        self,
        title: str,
        entries: Callable[[str], Sequence[Entry]],
        *,
        hint: str = "",
        at: int = 0,
        moved: Callable[[Entry], None] | None = None,
    ) -> None:
        """List what `entries` gives for what was typed; `moved` hears of what the cursor comes to."""
        super().__init__()
        self._title = title
        self._entries = entries
        self._moved = moved
        self._first = at
        self._shown: Sequence[Entry] = ()
        self._field = TextInput(placeholder=hint, compact=True, id="pick-field")
        self._list = RowList(self._row, id="pick-list")

    def compose(self) -> ComposeResult:
        """The field above the list."""
        with Vertical(classes="dialog", id="pick") as box:
            yield self._field
            yield self._list
        box.border_title = self._title
        box.border_subtitle = "enter choose · esc back"

    def on_mount(self) -> None:
        """List everything."""
        self._field.cursor_blink = False
        self._field.focus()
        self._list_entries(self._first)

    def list_again(self) -> None:
        """List what there is by now."""
        self._list_entries(self._list.position)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow the list down."""
        event.stop()
        self._list_entries(0)
        self._tell()

    def _list_entries(self, at: int) -> None:
        self._shown = self._entries(self._field.value)
        self._list.show(len(self._shown), at)

    def _row(self, at: int, width: int) -> Row:
        entry = self._shown[at]
        keys = f" {entry.keys}" if entry.keys else ""
        room = max(1, width - cell_width(keys) - 1)
        title = cut(entry.title, room)
        left = [Part(title)]
        if entry.typed:
            left = [Part(each, "accent" if at in entry.typed else "plain") for at, each in enumerate(title)]
        gap = " " * max(2, _TITLE - cell_width(title))
        note = cut(entry.note, room - cell_width(title) - len(gap))
        return [*left, Part(gap), Part(note, "muted")], [Part(keys, "name")]

    @property
    def selected(self) -> Entry | None:
        """The entry under the cursor."""
        at = self._list.position
        return self._shown[at] if at < len(self._shown) else None

    def _tell(self) -> None:
        if self._moved is not None and self.selected is not None:
            self._moved(self.selected)

    def action_move(self, by: int) -> None:
        """Go to another entry."""
        self._list.move(by)
        self._tell()

    def action_page(self, pages: int) -> None:
        """Go a page on."""
        self._list.move_page(pages)
        self._tell()

    def action_choose(self) -> None:
        """Choose the entry under the cursor."""
        if self.selected is not None:
            self.dismiss(self.selected)

    def on_row_list_selected(self, event: RowList.Selected) -> None:
        """Tell where the mouse put the cursor."""
        event.stop()
        self._tell()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Choose what was clicked twice."""
        event.stop()
        self.action_choose()
