"""The actions of the query: filters, period, order and grouping of hits, retry, indexing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.screens.host import Commands, SearchHost
    from tui.timeline import Bar
    from tui.widgets.timeline_strip import TimelineStrip


_ORDERS = ("rank", "newest", "oldest")


class QueryActions:
    """Changes the query and sends it again."""

    def __init__(self, host: SearchHost) -> None:
        self._host = host

    def commands(self, timeline: TimelineStrip) -> Commands:
        """Its commands, by action name."""
        return {
            "filters": self.choose_filters,
            "order": self.change_order,
            "pattern": self.read_as_pattern,
            "by_thread": self.change_group,
            "retry": self.retry,
            "index": self.index,
            "drop_filter": self.drop_some_filter,
            "narrow_earlier": lambda: self.narrow(timeline.neighbour(-1)),
            "narrow_later": lambda: self.narrow(timeline.neighbour(1)),
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

    def narrow(self, bar: Bar | None) -> None:
        """Narrow the period to a bar of the timeline; a second time, or without a bar, remove the period."""
        draft = self._host.bar.draft
        if bar is None:
            if self.period:  # at the edge of a narrowed period: all of it again
                self._host.bar.show(draft.within("", ""))
            return
        narrowed = draft.within(bar.since, bar.until)
        self._host.bar.show(draft.within("", "") if narrowed == draft else narrowed)
