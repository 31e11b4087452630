"""Filters are completed in the bar and in the dialog: names, and values that the index knows."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.keys import _character_to_key
from textual.widgets import Input

from ohara import wire
from ohara.model import NameKind
from tests.tui.driving import R, SteadyLink, app_for, running, text_of, until, until_stage
from tui.completion import complete, names_wanted
from tui.screens.filters import FiltersScreen, last_value
from tui.search_state import Stage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from textual.pilot import Pilot

    from tui.app import OharaApp


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("au", ["author:"]),
        ("retry la", ["lang:"]),
        ("retry -pa", ["path:"]),
        ("is:g", ["is:gone"]),
        ("kind:re", ["kind:renamed"]),
        ("since:t", ["since:today", "since:yesterday"]),
    ],
)
def test_what_is_begun_is_completed(text: str, choices: list[str]) -> None:
    found = complete(text)
    assert found is not None
    assert list(found.choices) == choices
    assert found.text(0).endswith(choices[0])


@pytest.mark.parametrize(
    ("text", "kind", "begun"),
    [
        ("author:a", NameKind.AUTHOR, "a"),
        ('author:"Ada M', NameKind.AUTHOR, "Ada M"),
        ("retry -path:", NameKind.PATH, ""),
        ("file:src/n", NameKind.PATH, "src/n"),
        ("commit:v1", NameKind.REF, "v1"),
        ("tag:v1", NameKind.REF, "v1"),
        ("symbol:Client.se", NameKind.SYMBOL, "Client.se"),
        ("language:py", NameKind.LANG, "py"),
        ("extension:p", NameKind.EXT, "p"),
        ("kind:re", None, ""),
        ("std::move", None, ""),
    ],
)
def test_names_are_asked_of_the_index(text: str, kind: NameKind | None, begun: str) -> None:
    wanted = names_wanted(text)
    assert wanted == (None if kind is None else (kind, begun))
    if kind is not None:
        found = complete(text, ("Ada Moreau", "bob"))
        assert found is not None
        assert found.choices[-1].endswith(":bob")


@pytest.mark.parametrize("text", ["", "retry", "a", "std::move", "http://x", "retry ", '"au', "message:fix"])
def test_what_is_no_filter_is_left_alone(text: str) -> None:
    assert complete(text, ("fix", "move")) is None


@given(st.text(max_size=30))
def test_nothing_that_is_typed_makes_it_stumble(text: str) -> None:
    found = complete(text, ("Ada Moreau", "src/net.py"))
    assert found is None or found.text(0) != text
    assert text.endswith(last_value(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("bob ad", "ad"),
        ("bob ", ""),
        ('bob "Ada M', '"Ada M'),
        ('bob "Ada Moreau"', '"Ada Moreau"'),
        ('"bob" "Ada Moreau"', '"Ada Moreau"'),
        ('"Ada Moreau" bo', "bo"),
    ],
)
def test_the_last_of_several_values_is_completed(text: str, value: str) -> None:
    assert last_value(text) == value


@pytest.mark.anyio
async def test_a_key_goes_through_the_choices_and_a_space_makes_a_chip(parcel: Path) -> None:
    async with running(parcel) as (app, pilot):
        bar = app.search.bar
        await pilot.press(*"upload auth", "tab")
        assert bar.draft.text == "upload author:"
        await pilot.press(*"ada")
        await until(pilot, lambda: "Ada Moreau" in text_of(app).splitlines()[2])
        await pilot.press("tab")
        assert bar.draft.text == 'upload author:"Ada Moreau"'
        await pilot.press("space")
        assert bar.draft.chips == ('author:"Ada Moreau"',)
        await until_stage(pilot, Stage.RESULTS)
        assert {hit.commit.author for hit in app.search.results.hits} == {"Ada Moreau"}
        await pilot.press(*"lang:p")
        await until(pilot, lambda: "lang:python" in app.search.completing.hint)
        assert "perl" not in app.search.completing.hint  # a language that no file here is in
        await pilot.press("ctrl+u")
        await until_stage(pilot, Stage.WELCOME)
        await pilot.press("tab")
        assert not bar.input.has_focus  # nothing to complete: the next pane


@pytest.mark.anyio
async def test_symbols_and_paths_of_the_whole_history_are_offered(parcel: Path) -> None:
    async with running(parcel) as (app, pilot):
        completing = app.search.completing
        await pilot.press(*"symbol:retr")
        await until(pilot, lambda: "retr" in completing.hint.partition(": ")[2], "symbols")
        await pilot.press("ctrl+u", *"path:parcel/up")
        await until(pilot, lambda: "path:parcel/upload.py" in completing.hint, "paths")


@pytest.mark.anyio
async def test_the_dialog_completes_its_fields(parcel: Path) -> None:
    async with running(parcel, "upload", asked=True) as (app, pilot):
        await pilot.press("f")
        dialog = app.screen
        assert isinstance(dialog, FiltersScreen)
        await pilot.press(*"bob ad")
        await until(pilot, lambda: "Ada Moreau" in text_of(app), "authors")
        await pilot.press("tab")
        author = next(field for field in dialog.query(Input) if field.name == "author")
        assert author.value == 'bob "Ada Moreau"'
        await pilot.press("down")
        assert getattr(dialog.focused, "name", "") == "path"
        await until(pilot, lambda: "parcel/" in text_of(app), "paths")
        await pilot.press(*"parcel/upl")
        await until(pilot, lambda: "parcel/upload.py" in text_of(app), "paths")
        await pilot.press("tab")
        path = next(field for field in dialog.query(Input) if field.name == "path")
        assert path.value == "parcel/upload.py"
        await pilot.press("enter")
        assert app.search.bar.draft.chips == ("author:bob", 'author:"Ada Moreau"', "path:parcel/upload.py")


class SlowNames(SteadyLink):
    """A service that takes its time for names."""

    async def send(self, request: wire.Request[R]) -> R:
        if isinstance(request, wire.NamesRequest):
            await anyio.sleep(0.2)
        return await super().send(request)


@asynccontextmanager
async def with_slow_names(repository: Path) -> AsyncIterator[tuple[OharaApp, Pilot[None]]]:
    """An app whose list of hits has the focus, and whose choices come late."""
    app = app_for(repository, "upload", asked=True)
    app.link = SlowNames(app.link_changed)
    async with app.run_test(size=(120, 40)) as pilot:
        await until_stage(pilot, Stage.RESULTS)
        yield app, pilot


def burst(app: OharaApp, *keys: str) -> None:
    """Keys that are there before the first of them was heard of."""
    for key in keys:
        is_character = len(key) == 1
        name = _character_to_key(key) if is_character else key
        app.post_message(events.Key(name, key if is_character else None))


@pytest.mark.anyio
async def test_tab_in_the_dialog_waits_for_the_choices_of_what_was_typed(parcel: Path) -> None:
    async with with_slow_names(parcel) as (app, pilot):
        await pilot.press("f")
        dialog = app.screen
        assert isinstance(dialog, FiltersScreen)
        author, path = list(dialog.query(Input))[:2]
        burst(app, *"bob ad", "tab")
        await until(pilot, lambda: author.value == 'bob "Ada Moreau"', author.value)
        assert author.has_focus
        await pilot.press("tab")  # through the choices, of which there is one
        assert author.value == 'bob "Ada Moreau"'
        burst(app, *" nobody-of-that-name", "tab", *"docs/")
        await until(pilot, lambda: path.value == "docs/", path.value)
        assert author.value == 'bob "Ada Moreau" nobody-of-that-name'


@pytest.mark.anyio
async def test_tab_in_the_bar_waits_for_the_choices_of_what_was_typed(parcel: Path) -> None:
    async with with_slow_names(parcel) as (app, pilot):
        await pilot.press("slash")
        burst(app, "end", *" author:ad", "tab")
        await until(pilot, lambda: app.search.bar.input.value.endswith('author:"Ada Moreau"'))
        assert app.search.bar.input.has_focus
