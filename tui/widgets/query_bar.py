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
from tui.cells import cell_width, cut, sanitize
from tui.query_draft import QueryDraft, lift_filters
from tui.widgets.text_input import TextInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

_CHIP_CELLS = 34
_PATTERN = "$"  # no filter: how the text is read
_LEAST_CHIP_CELLS = 12
_CHIP_FRAME = 5  # its padding, the sign that takes it away, the gap to the next one
_SHARE = 0.6  # of the bar: the rest is for words


class QueryInput(TextInput):
    """The free text."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.QUERY)]

    # Typing changes how far the line scrolls, never the position of anything: nothing is laid out for it.
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)

    class Entered(Message):
        """Enter was pressed."""

    class RubbedOut(Message):
        """Backspace was pressed where there is nothing before the cursor."""

    class Completed(Message):
        """The filter that is being typed is to be completed."""

    class Cleared(Message):
        """Everything in the bar is to go."""

    class Recalled(Message):
        """An older (-1) or newer (1) query is wanted."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    class Pasted(Message):
        """Several lines were pasted."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def on_paste(self, event: events.Paste) -> None:
        """Take all lines of what is pasted; the field itself would keep the first."""
        lines = [line for line in event.text.splitlines() if line.strip()]
        if len(lines) > 1:
            event.stop()
            event.prevent_default()
            self.post_message(self.Pasted(event.text))

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

    def action_complete(self) -> None:
        """Complete the filter that is being typed."""
        self.post_message(self.Completed())

    def action_clear_query(self) -> None:
        """Empty the bar."""
        self.post_message(self.Cleared())

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
        super().__init__(label + " ✕", markup=False)
        self.source = source

    def on_click(self, event: events.Click) -> None:
        """Ask to be removed."""
        event.stop()
        self.post_message(self.Removed(self.source))


def chip_labels(labels: Sequence[str], room: int) -> list[str]:
    """What is written on each chip so that together they take no more cells than these.

    Long ones give way first; of chips that do not fit at all the last ones are kept, as they are newer.
    """
    shown = [sanitize(label) for label in labels]
    widest = _CHIP_CELLS
    while widest > _LEAST_CHIP_CELLS and _cells(shown, widest) > room:
        widest -= 1
    while len(shown) > 1 and _cells(shown, widest) > room:
        shown = shown[1:]
    return [cut(label, widest) for label in shown]


def _cells(labels: Sequence[str], widest: int) -> int:
    return sum(min(widest, cell_width(label)) + _CHIP_FRAME for label in labels)


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
        self._chips_drawn_for = 0

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
        sources = [*self.draft.chips]
        labels = [*sources]
        if self.draft.sample is not None:
            sources, labels = ["", *sources], [self.draft.sample.label, *labels]
        if self.draft.is_pattern:
            sources, labels = [_PATTERN, *sources], ["code", *labels]
        fitting = chip_labels(labels, self._chip_room - _CHIP_FRAME - 2)
        hidden = len(labels) - len(fitting)
        self._chips_drawn_for = self._chip_room
        more = [Static(f"+{hidden}", classes="more", markup=False)] if hidden else []
        chips = [Chip(source, label) for source, label in zip(sources[hidden:], fitting, strict=True)]
        with self.app.batch_update():
            self._chips.remove_children()
            self._chips.mount_all([*more, *chips])

    @property
    def _chip_room(self) -> int:
        return int((self.size.width or self.app.size.width - 4) * _SHARE)

    def on_resize(self) -> None:
        """Give the chips the room that there is now."""
        if self._chip_room != self._chips_drawn_for and (
            self.draft.chips or self.draft.sample or self.draft.is_pattern
        ):
            self._draw_chips()

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

    def on_query_input_cleared(self) -> None:
        """Take words, chips and sample away."""
        self.show(QueryDraft())

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
