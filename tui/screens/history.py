"""The history of a symbol or of lines: every commit that touched them, newest first, with what it did.

Symbols are followed by name through every name that their file had; lines are followed through every
change above and around them. Where a symbol's history is not known (yet), that of its lines is shown
instead, and said to be.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Horizontal, Vertical
from textual.content import Content

from ohara.errors import OharaError
from tui.actions import Where, bindings
from tui.advice import Advice, Choice
from tui.inert import cut, fit, plain
from tui.phrases import age, count, day
from tui.screens.tracing import TracingActions
from tui.tracing import trace_of_hit
from tui.widgets.adviceview import AdviceView
from tui.widgets.diffview import DiffView
from tui.widgets.lines import KeyLine, Said, StatusLine
from tui.widgets.rowlist import Part, RowList
from tui.working import begin

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ohara.model import Commit, History, Hit
    from tui.places import HistoryPlace
    from tui.tracing import Trace
    from tui.widgets.rowlist import Row

_NARROW = 110
_AUTHOR = 14


class HistoryScreen(TracingActions):
    """Where one reads how something came to be."""

    HEARS: ClassVar[tuple[Where, ...]] = (Where.HISTORY, Where.DIFF)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.HISTORY, Where.DIFF)]
    AUTO_FOCUS = "#steps"

    def __init__(self, place: HistoryPlace) -> None:
        super().__init__()
        self.place = place
        self.trace = place.trace or trace_of_hit(place.hit)
        self._steps: list[tuple[Commit, list[Hit]]] = []
        self._history: History | None = None
        self._note = ""
        self._list = RowList(self._step_row, id="steps")
        self._diff = DiffView(id="diff")
        self._advice = AdviceView(id="advice")
        self._status = StatusLine()
        self._keys = KeyLine()

    def compose(self) -> ComposeResult:
        """The commits at the left, what they did at the right."""
        with Horizontal(id="main"):
            with Vertical(id="left"):
                yield self._list
            yield self._diff
        yield self._advice
        yield self._status
        yield self._keys

    @property
    def repository(self) -> str:
        """The repository that is shown."""
        return self.place.repository

    @property
    def diff(self) -> DiffView:
        """What the selected commit did."""
        return self._diff

    @property
    def selected(self) -> Hit | None:
        """The hunk that actions are about."""
        return self._diff.selected_hit

    def on_mount(self) -> None:
        """Ask for the history."""
        self.load()

    # -- asking ----------------------------------------------------------------------------------

    def load(self) -> None:
        """Ask for the history of what is traced."""
        if self.trace is None:
            self._advise(
                Advice("∅", "Nothing to follow here", ("This change has no lines and touches no symbol.",))
            )
            return
        self._advise(Advice("◌", "Following", (self.trace.label,)))
        begin(self, partial(self._load, self.trace), group="history", exclusive=True)

    async def _load(self, trace: Trace) -> None:
        self._note = ""
        try:
            history = await self._ask(trace)
            if not history.hits and trace.symbol:
                self._note = f"no history of {trace.symbol} is known; these are the lines"
                self.trace = trace.of_lines()
                history = await self._ask(self.trace)
        except OharaError as error:
            choice = Choice(
                "Ask again", action="reload_history", key=self.ohara.keys.first_label("reload_history")
            )
            lines = (error.hint,) if error.hint else ()
            self._advise(Advice("✗", error.message, lines, (choice,), tone="error"))
            return
        self._show(history)

    async def _ask(self, trace: Trace) -> History:
        return await self.ohara.link.history(
            self.repository,
            trace.commit,
            trace.path,
            symbol=trace.symbol,
            first=trace.first,
            last=trace.last,
        )

    def _show(self, history: History) -> None:
        self._history = history
        grouped: dict[str, list[Hit]] = {}
        for hit in history.hits:
            grouped.setdefault(hit.commit.sha, []).append(hit)
        self._steps = [(hits[0].commit, hits) for hits in grouped.values()]
        if not self._steps:
            label = self.trace.label if self.trace else ""
            lines = (label, history.note) if history.note else (label,)
            self._advise(Advice("∅", "No history is known", lines))
            return
        self._advise(None)
        if self.focused is None:
            self._list.focus()
        here = self.place.hit.commit.sha
        at = next((at for at, (commit, _) in enumerate(self._steps) if commit.sha == here), 0)
        self._list.show(len(self._steps), at)
        self._show_step(at)

    # -- the list --------------------------------------------------------------------------------

    def _step_row(self, at: int, width: int) -> Row:
        commit, hits = self._steps[at]
        path = hits[0].path
        before = self._steps[at + 1][1][0].path if at + 1 < len(self._steps) else path
        left = [
            Part(f"{commit.sha[:8]} ", "accent"),
            Part(f"{age(commit.author_time, now=self.ohara.clock()):>4} ", "good"),
        ]
        if width > 60:
            left.append(Part(fit(cut(plain(commit.author), _AUTHOR), _AUTHOR + 1), "person"))
        left.append(Part(plain(commit.subject) or "(no message)"))
        right = [Part(" ⤷ moved", "warning")] if before != path else []
        if at == len(self._steps) - 1 and self._history is not None and not self._history.note:
            right = [Part(" ● began", "good")]
        return left, right

    def on_row_list_selected(self, event: RowList.Selected) -> None:
        """Show what the commit did."""
        self._show_step(event.at)

    def on_row_list_opened(self) -> None:
        """Open what was double-clicked."""
        self.action_open_step()

    def _show_step(self, at: int) -> None:
        commit, hits = self._steps[at]
        self._diff.show(hits)
        self._diff.border_title = Content(plain(hits[0].path))
        self._diff.border_subtitle = Content(plain(f"{commit.author} · {day(commit.author_time)}"))
        self._refresh()

    # -- what is drawn beside --------------------------------------------------------------------

    def _advise(self, advice: Advice | None) -> None:
        self.query_one("#main").display = advice is None
        self._advice.display = advice is not None
        if advice is not None:
            self._advice.show(advice)
        self._refresh()

    def _refresh(self) -> None:
        said: list[Said] = []
        if self.trace is not None:
            said.append(Said(f"History of {plain(self.trace.label)}", "bold $foreground"))
        if self._steps:
            self._list.border_title = Content(f"Change {self._list.position + 1} of {len(self._steps)}")
            first, last = self._steps[-1][0], self._steps[0][0]
            said += [
                Said(count(len(self._steps), "commit")),
                Said(f"{day(first.author_time)} to {day(last.author_time)}"),
            ]
        if self._history is not None and len(self._history.paths) > 1:
            said.append(Said(f"{len(self._history.paths)} names of the file"))
        notes = [note for note in (self._note, self._history.note if self._history else "") if note]
        said += [Said(f"⚠ {plain(note)}", "$warning") for note in notes]
        self._status.say(said, ())
        self._keys.show(self.ohara.footer_keys(*self.HEARS))

    def on_resize(self, event: events.Resize) -> None:
        """Choose between side by side and one above the other."""
        self.set_class(event.size.width < _NARROW, "-narrow")

    def on_key_line_pressed(self, event: KeyLine.Pressed) -> None:
        """Do what was clicked in the footer."""
        self.run_worker(self.run_action(event.action), group="choice")

    def on_advice_view_chosen(self) -> None:
        """Ask again."""
        self.action_reload_history()

    # -- actions ---------------------------------------------------------------------------------

    def step_back(self) -> bool:
        """Step back from the diff to the list; false where the next step leaves the history."""
        if not self._diff.has_focus:
            return False
        self._list.focus()
        return True

    def action_reload_history(self) -> None:
        """Ask again."""
        self.load()

    def action_step_down(self) -> None:
        """Select the next older change."""
        self._list.move(1)

    def action_step_up(self) -> None:
        """Select the next newer change."""
        self._list.move(-1)

    def action_step_page_down(self) -> None:
        """A page down."""
        self._list.move_page(1)

    def action_step_page_up(self) -> None:
        """A page up."""
        self._list.move_page(-1)

    def action_first_step(self) -> None:
        """Select the newest change."""
        self._list.move_to(0)

    def action_last_step(self) -> None:
        """Select the oldest change."""
        self._list.move_to(self._list.count - 1)

    def action_open_step(self) -> None:
        """Open the commit of the selected change; without any, ask again."""
        if self._advice.display:
            self.action_reload_history()
        elif self._steps:
            commit, hits = self._steps[self._list.position]
            self.ohara.open_commit(commit.sha, hits[0])

    def action_symbol_or_lines(self) -> None:
        """Follow the symbol instead of the lines, or the other way round."""
        whole = trace_of_hit(self.place.hit)
        if self.trace is None or whole is None:
            return
        if self.trace.symbol:
            self.trace = self.trace.of_lines()
        elif whole.symbol:
            self.trace = whole
        else:
            self.notify("These lines belong to no symbol that is known.", timeout=3)
            return
        self.load()

    def action_step_pager(self) -> None:
        """Read the commit in git's own pager."""
        if self._steps:
            self.show_in_pager(self._steps[self._list.position][0].sha)
