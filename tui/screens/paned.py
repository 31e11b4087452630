"""The base of every screen but a dialog: panes, or advice in their place, and two lines at the foot.

Keys reach a screen in one way: `action_do` runs the command that the screen or a part of it gave for an
action of the table in `tui.actions`. An action without a command yet is not there for its key either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from tui.actions import ACTIONS, BY_NAME, Scope, textual_action
from tui.advice import Advice, Choice
from tui.formats import count
from tui.widgets.advice_view import AdviceView
from tui.widgets.footer import KeyLine, StatusLine, StatusPart
from tui.workers import start_worker

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual import events
    from textual.app import ComposeResult
    from textual.widget import Widget

    from ohara.errors import OharaError
    from tui.app import OharaApp
    from tui.screens.host import Commands

NARROW = 110  # columns below which a list and its diff stand one above the other


class PanedScreen(Screen[None]):
    """Shows panes once there is something to show in them, and advice until then."""

    SCOPES: ClassVar[tuple[Scope, ...]] = ()
    PANES: ClassVar[str] = "#main"

    def __init__(self) -> None:
        super().__init__()
        self.advice = AdviceView(id="advice")
        self.status_line = StatusLine()
        self.key_line = KeyLine()
        self.commands: Commands = {}

    @property
    def ohara(self) -> OharaApp:
        """The app, with its own type."""
        return cast("OharaApp", self.app)

    @property
    def repository(self) -> str:
        """The repository that the screen is about."""
        return self.ohara.repository

    def compose_foot(self) -> ComposeResult:
        """Advice in place of the panes, and the lines below them."""
        yield self.advice
        yield self.status_line
        yield self.key_line

    def refresh_status(self) -> None:
        """Draw the lines at the foot and the titles again."""
        lacking = {
            each.name for each in ACTIONS if each.scope in self.SCOPES and each.name not in self.commands
        }
        self.key_line.show(self.ohara.footer_keys(*self.active_scopes, without=lacking))

    def marks_said(self) -> list[StatusPart]:
        """How much is marked, for the status line."""
        marks, key = len(self.ohara.marks), self.ohara.keys.first_label("export")
        return [StatusPart(f"✓ {count(marks, 'mark')} ({key} exports)", "$accent")] if marks else []

    def start_worker(
        self, work: Callable[[], Awaitable[None]], *, group: str, exclusive: bool = False
    ) -> None:
        """Start work that ends with the screen."""
        start_worker(self, work, group=group, exclusive=exclusive)

    def on_resize(self, event: events.Resize) -> None:
        """Choose between side by side and one above the other."""
        self.set_class(event.size.width < NARROW, "-narrow")

    # -- actions ---------------------------------------------------------------------------------

    @property
    def active_scopes(self) -> tuple[Scope, ...]:
        """The scopes whose keys work where the focus is, the nearest first."""
        own = getattr(self.focused, "SCOPE", None)
        if own is Scope.READING:
            return (Scope.READING, Scope.DIFF, *(each for each in self.SCOPES if each is not Scope.DIFF))
        return (own, *self.SCOPES) if isinstance(own, Scope) else self.SCOPES

    def on_descendant_focus(self) -> None:
        """Show the keys that work where the focus is."""
        self.refresh_status()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable keys of actions that have no command yet."""
        if action == "do":
            return parameters[0] in self.commands
        return super().check_action(action, parameters)

    def action_do(self, name: str) -> None:
        """Run an action of the table."""
        self.commands[name]()

    def step_back(self) -> bool:
        """Step back one level within this screen; false where the next step leaves it."""
        return False

    # -- advice ----------------------------------------------------------------------------------

    def advise(self, advice: Advice | None) -> None:
        """Show advice in place of the panes; None shows the panes."""
        self.query_one(self.PANES).display = advice is None
        self.advice.display = advice is not None
        if advice is not None:
            self.advice.show(advice)
        self.refresh_status()

    def advise_retry(self, error: OharaError, title: str, action: str) -> None:
        """Show an error, and offer the action that retries."""
        again = Choice(title, action=action, key=self.ohara.keys.first_label(action))
        lines = (error.hint,) if error.hint else ()
        self.advise(Advice("✗", error.message, lines, (again,), tone="error"))

    def on_advice_view_chosen(self, event: AdviceView.Chosen) -> None:
        """Do what was clicked."""
        self.choose(event.choice)

    def choose(self, choice: Choice) -> None:
        """Do what the advice offers."""
        self._run(textual_action(BY_NAME[choice.action]))

    def on_key_line_pressed(self, event: KeyLine.Pressed) -> None:
        """Do what was clicked in the footer."""
        self._run(event.action)

    def _run(self, action: str) -> None:
        self.run_worker(self.run_action(action), group="choice")


def list_beside_diff(diff: Widget, *left: Widget) -> Horizontal:
    """The panes of a screen on which a list at the left moves a diff at the right."""
    return Horizontal(Vertical(*left, id="left"), diff, id="main")
