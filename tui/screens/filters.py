"""The filter dialog: a field for each filter, in the grammar that can be typed as well.

What is left becomes chips. Several values of one filter are separated by spaces; a value is judged by the
same functions that read a typed one, so the dialog accepts nothing that the query bar would not. Filters that
have no field are named below the fields and stay as they are.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, ClassVar, cast

import anyio
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Label, Static

from ohara.errors import QueryError
from ohara.query import parse
from tui.cells import sanitize
from tui.query_draft import chips_of
from tui.screens.completing import Completing
from tui.screens.dialog import Dialog
from tui.widgets.text_input import TextInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import DescendantFocus

    from tui.app import OharaApp

FIELDS: tuple[tuple[str, str, str], ...] = (
    ("author", "Author", "a stretch of the name or address"),
    ("path", "Path", "src/  *.py  docs/**"),
    ("-path", "Not path", "tests/  vendor/"),
    ("lang", "Language", "python  rust  typescript"),
    ("ext", "Ending", "py  toml"),
    ("since", "Since", "2024  2024-05  3mo  2w"),
    ("until", "Until", "2024  yesterday"),
    ("side", "Side", "added  or  removed"),
    ("kind", "Kind", "added  modified  deleted  renamed"),
    ("message", "Message", "a stretch of the commit's message"),
    ("symbol", "Symbol", "the name of a function or class"),
    ("ref", "Branch", "main  v1.2"),
    ("commit", "Commit", "4f2a91c  HEAD~3"),
)


_KEYS_S = 1.0  # a field takes keys at once
_NOTE = "Several values: separate them by spaces, quote what has spaces."


class FiltersScreen(Dialog[tuple[str, ...] | None]):
    """Asks for filters; answers with chips, or with None when nothing is to change."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "apply", "Apply", priority=True),
        Binding("tab", "complete", "Complete", priority=True),
        Binding("down,ctrl+n", "app.focus_next", "Next", priority=True),
        Binding("up", "app.focus_previous", "Previous", priority=True),
        Binding("ctrl+d", "clear", "Clear all", priority=True),
    ]

    def __init__(self, chips: Sequence[str]) -> None:
        super().__init__()
        self._chips = tuple(chips)
        self._values = fields_of(chips)
        self._completing: Completing | None = None

    def compose(self) -> ComposeResult:
        """A field a line."""
        with Vertical(classes="dialog") as box:
            for name, title, example in FIELDS:
                with Horizontal(classes="field"):
                    yield Label(title, markup=False)
                    yield TextInput(self._values.get(name, ""), placeholder=example, name=name, compact=True)
            if kept := [chip for chip in self._chips if not has_field(chip)]:
                with Horizontal(classes="field"):
                    yield Label("Kept", markup=False)
                    said = f"{'  '.join(kept)}  (to be changed in the bar)"
                    yield Static(sanitize(said), classes="kept", markup=False)
            yield Static("", classes="complaint", markup=False)
            yield Static(_NOTE, classes="note", markup=False)
        box.border_title = "Filters"
        box.border_subtitle = "enter apply · tab complete · ctrl+d clear · esc back"

    def on_mount(self) -> None:
        """Keep cursors still, and complete what is typed from the index."""
        for field in self.query(Input):
            field.cursor_blink = False
        app = cast("OharaApp", self.app)
        self._completing = Completing(app, self, lambda: app.repository, self._draw_choices)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look what the value that is being typed can be completed to."""
        event.stop()
        if isinstance(event.input, TextInput) and event.input.has_focus:
            self._look(event.input)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Look what the field that one came to can be completed to."""
        if isinstance(event.widget, TextInput):
            self._look(event.widget)

    def _look(self, field: TextInput) -> None:
        if self._completing is not None:
            name = (field.name or "").removeprefix("-")
            self._completing.typed(f"{name}:{last_value(field.before_cursor)}")
            self._draw_choices()

    def _draw_choices(self) -> None:
        hint = self._completing.hint if self._completing is not None else ""
        self.query_one(".note", Static).update(_without_names(hint) or _NOTE)

    async def action_complete(self) -> None:
        """Complete the value that is being typed, or go to the next field."""
        field = self.focused
        if isinstance(field, TextInput):
            await self._hear(field)
        completed = self._completing.next_text() if self._completing is not None else None
        if completed is None or not isinstance(field, TextInput):
            self.app.action_focus_next()
            return
        before = field.before_cursor
        kept = before[: len(before) - len(last_value(before))]
        with self.prevent(Input.Changed):
            field.replace_before_cursor(kept + completed.partition(":")[2])
        self._draw_choices()

    async def _hear(self, field: TextInput) -> None:
        """Let the field take the keys that were pressed before this one, and the choices for them come."""
        taken = anyio.Event()
        field.call_later(taken.set)
        with anyio.move_on_after(_KEYS_S):
            await taken.wait()
        if self._completing is not None and last_value(field.before_cursor):
            self._look(field)
            await self._completing.wait()

    def action_clear(self) -> None:
        """Empty every field."""
        for field in self.query(Input):
            field.value = ""

    def action_apply(self) -> None:
        """Answer with chips, or say what is wrong."""
        values = {field.name or "": field.value for field in self.query(Input)}
        try:
            chips = chips_from(values, now=int(time.time()))
        except QueryError as error:
            told = [error.message, f"hint: {error.hint}"] if error.hint else [error.message]
            self.query_one(".complaint", Static).update("\n".join(map(sanitize, told)))
            return
        self.dismiss(edited(self._chips, chips))


