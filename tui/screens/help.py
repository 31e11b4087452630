"""Every key and its meaning, those of the pane that had the focus first."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.actions import ACTIONS, by_group
from tui.cells import fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from tui.actions import Keys, Scope

_KEYS = 18


class HelpScreen(ModalScreen[None]):
    """Lists keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q,f1", "dismiss(None)", "Back"),
        Binding("j,down", "scroll(3)", "Down"),
        Binding("k,up", "scroll(-3)", "Up"),
        Binding("space,pagedown", "scroll(15)", "Page down"),
        Binding("b,pageup", "scroll(-15)", "Page up"),
    ]

    def __init__(self, first: Sequence[Scope], keys: Keys) -> None:
        super().__init__()
        self._first = tuple(first)
        self._keys = keys

    def compose(self) -> ComposeResult:
        """The list, in a box that scrolls."""
        box = VerticalScroll(Static(listed(self._first, self._keys)), classes="dialog", can_focus=False)
        box.id = "help-keys"
        box.border_title = "Keys"
        box.border_subtitle = "j k scroll · esc back"
        yield box

    def action_scroll(self, lines: int) -> None:
        """Scroll the list."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)


def listed(first: Sequence[Scope], keys: Keys) -> Content:
    """All actions by place and purpose: these places first, the others after them."""
    places = [*first, *dict.fromkeys(action.scope for action in ACTIONS if action.scope not in first)]
    lines: list[Content] = []
    for place in places:
        mine = [action for action in ACTIONS if action.scope is place]
        if not mine:
            continue
        lines += [Content(""), Content.styled(f"{place}", "bold $primary")]
        for group, members in by_group(mine):
            lines.append(Content.styled(f"  {group}", "$faint"))
            lines += [
                Content.assemble(
                    (f"  {fit(keys.labels(action), _KEYS)}", "bold $accent"), (action.help, "$foreground")
                )
                for action in members
            ]
    return Content("\n").join(lines[1:])
