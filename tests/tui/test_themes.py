"""Themes: ohara's own, Textual's and the user's, looked at before one is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.color import Color

from ohara.errors import ConfigError
from tests.tui.driving import app_for, running, text_of, until
from tui.theme_choice import theme_named, theme_names

if TYPE_CHECKING:
    from pathlib import Path

MINE = """
primary = "#ff8800"
background = "#101010"
surface = "#181818"
foreground = "#f0f0f0"
dark = true
"""


@pytest.fixture
def mine(ohara_home: Path) -> Path:
    folder = ohara_home / "config" / "themes"
    folder.mkdir(parents=True)
    path = folder / "mine.toml"
    path.write_text(MINE)
    return path


@pytest.mark.usefixtures("mine")
def test_there_are_many_and_each_can_be_read() -> None:
    names = theme_names()
    assert names[:4] == ["dark", "light", "ansi", "mine"]
    assert len(names) > 13
    for name in names:
        theme = theme_named(name)
        assert theme.name == name
        if name == "ansi":
            continue
        front, back = (
            Color.parse(theme.to_color_system().generate()[each]) for each in ("foreground", "surface")
        )
        under = Color.parse(theme.variables["block-cursor-background"])
        for ink in (front, Color.parse(theme.variables["muted"])):
            assert abs(ink.brightness - back.brightness) > 0.2, name
            assert abs(ink.brightness - under.brightness) > 0.1, name


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("primary = ", "cannot be read"),
        ("background = '#000'", "needs a primary colour"),
        ("primary = 'no colour'", "is no colour"),
        ("primary = '#fff'\nfont = 'Comic Sans'", "a theme has no font"),
    ],
)
def test_a_theme_that_is_wrong_says_so(mine: Path, written: str, said: str) -> None:
    mine.write_text(written)
    with pytest.raises(ConfigError, match=said):
        theme_named("mine")


@pytest.mark.usefixtures("ohara_home")
def test_a_theme_that_there_is_not_gets_a_hint() -> None:
    with pytest.raises(ConfigError, match="no theme draculla") as told:
        theme_named("draculla")
    assert "dracula" in told.value.hint


@pytest.mark.anyio
async def test_a_theme_is_shown_under_the_cursor_and_kept_only_when_it_is_chosen(parcel: Path) -> None:
    async with running(parcel, "upload", asked=True) as (app, pilot):
        await pilot.press("T", "down")
        await until(pilot, lambda: app.theme == "light")
        assert "catppuccin-mocha" in text_of(app)
        await pilot.press(*"nord")
        await until(pilot, lambda: app.theme == "nord")
        await pilot.press("escape")
        await until(pilot, lambda: app.theme == "dark")
        await pilot.press("T", *"nord", "enter")
        await until(pilot, lambda: app.screen is app.search)
        assert app.theme == "nord"
    assert app_for(parcel).session.theme == "nord"
