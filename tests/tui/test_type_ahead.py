"""Keys that come together mean what they mean one by one: a terminal may read several at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from textual import events

from tests.tui.driving import running, text_of, until
from tui.screens.commit import CommitScreen
from tui.screens.filters import FiltersScreen
from tui.screens.help import HelpScreen
from tui.screens.prompt import PromptScreen

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot
    from textual.screen import Screen

    from tui.app import OharaApp

pytestmark = pytest.mark.anyio

NAMED = {"enter", "escape", "tab", "backspace", "left", "home", "ctrl+u"}
WRITTEN = {"/": "slash", ":": "colon", "?": "question_mark", ".": "full_stop", " ": "space"}


async def at_once(app: OharaApp, pilot: Pilot[None], *typed: str) -> None:
    """Type keys, and texts of several, faster than any of them is heard of; wait until all are done."""
    for each in typed:
        for key in [each] if each in NAMED else each:
            name = WRITTEN.get(key, key)
            app.post_message(events.Key(name, None if each in NAMED else key))
    keys = app._type_ahead
    await until(pilot, lambda: app._message_queue.qsize() == 0 and keys.is_done, "all keys done")


def opened(app: OharaApp, screen: type[Screen[Any]]) -> bool:
    """Whether such a screen is on top."""
    return isinstance(app.screen, screen)


async def test_letters_behind_the_key_of_the_query_bar_are_a_query(parcel: Path) -> None:
    async with running(parcel, "upload", asked=True) as (app, pilot):
        await at_once(app, pilot, "/", "quiet index")
        assert app.screen is app.search
        assert app.search.bar.input.value == "quiet index"


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        (("retry", "backspace", "es"), "retres"),
        (("retry", "left", "left", "x"), "retxry"),
        (("retry", "home", "no "), "no retry"),
        (("retry", "ctrl+u", "upload"), "upload"),
        (("author:ada x", "ctrl+u", "upload"), "upload"),
        (("author:ada ", "backspace", "upload"), "upload"),
    ],
)
async def test_what_changes_a_text_does_so_before_what_is_typed_behind_it(
    parcel: Path, typed: tuple[str, ...], left: str
) -> None:
    async with running(parcel) as (app, pilot):
        await at_once(app, pilot, *typed)
        await until(pilot, lambda: app.search.bar.draft.source == left, app.search.bar.draft.source)
        assert app.search.bar.input.value == left


async def test_what_is_pasted_waits_for_the_key_before_it(parcel: Path) -> None:
    async with running(parcel, "upload", asked=True) as (app, pilot):
        app.post_message(events.Key("slash", "/"))
        app.post_message(events.Paste("retry"))
        await until(pilot, lambda: app.search.bar.input.value == "retry")


async def test_from_the_bar_to_the_list_and_on(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        await at_once(app, pilot, "enter", "jj")
        assert app.search.results.position == 2
        assert app.search.bar.input.value == "upload"
        await at_once(app, pilot, "tab", "G")
        assert app.search.results.position == 2
        assert app.search.diff.cursor == app.search.diff._document.height - 1


async def test_a_dialog_gets_the_keys_behind_the_one_that_opens_it(parcel: Path) -> None:
    async with running(parcel, "upload", asked=True) as (app, pilot):
        await at_once(app, pilot, "f", "quincy")
        assert opened(app, FiltersScreen)
        assert "quincy" in text_of(app)
        await at_once(app, pilot, "escape", "L", "src/q.py:3")
        assert opened(app, PromptScreen)
        assert "src/q.py:3" in text_of(app)
        await at_once(app, pilot, "escape", "ys", "j")
        assert app.screen is app.search
        assert app.search.results.position == 1


async def test_a_screen_gets_the_keys_behind_the_one_that_opens_it(parcel: Path) -> None:
    async with running(parcel, "upload", asked=True) as (app, pilot):
        await at_once(app, pilot, "enter", "escape", "j")
        assert app.screen is app.search
        assert app.search.results.position == 1
        await at_once(app, pilot, "enter", "?")
        assert opened(app, HelpScreen)
        assert isinstance(app.screen_stack[-2], CommitScreen)
