"""What is typed, pasted or half typed in the query bar, against a real service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual import events

from tests.tui.driving import running, text_of, until, until_stage
from tui import session as sessions
from tui.cells import cell_width
from tui.query_draft import QueryDraft
from tui.search_state import Stage
from tui.widgets.query_bar import Chip, chip_labels

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio

UNREADABLE = {
    '"def rows': "the quote is not closed yet",
    "upload since:20x": "20x",
    "/foo(": "the expression is not closed yet",
    "upload lang:": "lang: has no value yet",
    "/foo(/": "foo(",
}


@pytest.mark.parametrize("typed", UNREADABLE)
async def test_enter_on_what_cannot_be_read_keeps_it_and_says_why(parcel: Path, typed: str) -> None:
    sessions.save(sessions.Session().with_query(str(parcel), "retry author:ada"))
    async with running(parcel) as (app, pilot):
        bar = app.search.bar
        bar.input.insert_text_at_cursor(typed)
        await pilot.press("enter", "enter")
        await until(pilot, lambda: UNREADABLE[typed] in str(bar.border_subtitle), typed)
        assert bar.draft.text == typed
        assert app.search.finder.state.results is None
        assert app.search.finder.state.stage in {Stage.WELCOME, Stage.ERROR}
        assert UNREADABLE[typed] in text_of(app)


@pytest.mark.parametrize("typed", ['"upl', "/up[", "/upl", "lang:", 'author:"Ada'])
async def test_what_is_half_typed_says_what_is_missing_and_keeps_the_last_answer(
    parcel: Path, typed: str
) -> None:
    async with running(parcel, "upload") as (app, pilot):
        before = app.search.finder.state.results
        await pilot.press("space")
        app.search.bar.input.insert_text_at_cursor(typed)
        await until(pilot, lambda: app.search.finder.state.is_typing)
        assert app.search.finder.state.results is before
        assert "yet" in text_of(app).splitlines()[2]
        assert "✗" not in text_of(app)
        await pilot.press(*["backspace"] * len(typed))
        await until(pilot, lambda: not app.search.finder.state.complaint)


async def test_one_slash_before_a_word_may_be_text_once_enter_says_so(parcel: Path) -> None:
    async with running(parcel) as (app, pilot):
        await pilot.press("slash", *"upload")
        await until(pilot, lambda: app.search.finder.state.is_typing)
        await pilot.press("enter")
        await until_stage(pilot, Stage.RESULTS)
        assert app.search.finder.state.source == "/upload"


async def test_lines_that_are_pasted_are_all_searched_for(parcel: Path) -> None:
    code = "def upload(path):\n    retry = 3\n\n    return send(path, retry)\n"
    async with running(parcel, "lang:python") as (app, pilot):
        app.search.bar.input.post_message(events.Paste(code))
        await until(pilot, lambda: app.search.bar.draft.sample is not None)
        draft = app.search.bar.draft
        assert draft.sample is not None
        assert draft.sample.code.splitlines() == [line for line in code.splitlines() if line]
        assert draft.chips == ("lang:python",)
        await until_stage(pilot, Stage.RESULTS)
        assert "pasted: 3 lines" in text_of(app)
        app.search.bar.show(QueryDraft())
        app.search.bar.input.post_message(events.Paste("upload\n"))
        await until(pilot, lambda: app.search.bar.draft == QueryDraft("upload"))


async def test_chips_never_overflow_the_bar(parcel: Path) -> None:
    chips = ("author:ada", "path:parcel/transfer/**", "lang:python", "since:2019-01-01", "until:2024-12-31")
    async with running(parcel, "upload " + " ".join(chips)) as (app, pilot):
        for width in (120, 80, 200):
            await pilot.resize_terminal(width, 40)
            await pilot.pause()
            drawn = [*app.search.bar.query(Chip)]
            assert drawn
            assert all(chip.region.right <= app.search.bar.input.region.x for chip in drawn)
            assert app.search.bar.input.region.width >= width // 4
            assert app.search.bar.input.region.right < width
        assert len(drawn) == len(chips)


def test_labels_of_chips_give_way_to_each_other() -> None:
    assert chip_labels(["lang:python"], 40) == ["lang:python"]
    long = ["path:" + "x" * 40, "author:ada", "since:2020"]
    shown = chip_labels(long, 60)
    assert shown[1:] == long[1:]
    assert sum(cell_width(label) + 5 for label in shown) <= 60
    assert chip_labels(long, 20) == ["since:2020"]
