"""The search screen: query bar, hits, timeline, the diff of the selected hit, or advice in their place.

It draws the state of `Finder` and sends it what was typed. Everything slow happens in workers, and a newer
worker replaces the older: results of an outdated query are never drawn.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from tui.actions import Scope, bindings
from tui.finder import Change, Finder
from tui.git_process import count_commits
from tui.link import LinkState
from tui.query_draft import pasted
from tui.screens.asking import Asking
from tui.screens.lazy_panes import LazyPanes
from tui.screens.paned import PanedScreen
from tui.screens.query_actions import QueryActions
from tui.screens.search_history import SearchHistory
from tui.screens.search_view import SearchView
from tui.search_state import Stage
from tui.widgets.query_bar import QueryBar

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ohara.model import Hit, Intent
    from ohara.wire import JobState
    from tui.advice import Choice
    from tui.screens.completing import Completing
    from tui.screens.hit_actions import HitActions
    from tui.screens.hit_list import HitList
    from tui.widgets.diff_view import DiffView
    from tui.widgets.query_bar import QueryInput
    from tui.widgets.results import ResultList
    from tui.widgets.search_panes import SearchPanes
    from tui.widgets.timeline_strip import TimelineStrip


class SearchScreen(PanedScreen):
    """The query, its hits and the diff of the selected one."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (Scope.SEARCH, Scope.DIFF)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.SEARCH, Scope.DIFF)]
    AUTO_FOCUS = "QueryInput"
    hit_list: HitList  # this and the next come with the panes
    completing: Completing

    def __init__(self) -> None:
        super().__init__()
        self.finder = Finder(self.ohara.link, self._state_changed)
        self.bar = QueryBar(id="bar")
        self.order = "rank"
        self.group = "commit"
        self.intent: Intent | None = None  # as it is read from the words
        self.asking = Asking(self)
        self.history = SearchHistory(self)
        self.lazy = LazyPanes(self, self.ohara.session.layout)
        self.view = SearchView(self, self.finder, self.bar, self.lazy)
        self.query_actions = QueryActions(self)

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield self.bar
        yield from self.compose_foot()

    def on_mount(self) -> None:
        """Show the repository with the first paint; there is nothing to search with yet."""
        self.finder.use_repository(self.ohara.repository)
        self.view.draw()

    def on_screen_suspend(self) -> None:
        """Connect also when another screen comes first: a covered screen is never painted."""
        self.app.call_later(self.ohara.connect)

    async def add_panes(self) -> None:
        """Add what the first paint does not need: the panes, still empty, and the query of the session."""
        from tui.screens.completing import Completing
        from tui.screens.diff_actions import diff_commands
        from tui.screens.hit_actions import HitActions
        from tui.screens.hit_list import HitList

        self.completing = Completing(self.ohara, self, lambda: self.finder.state.repository, self.view.draw)
        self.view.completions = lambda: self.completing.hint
        self.hit_list = HitList(self)
        panes = await self.lazy.mount()
        hits = HitActions(self, panes, self.history)
        self.commands = {
            **diff_commands(self, panes.diff),
            **hits.commands(),
            **self.query_actions.commands(panes.timeline),
            **self.lazy.commands(),
            "focus_query": self.focus_query,
            "cursor_down": partial(self.hit_list.move, 1),
            "cursor_up": partial(self.hit_list.move, -1),
            "open_hit": partial(self._open, hits),
        }
        self.start_worker(self.finder.load_status, group="look", exclusive=True)
        if self.bar.draft.is_empty:  # nobody was quicker
            self.bar.show(self.history.parse(self.ohara.first_query))
            if self.ohara.is_asked:  # a question that came with the command is to be read, not typed on
                self.advice.focus()

    # -- the panes, once they are there ---------------------------------------------------------

    @property
    def panes(self) -> SearchPanes:
        """List, timeline and diff."""
        if self.lazy.mounted is None:
            raise RuntimeError("the search screen has no panes yet")
        return self.lazy.mounted

    @property
    def results(self) -> ResultList:
        """The list of hits."""
        return self.panes.results

    @property
    def timeline(self) -> TimelineStrip:
        """The hits in time."""
        return self.panes.timeline

    @property
    def diff(self) -> DiffView:
        """The diff of the selected hit."""
        return self.panes.diff

    def on_resize(self, event: events.Resize) -> None:
        """Arrange the panes for the new size."""
        self.lazy.fit(event.size)
        if self.lazy.mounted is not None:
            self.call_after_refresh(self.hit_list.preview.refit)

    # -- the repository and the service ----------------------------------------------------------

    def use_repository(self, repository: str, source: str = "") -> None:
        """Search another repository, for something or nothing yet."""
        self.finder.use_repository(repository)
        self.start_worker(self.finder.load_status, group="look", exclusive=True)
        self.bar.show(self.history.parse(source))

    def link_changed(self) -> None:
        """Called when the connection state changes: once it is there again, load the index's status."""
        state = self.finder.state
        if state.link is LinkState.CONNECTED and state.status is None and not state.loading:
            self.start_worker(self.finder.load_status, group="look", exclusive=True)

    def job_changed(self, job: JobState) -> None:
        """Called when an index job changes: load the status again when it is searchable or done.

        What found nothing is asked again meanwhile; a list that is being read stays as it is.
        """
        if not self.finder.job_changed(job):
            return
        waits = self.finder.state.stage is Stage.NOT_INDEXED
        if job.state in {"done", "failed"} or (waits and job.state == "progress"):
            self.start_worker(self._reload_status, group="look", exclusive=True)
        elif job.state == "progress":
            self.asking.ask_again(is_last=False)

    async def _reload_status(self) -> None:
        waited = self.finder.state.stage is Stage.NOT_INDEXED
        await self.finder.load_status()
        if waited and self.finder.state.stage is not Stage.NOT_INDEXED and not self.bar.draft.is_empty:
            self.ask()
        elif not self.finder.state.is_indexing:
            self.asking.ask_again(is_last=True)

    # -- asking ----------------------------------------------------------------------------------

    def on_query_bar_changed(self, event: QueryBar.Changed) -> None:
        """Ask when typing pauses."""
        event.stop()
        self.history.query_changed(event.draft)
        if self.lazy.mounted is not None:
            self.hit_list.typed()
            self.completing.typed(self.bar.input.before_cursor if self.bar.input.has_focus else None)
            self.view.draw_hint()
        self.intent = None
        self.asking.ask_soon()

    def ask(self, *, is_typing: bool = False) -> bool:
        """Send the query that is in the bar now; false when it cannot be read, and says why."""
        return self.asking.ask(is_typing=is_typing)

    def _state_changed(self, change: Change) -> None:
        """Draw the finder's new state."""
        if not self.is_mounted:
            return
        state = self.finder.state
        if change is not Change.OTHER and self.lazy.mounted is not None:
            self.hit_list.fill(change)
        if state.stage is Stage.NOT_INDEXED and state.commits is None:
            self.start_worker(self._count, group="count", exclusive=True)
        self.view.draw()

    async def _count(self) -> None:
        self.finder.set_commit_count(await count_commits(self.finder.state.repository))

    def refresh_status(self) -> None:
        """Draw the lines at the foot and the titles again."""
        self.view.draw_foot()

    @property
    def active_scopes(self) -> tuple[Scope, ...]:
        """The scopes whose keys work where the focus is, the nearest first."""
        return self.view.active_scopes

    def on_descendant_focus(self) -> None:
        """Show the keys that work where the focus is."""
        self.refresh_status()

    # -- the list --------------------------------------------------------------------------------

    def on_result_list_selected(self, event: ResultList.Selected) -> None:
        """Show the diff of the hit."""
        self.hit_list.selected(event.hit)

    def on_result_list_near_end(self) -> None:
        """Fetch more hits."""
        if self.finder.state.cursor is not None:
            self.start_worker(self.finder.more, group="more")

    def on_result_list_opened(self) -> None:
        """Open what was double-clicked."""
        self.commands["open_hit"]()

    @property
    def selected(self) -> Hit | None:
        """The hit that actions are about."""
        return self.results.selected if self.finder.state.stage is Stage.RESULTS else None

    def select(self, sha: str, hunk: int) -> bool:
        """Put the cursor on this hit; false when it is not listed."""
        return self.hit_list.select(sha, hunk)

    def on_diff_view_line_chosen(self, event: DiffView.LineChosen) -> None:
        """Open the history of a line that was clicked twice."""
        from tui.screens.trace_actions import open_line

        open_line(self, event.line)

    def on_timeline_strip_narrowed(self, event: TimelineStrip.Narrowed) -> None:
        """Narrow to the bar that was clicked, or widen to all of it again."""
        self.query_actions.narrow(event.bar)

    # -- bar, list, advice -----------------------------------------------------------------------

    def focus_query(self) -> None:
        """Go to the query bar."""
        self.bar.input.focus()
        self.bar.input.select_all()

    def on_query_input_recalled(self, event: QueryInput.Recalled) -> None:
        """Take an older or newer query of this repository."""
        self.history.recall(event.by)

    def on_query_input_entered(self) -> None:
        """Go to the list, or do what the advice offers; a query that cannot be read stays to be mended."""
        self.asking.entered()

    async def on_query_input_completed(self) -> None:
        """Complete the filter that is being typed, or go to the next pane."""
        typed = self.bar.input.before_cursor
        self.completing.typed(typed)  # what was typed in a burst it has not heard of yet
        await self.completing.wait()
        if self.bar.input.before_cursor != typed:  # and was typed on
            return
        completed = self.completing.next_text()
        if completed is None:
            self.focus_next()
            return
        self.bar.input.replace_before_cursor(completed)
        self.view.draw()

    def on_query_input_pasted(self, event: QueryInput.Pasted) -> None:
        """Search by the lines that were pasted."""
        sample = pasted(event.text).sample
        self.bar.show(replace(self.bar.draft, text="", sample=sample, is_pattern=False))

    def _open(self, hits: HitActions) -> None:
        """Open the selected hit, or do what the advice offers."""
        if self.finder.state.stage is Stage.RESULTS:
            hits.open()
        elif self.advice.chosen is not None:
            self.choose(self.advice.chosen)

    def choose(self, choice: Choice) -> None:
        """Do what the advice offers."""
        if choice.query:
            self.bar.show(self.history.parse(choice.query))
            self.ask()
        elif choice.drops:
            self.query_actions.drop_filter(choice.drops)
        else:
            super().choose(choice)

    def step_back(self) -> bool:
        """Step back one level within this screen; false at the last."""
        panes = self.lazy.mounted
        if self.focused is self.bar.input or (panes is not None and panes.diff.has_focus):
            self.leave_query()
            return True
        return False

    def leave_query(self) -> None:
        """Go to the list, or to the advice in its place; the query stays as it is."""
        if self.finder.state.stage is Stage.RESULTS:
            self.results.focus()
        else:
            self.advice.focus()
