"""The base of every dialog: a box in the middle of the screen, left by escape, from which one can quit."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual.binding import Binding
from textual.screen import ModalScreen

if TYPE_CHECKING:
    from textual.binding import BindingType

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer]):
    """Asks or tells something; the keys of the app do not reach it, but for the one that quits."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Back"),
        Binding("ctrl+q", "app.quit", "Quit", priority=True),
    ]
