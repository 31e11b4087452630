"""One table of actions: true to what screens do, to what is documented and to what settings change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ohara.errors import ConfigError
from tests.process import ROOT
from tests.tui.driving import running, until
from tui.actions import ACTIONS, BY_NAME, Action, Scope, key_label, key_name, remapped, textual_action
from tui.app import OharaApp
from tui.keysdoc import document
from tui.screens.file import FileScreen
from tui.screens.paned import PanedScreen
from tui.visits import FileVisit
from tui.widgets.query_bar import QueryInput

if TYPE_CHECKING:
    from pathlib import Path


def expected(screen: PanedScreen) -> set[str]:
    """The actions whose keys work on a screen and are done by it."""
    panes = {Scope.READING} if Scope.DIFF in screen.SCOPES else set()
    panes |= {Scope.MESSAGE} if Scope.COMMIT in screen.SCOPES else set()
    return {action.name for action in ACTIONS if action.scope in {*screen.SCOPES, *panes}}


@pytest.mark.anyio
async def test_every_screen_does_the_actions_of_its_scopes(parcel: Path) -> None:
    async with running(parcel, "backoff") as (app, pilot):
        hit = app.search.results.hits[0]
        app.open_commit(hit.commit.sha, hit)
        app.open_history(hit)
        app.visited.open(FileVisit(str(parcel), hit.commit.sha, hit.path))
        app.action_repositories()
        await until(pilot, lambda: len(app.screen_stack) == 5)
        screens = [screen for screen in app.screen_stack if isinstance(screen, PanedScreen)]
        assert {scope for screen in screens for scope in screen.SCOPES} == set(Scope) - {
            Scope.QUERY,
            Scope.EVERYWHERE,
            Scope.READING,
            Scope.MESSAGE,
        }
        for screen in screens:
            # What is marked can be exported from every diff, by the palette where no key does it.
            lacking = OF_A_DIFF_ALONE if isinstance(screen, FileScreen) else set()
            assert set(screen.commands) - {"export"} == expected(screen) - {"export"} - lacking
        assert "export" in app.search.commands


OF_A_DIFF_ALONE = {"split_diff", "less_context", "more_context", "mark", "whole_file"}


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.name)
def test_what_no_screen_does_is_done_by_the_app_or_the_query_bar(action: Action) -> None:
    target, _, name = textual_action(action).rpartition(".")
    doer: type[object] = OharaApp if target == "app" else QueryInput
    if name.startswith("do("):
        name = name.removeprefix("do('").removesuffix("')")
        assert BY_NAME[name].scope not in {Scope.QUERY, Scope.EVERYWHERE}
    else:
        assert callable(getattr(doer, f"action_{name}", None)), f"{doer.__name__} has no action_{name}"


def test_names_are_unique_and_every_action_has_words() -> None:
    assert len({action.name for action in ACTIONS}) == len(ACTIONS)
    for action in ACTIONS:
        assert action.title
        assert action.help.endswith(".")
        assert action.keys


def test_the_documented_keys_are_the_keys() -> None:
    assert (ROOT / "docs" / "keys.md").read_text(encoding="utf-8") == document(), "python -m tui.keysdoc"


def test_the_default_keys_do_not_clash() -> None:
    assert remapped({}).keymap() == {}


def test_other_keys_can_be_chosen() -> None:
    keys = remapped({"open_hit": "enter o", "more_like": "ctrl+l", "help": "%"})
    assert keys.keymap() == {
        "open_hit": "enter,o",
        "more_like": "ctrl+l",
        "help": "percent_sign",
    }
    assert keys.first_label("help") == "%"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"open_hti": "o"}, "there is no action open_hti"),
        ({"open_hit": " "}, "open_hit has no key"),
        ({"why": "m"}, "m would mean why and mark"),
        ({"mark": "q"}, "q would mean mark and quit"),
        ({"mark": "J"}, "J would mean scroll_down and mark"),
    ],
)
def test_what_cannot_be_meant_is_refused(settings: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        remapped(settings)


def test_keys_are_called_as_textual_calls_them_and_shown_as_people_do() -> None:
    assert [key_name(key) for key in ("?", "#", "j", "J", "ctrl+p")] == [
        "question_mark",
        "number_sign",
        "j",
        "J",
        "ctrl+p",
    ]
    assert [key_label(key) for key in ("?", "#", "J", "ctrl+p", "enter")] == ["?", "#", "J", "ctrl+p", "⏎"]


@pytest.mark.anyio
async def test_a_remapped_key_works_and_is_shown(parcel: Path, served: Path) -> None:
    with (served / "config" / "config.toml").open("a") as file:
        file.write('\n[tui.keys]\nwhy = "ctrl+y"\n')
    async with running(parcel, "upload") as (app, pilot):
        await pilot.press("enter", "w")
        assert len(app.screen_stack) == 1
        await pilot.press("ctrl+y")
        assert len(app.screen_stack) == 2
        await pilot.press("escape")
        labels = {key.title: key.label for key in app.footer_keys(Scope.SEARCH)}
        assert labels["Why"] == "ctrl+y"
