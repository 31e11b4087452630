"""All indexed repositories: how fresh and how large each is, what is being indexed, and switching to one."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from ohara import wire
from ohara.errors import OharaError
from tui.actions import Scope, bindings
from tui.advice import Advice
from tui.cells import cell_width, cut_left, fit, sanitize
from tui.formats import age, count, size
from tui.repositories import RepositoryInfo, details, freshness, list_repositories, with_job
from tui.screens.paned import PanedScreen
from tui.widgets.footer import StatusPart
from tui.widgets.row_list import Part, RowList

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ohara.wire import JobState
    from tui.widgets.row_list import Row

_NAME = 24
_ROOMY = 90
_RELOAD_EVERY_S = 2.0  # while indexing goes on: its events tell how far it is, not what is there by now


class RepositoriesScreen(PanedScreen):
    """The list to choose what to search from."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (Scope.REPOSITORIES,)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.REPOSITORIES)]
    AUTO_FOCUS = "#repositories"
    PANES = "#all"

    def __init__(self) -> None:
        super().__init__()
        self._known: tuple[RepositoryInfo, ...] = ()
        self._paused = ""
        self._loaded_at = 0.0
        self._list = RowList(self._row, id="repositories")
        self._table = Vertical(id="table")
        self._columns = Static(id="columns", markup=False)
        self._details = Static(id="details")
        self.commands = {
            "repository_down": partial(self._list.move, 1),
            "repository_up": partial(self._list.move, -1),
            "open_repository": self.open,
            "look_again": self.load,
            "start_indexing": self.start_indexing,
            "stop_indexing": self.stop_indexing,
            "pause_indexing": self.pause_or_resume,
        }

    def compose(self) -> ComposeResult:
        """The list, and below it more about the selected one."""
        with Vertical(id="all"):
            with self._table:
                yield self._columns
                yield self._list
            yield self._details
        yield from self.compose_foot()

    def on_mount(self) -> None:
        """Load what there is, and listen for changes."""
        self._table.border_title = "Repositories"
        self._details.border_title = "About it"
        self.advise(Advice("◌", "Looking for indexes"))
        self.load()
        self.start_worker(self._listen, group="events", exclusive=True)

    # -- asking ----------------------------------------------------------------------------------

    def load(self) -> None:
        """Load the status of all indexes."""
        self._loaded_at = time.monotonic()
        self.start_worker(self._load, group="look", exclusive=True)

    async def _load(self) -> None:
        link = self.ohara.link
        try:
            vitals = await link.send(wire.HealthCheck())
            found = (await link.send(wire.Repos())).repositories
        except OharaError as error:
            self.advise_retry(error, "Look again", "look_again")
            return
        self._paused = vitals.paused
        here = self._selected.path if self._selected else self.ohara.repository
        self._known = list_repositories(found, vitals, self._known)
        if not self._known:
            self.advise(
                Advice(
                    "∅",
                    "No repository is indexed yet",
                    ("Go into one and type: ohara index", "or open it with: ohara tui --repo PATH"),
                )
            )
            return
        self.advise(None)
        self.call_after_refresh(self.refresh_status)
        at = next((at for at, each in enumerate(self._known) if each.path == here), 0)
        self._list.show(len(self._known), at)
        self.refresh_status()

    async def _listen(self) -> None:
        async for job in self.ohara.link.events():
            self._job_changed(job)

    def _job_changed(self, job: JobState) -> None:
        self._known = with_job(self._known, job)
        self._list.refresh()
        self.refresh_status()
        is_due = time.monotonic() - self._loaded_at > _RELOAD_EVERY_S
        if job.state in {"done", "failed"} or (job.state == "progress" and is_due):
            self.load()

    # -- drawing ---------------------------------------------------------------------------------

    @property
    def _selected(self) -> RepositoryInfo | None:
        at = self._list.position
        return self._known[at] if at < len(self._known) else None

    def _row(self, at: int, width: int) -> Row:
        known = self._known[at]
        here = "●" if known.path == self.ohara.repository else " "
        words, tone = freshness(known)
        left = [Part(f"{here} ", "good"), Part(fit(sanitize(known.name), _NAME), "strong")]
        right = [Part(f" {fit(sanitize(words), _state_cells(width), right=True)} ", tone)]
        status = known.status
        if width > _ROOMY:
            commits = f"{status.indexed:,}" if status else ""
            when = age(status.last_run.started, now=self.ohara.clock()) if status and status.last_run else ""
            right += [Part(f"{commits:>11}", "muted"), Part(f"{size(known.size_bytes):>9}", "muted")]
            right.append(Part(f"{when:>10}", "good"))
        room = width - _NAME - 3 - sum(cell_width(part.text) for part in right)
        left.append(Part(f" {cut_left(sanitize(known.path), max(0, room))}", "muted"))
        return left, right

    def refresh_status(self) -> None:
        """Draw the lines at the foot, and the details of the selected one, again."""
        super().refresh_status()
        seen = self.size.width - 4  # before they are laid out for the first time
        self._columns.update(_heads(self._list.text_size.width or seen))
        known = self._selected
        lines = details(known, now=self.ohara.clock()) if known is not None else []
        width = max(8, (self._details.content_size.width or seen) - 11)
        self._details.update(
            Content("\n").join(
                Content.assemble(
                    (f"{label:<10} ", "$muted"), (fit(sanitize(value), width).rstrip(), "$foreground")
                )
                for label, value in lines
            )
        )
        parts = [StatusPart(count(len(self._known), "repository", "repositories"), "bold $foreground")]
        parts.append(StatusPart(size(sum(each.size_bytes for each in self._known))))
        going = [StatusPart(f"⏸ {self._paused}{self._resume_hint()}", "$warning")] if self._paused else []
        self.status_line.show(parts if self._known else (), going)

    def _resume_hint(self) -> str:
        """The key that resumes indexing; what waits for a power plug waits for no key."""
        key = self.ohara.keys.first_label("pause_indexing")
        return f" ({key} resumes)" if self._paused.startswith("paused") else ""

    def on_row_list_selected(self) -> None:
        """Show the details of the selected one."""
        self.refresh_status()

    def on_row_list_opened(self) -> None:
        """Search what was double-clicked."""
        self.open()

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002 - as every screen hears it
        """Cut the words to the new width."""
        self.call_after_refresh(self.refresh_status)

    # -- actions ---------------------------------------------------------------------------------

    def open(self) -> None:
        """Search the selected repository."""
        if self._selected is not None:
            self.ohara.open_repository(self._selected.path)

    def start_indexing(self) -> None:
        """Index the selected repository."""
        if self._selected is not None:
            self._send(wire.Index(repo=self._selected.path))

    def stop_indexing(self) -> None:
        """Stop indexing the selected repository."""
        if self._selected is not None and self._selected.is_busy:
            self._send(wire.Stop(repo=self._selected.path))
        else:
            self.notify("It is not being indexed.", timeout=2)

    def pause_or_resume(self) -> None:
        """Pause all indexing, or resume it."""
        self._send(wire.Resume() if self._paused else wire.Pause())

    def _send(self, request: wire.Request[wire.Done]) -> None:
        self.run_worker(self._sent(request), group="order")

    async def _sent(self, request: wire.Request[wire.Done]) -> None:
        try:
            await self.ohara.link.send(request)
        except OharaError as error:
            self.notify(error.message, severity="warning", markup=False)
        self.load()


def _state_cells(width: int) -> int:
    """How many cells the state of a repository has."""
    return max(12, width // 4)


def _heads(width: int) -> str:
    """The names of the columns, above a list of this width."""
    inner = width - 2
    right = f" {'state':>{_state_cells(inner)}} "
    if inner > _ROOMY:
        right += f"{'commits':>11}{'size':>9}{'indexed':>10}"
    return fit(f"   {fit('repository', _NAME)} path", max(0, inner - len(right) + 1)) + right
