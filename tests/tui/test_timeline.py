"""A timeline of hits of which more are to come: it says what it counts, and skips no period."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara import wire
from tests.tui.driving import NOW, SteadyLink, app_for, text_of, until, until_complete, until_stage
from tui.formats import day
from tui.query_draft import QueryDraft
from tui.search_state import Stage
from tui.timeline import Bar, bars, beside, months_between, reaching

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from textual.pilot import Pilot

    from ohara.model import Hit, Results
    from tui.app import OharaApp

MONTH = 12 * 2020
ALL_COUNTED = range(0)


class TwoFirst(SteadyLink):
    """Answers a query with two hits; the others come when they are let."""

    def __init__(self, app: OharaApp) -> None:
        super().__init__(app.link_changed)
        self.gate = anyio.Event()

    async def find(self, request: wire.Find) -> Results:
        if isinstance(request.query, str) or request.query.filters.since is not None:
            return await super().find(request)
        if request.options.after is not None:
            await self.gate.wait()
            return await super().find(request)
        options = replace(request.options, k=2)
        return await super().find(wire.Find(repo=request.repo, query=request.query, options=options))


@asynccontextmanager
async def two_first(repository: Path) -> AsyncIterator[tuple[OharaApp, Pilot[None], TwoFirst]]:
    """The app with the first two hits of a list that is longer, the focus on the first of them."""
    app = app_for(repository, "upload", asked=True)
    app.link = link = TwoFirst(app)
    async with app.run_test(size=(120, 40)) as pilot:
        await until_stage(pilot, Stage.RESULTS)
        assert [_month(hit) for hit in app.search.results.hits] == ["2022-06", "2022-03"]
        yield app, pilot, link
        link.gate.set()


def _month(hit: Hit) -> str:
    return day(hit.commit.committer_time)[:7]


@pytest.mark.anyio
async def test_hits_that_are_to_come_are_told_in_the_caption(parcel: Path) -> None:
    async with two_first(parcel) as (app, pilot, link):
        await until(pilot, lambda: "2022-03 ─ 2022-06  ▲ 2022-06: 1 of the first 2 hits" in text_of(app))
        rows = [line for line in text_of(app).splitlines() if "????? ?????" in line]  # of April and May
        assert len(rows) == 1
        link.gate.set()
        await until(pilot, lambda: app.search.finder.state.cursor is None)
        await until_complete(pilot)
        counted = sum(_month(hit) == "2022-06" for hit in app.search.results.hits)
        assert f"▲ 2022-06: {counted} hit" in text_of(app)
        assert "of the first" not in text_of(app)
        assert "?" not in text_of(app).partition("best first")[2].partition("▲")[0]


@pytest.mark.anyio
async def test_walking_skips_no_period_that_was_not_counted(parcel: Path) -> None:
    async with two_first(parcel) as (app, pilot, _):
        for month in ("2022-05", "2022-04", "2022-03", "2022-02"):
            await pilot.press("[")
            assert app.search.bar.draft.chips == (f"since:{month}", f"until:{month}")
            await until_stage(pilot, Stage.RESULTS)
            assert {_month(hit) for hit in app.search.results.hits} == {month}
        await until(pilot, lambda: "▲ 2022-02: 0 of the first 2 hits" in text_of(app))
        await pilot.press("[")
        await until_stage(pilot, Stage.NOTHING)  # which is the answer, and one can go on from it
        assert app.search.bar.draft.chips == ("since:2022-01", "until:2022-01")
        await pilot.press("[")
        assert app.search.bar.draft.chips == ("since:2021-12", "until:2021-12")
        await until_stage(pilot, Stage.NOTHING)
        await pilot.press("]", "]")
        assert app.search.bar.draft.chips == ("since:2022-02", "until:2022-02")
        await until_stage(pilot, Stage.RESULTS)
        await pilot.press("0")
        assert app.search.bar.draft == QueryDraft("upload")


@given(st.lists(st.integers(0, 3), min_size=1, max_size=9), st.integers(0, 8), st.sampled_from([-1, 1]))
def test_only_what_was_counted_and_is_empty_is_skipped(hits: list[int], here: int, by: int) -> None:
    found = tuple(Bar(MONTH + at, 1, each) for at, each in enumerate(hits))
    here = min(here, len(found) - 1)
    ahead = found[here + 1 :] if by > 0 else found[:here][::-1]
    counted = beside(found, here, by, uncounted=ALL_COUNTED, now=NOW)
    assert counted == next((bar for bar in ahead if bar.hits), None)
    anywhere = beside(found, here, by, uncounted=months_between(None, None, now=NOW), now=NOW)
    assert anywhere is not None
    assert anywhere.first_month == found[here].first_month + by


def test_walking_stays_in_the_period_of_the_query_and_before_tomorrow() -> None:
    june, year = 86_400 * 160, 86_400 * 365
    found = bars([NOW - june, NOW], 20, now=NOW)
    asked = months_between(NOW - june, None, now=NOW)
    assert beside(found, 0, -1, uncounted=asked, now=NOW) is None
    assert beside(found, len(found) - 1, 1, uncounted=asked, now=NOW) is None
    earlier = beside(found, 0, -1, uncounted=months_between(NOW - year, None, now=NOW), now=NOW)
    assert earlier == Bar(found[0].first_month - 1, 1, 0)
    past = bars([NOW - year], 20, now=NOW)
    assert beside(past, 0, 1, uncounted=months_between(None, NOW - year, now=NOW), now=NOW) is None
    assert beside((), None, -1, uncounted=asked, now=NOW) is None
    first = (Bar(1970 * 12, 120, 1),)
    assert beside(first, 0, -1, uncounted=months_between(None, None, now=NOW), now=NOW) is None


def test_the_bar_of_today_is_walked_to_without_an_end() -> None:
    found = bars([NOW - 86_400 * 31], 20, now=NOW)
    later = beside(found, 0, 1, uncounted=months_between(None, None, now=NOW), now=NOW)
    assert later is not None
    assert (later.since, later.until, later.hits) == ("2025-06", "", 0)


def test_the_strip_reaches_as_far_as_was_walked() -> None:
    found = tuple(Bar(MONTH + at, 1, 1) for at in range(4))
    assert reaching(found, found[2], 4, now=NOW) == found
    before, after = Bar(MONTH - 2, 1, 0), Bar(MONTH + 5, 1, 0)
    assert reaching(found, before, 9, now=NOW) == (before, Bar(MONTH - 1, 1, 0), *found)
    assert reaching(found, before, 4, now=NOW) == (before, Bar(MONTH - 1, 1, 0), *found[:2])
    assert reaching(found, after, 4, now=NOW) == (*found[2:], Bar(MONTH + 4, 1, 0), after)
    assert reaching(found, Bar(MONTH - 12, 12, 0), 4, now=NOW) == found  # of another width
