"""Searching on screen, against a real service and a real index."""

from __future__ import annotations

import time
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from ohara import client, wire
from ohara.fate_phrase import MARKS
from ohara.model import Group, SearchOptions
from ohara.sanitize import sanitize
from tests.tui.driving import NOW, SteadyLink, app_for, running, text_of, until, until_complete, until_stage
from tui.diff.rows import RowKind
from tui.formats import day, ordinal
from tui.query_draft import QueryDraft
from tui.search_state import Stage, index_of_hit

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from textual.pilot import Pilot

    from fixtures.git import Repo
    from ohara.model import Hit, HunkId, Results
    from tui.app import OharaApp

pytestmark = pytest.mark.anyio


async def test_typing_finds_what_the_service_finds(parcel: Path) -> None:
    with client.connect() as ohara:
        expected = ohara.send(
            wire.Find(repo=str(parcel), query="retry", options=SearchOptions(k=30, rerank=False))
        ).results
    async with running(parcel) as (app, pilot):
        await pilot.press(*"retry")
        await until_stage(pilot, Stage.RESULTS)
        assert [hit.commit.sha for hit in app.search.results.hits] == [
            hit.commit.sha for hit in expected.hits
        ]
        assert app.search.diff.hits[0] == app.search.results.hits[0]
        shown = text_of(app)
        assert expected.hits[0].commit.sha[:8] in shown
        assert expected.hits[0].commit.subject[:20] in shown
        assert f"1st of {len(expected.hits)}" in shown
        assert "searched all" in shown


async def test_the_list_is_grouped_by_thread_and_again_by_commit(parcel: Path) -> None:
    with client.connect() as ohara:
        options = SearchOptions(k=30, rerank=False, group=Group.THREAD)
        expected = ohara.send(wire.Find(repo=str(parcel), query="retry", options=options)).results
    async with running(parcel, "retry") as (app, pilot):
        by_commit = [hit.hunk for hit in app.search.results.hits]
        await pilot.press("enter", "a")
        await until(pilot, lambda: app.search.finder.state.group == "thread")
        await until_stage(pilot, Stage.RESULTS)
        assert [hit.hunk for hit in app.search.results.hits] == [hit.hunk for hit in expected.hits]
        assert len(expected.hits) < len(by_commit)
        threads = {thread.id: thread for thread in expected.threads}
        at = next(at for at, hit in enumerate(expected.hits) if hit.thread in threads)
        app.search.results.move_to(at)
        await pilot.pause()
        thread = next(each for each in expected.threads if each.id == expected.hits[at].thread)
        shown = text_of(app)
        assert f"≡{len(thread.commits)} {thread.title[:20]}" in shown
        assert f"{ordinal(at + 1)} of {len(expected.hits)} threads" in shown
        for commit in thread.commits:
            assert commit.fate is not None
            assert f"{MARKS[commit.fate.state]} {commit.sha[:10]}" in shown
        await pilot.press("a")
        await until(pilot, lambda: app.search.finder.state.group == "commit")
        await until_stage(pilot, Stage.RESULTS)
        assert [hit.hunk for hit in app.search.results.hits] == by_commit
        assert app.search.diff._document.rows[0].kind is RowKind.TITLE


class Listed(SteadyLink):
    """Notes what is asked, further pages apart, and what is given up; one for `slow` is never answered."""

    asked: list[str]
    given_up: list[str]

    async def find(self, request: wire.Find) -> Results:
        if isinstance(request.query, str):  # a commit, for the preview
            return await super().find(request)
        source = request.query.source
        if request.options.after is None:
            self.asked.append(source)
        try:
            if source == "slow":
                import anyio

                await anyio.sleep_forever()
            return await super().find(request)
        except BaseException:
            self.given_up.append(source)
            raise


