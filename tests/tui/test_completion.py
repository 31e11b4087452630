"""Filters are completed in the bar: names, and values that there are in the repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.driving import running, text_of, until, until_stage
from tui.completion import Known, complete
from tui.git_process import known_names
from tui.search_state import Stage

if TYPE_CHECKING:
    from pathlib import Path

KNOWN = Known(
    authors=("Ada Moreau", "bob", "Adam"),
    paths=("src/net/client.py", "src/net/server.py", "src/util.py", "README.md"),
    refs=("main", "release/1.0", "v1.0"),
    symbols=("Client.send", "retry"),
)


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("au", ["author:"]),
        ("retry la", ["lang:"]),
        ("retry -pa", ["path:"]),
        ("author:a", ['author:"Ada Moreau"', "author:Adam"]),
        ('author:"Ada M', ['author:"Ada Moreau"']),
        ("path:", ["path:src/", "path:README.md"]),
        ("path:src/", ["path:src/net/", "path:src/util.py"]),
        ("path:client", ["path:src/net/client.py"]),
        ("file:src/n", ["file:src/net/"]),
        ("ref:1", ["ref:release/1.0", "ref:v1.0"]),
        ("symbol:send", ["symbol:Client.send"]),
        ("ext:", ["ext:py", "ext:md"]),
        ("is:g", ["is:gone"]),
        ("kind:re", ["kind:renamed"]),
        ("since:t", ["since:today", "since:yesterday"]),
    ],
)
def test_what_is_begun_is_completed(text: str, choices: list[str]) -> None:
    found = complete(text, KNOWN)
    assert found is not None
    assert list(found.choices) == choices
    assert found.text(0).endswith(choices[0])


@pytest.mark.parametrize("text", ["", "retry", "a", "std::move", "http://x", "retry ", '"au', "message:fix"])
def test_what_is_no_filter_is_left_alone(text: str) -> None:
    assert complete(text, KNOWN) is None


@given(st.text(max_size=30))
def test_nothing_that_is_typed_makes_it_stumble(text: str) -> None:
    found = complete(text, KNOWN)
    assert found is None or found.text(0) != text


@pytest.mark.anyio
async def test_names_come_from_the_repository(parcel: Path) -> None:
    known = await known_names(parcel)
    assert "Ada Moreau" in known.authors
    assert "parcel/upload.py" in known.paths
    assert "main" in known.refs
    assert (await known_names("/nowhere")) == Known()


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
        await pilot.press(*"lang:p", "tab", "tab")
        first, second = (line for line in ("lang:perl", "lang:php"))
        assert bar.draft.text.split()[-1] in {first, second, "lang:powershell", "lang:python", "lang:proto"}
        await pilot.press("ctrl+u")
        await until_stage(pilot, Stage.WELCOME)
        await pilot.press("tab")
        assert not bar.input.has_focus  # nothing to complete: the next pane
