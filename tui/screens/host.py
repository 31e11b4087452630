"""What a group of actions may ask of the screen that it works for.

A screen is composed of such groups: each is a small object that does a few actions of the table in
`tui.actions` and lists them in `commands`. It sees the screen through these protocols only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from ohara.model import Hit, Intent
    from tui.app import OharaApp
    from tui.finder import Finder
    from tui.widgets.query_bar import QueryBar

# The actions that a screen or a part of it does, by their names in the table.
Commands: TypeAlias = Mapping[str, Callable[[], object]]


class Host(Protocol):
    """A screen, as its actions see it."""

    @property
    def ohara(self) -> OharaApp:
        """The app."""

    @property
    def repository(self) -> str:
        """The repository that the screen is about."""

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Show a short message for a moment."""

    def start_worker(
        self, work: Callable[[], Awaitable[None]], *, group: str, exclusive: bool = False
    ) -> None:
        """Start work that ends with the screen."""

    def refresh_status(self) -> None:
        """Draw the lines at the foot and the titles again."""


class SearchHost(Host, Protocol):
    """The search screen, as its actions see it."""

    bar: QueryBar
    finder: Finder
    order: str
    group: str
    intent: Intent | None

    @property
    def selected(self) -> Hit | None:
        """The hit that actions are about."""

    def ask(self) -> bool:
        """Send the query that is in the bar now; false when it cannot be read."""

    def use_repository(self, repository: str, source: str = "") -> None:
        """Search another repository."""

    def select(self, sha: str, hunk: int) -> bool:
        """Put the cursor on this hit; false when it is not listed."""
