"""Opens the dialogs that are there on every screen: the palette and the list of themes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara import wire
from ohara.errors import OharaError
from tui.palette import Palette
from tui.screens.pick import Entry, PickScreen
from tui.screens.prompt import PromptScreen
from tui.theme_choice import theme_names
from tui.visits import ExplainVisit
from tui.workers import start_worker

if TYPE_CHECKING:
    from tui.app import OharaApp


def open_palette(app: OharaApp) -> None:
    """Open the palette; repositories are added to it when they are known."""
    palette = Palette(app)
    screen = PickScreen("Palette", palette.entries, hint="do, ask, open, go to a sha …")

    async def list_repositories() -> None:
        palette.repositories = await _repositories(app)
        if app.screen is screen:
            screen.list_again()

    def chosen(entry: Entry | None) -> None:
        if entry is not None:
            app.call_later(entry.do)

    app.push_screen(screen, chosen)
    start_worker(screen, list_repositories, group="repositories")


async def _repositories(app: OharaApp) -> tuple[str, ...]:
    """All repositories that can be searched; none when the service does not say."""
    try:
        found = (await app.link.send(wire.Repos())).repositories
    except OharaError:
        return ()
    return tuple(each.repository for each in found if each.status is not None)


def explain_place(app: OharaApp) -> None:
    """Ask for a place, and explain it."""
    hint = "explain path:10-20, path:name, name or path; esc goes back"

    def chosen(place: str | None) -> None:
        if place and place.strip():
            app.visited.open(ExplainVisit(app.repository, place.strip()))

    app.push_screen(PromptScreen("?", hint, lambda _: None), chosen)


def choose_theme(app: OharaApp) -> None:
    """Choose colours; each is shown while it is under the cursor, and the ones before come back unchosen."""
    before, names = app.theme, theme_names()

    def entries(typed: str) -> list[Entry]:
        return [Entry(name) for name in names if typed.strip().lower() in name]

    def chosen(entry: Entry | None) -> None:
        app.use_theme(entry.title if entry is not None else before)

    app.push_screen(
        PickScreen(
            "Theme",
            entries,
            hint="type to narrow down",
            at=names.index(before) if before in names else 0,
            moved=lambda entry: app.use_theme(entry.title),
        ),
        chosen,
    )
