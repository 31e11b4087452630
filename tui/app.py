"""The terminal UI: one app that holds the link to the service, the session, the keys and the visits.

It starts fast: what the first paint does not need (the service's client, dialogs, other screens) is imported
later. A model, a database or a git library is never imported.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import App
from textual.events import InputEvent, Key, Paste

from ohara import config
from ohara.errors import ConfigError, OharaError
from ohara.sanitize import sanitize
from tui import session as sessions
from tui.actions import ACTIONS, Scope, bindings, key_label, remapped, textual_action
from tui.ending import end_when_told
from tui.external import can_suspend
from tui.idle_gc import CHECK_EVERY_S, IdleCollector
from tui.link import Link, LinkState
from tui.screens.paned import PanedScreen
from tui.screens.search import SearchScreen
from tui.theme_choice import theme_named
from tui.type_ahead import TypeAhead, Typed
from tui.visited import Visited
from tui.visits import CommitVisit, HistoryVisit
from tui.widgets.footer import Key as FooterKey
from tui.workers import start_worker

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from textual import events
    from textual.binding import BindingType
    from textual.notifications import SeverityLevel

    from ohara.model import Hit
    from ohara.settings import Settings
    from tui.actions import Action


# What helps while a diff has the focus; elsewhere the footer has no room for it.
_READING_FOOTER = frozenset({"next_match", "blame", "line_history", "edit", "copy"})


class OharaApp(App[None]):
    """ohara in a terminal."""

    CSS_PATH = "app.tcss"
    TITLE = "ohara"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.EVERYWHERE)]
    ENABLE_COMMAND_PALETTE = False  # Textual's own key for it; the registry's opens ours

    def __init__(self, repository: Path | None = None, query: str = "", *, index: str = "") -> None:
        """Open a repository, or the last one; `query` is searched for at once, `index` names a shared one."""
        self.index = index
        self.session = sessions.load()
        given = repository or config.work_tree(Path.cwd())
        self.repository = str(given.absolute()) if given else self.session.repository
        resumed = self.session.query if self.repository == self.session.repository else ""
        self.first_query = query or resumed
        self.is_asked = bool(query)
        self.typed = self.first_query
        self.clock: Callable[[], float] = time.time
        self.marks: dict[tuple[str, int], Hit] = {}
        self.visited = Visited(self)
        settings = self._settings()
        self.keys = remapped(settings.tui.keys)
        super().__init__()
        self.theme = self._theme_to_begin_with(settings.tui.theme)
        self.reranks = settings.find.rerank and settings.models.reranker != "none"
        self.link = Link(self.link_changed, index=index)
        self._connects = False
        self._idle_gc = IdleCollector()
        self._type_ahead = TypeAhead(self, self._hand_on)

    def _settings(self) -> Settings:
        return config.load(repository=config.work_tree(Path(self.repository or "."))).settings

    def _theme_to_begin_with(self, setting: str) -> str:
        """The theme of the last session, or else of the settings."""
        try:
            theme = theme_named(self.session.theme or setting)
        except ConfigError:
            if not self.session.theme:
                raise
            theme = theme_named(setting)  # one of the session's may be gone
        self.register_theme(theme)
        return theme.name

    def get_default_screen(self) -> SearchScreen:
        """The search screen, which is there as long as the app is."""
        self.search = SearchScreen()
        return self.search

    def on_mount(self) -> None:
        """Set the keys, heed signals, and repaint everything after another program used the terminal."""
        if not self.is_headless:
            end_when_told(self)
        self.set_keymap(self.keys.keymap())
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))

    def on_ready(self) -> None:
        """Connect, after the first paint: Textual draws nothing before this event."""
        self.call_after_refresh(self.connect)

    async def connect(self) -> None:
        """Add what the first paint did not need, and connect; only once."""
        if self._connects:
            return
        self._connects = True
        await self.search.add_panes()
        self._idle_gc.start()
        self.set_interval(CHECK_EVERY_S, self._collect_garbage)
        start_worker(self, self.link.run, group="link", exclusive=True)
        start_worker(self, self._listen, group="events", exclusive=True)

    def _collect_garbage(self) -> None:
        if not self.search.finder.state.loading:  # an answer that comes meanwhile would wait
            self._idle_gc.collect_if_idle()

    async def on_event(self, event: events.Event) -> None:
        """Note when the user did something; Textual handles the event, keys one after the other."""
        if isinstance(event, InputEvent):
            self._idle_gc.note_input()
        if isinstance(event, Key | Paste) and not event.is_forwarded:
            await self._type_ahead.take(event)
        else:
            await super().on_event(event)

    async def _hand_on(self, typed: Typed) -> None:
        await super().on_event(typed)

    def link_changed(self, state: LinkState, error: OharaError | None) -> None:
        """Called when the connection state changes."""
        self.search.finder.link_changed(state, error)
        self.search.link_changed()

    async def _listen(self) -> None:
        async for job in self.link.events():
            self.search.job_changed(job)

    # -- Textual's own output, made safe -------------------------------------------------------------

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Show a short message for a moment, never as markup: it may quote text from a repository."""
        super().notify(
            sanitize(message, keep="\n"),
            title=sanitize(title),
            severity=severity,
            timeout=timeout,
            markup=markup,
        )

    def copy_to_clipboard(self, text: str) -> None:
        """Copy text to the clipboard, without lone surrogates (from a path that is not UTF-8)."""
        super().copy_to_clipboard(text.encode("utf-8", "replace").decode())

    # -- leaving and coming back -----------------------------------------------------------------

    def on_unmount(self) -> None:
        """Save the session."""
        screen = self.search
        self.session = replace(
            self.session.with_query(self.repository, self.typed if screen.finder.state.hits else ""),
            repository=self.repository,
            query=screen.bar.draft.source,
            theme=self.theme,
            layout=screen.lazy.layout,
        )
        sessions.save(self.session.with_queries_of(sessions.load()))

    def remember_query(self, repository: str, source: str) -> None:
        """Remember a query of a repository."""
        self.session = self.session.with_query(repository, source)

    # -- opening --------------------------------------------------------------------------------

    def action_visit_back(self) -> None:
        """Go back to what was visited before."""
        if self.screen is self.search and not self.search.bar.draft.is_empty:
            self.search.history.record()
        self.visited.back()

    def action_visit_forward(self) -> None:
        """Go forward again."""
        self.visited.forward()

    def open_commit(self, sha: str, hit: Hit | None = None) -> None:
        """Open a commit."""
        self.visited.open(CommitVisit((hit and hit.repository) or self.repository, sha, hit))

    def open_history(self, hit: Hit) -> None:
        """Open the history of what a hit is about."""
        self.visited.open(HistoryVisit(hit.repository or self.repository, hit))

    def leave_screens(self) -> None:
        """Go back to the search screen."""
        while len(self.screen_stack) > 1:
            self.pop_screen()

    def open_repository(self, path: str, query: str = "") -> None:
        """Search another repository."""
        self.leave_screens()
        self.repository = path
        try:
            settings = self._settings()
        except ConfigError as error:
            self.notify(error.message, severity="error", markup=False)
        else:
            self.reranks = settings.find.rerank and settings.models.reranker != "none"
        self.search.use_repository(path, query)
        self.search.bar.input.focus()

    def ask(self, source: str) -> None:
        """Search for a query in this repository."""
        self.leave_screens()
        self.search.use_repository(self.repository, source)

    def toggle_mark(self, hit: Hit) -> None:
        """Mark a hit for an export, or unmark it."""
        key = (hit.commit.sha, hit.hunk)
        if self.marks.pop(key, None) is None:
            self.marks[key] = hit

    # -- actions of everywhere -------------------------------------------------------------------

    def action_step_back(self) -> None:
        """Go back one level: within a screen, or to the screen before; the search screen is never left."""
        stepped = isinstance(self.screen, PanedScreen) and self.screen.step_back()
        if not stepped and len(self.screen_stack) > 1:
            self.pop_screen()

    def action_palette(self) -> None:
        """Open the palette."""
        from tui.screens.openers import open_palette

        open_palette(self)

    def action_explain_place(self) -> None:
        """Ask for a place, and explain it."""
        from tui.screens.openers import explain_place

        explain_place(self)

    def action_repositories(self) -> None:
        """Open the list of repositories."""
        from tui.screens.repositories import RepositoriesScreen

        self.push_screen(RepositoriesScreen())

    def action_help(self) -> None:
        """Open the help, with the actions of this screen first."""
        from tui.screens.help import HelpScreen

        scopes = self.screen.active_scopes if isinstance(self.screen, PanedScreen) else ()
        self.push_screen(HelpScreen(scopes, self.keys))

    def action_suspend(self) -> None:
        """Suspend to the shell that started the UI, if there is one."""
        if can_suspend():
            self.action_suspend_process()
        else:
            self.notify("No shell here could bring it back.", timeout=3)

    def action_choose_theme(self) -> None:
        """Choose colours; each is shown while it is under the cursor."""
        from tui.screens.openers import choose_theme

        choose_theme(self)

    def use_theme(self, name: str) -> None:
        """Change to these colours."""
        try:
            self.register_theme(theme_named(name))
        except ConfigError as error:
            self.notify(error.message, severity="warning", markup=False)
        else:
            self.theme = name

    # -- the registry ----------------------------------------------------------------------------

    def footer_keys(
        self,
        *scopes: Scope,
        typing: bool = False,
        only: Collection[str] = (),
        without: Collection[str] = (),
    ) -> list[FooterKey]:
        """The footer of a screen with these scopes; `only` restricts it to some actions, not those `without`.

        While the user is typing, letters are text: only other keys are shown.
        """
        shown: list[FooterKey] = []
        taken: set[str] = set()
        is_reading = Scope.READING in scopes
        order = {scope: at for at, scope in enumerate((*scopes, Scope.EVERYWHERE))}
        listed = sorted(
            (action for action in ACTIONS if action.scope in order), key=lambda each: order[each.scope]
        )
        for action in listed:
            is_here = action.scope in scopes
            is_named = is_here and action.name in only
            is_read = is_reading and action.name in _READING_FOOTER
            keys = [key for key in self.keys.of(action) if not typing or len(key) > 1]
            keys = [key for key in keys if key not in taken]  # a nearer pane has it
            if action.name in without:
                continue
            taken |= set(self.keys.of(action)) if is_here else set()
            if keys and (is_named or is_read or (action.footer and not (only and is_here))):
                shown.append(FooterKey(key_label(keys[0]), action.title, textual_action(action)))
        return shown

    def can_run(self, action: Action) -> bool:
        """True when an action can be run on the current screen."""
        if action.scope is Scope.EVERYWHERE:
            return True
        screen = self.screen_stack[-2] if len(self.screen_stack) > 1 else self.screen
        return isinstance(screen, PanedScreen) and action.name in screen.commands

    async def run_named(self, action: Action) -> None:
        """Run an action as if its key had been pressed."""
        await self.screen.run_action(textual_action(action))
