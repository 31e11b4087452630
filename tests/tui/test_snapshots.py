"""One picture for each designed state, drawn by the real app; looked at before it was accepted."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from fixtures import histories
from ohara.errors import DaemonError
from ohara.model import Pass, Progress
from ohara.wire import JobState
from tests.tui import driving
from tests.tui.driving import until, until_complete, until_stage
from tests.tui.test_states import Lame
from tui.app import OharaApp
from tui.link import LinkState
from tui.search_state import Stage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from textual.pilot import Pilot

    from fixtures.git import Repo

    Compare = Callable[..., bool]
    Before = Callable[[Pilot[None]], Awaitable[None]]

pytestmark = pytest.mark.usefixtures("still")

WIDE, NORMAL, SMALL = (160, 45), (120, 36), (80, 24)

app_for = partial(driving.app_for, deaf=True)


def then(*keys: str, stage: Stage = Stage.RESULTS) -> Before:
    """Wait for a state, then press keys."""

    async def before(pilot: Pilot[None]) -> None:
        await until_stage(pilot, stage)
        app = pilot.app
        assert isinstance(app, OharaApp)
        await until(pilot, lambda: app.search.finder.state.cursor is None)
        await pilot.press(*keys)
        await until(pilot, lambda: app.search.results.styles.text_opacity == 1.0)
        await until_complete(pilot)

    return before


def test_welcome(parcel: Path, snap_compare: Compare) -> None:
    app = app_for(parcel)
    app.session = app.session.with_query(str(parcel), "retry author:ada")
    assert snap_compare(app, terminal_size=NORMAL, run_before=then("down", stage=Stage.WELCOME))


@pytest.mark.parametrize("theme", ["dark", "light", "ansi"])
def test_results(parcel: Path, snap_compare: Compare, theme: str) -> None:
    app = app_for(parcel, "upload retry", theme=theme)
    assert snap_compare(app, terminal_size=NORMAL, run_before=then("enter", "down", "m", "down"))


def test_results_wide_and_split(parcel: Path, snap_compare: Compare) -> None:
    app = app_for(parcel, "upload lang:python")
    assert snap_compare(app, terminal_size=WIDE, run_before=then("enter", "down", "vertical_line"))


def test_results_narrow(parcel: Path, snap_compare: Compare) -> None:
    app = app_for(parcel, "upload lang:python")
    assert snap_compare(app, terminal_size=SMALL, run_before=then("enter", "down"))


def test_results_without_colour(parcel: Path, snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_for(parcel, "upload retry")
    assert snap_compare(app, terminal_size=NORMAL, run_before=then("enter", "down"))


@pytest.mark.parametrize("theme", ["dark", "ansi"])
def test_code_by_its_shape(parcel: Path, snap_compare: Compare, theme: str) -> None:
    app = app_for(parcel, "min($A, $B) lang:python", theme=theme)
    assert snap_compare(app, terminal_size=NORMAL, run_before=then("enter", "down"))


def test_results_by_thread(parcel: Path, snap_compare: Compare) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await then("enter", "a")(pilot)
        await until(pilot, lambda: app.search.finder.state.threads)
        await then("down", "down")(pilot)

    app = app_for(parcel, "upload retry")
    assert snap_compare(app, terminal_size=WIDE, run_before=before)


def test_nothing_found(parcel: Path, snap_compare: Compare) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await until_stage(pilot, Stage.NOTHING)
        await until(pilot, lambda: app.search.finder.state.without)

    app = app_for(parcel, "upload author:nobody lang:python")
    assert snap_compare(app, terminal_size=NORMAL, run_before=before)


def test_partial(parcel: Path, snap_compare: Compare) -> None:
    app = app_for(parcel, "upload")
    app.link = link = Lame(app.link_changed)
    link.deaf = True
    assert snap_compare(app, terminal_size=NORMAL, run_before=then())


def test_error(parcel: Path, snap_compare: Compare) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await until_stage(pilot, Stage.ERROR)

    app = app_for(parcel, "upload ref:no-such-branch")
    assert snap_compare(app, terminal_size=NORMAL, run_before=before)


@pytest.mark.usefixtures("parcel")
def test_not_indexed(tmp_path: Path, snap_compare: Compare) -> None:
    app = app_for(histories.three_commits(tmp_path / "greeter").path)

    async def before(pilot: Pilot[None]) -> None:
        await until(pilot, lambda: app.search.finder.state.commits == 3)
        await until(pilot, lambda: app.search.finder.state.link is LinkState.CONNECTED)

    assert snap_compare(app, terminal_size=NORMAL, run_before=before)


def test_indexing(parcel: Path, snap_compare: Compare) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await until_stage(pilot, Stage.WELCOME)
        job = JobState(
            str(parcel / ".git"), "progress", "asked", Progress(Pass.SYMBOL, 4_200, 13_110, 30_000, 21.0)
        )
        app.search.job_changed(job)

    app = app_for(parcel)
    assert snap_compare(app, terminal_size=NORMAL, run_before=before)


def test_service_gone(parcel: Path, snap_compare: Compare) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await until_stage(pilot, Stage.WELCOME)
        app.workers.cancel_group(app, "link")
        await pilot.pause()
        app.link_changed(
            LinkState.GONE, DaemonError("the daemon ended the connection", hint="ohara daemon logs")
        )

    app = app_for(parcel)
    assert snap_compare(app, terminal_size=NORMAL, run_before=before)


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("why", ("enter", "w")),
        ("filters", ("enter", "f")),
        ("help", ("enter", "question_mark")),
        ("palette", ("enter", "ctrl+p", *"th")),
        ("themes", ("enter", "T", "down", "down", "down")),
        ("find", ("enter", "tab", "slash", *"upload")),
        ("git", ("enter", "X")),
    ],
)
def test_dialogs(parcel: Path, snap_compare: Compare, name: str, keys: tuple[str, ...]) -> None:
    assert name
    app = app_for(parcel, "upload lang:python")
    assert snap_compare(app, terminal_size=NORMAL, run_before=then(*keys))


def test_completion(parcel: Path, snap_compare: Compare) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await until_stage(pilot, Stage.RESULTS)
        await until(pilot, lambda: app.search.finder.state.cursor is None)
        app.search.bar.input.insert_text_at_cursor(" author:")
        await until(pilot, lambda: "Ada" in app.search.completing.hint)
        await until_complete(pilot)

    app = app_for(parcel, "upload")
    assert snap_compare(app, terminal_size=NORMAL, run_before=before)


def test_results_wrapped(parcel: Path, snap_compare: Compare) -> None:
    app = app_for(parcel, "upload retry", theme="tokyo-night")
    assert snap_compare(app, terminal_size=NORMAL, run_before=then("enter", "Z"))


@pytest.mark.parametrize("key", ["hostile-message", "hostile-paths", "hostile-code"])
def test_hostile_text_is_shown_inert(
    parcel: Path, shared_project: Repo, snap_compare: Compare, key: str
) -> None:
    app = app_for(parcel, shared_project.sha[key])
    assert snap_compare(app, terminal_size=NORMAL, run_before=then("enter", "down"))
