"""Drives the real app in tests: waits for what should come, never for a time."""

from __future__ import annotations

import time
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar, cast

import anyio

from ohara import wire
from tui.app import OharaApp
from tui.link import Link, LinkState
from tui.search_state import Stage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from textual.pilot import Pilot

    from ohara.model import Results
    from ohara.wire import JobState

R = TypeVar("R", bound=wire.Reply)

NOW = 1_750_000_000  # summer 2025: ages on screen do not depend on when a test runs
_AT_MOST_S = 30.0


class SteadyLink(Link):
    """The real link, but for the times that it tells: an answer looks the same on every machine.

    A deaf one hears nothing of what the service does of its own accord, nor of repositories that other tests
    had indexed.
    """

    deaf = False

    async def events(self) -> AsyncIterator[JobState]:
        """The real events, or none."""
        if self.deaf:
            await anyio.sleep_forever()
        async for job in super().events():
            yield job

    async def send(self, request: wire.Request[R]) -> R:
        """The real reply; `find` has a say in answers to queries."""
        if isinstance(request, wire.Find):
            found = wire.Found(id=0, results=await self.find(request))
            return cast("R", found)
        reply = await super().send(request)
        if self.deaf and isinstance(reply, wire.Repositories):
            mine = tuple(each for each in reply.repositories if each.repository.endswith("/parcel"))
            return cast("R", wire.Repositories(id=0, repositories=mine))
        return reply

    async def find(self, request: wire.Find) -> Results:
        """The real answer with made-up times."""
        results = (await super().send(request)).results
        lanes = tuple(replace(lane, elapsed_ms=3.0) for lane in results.lanes)
        return replace(results, took_ms=7.0, lanes=lanes)


def app_for(
    repository: Path,
    query: str = "",
    *,
    theme: str = "dark",
    deaf: bool = False,
    asked: bool = False,
    index: str = "",
) -> OharaApp:
    """The app as it starts in a repository, with a clock and times that stand still.

    Its query is one of the last session, and the bar has the focus, unless it is `asked` on the command line.
    """
    app = OharaApp(repository, query, index=index)
    app.is_asked = asked
    app.clock = lambda: NOW
    app.link = link = SteadyLink(app.link_changed, index=index)
    link.deaf = deaf
    app.use_theme(theme)
    app.animation_level = "none"
    return app


async def until(pilot: Pilot[None], true: Callable[[], object], what: str = "") -> None:
    """Let the app run until something holds."""
    deadline = time.monotonic() + _AT_MOST_S
    while not true():
        assert time.monotonic() < deadline, f"never happened: {what or true}"
        await pilot.pause(0.01)
    await pilot.pause()


async def until_stage(pilot: Pilot[None], *stages: Stage) -> None:
    """Let the app run until the search screen is in one of these states and asks nothing more."""
    app = pilot.app
    assert isinstance(app, OharaApp)
    await until(
        pilot,
        lambda: (
            app.search.finder.state.stage in stages
            and not app.search.finder.state.loading
            and app.search.finder.state.link is LinkState.CONNECTED
            and app.search.finder.state.source == app.search.bar.draft.source
        ),
        f"{stages}, but {app.search.finder.state.stage}",
    )


async def until_complete(pilot: Pilot[None]) -> None:
    """Let the app run until the diff is complete: commit, siblings and colours come when nothing moves."""
    await pilot.pause(0.3)  # longer than what they wait for
    app = pilot.app
    assert isinstance(app, OharaApp)
    await until(pilot, lambda: _is_at_rest(app), "rest")
    await pilot.pause(0.3)
    await until(pilot, lambda: _is_at_rest(app), "rest")


def _is_at_rest(app: OharaApp) -> bool:
    busy = {"preview", "colours", "lexers", "find", "more", "commit"}
    is_drawn = app.search.lazy.mounted is None or app.search.hit_list.is_at_rest
    return is_drawn and not any(worker.group in busy and not worker.is_finished for worker in app.workers)


@asynccontextmanager
async def running(
    repository: Path,
    query: str = "",
    *,
    size: tuple[int, int] = (120, 40),
    asked: bool = False,
    index: str = "",
) -> AsyncIterator[tuple[OharaApp, Pilot[None]]]:
    """The app at work in a repository that is indexed, its first answer there."""
    app = app_for(repository, query, asked=asked, index=index)
    async with app.run_test(size=size) as pilot:
        await until_stage(
            pilot, *((Stage.RESULTS, Stage.NOTHING, Stage.ERROR) if query else (Stage.WELCOME,))
        )
        yield app, pilot


def text_of(app: OharaApp) -> str:
    """Everything on screen, as text."""
    width, height = app.size
    lines = app.screen._compositor.render_strips(app.size)
    assert len(lines) == height
    assert width
    return "\n".join(strip.text for strip in lines)
