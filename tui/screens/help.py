"""Every key and its meaning, those of the pane that had the focus first."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tui.actions import ACTIONS, by_group
from tui.cells import fit
from tui.screens.dialog import Dialog
from tui.widgets.text_input import TextInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widgets import Input

    from tui.actions import Action, Keys, Scope

_KEYS = 18
_WIDE = 96
_LEAST_WORDS = 24


class HelpScreen(Dialog[None]):
    """Lists keys."""

    AUTO_FOCUS = ""  # letters scroll until the filter is asked for

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,q,f1", "dismiss(None)", "Back"),
        Binding("slash", "filter", "Filter"),
        Binding("enter", "leave_filter", "To the keys", priority=True),
        Binding("j,down", "scroll(3)", "Down"),
        Binding("k,up", "scroll(-3)", "Up"),
        Binding("space,pagedown", "scroll(15)", "Page down"),
        Binding("b,pageup", "scroll(-15)", "Page up"),
        Binding("g,home", "scroll_to_end(False)", "Top"),
        Binding("G,end", "scroll_to_end(True)", "End"),
    ]

    def __init__(self, first: Sequence[Scope], keys: Keys) -> None:
        super().__init__()
        self._first = tuple(first)
        self._keys = keys
        self._field = TextInput(placeholder="show only …", compact=True, id="help-filter")
        self._text = Static()

    def compose(self) -> ComposeResult:
        """The list, in a box that scrolls."""
        with VerticalScroll(classes="dialog", can_focus=False, id="help-keys") as box:
            yield self._field
            yield self._text
        box.border_title = "Keys"
        box.border_subtitle = "/ filter · j k scroll · esc back"

    def on_mount(self) -> None:
        """Show all keys; the field comes when it is asked for."""
        self._field.display = False
        self._field.cursor_blink = False

    def on_resize(self) -> None:
        """Wrap the words at the width that there is."""
        self.call_after_refresh(self._list)

    def _list(self) -> None:
        width = self._text.content_size.width or _WIDE
        self._text.update(listed(self._first, self._keys, self._field.value, width))

    def action_filter(self) -> None:
        """Ask what to show only."""
        self._field.display = True
        self._field.focus()

    def action_leave_filter(self) -> None:
        """Go from the field to the keys that are left."""
        self.set_focus(None)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show the actions that hold what is typed."""
        event.stop()
        self._list()

    def action_scroll(self, lines: int) -> None:
        """Scroll the list."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)

    def action_scroll_to_end(self, last: bool) -> None:
        """Go to the first or the last line."""
        box = self.query_one(VerticalScroll)
        box.scroll_to(y=box.max_scroll_y if last else 0, animate=False)


def listed(first: Sequence[Scope], keys: Keys, wanted: str = "", width: int = _WIDE) -> Content:
    """The actions that hold a text, by place and purpose: these places first, the others after them."""
    room = max(_LEAST_WORDS, width - _KEYS - 4)  # a scroll bar may take two
    places = [*first, *dict.fromkeys(action.scope for action in ACTIONS if action.scope not in first)]
    lines: list[Content] = []
    for place in places:
        mine = [action for action in ACTIONS if action.scope is place and _holds(action, keys, wanted)]
        if not mine:
            continue
        lines += [Content(""), Content.styled(f"{place}", "bold $primary")]
        for group, members in by_group(mine):
            lines.append(Content.styled(f"  {group}", "$faint"))
            for action in members:
                labels = f"  {fit(keys.labels(action), _KEYS)}"
                for said in wrap(action.help, room):
                    lines.append(Content.assemble((labels, "bold $accent"), (said, "$foreground")))
                    labels = " " * len(labels)
    return Content("\n").join(lines[1:]) if lines else Content.styled("Nothing holds that.", "$muted")


def _holds(action: Action, keys: Keys, wanted: str) -> bool:
    """Whether the keys or words of an action hold a text."""
    said = f"{keys.labels(action)} {action.title} {action.help} {action.name}"
    return wanted.strip().lower() in said.lower()
