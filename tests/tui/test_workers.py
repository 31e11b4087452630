"""Work in the background of a screen: its answer may come while the screen is taken away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import anyio.lowlevel
import pytest
from textual.worker import WorkerFailed

from tests.tui.driving import running, until
from tui.screens.commit import CommitScreen

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio


async def test_an_answer_for_what_is_being_taken_away_is_no_fault(parcel: Path) -> None:
    drawn: list[bool] = []
    async with running(parcel, "upload", asked=True) as (app, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, CommitScreen))
        screen = app.screen
        assert isinstance(screen, CommitScreen)
        diff = screen.diff

        async def late() -> None:
            while diff.is_attached:
                await anyio.lowlevel.checkpoint()
            drawn.append(screen.is_attached)
            diff.notify_style_update()
            diff.repaint()

        screen.start_worker(late, group="late")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.search and drawn)
    assert drawn


async def test_a_fault_in_what_is_shown_is_one(parcel: Path) -> None:
    async def faulty() -> None:
        raise KeyError("of ours")

    async def fail() -> None:
        async with running(parcel) as (app, pilot):
            app.search.start_worker(faulty, group="faulty")
            await pilot.pause()

    with pytest.raises(WorkerFailed, match="of ours"):
        await fail()
