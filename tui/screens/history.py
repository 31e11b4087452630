"""The history of a symbol or of lines: every commit that touched them, newest first, with what it did.

Symbols are followed by name through every name that their file had; lines are followed through every
change above and around them. Where a symbol's history is not known (yet), that of its lines is shown
instead, and parts to be.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.content import Content

from ohara import wire
from ohara.errors import OharaError
from ohara.model import Role
from ohara.present.hunks import joined_with_pieces
from tui.actions import Scope, bindings
from tui.advice import Advice
from tui.cells import cut, fit, sanitize
from tui.diff.head import commit_head
from tui.formats import age, author_day, count
from tui.screens.diff_actions import diff_commands
from tui.screens.find_actions import FindActions
from tui.screens.paned import PanedScreen, list_beside_diff
from tui.screens.trace_actions import open_line, show_in_pager
from tui.trace import trace_of_hit
from tui.visits import HistoryVisit
from tui.widgets.diff_view import DiffView
from tui.widgets.footer import StatusPart
from tui.widgets.row_list import Part, RowList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ohara.model import Commit, History, Hit
    from tui.diff.rows import Row as DiffRow
    from tui.trace import Trace
    from tui.visits import ExplainVisit
    from tui.widgets.row_list import Row

_AUTHOR = 14


class HistoryScreen(PanedScreen):
    """Shows how a symbol or lines came to be."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (Scope.HISTORY, Scope.DIFF)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.HISTORY, Scope.DIFF)]
    AUTO_FOCUS = "#steps"

    def __init__(self, visit: HistoryVisit | ExplainVisit) -> None:
        super().__init__()
        self.visit = visit
        self.diff = DiffView(id="diff")
        self.trace = visit.trace if isinstance(visit, HistoryVisit) else None
        if self.trace is None and visit.hit is not None:
            self.trace = trace_of_hit(visit.hit)
        self.steps: list[tuple[Commit, list[Hit]]] = []
        self.step_list = RowList(self._step_row, id="steps")
        self._history: History | None = None
        self._pieces: dict[str, list[tuple[Hit, tuple[Hit, ...]]]] = {}  # of the hunks of each commit
        self._note = ""
        self.commands = {
            **diff_commands(self, self.diff),
            "step_down": partial(self.step_list.move, 1),
            "step_up": partial(self.step_list.move, -1),
            "step_page_down": partial(self.step_list.move_page, 1),
            "step_page_up": partial(self.step_list.move_page, -1),
            "first_step": partial(self.step_list.move_to, 0),
            "last_step": lambda: self.step_list.move_to(self.step_list.count - 1),
            "find_in_step": FindActions(self, self.diff).find,
            "open_step": self.open_step,
            "symbol_or_lines": self.follow_symbol_or_lines,
            "step_pager": self.open_pager,
            "reload_history": self.load,
        }

    @property
    def repository(self) -> str:
        """The repository that the history is of."""
        return self.visit.repository

    def compose(self) -> ComposeResult:
        """The commits at the left, the diff at the right."""
        yield list_beside_diff(self.diff, self.step_list)
        yield from self.compose_foot()

    def on_mount(self) -> None:
        """Ask for the history."""
        self.load()

    # -- asking ----------------------------------------------------------------------------------

    def load(self) -> None:
        """Ask for the history of what is traced."""
        if self.trace is None:
            self.advise(
                Advice("∅", "Nothing to follow here", ("This change has no lines and touches no symbol.",))
            )
            return
        self.advise(Advice("◌", "Following", (self.trace.label,)))
        self.start_worker(partial(self._load, self.trace), group="history", exclusive=True)

    async def _load(self, trace: Trace) -> None:
        self._note = ""
        try:
            history = await self._ask(trace)
            if not history.hits and trace.symbol:
                self._note = f"no history of {trace.symbol} is known; these are the lines"
                self.trace = trace.of_lines()
                history = await self._ask(self.trace)
        except OharaError as error:
            self.advise_retry(error, "Ask again", "reload_history")
            return
        self._show(history)

    async def _ask(self, trace: Trace) -> History:
        return (
            await self.ohara.link.send(
                wire.HistoryRequest(
                    repo=self.repository,
                    commit=trace.commit,
                    path=trace.path,
                    symbol=trace.symbol,
                    first=trace.first,
                    last=trace.last,
                )
            )
        ).history

    def _show(self, history: History) -> None:
        self._history = history
        grouped: dict[str, list[Hit]] = {}
        for hit in history.hits:
            grouped.setdefault(hit.commit.sha, []).append(hit)
        self._pieces = {sha: joined_with_pieces(hits) for sha, hits in grouped.items()}
        joined = ([whole for whole, _ in each] for each in self._pieces.values())
        self.steps = [(hits[0].commit, hits) for hits in joined]
        if not self.steps:
            label = self.trace.label if self.trace else ""
            lines = (label, history.note) if history.note else (label,)
            self.advise(Advice("∅", "No history is known", lines))
            return
        waited = bool(self.advice.display)
        self.advise(None)
        if waited:  # what was hidden meanwhile lost the focus
            self.step_list.focus()
        self._begin_at(self.visit.hit)

    def _begin_at(self, hit: Hit | None) -> None:
        """Select the change and the hunk that the history was opened from."""
        if hit is None:
            self.step_list.show(len(self.steps), 0)
            self._show_step(0)
            return
        at = next((at for at, (commit, _) in enumerate(self.steps) if commit.sha == hit.commit.sha), 0)
        self.step_list.show(len(self.steps), at)
        self._show_step(at)
        for number, (_, pieces) in enumerate(self._pieces[self.steps[at][0].sha]):
            if number and any(piece.hunk == hit.hunk for piece in pieces):
                self.diff.go_to_hit(number)

    # -- the list --------------------------------------------------------------------------------

    def _step_row(self, at: int, width: int) -> Row:
        commit, hits = self.steps[at]
        path = hits[0].path
        before = self.steps[at + 1][1][0].path if at + 1 < len(self.steps) else path
        left = [
            Part(f"{commit.sha[:8]} ", "accent"),
            Part(f"{age(commit.author_time, now=self.ohara.clock()):>4} ", "good"),
        ]
        if width > 60:
            left.append(Part(fit(cut(sanitize(commit.author), _AUTHOR), _AUTHOR + 1), "person"))
        left.append(Part(sanitize(commit.subject) or "(no message)"))
        explained = hits[0].explained
        right = [Part(" ⤷ moved", "warning")] if before != path else []
        if explained is not None and explained.role is Role.REFORMATTED:
            right = [Part(" ≈ reformatted", "muted")]
        if at == len(self.steps) - 1 and self._history is not None and not self._history.note:
            right = [Part(" ● began", "good")]
        return left, right

    def _head_rows(self, hits: Sequence[Hit], width: int) -> list[DiffRow]:
        """The rows above the diff of a change."""
        return commit_head(hits[0], now=self.ohara.clock(), width=width)

    @property
    def _said(self) -> str:
        """What the screen is about, in words."""
        return f"History of {self.trace.label}" if self.trace is not None else ""

    def on_row_list_selected(self, event: RowList.Selected) -> None:
        """Show what the commit did."""
        self._show_step(event.at)

    def on_row_list_opened(self) -> None:
        """Open what was double-clicked."""
        self.open_step()

    def _show_step(self, at: int) -> None:
        commit, hits = self.steps[at]
        width = self.diff.text_size.width or self.size.width // 2
        self.diff.show(hits, head=self._head_rows(hits, width))
        self.diff.border_title = Content(sanitize(hits[0].path))
        self.diff.border_subtitle = Content(sanitize(f"{commit.author} · {author_day(commit)}"))
        self.refresh_status()

    # -- what is drawn beside --------------------------------------------------------------------

    def refresh_status(self) -> None:
        """Draw the lines at the foot and the titles again."""
        super().refresh_status()
        parts: list[StatusPart] = []
        if self._said:
            parts.append(StatusPart(self._said, "bold $foreground"))
        if self.steps:
            self.step_list.border_title = Content(
                f"Change {self.step_list.position + 1} of {len(self.steps)}"
            )
            first, last = self.steps[-1][0], self.steps[0][0]
            parts += [
                StatusPart(count(len(self.steps), "commit")),
                StatusPart(" to ".join(dict.fromkeys((author_day(first), author_day(last))))),
            ]
        if self._history is not None and len(self._history.paths) > 1:
            parts.append(StatusPart(f"{len(self._history.paths)} names of the file"))
        notes = [note for note in (self._note, self._history.note if self._history else "") if note]
        parts += [StatusPart(f"⚠ {note}", "$warning") for note in notes]
        self.status_line.show(parts, self.marks_said())

    # -- actions ---------------------------------------------------------------------------------

    def step_back(self) -> bool:
        """Step back from the diff to the list; false where the next step leaves the history."""
        if not self.diff.has_focus:
            return False
        self.step_list.focus()
        return True

    def open_step(self) -> None:
        """Open the commit of the selected change; without any, ask again."""
        if self.advice.display:
            self.load()
        elif self.steps:
            commit, hits = self.steps[self.step_list.position]
            self.ohara.open_commit(commit.sha, hits[0])

    def follow_symbol_or_lines(self) -> None:
        """Follow the symbol instead of the lines, or the other way round."""
        whole = trace_of_hit(self.visit.hit) if self.visit.hit is not None else None
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

    def on_diff_view_line_chosen(self, event: DiffView.LineChosen) -> None:
        """Open the history of a line that was clicked twice."""
        open_line(self, event.line)

    def open_pager(self) -> None:
        """Read the commit in git's own pager."""
        if self.steps:
            show_in_pager(self, self.steps[self.step_list.position][0].sha)
