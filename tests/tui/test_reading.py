"""Reading a diff: text found in it, long lines wrapped, hunks marked, the question as a command."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.model import Intent
from tests.tui.driving import running, text_of, until, until_complete
from tests.tui.hits import hit
from tests.tui.test_browse_screens import commit_shown, history_shown, said
from tui.cells import cell_width, display_line
from tui.command_line import find_command
from tui.diff.document import DiffDocument, spans_of
from tui.screens.prompt import PromptScreen

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo

anyio = pytest.mark.anyio


@anyio
async def test_text_is_found_in_a_commit_and_gone_through(
    parcel: Path, shared_project: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.commit_hunks._PAGE", 2)  # what is not fetched yet is found as well
    sha = shared_project.sha["drop-python2"]
    async with running(parcel) as (app, pilot):
        app.open_commit(sha)
        screen = await commit_shown(pilot, sha)
        await pilot.press("slash", *"import")
        assert isinstance(app.screen, PromptScreen)
        await pilot.press("enter")
        await until(pilot, lambda: "lines with import" in said(app))
        diff = screen.diff
        assert diff.has_focus
        places = diff.found
        lines = [row for row in diff._document.rows if row.is_line and "import" in row.text.lower()]
        assert len(places) == len(lines) > 4
        assert diff.cursor in places
        seen = set()
        for _ in places:
            seen.add(diff.cursor)
            await pilot.press("n")
        assert seen == set(places)
        await pilot.press("N")
        assert diff.cursor in places
        await pilot.press("slash", "ctrl+u", *"zzz", "enter")
        await until(pilot, lambda: "Nothing here holds zzz" in said(app))
        await pilot.press("slash", "escape")
        assert diff.wanted == ""


@anyio
async def test_text_is_found_in_a_preview_and_in_a_history(parcel: Path) -> None:
    async with running(parcel, "upload retry", asked=True) as (app, pilot):
        await until_complete(pilot)
        await pilot.press("tab", "slash", *"def", "enter")
        assert app.search.diff.wanted == "def"
        await pilot.press("escape", "slash")
        assert app.search.bar.input.has_focus  # from the list it is the question's key
        app.open_history(next(hit for hit in app.search.results.hits if hit.symbol))
        screen = await history_shown(pilot)
        await pilot.press("slash", *"def", "enter")
        assert screen.diff.wanted == "def"


@pytest.mark.parametrize(
    ("text", "wanted", "places"),
    [
        ("Retry the retry", "retry", [(0, 5), (10, 15)]),
        ("Retry the retry", "Retry", [(0, 5)]),
        ("aaa", "aa", [(0, 2)]),
        ("x", "", []),
    ],
)
def test_capitals_count_where_looked_for(text: str, wanted: str, places: list[tuple[int, int]]) -> None:
    assert (spans_of(text, wanted) if wanted else []) == places


@given(st.lists(st.text(alphabet="ab \t\u4e2d", max_size=60), min_size=1, max_size=8), st.integers(5, 30))
def test_a_wrapped_line_takes_as_many_as_it_needs(lines: list[str], wrap: int) -> None:
    whole = hit("\n".join(f"+{line}" for line in lines))
    cut, wrapped = DiffDocument((whole,)), DiffDocument((whole,), wrap=wrap)
    needed = [max(1, -(-cell_width(display_line(line).text) // wrap)) for line in lines]
    assert wrapped.height == cut.height + sum(needed) - len(lines)
    for position in range(wrapped.height):
        row = wrapped.row_at(position)
        assert wrapped.position_of(row) + wrapped.part_at(position) == position


@anyio
async def test_long_lines_are_wrapped_and_stay_so(parcel: Path) -> None:
    async with running(parcel, "upload retry", asked=True) as (app, pilot):
        await until_complete(pilot)
        diff = app.search.diff
        shown = "".join(strip.text for strip in (diff.render_line(at) for at in range(diff.size.height)))
        assert "…" in shown
        await pilot.press("Z")
        assert diff.wraps
        tall = diff._document.height
        assert tall > len(diff._document.rows)
        await pilot.press("tab", "G")
        assert diff.cursor == tall - 1
        await pilot.resize_terminal(200, 40)
        await pilot.pause()
        assert diff._document.height < tall
        assert app.search.panes.layout_options.wrap


@anyio
async def test_hunks_are_marked_on_every_screen(parcel: Path, shared_project: Repo) -> None:
    sha = shared_project.sha["drop-python2"]
    async with running(parcel, "upload retry") as (app, pilot):
        app.open_commit(sha)
        screen = await commit_shown(pilot, sha)
        await pilot.press("m", "m")
        assert len(app.marks) == 2
        assert "2 marks (x exports)" in text_of(app)
        assert "✓@@" in text_of(app)
        await pilot.press("x")
        await until(pilot, lambda: "Export 2 hits" in text_of(app))
        await pilot.press("escape")
        assert {mark[0] for mark in app.marks} == {sha}
        app.open_history(next(hit for hit in app.search.results.hits if hit.symbol))
        await history_shown(pilot)
        await pilot.press("m")
        assert len(app.marks) == 3
        assert screen.diff.hits


@anyio
async def test_the_question_is_copied_as_a_command(parcel: Path) -> None:
    async with running(parcel, 'upload "it\'s" lang:python', asked=True) as (app, pilot):
        await pilot.press("t")
        await until(pilot, lambda: app.search.finder.state.order == "newest")
        await pilot.press("!")
        words = shlex.split(app.clipboard)
        assert words[:6] == ["ohara", "find", "--repo", str(parcel), "--order", "newest"]
        assert words[6] == app.search.bar.draft.source


def test_a_command_says_only_what_matters() -> None:
    assert find_command("retry", repository="/r") == "ohara find --repo /r retry"
    assert find_command("x", repository="/r", index="team") == "ohara find --repo /r --index team x"
    assert find_command("-path:x a", repository="/r", intent=Intent.ENDING) == (
        "ohara find --repo /r --intent ending -- '-path:x a'"
    )
