"""Keys act on the pane that has the focus, and the footer and the help say so, on every screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tui.driving import running, text_of, until
from tests.tui.test_browse_screens import commit_shown, history_shown
from tui.screens.help import HelpScreen

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

    from fixtures.git import Repo
    from tui.app import OharaApp
    from tui.widgets.diff_view import DiffView

pytestmark = pytest.mark.anyio


async def walk(pilot: Pilot[None], diff: DiffView) -> None:
    """Go through a focused diff with every key that moves."""
    last = diff._document.height - 1
    assert last > 3
    await pilot.press("g")
    assert diff.cursor == 0
    await pilot.press("j", "down")
    assert diff.cursor == 2
    await pilot.press("k", "up")
    assert diff.cursor == 0
    await pilot.press("G")
    assert diff.cursor == last
    await pilot.press("home")
    assert diff.cursor == 0
    await pilot.press("end")
    assert diff.cursor == last
    await pilot.press("pageup")
    assert diff.cursor < last
    await pilot.press("g", "pagedown")
    assert diff.cursor > 0


def footer(app: OharaApp) -> str:
    return text_of(app).splitlines()[-1]


async def test_in_the_search_screen(parcel: Path) -> None:
    async with running(parcel, "upload", asked=True) as (app, pilot):
        assert "Similar" in footer(app)
        await pilot.press("j", "tab")
        assert app.search.diff.has_focus
        await walk(pilot, app.search.diff)
        assert app.search.results.position == 1
        assert "Blame" in footer(app)
        assert "Next hunk" in footer(app)
        await pilot.press("escape", "j")
        assert app.search.results.position == 2
        assert "Blame" not in footer(app)


async def test_in_a_commit(parcel: Path, shared_project: Repo) -> None:
    sha = shared_project.sha["drop-python2"]
    async with running(parcel) as (app, pilot):
        app.open_commit(sha)
        screen = await commit_shown(pilot, sha)
        assert "Parent" in footer(app)
        await pilot.press("tab")
        assert screen.diff.has_focus
        await walk(pilot, screen.diff)
        assert "Blame" in footer(app)
        await pilot.press("question_mark")
        assert isinstance(app.screen, HelpScreen)
        assert "Diff, with the focus" in text_of(app)
        await pilot.press("escape", "tab")
        assert screen._head.has_focus
        files = screen.files.position
        await pilot.press("j", "G", "g", "k")
        assert screen.files.position == files


async def test_in_a_history(parcel: Path) -> None:
    async with running(parcel, "upload retry") as (app, pilot):
        app.open_history(next(hit for hit in app.search.results.hits if hit.symbol))
        screen = await history_shown(pilot)
        await until(pilot, lambda: screen.step_list.has_focus)
        at = screen.step_list.position
        await pilot.press("tab")
        await until(pilot, lambda: screen.diff.has_focus)
        await walk(pilot, screen.diff)
        assert screen.step_list.position == at
        assert "Blame" in footer(app)


@pytest.mark.parametrize("key", ["question_mark", "w", "f", "y", "ctrl+p"])
async def test_every_dialog_can_be_quit_from(parcel: Path, key: str) -> None:
    async with running(parcel, "upload", asked=True) as (app, pilot):
        await pilot.press(key)
        await until(pilot, lambda: len(app.screen_stack) == 2)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: not app.is_running, "the end")


async def test_the_help_is_gone_through_to_its_end(parcel: Path) -> None:
    async with running(parcel, "upload", asked=True) as (app, pilot):
        await pilot.press("question_mark", "G")
        await pilot.pause()
        assert "Leave; the session is kept." in text_of(app)
        await pilot.press("home")
        await pilot.pause()
        assert "Leave; the session is kept." not in text_of(app)
        await pilot.press("slash", *"blame", "enter")
        await until(
            pilot, lambda: "Next hit" not in text_of(app) and "Select the next hit" not in text_of(app)
        )
        assert "Go to the commit that last touched this line" in text_of(app)
        await pilot.press("q")
        assert app.screen is app.search