# A value in quotes, in which a backslash stands before a quote that is text, or one up to the next space.
_VALUE = re.compile(r'"(?:[^"\\]|\\.)*"|\S+', re.DOTALL)
_LAST_QUOTED = re.compile(r'(?:^|(?<= ))"[^"]*"$')


def last_value(text: str) -> str:
    """The value of several that is being typed, with the quote that it begins with."""
    if text.count('"') % 2:
        return text[text.rindex('"') :]
    quoted = _LAST_QUOTED.search(text)
    return quoted[0] if quoted else text.rpartition(" ")[2]


def _without_names(hint: str) -> str:
    """The choices without the name of the filter, which stands beside the field."""
    return re.sub(r"(?<=[\s\[])[a-z]+:(?=\S)", "", hint)


def fields_of(chips: Sequence[str]) -> dict[str, str]:
    """What each field holds for these chips."""
    values: dict[str, str] = {}
    for chip in chips:
        name, _, value = chip.partition(":")
        if not value:
            name, value = "side", name
        values[name] = f"{values[name]} {value}" if name in values else value
    return values


def has_field(chip: str) -> bool:
    """Whether the dialog can show and change this chip."""
    return fields_of([chip]).keys() <= {name for name, _, _ in FIELDS}


def edited(before: Sequence[str], chips: Sequence[str]) -> tuple[str, ...]:
    """The chips from before with these in place of all that have a field; what is in both keeps its place."""
    kept = [chip for chip in before if chip in chips or not has_field(chip)]
    return tuple(dict.fromkeys((*kept, *chips)))


def chips_from(values: Mapping[str, str], *, now: int) -> tuple[str, ...]:
    """The chips that the fields stand for; a QueryError says what is wrong with one."""
    written: list[str] = []
    for name, value in values.items():
        if name == "side":
            written += [f"{side}:" for side in value.split()]
        elif name in {"since", "until"}:
            written += [f'{name}:"{value.strip()}"'] if value.strip() else []
        else:
            written += [f"{name}:{each}" for each in _values(value)]
    if not written:
        return ()
    query = parse(" ".join(written), now=now)
    if query.words or query.patterns:
        odd = query.words or query.patterns[0].text
        raise QueryError(f"{odd!r} is no value of a filter", hint="Side takes added or removed; quote spaces")
    return chips_of(query)


def _values(text: str) -> list[str]:
    """Values between spaces; quotes hold one together."""
    return _VALUE.findall(text)