@asynccontextmanager
async def asking_slowly(repository: Path) -> AsyncIterator[tuple[OharaApp, Pilot[None], Listed]]:
    """An app that waits for an answer that never comes."""
    app = app_for(repository)
    app.link = link = Listed(app.link_changed)
    link.asked, link.given_up = [], []
    async with app.run_test(size=(120, 40)) as pilot:
        await until_stage(pilot, Stage.WELCOME)
        app.search.bar.show(QueryDraft("slow"))
        await until(pilot, lambda: "slow" in link.asked)
        yield app, pilot, link


async def test_a_question_nobody_asks_any_more_is_given_up_and_its_answer_never_shown(parcel: Path) -> None:
    async with asking_slowly(parcel) as (app, pilot, link):
        app.search.bar.show(QueryDraft("retry"))
        await until_stage(pilot, Stage.RESULTS)
        assert link.given_up == ["slow"]
        assert app.search.finder.state.source == "retry"


async def test_a_key_gives_up_the_question_before_it_at_once(parcel: Path) -> None:
    async with asking_slowly(parcel) as (app, pilot, link):
        app.search.bar.input.focus()
        app.search.asking.ask_soon()
        await until(pilot, lambda: link.given_up == ["slow"])
        assert link.asked == ["slow"]  # before the next one is asked


async def test_a_key_and_its_taking_back_still_settle_the_order(parcel: Path) -> None:
    app = app_for(parcel)
    app.link = link = Backwards(app.link_changed)
    async with app.run_test(size=(120, 40)) as pilot:
        app.reranks = True
        link.hold()
        await until_stage(pilot, Stage.WELCOME)
        await pilot.press(*"retry")
        await until_stage(pilot, Stage.RESULTS)
        first = app.search.results.hits[0]
        await pilot.press("x", "backspace")
        link.gate.set()
        await until(pilot, lambda: app.search.finder.state.reranked)
        assert app.search.finder.state.source == "retry"
        assert app.search.results.hits[-1].hunk == first.hunk


async def test_the_diff_follows_an_answer_that_came_while_typing(parcel: Path) -> None:
    async with running(parcel, "retry") as (app, pilot):
        before = app.search.diff.hits[0]
        assert app.search.bar.input.has_focus
        app.search.bar.show(QueryDraft("timeout"))
        await until(pilot, lambda: app.search.finder.state.source == "timeout")
        await until_stage(pilot, Stage.RESULTS)
        first = app.search.results.hits[0]
        assert first.hunk != before.hunk
        await until(pilot, lambda: app.search.diff.hits[0].hunk == first.hunk, "the diff follows")


async def test_a_view_that_finds_nothing_is_left_by_the_key_that_entered_it(parcel: Path) -> None:
    async with running(parcel, "uploading", asked=True) as (app, pilot):
        assert app.search.results.has_focus
        await pilot.press("dollar_sign")
        await until(pilot, lambda: app.search.bar.draft.is_pattern and not app.search.finder.state.hits)
        await until(pilot, lambda: app.search.advice.has_focus)
        await pilot.press("dollar_sign")
        await until_stage(pilot, Stage.RESULTS)
        assert app.search.bar.draft == QueryDraft("uploading")
        assert app.search.results.has_focus


async def test_keys_in_quick_succession_ask_once(parcel: Path) -> None:
    app = app_for(parcel)
    app.link = link = Listed(app.link_changed)
    link.asked, link.given_up = [], []
    async with app.run_test(size=(120, 40)) as pilot:
        await until_stage(pilot, Stage.WELCOME)
        app.search.bar.show(QueryDraft("r"))
        app.search.bar.show(QueryDraft("re"))
        app.search.bar.show(QueryDraft("retry"))
        await until_stage(pilot, Stage.RESULTS)
        assert link.asked == ["retry"]


class Backwards(SteadyLink):
    """A reranker that turns the order round, when it is let."""

    def hold(self) -> None:
        import anyio

        self.gate = anyio.Event()
        self.turned: list[list[HunkId]] = []

    async def find(self, request: wire.Find) -> Results:
        results = await super().find(request)
        if request.options.rerank:
            await self.gate.wait()
            self.turned.append([hit.hunk for hit in reversed(results.hits)])
            return replace(results, hits=tuple(reversed(results.hits)))
        return results


