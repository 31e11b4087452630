"""States without hits: no index, errors, a service that goes away; and a session that comes back."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from fixtures import histories
from fixtures.git import init
from fixtures.script import History
from ohara import client, wire
from tests.tui.driving import SteadyLink, app_for, running, text_of, until, until_stage
from tui import session as sessions
from tui.link import LinkState
from tui.query_draft import QueryDraft
from tui.search_state import Stage

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.model import Results

pytestmark = pytest.mark.anyio


@pytest.mark.usefixtures("parcel")
async def test_one_key_indexes_a_repository_and_then_it_can_be_searched(tmp_path: Path) -> None:
    fresh = histories.three_commits(tmp_path / "fresh")
    app = app_for(fresh.path)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.search.finder.state.stage is Stage.NOT_INDEXED)
        await until(pilot, lambda: app.search.finder.state.commits == 3)
        shown = text_of(app)
        assert "fresh is not indexed yet" in shown
        assert "3 commits" in shown
        await pilot.press("i")
        await until_stage(pilot, Stage.WELCOME)
        assert "3 commits" in text_of(app)
        await pilot.press(*"greet")  # the bar has the focus by itself
        await until_stage(pilot, Stage.RESULTS)
        assert app.search.results.hits[0].path == "hello.py"


@pytest.mark.usefixtures("parcel")
async def test_a_small_screen_has_room_for_what_can_be_chosen(tmp_path: Path) -> None:
    fresh = histories.three_commits(tmp_path / "fresh")
    app = app_for(fresh.path)
    async with app.run_test(size=(40, 12)) as pilot:
        await until(pilot, lambda: app.search.finder.state.stage is Stage.NOT_INDEXED)
        await until(pilot, lambda: "▌  Index it now" in text_of(app), "the choice that enter takes")
        await until(pilot, lambda: "3 commits: about a second to …" in text_of(app), "a mark where it is cut")
        await pilot.press("escape", "down")
        await until(pilot, lambda: "▌  Choose another repository" in text_of(app))
        await pilot.resize_terminal(100, 30)
        await until(pilot, lambda: "Index it now" in text_of(app) and "answers take milli" in text_of(app))
        assert "…" not in text_of(app).replace(app.search.bar.input.placeholder, "")


@pytest.mark.usefixtures("parcel")
async def test_one_commit_is_one_commit(tmp_path: Path) -> None:
    with History(tmp_path / "lone") as history:
        history.commit("Begin", {"a.py": "x = 1\n"})
    app = app_for(history.repo.path)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.search.finder.state.commits == 1)
        await pilot.press("i")
        await until_stage(pilot, Stage.WELCOME)
        await until(pilot, lambda: text_of(app).count("1 commit") == 2, "said above and below")
        assert "1 commits" not in text_of(app)


@pytest.mark.usefixtures("parcel")
async def test_a_repository_without_commits_says_so(tmp_path: Path) -> None:
    empty = init(tmp_path / "empty")
    app = app_for(empty.path)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.search.finder.state.stage is Stage.NOT_INDEXED)
        await until(pilot, lambda: "It has no commits yet." in text_of(app))
        await pilot.press("i")
        await until(pilot, lambda: "empty has no commits yet" in text_of(app))
        await pilot.press(*"greet")
        await until_stage(pilot, Stage.NOTHING)
        await until(pilot, lambda: "empty has no commits yet" in text_of(app))
        assert "Nothing found" not in text_of(app)


@pytest.mark.usefixtures("parcel")
async def test_outside_of_a_repository_it_says_so_and_offers_others(tmp_path: Path) -> None:
    app = app_for(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.search.finder.state.stage is Stage.NO_REPOSITORY)
        shown = text_of(app)
        assert "No repository here" in shown
        assert "ctrl+r" in shown


async def test_an_error_is_told_with_its_hint_and_can_be_tried_again(parcel: Path) -> None:
    async with running(parcel, "upload ref:no-such-branch") as (app, pilot):
        await until_stage(pilot, Stage.ERROR)
        shown = text_of(app)
        assert "no-such-branch" in shown
        assert "Ask again" in shown
        await pilot.press("home", "backspace")
        await until_stage(pilot, Stage.RESULTS)
        assert app.search.bar.draft == QueryDraft("upload")


async def test_a_service_that_goes_away_is_said_and_comes_back_by_itself(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        with client.connect() as ohara:
            pid = ohara.greeting.pid
        hits = app.search.results.hits
        os.kill(pid, signal.SIGTERM)
        await until(pilot, lambda: app.search.finder.state.link is LinkState.GONE)
        assert "service gone" in text_of(app)
        assert app.search.results.hits == hits  # what is there stays readable
        app.search.bar.show(QueryDraft("retry"))
        await until_stage(pilot, Stage.RESULTS)
        assert app.search.finder.state.source == "retry"
        with client.connect() as ohara:
            assert ohara.greeting.pid != pid


class Lame(SteadyLink):
    """A service whose symbol lane is always late."""

    async def find(self, request: wire.Find) -> Results:
        from dataclasses import replace

        from ohara.model import LaneStatus

        results = await super().find(request)
        lanes = tuple(
            replace(lane, status=LaneStatus.TIMEOUT) if lane.name == "symbol" else lane
            for lane in results.lanes
        )
        return replace(results, lanes=lanes)


async def test_a_lane_that_was_late_is_said_plainly(parcel: Path) -> None:
    app = app_for(parcel, "upload")
    app.link = Lame(app.link_changed)
    async with app.run_test(size=(140, 40)) as pilot:
        await until_stage(pilot, Stage.RESULTS)
        assert "⚠ symbol took too long" in text_of(app)


async def test_the_welcome_offers_examples_and_a_choice_asks_it(parcel: Path) -> None:
    async with running(parcel) as (app, pilot):
        assert "Search the history of parcel" in text_of(app)
        await pilot.press("down")
        chosen = app.search.advice.chosen
        assert chosen is not None
        await pilot.press("enter")
        await until_stage(pilot, Stage.RESULTS, Stage.NOTHING)
        assert app.search.finder.state.source == chosen.query


async def test_the_session_comes_back(parcel: Path) -> None:
    async with running(parcel, "upload lang:python") as (app, pilot):
        await pilot.press("enter", "T", *"light", "enter")
        await until(pilot, lambda: app.screen is app.search)
        await pilot.press("vertical_line", "number_sign", ")")
        share = app.search.panes.share
        assert app.theme == "light"
    again = app_for(parcel)
    assert again.session.theme == "light"
    assert again.session.queries[0].source == "upload lang:python"
    async with again.run_test(size=(120, 40)) as pilot:
        await until_stage(pilot, Stage.RESULTS)
        assert again.search.bar.draft == QueryDraft("upload", ("lang:python",))
        assert again.search.diff.is_split
        assert not again.search.diff.shows_numbers
        assert again.search.panes.share == share


async def test_older_queries_are_taken_back_in_the_bar(parcel: Path) -> None:
    sessions.save(
        sessions.Session()
        .with_query(str(parcel), "first")
        .with_query("/elsewhere", "other")
        .with_query(str(parcel), "upload")
    )
    async with running(parcel) as (app, pilot):
        await pilot.press("ctrl+up")
        assert app.search.bar.draft.text == "upload"
        await pilot.press("ctrl+up")
        assert app.search.bar.draft.text == "first"
        await pilot.press("ctrl+down")
        assert app.search.bar.draft.text == "upload"


async def test_queries_that_another_ui_saved_meanwhile_are_kept(parcel: Path) -> None:
    async with running(parcel, "upload"):
        sessions.save(sessions.Session(theme="light").with_query("/elsewhere", "glob literal"))
    saved = sessions.load()
    assert [query.source for query in saved.queries] == ["upload", "glob literal"]
    assert saved.theme != "light"


def test_a_session_that_cannot_be_read_is_none(ohara_home: Path) -> None:
    (ohara_home / "state").mkdir()
    (ohara_home / "state" / sessions.FILE).write_text('{"repository": 3}')
    assert sessions.load() == sessions.Session()
    assert sessions.save(sessions.Session(repository="/x"))
    assert sessions.load().repository == "/x"


async def test_a_small_screen_stacks_the_panes_and_a_larger_one_sets_them_side_by_side(parcel: Path) -> None:
    async with running(parcel, "upload", size=(80, 24)) as (app, pilot):
        results, diff = app.search.results.region, app.search.diff.region
        assert results.bottom <= diff.y
        assert results.width == diff.width == 80
        await pilot.resize_terminal(140, 40)
        await pilot.pause()
        results, diff = app.search.results.region, app.search.diff.region
        assert results.right <= diff.x
        assert results.y == diff.y


@pytest.mark.parametrize("at", [0, 7])
async def test_the_selected_hit_is_seen_whatever_the_size_of_the_screen(parcel: Path, at: int) -> None:
    async with running(parcel, "upload", asked=True) as (app, pilot):
        results = app.search.results
        results.move_to(at)
        for size in ((80, 24), (40, 12), (200, 60), (40, 12), (120, 40)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda: "\n│▌" in text_of(app), f"{size}")
            for by in (1, -1):
                results.move(by)
                await pilot.pause()
                assert "\n│▌" in text_of(app), (size, by)
        results.scroll_to(y=results.max_scroll_y, animate=False)
        await until(pilot, lambda: "\n│▌" not in text_of(app))
        results.move_to(at)
        await until(pilot, lambda: "\n│▌" in text_of(app))


async def test_the_palette_finds_actions_queries_and_themes(parcel: Path) -> None:
    sessions.save(sessions.Session().with_query(str(parcel), "[bold]upload[/] author:ada"))
    async with running(parcel) as (app, pilot):
        await pilot.press("ctrl+p", *"theme: li")
        await until(pilot, lambda: "Theme: light" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.theme == "light")
        await pilot.press("ctrl+p", *"ask")
        await until(pilot, lambda: "Ask: [bold]upload[/] author:ada" in text_of(app))


async def test_help_begins_with_the_pane_that_has_the_focus(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        await pilot.press("f1")
        shown = text_of(app)
        assert shown.index("Query bar") < shown.index("Go to the list")
        await pilot.press("escape", "enter", "tab", "question_mark")
        first = next(line for line in text_of(app).splitlines() if "Diff" in line or "Query bar" in line)
        assert "Diff" in first
