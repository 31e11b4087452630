"""A line at the foot of the screen to type in: heard at once, kept by enter, taken back by escape."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import Horizontal
from textual.widgets import Static

from tui.screens.dialog import Dialog
from tui.widgets.text_input import TextInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widgets import Input


class PromptScreen(Dialog[str | None]):
    """Asks for a line of text over the screen that it is about."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "keep", "Keep", priority=True)]

    def __init__(self, sign: str, hint: str, typed: Callable[[str], None], text: str = "") -> None:
        super().__init__()
        self._sign = sign
        self._typed = typed
        self._field = TextInput(text, placeholder=hint, compact=True, id="prompt-field")

    def compose(self) -> ComposeResult:
        """A sign and the field."""
        with Horizontal(id="prompt-line"):
            yield Static(self._sign, id="prompt-sign", markup=False)
            yield self._field

    def on_mount(self) -> None:
        """Keep the cursor still."""
        self._field.cursor_blink = False
        self._field.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tell what is typed."""
        event.stop()
        self._typed(event.value)

    def action_keep(self) -> None:
        """Keep what is typed."""
        self.dismiss(self._field.value)