class Rescored(Backwards):
    """A reranker that leaves the order, but not the scores."""

    async def find(self, request: wire.Find) -> Results:
        results = await super().find(request)
        hits = tuple(replace(hit, rerank=0.5) for hit in reversed(results.hits))
        return replace(results, hits=hits) if request.options.rerank else results


async def test_a_reranked_list_still_begins_with_its_first_hit(parcel: Path) -> None:
    app = app_for(parcel, "upload")
    app.reranks = True
    app.link = link = Backwards(app.link_changed)
    async with app.run_test(size=(120, 34)) as pilot:
        link.hold()
        await until_stage(pilot, Stage.RESULTS)
        last = app.search.results.hits[5]
        for _ in range(5):
            await pilot.press("down")
        first = app.search.results.hits[0]
        link.gate.set()
        # By hunks: between two answers scores differ by the time that has passed.
        await until(pilot, lambda: app.search.results.hits[0].hunk != first.hunk)
        results = app.search.results
        assert results.selected is not None
        assert results.selected.hunk == last.hunk
        place = 2 * results.position
        assert 0 < results.scroll_offset.y <= place < results.scroll_offset.y + results.size.height
        assert results.scroll_offset.y == place - 2 * 5  # where it stood
        results.show(results.hits)
        results.show((*results.hits[1:4], results.hits[0], *results.hits[4:]), keep=True)
        await pilot.pause()
        assert (results.position, results.scroll_offset.y) == (3, 0)


async def test_reranking_leaves_the_diff_where_it_is_read(parcel: Path) -> None:
    app = app_for(parcel, "upload")
    app.reranks = True
    app.link = link = Rescored(app.link_changed)
    async with app.run_test(size=(120, 40)) as pilot:
        link.hold()
        await until_stage(pilot, Stage.RESULTS)
        await pilot.press("enter", "tab")
        diff = app.search.diff
        assert diff.has_focus
        opened = diff.cursor
        await pilot.press("J", "J")
        assert diff.cursor == opened + 2
        link.gate.set()
        await until(pilot, lambda: app.search.results.hits[0].rerank == 0.5)
        assert diff.cursor == opened + 2
        assert diff.hits[0] == app.search.selected


async def test_reranking_leaves_a_cursor_that_nobody_moved_on_the_first_hit(parcel: Path) -> None:
    app = app_for(parcel, "upload")
    app.reranks = True
    app.link = link = Backwards(app.link_changed)
    async with app.run_test(size=(120, 40)) as pilot:
        link.hold()
        await until_stage(pilot, Stage.RESULTS)
        fused = app.search.results.hits
        link.gate.set()
        await until(pilot, lambda: app.search.results.hits[0].hunk == fused[-1].hunk)
        assert app.search.results.position == 0
        await until(pilot, lambda: app.search.diff.hits[0].hunk == fused[-1].hunk)


async def test_the_reranked_order_settles_with_the_cursor_on_the_same_hit(parcel: Path) -> None:
    app = app_for(parcel, "upload")
    app.reranks = True
    app.link = link = Backwards(app.link_changed)
    async with app.run_test(size=(120, 40)) as pilot:
        link.hold()
        await until_stage(pilot, Stage.RESULTS)
        fused = app.search.results.hits
        assert len(fused) > 3
        await pilot.press("down", "down")
        selected = app.search.results.selected

        def shown() -> list[HunkId]:
            return [hit.hunk for hit in app.search.results.hits]

        assert selected is not None
        assert selected.hunk == fused[2].hunk  # scores differ by the time between two answers
        link.gate.set()

        # The next page may be there by then, behind the one that was turned round.
        await until(pilot, lambda: link.turned and shown()[: len(link.turned[0])] == link.turned[0])
        assert app.search.results.selected is not None
        assert app.search.results.selected.hunk == selected.hunk
        assert app.search.results.position == shown().index(selected.hunk) > 2


