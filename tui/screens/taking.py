"""What can be done with hits and with the question: the actions of the search screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.asking import Asking, sample_of
from tui.screens.unfolding import UnfoldingScreen
from tui.working import begin

if TYPE_CHECKING:
    from ohara.model import Hit
    from tui.finder import Finder
    from tui.timeline import Bar
    from tui.widgets.querybar import QueryBar
    from tui.widgets.strip import TimelineStrip


class HitActions(UnfoldingScreen):
    """A screen with a question, its answer and a selected hit."""

    bar: QueryBar
    finder: Finder
    by_date: bool

    if TYPE_CHECKING:  # what the screen itself brings

        @property
        def selected(self) -> Hit | None:
            """The hit that actions are about."""

        def move(self, by: int) -> None:
            """Move among the hits, or among what the advice offers."""

        def ask(self) -> None:
            """Ask what stands in the bar now."""

        def record(self) -> None:
            """Note this search as visited."""

    def ask_for(self, asking: Asking) -> None:
        """Ask something else; what was asked before can be gone back to."""
        self.record()
        self.bar.show(asking)
        self.ask()
        self.results.focus()

    # -- moving ----------------------------------------------------------------------------------

    def action_cursor_down(self) -> None:
        """Select the next hit."""
        self.move(1)

    def action_cursor_up(self) -> None:
        """Select the previous hit."""
        self.move(-1)

    def action_page_down(self) -> None:
        """A page down."""
        self.results.move_page(1)

    def action_page_up(self) -> None:
        """A page up."""
        self.results.move_page(-1)

    def action_cursor_first(self) -> None:
        """Select the first hit."""
        self.results.move_to(0)

    def action_cursor_last(self) -> None:
        """Select the last hit."""
        self.results.move_to(len(self.results.hits) - 1)

    # -- the hit ---------------------------------------------------------------------------------

    def action_open_hit(self) -> None:
        """Open the commit of the hit."""
        if self.selected is not None:
            self.record()
            self.ohara.open_commit(self.selected.commit.sha, self.selected)

    def action_history(self) -> None:
        """Open the history of the hit's symbol or lines."""
        if self.selected is not None:
            self.record()
            self.ohara.open_history(self.selected)

    def action_why(self) -> None:
        """Explain the hit."""
        from tui.screens.why import WhyScreen

        results = self.finder.state.results
        if self.selected is not None and results is not None:
            self.app.push_screen(WhyScreen(self.selected, results, self.results.position))

    def action_more_like(self) -> None:
        """Search for more like this hunk."""
        if self.selected is not None:
            self.ask_for(Asking("", self.bar.asking.chips, sample_of(self.selected)))

    def action_search_selected(self) -> None:
        """Search for the selected text, or for the hit's symbol."""
        text = " ".join(self.diff.selected_text.split())
        if text:
            quoted = text.replace("\\", "\\\\").replace('"', '\\"')
            self.ask_for(Asking(f'"{quoted}"'))
        elif self.selected is not None and self.selected.symbol:
            self.ask_for(Asking(self.selected.symbol))
        else:
            self.notify("Select text in the diff with the mouse, or a hit in a symbol.", timeout=3)

    def action_mark(self) -> None:
        """Mark the hit or unmark it, and go on to the next."""
        if self.selected is not None:
            self.ohara.toggle_mark(self.selected)
            self.results.mark(frozenset(self.ohara.marks))
            self.results.move(1)
            self.refresh_status()

    # -- the question ----------------------------------------------------------------------------

    def action_filters(self) -> None:
        """Open the filter dialog."""
        from tui.screens.filters import FiltersScreen

        def chosen(chips: tuple[str, ...] | None) -> None:
            if chips is not None and chips != self.bar.asking.chips:
                self.bar.show(Asking(self.bar.asking.text, chips, self.bar.asking.sample))

        self.bar.settle()
        self.app.push_screen(FiltersScreen(self.bar.asking.chips), chosen)

    def action_order(self) -> None:
        """Order by rank or by date."""
        self.by_date = not self.by_date
        self.ask()

    def action_retry(self) -> None:
        """Ask again."""
        if self.bar.asking.is_empty:
            begin(self, self.finder.look, group="look", exclusive=True)
        self.ask()

    def action_index(self) -> None:
        """Have the repository indexed."""
        begin(self, self.finder.index, group="index", exclusive=True)
        self.notify(f"Indexing {self.finder.state.name} in the background.", timeout=3, markup=False)

    def action_drop_filter(self) -> None:
        """Drop the filter that leaves nothing over, or else the last one."""
        chips = self.finder.state.without or self.bar.asking.chips[-1:]
        if chips:
            self.drop(chips[0])

    def drop(self, chip: str) -> None:
        """Drop a filter."""
        self.bar.show(self.bar.asking.without(chip))
        self.ask()

    # -- the period ------------------------------------------------------------------------------

    def period(self) -> str:
        """The period that is asked for, as it would be typed."""
        return " ".join(chip for chip in self.bar.asking.chips if chip.startswith(("since:", "until:")))

    def on_timeline_strip_narrowed(self, event: TimelineStrip.Narrowed) -> None:
        """Narrow to the bar that was clicked, or let go of it."""
        self._narrow(event.bar)

    def action_narrow_earlier(self) -> None:
        """Narrow to the bar before."""
        self._narrow(self.timeline.neighbour(-1))

    def action_narrow_later(self) -> None:
        """Narrow to the bar after."""
        self._narrow(self.timeline.neighbour(1))

    def _narrow(self, bar: Bar | None) -> None:
        asking = self.bar.asking
        if bar is None:
            if self.period():  # at the edge of a narrowed period: all of it again
                self.bar.show(asking.within("", ""))
            return
        narrowed = asking.within(bar.since, bar.until)
        self.bar.show(asking.within("", "") if narrowed == asking else narrowed)
