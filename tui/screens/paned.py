"""What every screen but a dialog is: panes, or advice in their place, and two lines at the foot."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.screen import Screen

from tui.advice import Advice, Choice
from tui.widgets.adviceview import AdviceView
from tui.widgets.lines import KeyLine, StatusLine

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ohara.errors import OharaError
    from tui.actions import Where
    from tui.app import OharaApp

NARROW = 110  # columns below which a list and its diff stand one above the other


class PanedScreen(Screen[None]):
    """Shows panes once there is something to show in them, and says until then why there is not."""

    HEARS: ClassVar[tuple[Where, ...]] = ()
    PANES: ClassVar[str] = "#main"

    def __init__(self) -> None:
        super().__init__()
        self.advice = AdviceView(id="advice")
        self.status_line = StatusLine()
        self.key_line = KeyLine()

    @property
    def ohara(self) -> OharaApp:
        """The app, as what it is."""
        return cast("OharaApp", self.app)

    def compose_foot(self) -> ComposeResult:
        """What stands below the panes, or in their place."""
        yield self.advice
        yield self.status_line
        yield self.key_line

    def refresh_status(self) -> None:
        """Draw the lines at the foot and the titles anew."""
        self.key_line.show(self.ohara.footer_keys(*self.HEARS))

    # -- advice ----------------------------------------------------------------------------------

    def advise(self, advice: Advice | None) -> None:
        """Say this in place of the panes; None shows the panes."""
        self.query_one(self.PANES).display = advice is None
        self.advice.display = advice is not None
        if advice is not None:
            self.advice.show(advice)
        self.refresh_status()

    def advise_again(self, error: OharaError, title: str, action: str) -> None:
        """Say what went wrong, and offer the action that tries it once more."""
        again = Choice(title, action=action, key=self.ohara.keys.first_label(action))
        lines = (error.hint,) if error.hint else ()
        self.advise(Advice("✗", error.message, lines, (again,), tone="error"))

    def on_advice_view_chosen(self, event: AdviceView.Chosen) -> None:
        """Do what was clicked."""
        self.choose(event.choice)

    def choose(self, choice: Choice) -> None:
        """Do what the advice offers."""
        self._run(choice.action)

    def on_key_line_pressed(self, event: KeyLine.Pressed) -> None:
        """Do what was clicked in the footer."""
        self._run(event.action)

    def _run(self, action: str) -> None:
        self.run_worker(self.run_action(action), group="choice")