async def test_without_a_reranker_the_service_is_asked_once(parcel: Path) -> None:
    app = app_for(parcel, "upload")
    assert not app.reranks  # the settings of these tests have none
    app.link = link = Listed(app.link_changed)
    link.asked, link.given_up = [], []
    async with app.run_test(size=(120, 40)) as pilot:
        await until_stage(pilot, Stage.RESULTS)
        await pilot.pause(0.2)
        assert link.asked.count("upload") == 1


async def test_arrows_move_the_list_from_the_query_bar_and_the_diff_follows(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        assert app.search.bar.input.has_focus
        await pilot.press("down", "down", "up")
        second = app.search.results.hits[1]
        assert app.search.results.selected == second
        assert app.search.diff.hits[0] == second
        assert app.search.bar.input.has_focus
        await pilot.press("s")
        assert app.search.bar.draft.text == "uploads"  # a letter is text in the bar


async def test_escape_steps_back_exactly_one_level(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        await pilot.press("enter")
        assert app.search.results.has_focus
        await pilot.press("tab")
        assert app.search.diff.has_focus
        await pilot.press("w")
        assert len(app.screen_stack) == 2
        await pilot.press("escape")
        assert len(app.screen_stack) == 1
        assert app.search.diff.has_focus
        await pilot.press("escape")
        assert app.search.results.has_focus
        await pilot.press("escape")
        assert app.search.results.has_focus
        assert app.is_running


async def test_escape_in_the_bar_goes_to_the_list_and_keeps_the_words(parcel: Path) -> None:
    async with running(parcel, "upload lang:python") as (app, pilot):
        assert app.search.bar.input.has_focus
        await pilot.press("escape")
        assert app.search.results.has_focus
        assert app.search.bar.draft == QueryDraft("upload", ("lang:python",))
        await pilot.press("slash", "ctrl+u")
        await until_stage(pilot, Stage.WELCOME)
        assert app.search.bar.draft.is_empty
        await pilot.press("escape")
        assert app.search.advice.has_focus
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running, "the end")


async def test_a_question_of_the_command_line_opens_with_its_list_focused(parcel: Path) -> None:
    async with running(parcel, "upload", asked=True) as (app, pilot):
        assert app.search.results.has_focus
        await pilot.press("j")
        assert app.search.results.position == 1
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running, "the end")
    async with running(parcel, "zzzunheardof", asked=True) as (app, pilot):
        assert app.search.bar.draft.text == "zzzunheardof"
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running, "the end")


async def test_a_typed_filter_becomes_a_chip_and_backspace_takes_it_away(parcel: Path) -> None:
    async with running(parcel) as (app, pilot):
        await pilot.press(*"upload lang:py")
        assert app.search.bar.draft == QueryDraft("upload lang:py")
        await pilot.press("space")
        assert app.search.bar.draft == QueryDraft("upload ", ("lang:python",))
        await until_stage(pilot, Stage.RESULTS)
        assert all(hit.path.endswith(".py") for hit in app.search.results.hits)
        assert "lang:python" in text_of(app)
        await pilot.press("home", "backspace")
        assert app.search.bar.draft.chips == ()
        await until_stage(pilot, Stage.RESULTS)
        assert not all(hit.path.endswith(".py") for hit in app.search.results.hits)


