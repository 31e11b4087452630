"""The actions of the query: filters, period, order and grouping of hits, retry, indexing."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.query_draft import QueryDraft
    from tui.screens.host import Commands, SearchHost
    from tui.timeline import Bar
    from tui.widgets.timeline_strip import TimelineStrip


_ORDERS = ("rank", "newest", "oldest")


class QueryActions:
    """Changes the query and sends it again."""

    def __init__(self, host: SearchHost) -> None:
        self._host = host
        self._narrowed: tuple[QueryDraft, Bar] | None = None

    def commands(self, timeline: TimelineStrip) -> Commands:
        """Its commands, by action name."""
        return {
            "filters": self.choose_filters,
            "order": self.change_order,
            "retry": self.retry,
            "intent": self.change_intent,
            "pattern": self.read_as_pattern,
            "by_thread": self.change_group,
            "copy_command": self.copy_command,
            "index": self.index,
            "drop_filter": self.drop_some_filter,
            "narrow_earlier": partial(self.step, timeline, -1),
            "narrow_later": partial(self.step, timeline, 1),
            "whole_period": self.widen,
        }

    def choose_filters(self) -> None:
        """Open the filter dialog."""
        from tui.screens.filters import FiltersScreen

        bar = self._host.bar

        def chosen(chips: tuple[str, ...] | None) -> None:
            if chips is not None and chips != bar.draft.chips:
                bar.show(replace(bar.draft, chips=chips))

        bar.settle()
        self._host.ohara.push_screen(FiltersScreen(bar.draft.chips), chosen)

    def change_order(self) -> None:
        """Order by rank, newest first or oldest first, one after the other."""
        self._host.order = _ORDERS[(_ORDERS.index(self._host.order) + 1) % len(_ORDERS)]
        self._host.ask()

    def read_as_pattern(self) -> None:
        """Read the query as a pattern of code, or by its looks again."""
        draft = self._host.bar.draft
        self._host.bar.show(replace(draft, is_pattern=not draft.is_pattern, sample=None))

    def change_group(self) -> None:
        """One hit for each thread, or again for each commit."""
        self._host.group = "commit" if self._host.group == "thread" else "thread"
        self._host.ask()

    def change_intent(self) -> None:
        """Take the question for another one than it was taken for."""
        from ohara.model import Intent

        results = self._host.finder.state.results
        if results is None or not results.query.words:
            self._host.notify("Only words ask for something.", timeout=2)
            return
        kinds = list(Intent)
        self._host.intent = kinds[(kinds.index(results.query.intent) + 1) % len(kinds)]
        self._host.ask()

    def copy_command(self) -> None:
        """Copy the command that asks the same in a shell."""
        from tui.command_line import find_command
        from tui.external import copy_to_clipboard

        host = self._host
        if host.bar.draft.is_empty:
            host.notify("There is no question yet.", timeout=2)
            return
        command = find_command(
            host.bar.draft.source,
            repository=host.repository,
            index=host.ohara.index,
            order=host.order,
            intent=host.intent,
        )
        complaint = copy_to_clipboard(host.ohara, command)
        host.notify(complaint or f"Copied: {command}", timeout=4, markup=False)

    def retry(self) -> None:
        """Ask again."""
        if self._host.bar.draft.is_empty:
            self._host.start_worker(self._host.finder.load_status, group="look", exclusive=True)
        self._host.ask()

    def index(self) -> None:
        """Have the repository indexed."""
        finder = self._host.finder
        self._host.start_worker(finder.index, group="index", exclusive=True)
        self._host.notify(f"Indexing {finder.state.name} in the background.", timeout=3, markup=False)

    def drop_some_filter(self) -> None:
        """Drop the filter that excludes all hits, or else the last one."""
        chips = self._host.finder.state.without or self._host.bar.draft.chips[-1:]
        if chips:
            self.drop_filter(chips[0])

    def drop_filter(self, chip: str) -> None:
        """Drop this filter."""
        self._host.bar.show(self._host.bar.draft.without(chip))
        self._host.ask()

    # -- the period ------------------------------------------------------------------------------

    @property
    def period(self) -> str:
        """The period of the query, as it would be typed."""
        chips = self._host.bar.draft.chips
        return " ".join(chip for chip in chips if chip.startswith(("since:", "until:")))

    @property
    def narrowed_to(self) -> Bar | None:
        """The bar that the query is narrowed to; the timeline goes on showing the whole of it then."""
        if self._narrowed is None:
            return None
        whole, bar = self._narrowed
        return bar if self._host.bar.draft == whole.within(bar.since, bar.until) else None

    def narrow(self, bar: Bar) -> None:
        """Narrow the period to a bar of the timeline; a second time, show all of it again."""
        draft = self._host.bar.draft
        if bar == self.narrowed_to:
            self.widen()
            return
        whole = self._narrowed[0] if self._narrowed and self.narrowed_to else draft
        self._narrowed = (whole, bar)
        self._host.bar.show(whole.within(bar.since, bar.until))

    def step(self, timeline: TimelineStrip, by: int) -> None:
        """Narrow to the next bar with hits, earlier or later."""
        bar = timeline.neighbour(by)
        if bar is None:
            way = "earlier" if by < 0 else "later"
            key = self._host.ohara.keys.first_label("whole_period")
            self._host.notify(f"Nothing {way}. {key} shows all of it again.", timeout=3)
        else:
            self.narrow(bar)

    def widen(self) -> None:
        """Go back to the period from before."""
        draft = self._host.bar.draft
        if self._narrowed is not None and self.narrowed_to is not None:
            self._host.bar.show(self._narrowed[0])
            self._narrowed = None
        elif self.period:
            self._host.bar.show(draft.within("", ""))
