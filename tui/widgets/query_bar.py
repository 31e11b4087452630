"""The query bar: free text with filters as chips before it, in the grammar of `ohara.query`.

A filter becomes a chip when it was typed to its end; backspace at the start of the text, or a click,
takes a chip away. The bar knows the query, not its answer.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Horizontal
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.widgets import Input, Static

from tui.actions import Scope, bindings
from tui.cells import cut, sanitize
from tui.query_draft import QueryDraft, lift_filters
from tui.widgets.text_input import TextInput

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

_CHIP_CELLS = 34
_PATTERN = "$"  # no filter: how the text is read


class QueryInput(TextInput):
    """The free text."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.QUERY)]

    # Typing changes how far the line scrolls, never the position of anything: nothing is laid out for it.
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)

    class Entered(Message):
        """Enter was pressed."""

    class RubbedOut(Message):
        """Backspace was pressed where there is nothing before the cursor."""

    class Recalled(Message):
        """An older (-1) or newer (1) query is wanted."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def on_mount(self) -> None:
        """Keep the cursor still: a screen that changes twice a second is work for a slow line."""
        self.cursor_blink = False

    async def action_submit(self) -> None:
        """Go on to the list."""
        self.post_message(self.Entered())

    def action_rub_out(self) -> None:
        """Delete to the left, or the chip there."""
        if self.cursor_position == 0 and self.selection.is_empty:
            self.post_message(self.RubbedOut())
        else:
            self.action_delete_left()

    def action_older_query(self) -> None:
        """Take back the query before."""
        self.post_message(self.Recalled(-1))

    def action_newer_query(self) -> None:
        """Take the query after."""
        self.post_message(self.Recalled(1))


class Chip(Static):
    """One filter; a click takes it away."""

    class Removed(Message):
        """The chip was clicked."""

        def __init__(self, source: str) -> None:
            super().__init__()
            self.source = source

    def __init__(self, source: str, label: str) -> None:
        super().__init__(cut(sanitize(label), _CHIP_CELLS) + " ✕", markup=False)
        self.source = source

    def on_click(self, event: events.Click) -> None:
        """Ask to be removed."""
        event.stop()
        self.post_message(self.Removed(self.source))


class QueryBar(Horizontal):
    """The query bar: chips and free text."""

    class Changed(Message):
        """The query changed."""

        def __init__(self, draft: QueryDraft) -> None:
            super().__init__()
            self.draft = draft

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.draft = QueryDraft()
        self.input = QueryInput(
            placeholder='words, a name, a sha, "exact text", /regex/, author: path: since: …',
            compact=True,
            select_on_focus=False,
        )
        self._chips = Horizontal(id="chips")

    def compose(self) -> ComposeResult:
        """Prompt, chips, text."""
        yield Static("⌕", id="prompt", markup=False)
        yield self._chips
        yield self.input

    def show(self, draft: QueryDraft) -> None:
        """Show another query, as if it had been typed."""
        self._become(draft)
        self.post_message(self.Changed(self.draft))

    def _become(self, draft: QueryDraft) -> None:
        chips_changed = replace(draft, text="") != replace(self.draft, text="")
        self.draft = draft
        box = self.input
        if box.value != draft.text:
            with self.prevent(Input.Changed):
                box.value = draft.text
            box.cursor_position = len(draft.text)
        if chips_changed:
            self._draw_chips()

    def _draw_chips(self) -> None:
        chips = [Chip(source, source) for source in self.draft.chips]
        if self.draft.sample is not None:
            chips.insert(0, Chip("", self.draft.sample.label))
        if self.draft.is_pattern:
            chips.insert(0, Chip(_PATTERN, "code"))
        with self.app.batch_update():
            self._chips.remove_children()
            self._chips.mount_all(chips)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Text was typed: a sample gives way to it, finished filters become chips."""
        event.stop()
        if event.value != self.input.value:  # more was typed meanwhile, for which another event comes
            return
        sample = self.draft.sample if not event.value else None
        typed = replace(self.draft, text=event.value, sample=sample)
        at = self.input.cursor_position  # a filter may be typed before the text that is there already
        behind = event.value[at:]
        before = lift_filters(replace(typed, text=event.value[:at]), now=int(time.time()))
        self._become(replace(before, text=before.text + behind))
        self.input.cursor_position = len(before.text)
        self.post_message(self.Changed(self.draft))

    def settle(self) -> None:
        """Make the filter chips that were typed without a space after them: nothing more is coming."""
        settled = lift_filters(replace(self.draft, text=f"{self.draft.text} "), now=int(time.time()))
        settled = replace(settled, text=settled.text.strip())
        if settled.chips == self.draft.chips:
            return
        if settled.source == self.draft.source:  # it was asked like this already
            self._become(settled)
        else:
            self.show(settled)

    def on_query_input_rubbed_out(self) -> None:
        """Take the last chip away."""
        if self.draft.chips:
            self.show(self.draft.without(self.draft.chips[-1]))
        elif self.draft.sample is not None or self.draft.is_pattern:
            self.show(QueryDraft(self.draft.text))

    def on_chip_removed(self, event: Chip.Removed) -> None:
        """Take that chip away."""
        event.stop()
        if event.source == _PATTERN:
            self.show(replace(self.draft, is_pattern=False))
        elif event.source:
            self.show(self.draft.without(event.source))
        else:
            self.show(replace(self.draft, sample=None))