async def test_a_filter_typed_before_the_words_becomes_a_chip_too(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        await pilot.press("home", *"retry lang:py ")
        await until_stage(pilot, Stage.RESULTS)
        assert app.search.bar.draft == QueryDraft("retry upload", ("lang:python",))
        assert app.search.bar.input.cursor_position == len("retry ")
        await pilot.press("x")
        assert app.search.bar.draft.text == "retry xupload"


async def test_a_click_on_a_chip_takes_it_away(parcel: Path) -> None:
    async with running(parcel, "upload lang:python") as (app, pilot):
        await pilot.click("Chip")
        await pilot.pause()
        assert app.search.bar.draft == QueryDraft("upload")


async def test_a_query_in_the_making_keeps_the_old_hits_and_says_what_is_wrong(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        before = app.search.results.hits
        app.search.bar.show(QueryDraft("upload lang:klingon"))
        await until(pilot, lambda: app.search.finder.state.complaint)
        assert app.search.results.hits[: len(before)] == before  # and perhaps their next page
        assert "is not a language that ohara knows" in text_of(app)


async def test_the_filter_dialog_speaks_the_same_grammar(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        await pilot.press("enter", "f")
        assert "Filters" in text_of(app)
        await pilot.press("down", "down", "down", *"klingon", "enter")
        await until(pilot, lambda: "is not a language that ohara knows" in text_of(app))
        await pilot.press("ctrl+d", *"py", "enter")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        await until_stage(pilot, Stage.RESULTS)
        assert app.search.bar.draft == QueryDraft("upload", ("lang:python",))


async def test_filters_without_a_field_are_named_in_the_dialog_and_stay(parcel: Path) -> None:
    async with running(parcel, "upload is:alive -author:bob lang:python", size=(80, 24)) as (app, pilot):
        before = app.search.bar.draft
        assert set(before.chips) == {"is:alive", "-author:bob", "lang:python"}
        await pilot.press("enter", "f")
        assert "is:alive  -author:bob" in text_of(app)
        await until(pilot, lambda: "Ada Moreau" in text_of(app), "room for the choices below")
        await pilot.press("enter")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        assert app.search.bar.draft == before
        await pilot.press("f", "ctrl+d", "down", "down", "down", "down", *"py", "enter")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        assert app.search.bar.draft == QueryDraft("upload", ("is:alive", "-author:bob", "ext:py"))
        await pilot.press("f", "ctrl+d", "enter")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        assert app.search.bar.draft == QueryDraft("upload", ("is:alive", "-author:bob"))


async def test_nothing_found_says_which_filter_to_drop_and_one_key_drops_it(parcel: Path) -> None:
    async with running(parcel, "upload author:nobody lang:python") as (app, pilot):
        await until_stage(pilot, Stage.NOTHING)
        await until(pilot, lambda: app.search.finder.state.without)
        assert app.search.finder.state.without == ("author:nobody",)
        assert "Drop author:nobody" in text_of(app)
        await pilot.press("ctrl+d")
        await until_stage(pilot, Stage.RESULTS)
        assert app.search.bar.draft.chips == ("lang:python",)


async def test_the_timeline_narrows_the_period_and_lets_go_of_it(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: app.search.finder.state.cursor is None)  # all hits are counted
        bars = [bar for bar in app.search.timeline.bars if bar.hits]
        assert len(bars) > 2
        here = app.search.results.hits[0]
        place = next(at for at, bar in enumerate(bars) if bar.since <= _month(here) <= bar.until)
        for at in range(place + 1, len(bars)):
            await pilot.press("]")
            assert app.search.bar.draft.chips == (f"since:{bars[at].since}", f"until:{bars[at].until}")
            await until_stage(pilot, Stage.RESULTS)
            assert [bar for bar in app.search.timeline.bars if bar.hits] == bars
            assert all(bars[at].since <= _month(hit) <= bars[at].until for hit in app.search.results.hits)
        assert "(narrowed)" in text_of(app)
        await pilot.press("]")
        assert app.search.bar.draft.chips[0] == f"since:{bars[-1].since}"
        for at in reversed(range(len(bars) - 1)):
            await pilot.press("[")
            assert app.search.bar.draft.chips[0] == f"since:{bars[at].since}"
            await until_stage(pilot, Stage.RESULTS)
        await pilot.press("0")
        assert app.search.bar.draft == QueryDraft("upload")
        await until_stage(pilot, Stage.RESULTS)
        assert "(narrowed)" not in text_of(app)


def _month(hit: Hit) -> str:
    return day(hit.commit.committer_time)[:7]


async def test_the_timeline_fits_its_room_even_when_nobody_told_it_of_that(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        timeline = app.search.timeline
        await until(pilot, lambda: app.search.finder.state.cursor is None)  # further pages have come
        bars = timeline.bars
        timeline._bars, timeline._laid_out = bars[:1], 0
        timeline.refresh()
        await pilot.pause()
        assert timeline.bars == bars
        assert len(bars) > 2


async def test_a_hidden_timeline_is_walked_by_the_periods_of_a_visible_one(parcel: Path) -> None:
    shown, hidden = await _walked(parcel, lines=40), await _walked(parcel, lines=24)
    assert hidden == shown
    assert len(set(hidden)) == 3
    assert {len(chip) for chips in hidden for chip in chips} == {len("since:2023-11")}  # months


async def _walked(repository: Path, lines: int) -> list[tuple[str, ...]]:
    """The periods that keys narrow to in a terminal of so many lines; in less than thirty it is hidden."""
    async with running(repository, "upload", size=(80, lines)) as (app, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: app.search.finder.state.cursor is None)
        await until_complete(pilot)
        assert app.search.timeline.display is (lines >= 30)
        periods = []
        for key in ("]", "[", "["):
            await pilot.press(key)
            periods.append(app.search.bar.draft.chips)
            await until_stage(pilot, Stage.RESULTS)
        return periods


async def test_more_like_this_asks_with_the_code_of_the_hit_and_can_be_gone_back_from(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        await pilot.press("enter", "down")
        hit = app.search.results.selected
        assert hit is not None
        await pilot.press("s")
        await until(pilot, lambda: app.search.finder.state.source == app.search.bar.draft.source != "upload")
        await until(pilot, lambda: not app.search.finder.state.loading)
        await until_stage(pilot, Stage.RESULTS)
        sample = app.search.bar.draft.sample
        assert sample is not None
        assert hit.commit.sha[:8] in sample.label
        assert app.search.results.hits
        assert hit.hunk not in {each.hunk for each in app.search.results.hits}
        await pilot.press("<")
        await until(pilot, lambda: app.search.bar.draft == QueryDraft("upload"))
        await until_stage(pilot, Stage.RESULTS)
        await until(pilot, lambda: index_of_hit(app.search.results.hits, hit) == app.search.results.position)
        await pilot.press(">")
        await until(pilot, lambda: app.search.bar.draft.sample == sample)


async def test_more_like_this_comes_best_first_also_from_a_list_by_time(parcel: Path) -> None:
    async with running(parcel, "upload retry", asked=True) as (app, pilot):
        await pilot.press("t")
        await until(pilot, lambda: app.search.finder.state.order == "newest")
        await until_stage(pilot, Stage.RESULTS)
        newest = app.search.results.selected
        await pilot.press("s")
        await until(pilot, lambda: app.search.bar.draft.sample is not None)
        await until_stage(pilot, Stage.RESULTS, Stage.NOTHING)
        assert app.search.finder.state.hits
        assert "best first" in text_of(app)
        await pilot.press("<")
        await until(pilot, lambda: app.search.results.selected == newest)
        assert "newest first" in text_of(app)


async def test_what_is_typed_in_a_burst_is_all_there_and_its_filter_a_chip(parcel: Path) -> None:
    async with running(parcel) as (app, pilot):
        for character in "upload lang:python now":  # before the bar hears of the first of them
            app.search.bar.input.insert_text_at_cursor(character)
        await until(pilot, lambda: app.search.bar.draft == QueryDraft("upload now", ("lang:python",)))
        assert app.search.bar.input.value == "upload now"


async def test_enter_makes_a_chip_of_the_filter_that_was_typed_last(parcel: Path) -> None:
    async with running(parcel, "") as (app, pilot):
        await pilot.press(*"upload", "space", *"lang", "colon", *"python")
        await until_stage(pilot, Stage.RESULTS)
        await until(pilot, lambda: app.search.finder.state.source == "upload lang:python")
        await pilot.press("down", "enter")
        assert app.search.bar.draft == QueryDraft("upload", ("lang:python",))
        assert app.search.results.position == 1
        assert app.search.results.has_focus


async def test_the_timeline_goes_by_the_time_that_the_filters_go_by(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, _):
        hit = app.search.results.hits[0]
        carried = replace(hit, commit=replace(hit.commit, author_time=0, committer_time=1_700_000_000))
        app.search.timeline.show((carried,), carried, now=NOW)
        assert [bar.since for bar in app.search.timeline.bars] == ["2023-11"]


async def test_the_newest_bar_can_be_chosen_though_its_quarter_has_not_ended(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        await pilot.press("enter")
        app.clock = time.time  # by which queries are read
        await until(pilot, lambda: app.search.finder.state.cursor is None)
        await until_complete(pilot)
        hit, now = app.search.results.hits[0], int(time.time())
        old, fresh, early = (
            replace(hit, commit=replace(hit.commit, committer_time=moment))
            for moment in (now - 12 * 365 * 86_400, now, now + 40 * 86_400)  # the last by a wrong clock
        )
        app.search.timeline.show((old, fresh, early), old, now=now)
        newest = app.search.timeline.bars[-1]
        assert (newest.months, newest.hits, newest.label) == (3, 2, f"{newest.since} to today")
        await pilot.press("]")
        assert app.search.bar.draft.chips == (f"since:{newest.since}",)
        await until_stage(pilot, Stage.NOTHING, Stage.RESULTS)
        assert app.search.finder.state.complaint == ""
        await pilot.press("0")
        assert app.search.bar.draft == QueryDraft("upload")


async def test_hits_can_be_ordered_by_date(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        await pilot.press("enter", "t")
        await until(pilot, lambda: state_order(app) == "newest")
        times = [hit.commit.author_time for hit in app.search.results.hits]
        assert times == sorted(times, reverse=True)
        assert "newest first" in text_of(app)
        await pilot.press("t")
        await until(pilot, lambda: state_order(app) == "oldest")
        times = [hit.commit.committer_time for hit in app.search.results.hits]
        assert times == sorted(times)
        assert "oldest first" in text_of(app)
        await pilot.press("t")
        await until(pilot, lambda: state_order(app) == "rank")


def state_order(app: OharaApp) -> str:
    """The order of the hits that are shown; none while they are asked for."""
    state = app.search.finder.state
    return "" if state.loading else state.order


async def test_why_tells_each_lane(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        await pilot.press("enter", "w")
        hit = app.search.results.selected
        assert hit is not None
        shown = text_of(app)
        assert "Why hit 1" in shown
        assert f"{hit.fused:.3f}" in shown
        assert all(lane in shown for lane in hit.lanes)


async def test_marks_are_kept_across_searches(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        await pilot.press("enter", "m", "m")
        assert len(app.marks) == 2
        assert "2 marks" in text_of(app)
        await pilot.press("k", "m")
        assert len(app.marks) == 1


async def test_the_list_and_its_bars_are_clicked_with_the_mouse(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        await pilot.click("#results", offset=(10, 5))  # inside the border: the third row of two lines
        assert app.search.results.position == 2
        await pilot.click("#splitter")
        before = app.search.panes.share
        await pilot.mouse_down("#splitter")
        await pilot.hover("#diff", offset=(20, 10))
        await pilot.mouse_up("#diff", offset=(20, 10))
        assert app.search.panes.share > before


async def test_ten_thousand_hits_are_a_list_like_any_other(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        some = app.search.results.hits
        many = tuple(replace(some[at % len(some)], rank=at + 1) for at in range(10_000))
        app.search.results.show(many)
        await pilot.press("enter", "end")
        assert app.search.results.position == 9_999
        last = text_of(app).splitlines()
        assert "10,000th of" in last[-2]
        assert any("▌" in line and many[-1].commit.subject[:12] in line for line in last)
        assert app.search.diff.hits[0] == many[-1]
        assert len(app.search.query("*")) < 40  # lines are drawn: no widget stands for a hit


async def test_hostile_text_reaches_the_screen_inert(parcel: Path, shared_project: Repo) -> None:
    for key in ("hostile-message", "hostile-paths", "hostile-code"):
        async with running(parcel, shared_project.sha[key]) as (app, pilot):
            await pilot.press("enter", "down")
            shown = text_of(app).replace("\n", "")
            assert sanitize(shown) == shown
            assert all(cell_len(line) == 120 for line in text_of(app).splitlines())
