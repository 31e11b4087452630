"""An index that changes while the UI is open: what found nothing is asked again, a list says what is new."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from ohara import client, wire
from tests.indexing import index
from tests.tui.driving import SteadyLink, app_for, running, text_of, until, until_stage
from tests.tui.test_browse_screens import commit_shown
from tui.query_draft import QueryDraft
from tui.search_state import Stage

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.model import Results

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("parcel")]

REWRITTEN = "history was rewritten (f5 asks again)"


@pytest.fixture
def gears(tmp_path: Path) -> Repo:
    """An indexed history of three commits, checked out."""
    with History(tmp_path / "gears") as history:
        for name in ("cog", "lever", "pulley"):
            history.commit(f"Add a {name}", {f"{name}.py": f"{name} = 1\n"}, key=name)
    history.repo.git("reset", "--hard", "-q")
    index(history.repo)
    return history.repo


def commit(repo: Repo, name: str, *options: str) -> None:
    """A commit as people make it."""
    (repo.path / f"{name}.py").write_text(f"{name} = 1\n")
    repo.git("add", "-A")
    people = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    repo.git(*people, "commit", "-q", *options, "-m", f"Add a {name}")


def have_indexed(repo: Repo) -> None:
    with client.connect() as ohara:
        ohara.send(wire.Index(repo=str(repo.path)))


class Counting(SteadyLink):
    """A link that counts the questions."""

    asked = 0

    async def find(self, request: wire.Find) -> Results:
        """The real answer."""
        self.asked += 1
        return await super().find(request)


async def test_what_found_nothing_is_asked_again_when_the_index_has_grown(gears: Repo) -> None:
    async with running(gears.path, '"sprocket"', asked=True) as (app, pilot):
        assert app.search.finder.state.stage is Stage.NOTHING
        assert "searched all 3 commits" in text_of(app)
        commit(gears, "sprocket")
        have_indexed(gears)
        await until_stage(pilot, Stage.RESULTS)
        assert [hit.path for hit in app.search.results.hits] == ["sprocket.py"]
        assert "searched all 4 commits" in text_of(app)
        assert "new commit" not in text_of(app)


async def test_it_is_asked_now_and_then_while_indexing_and_once_at_the_end(gears: Repo) -> None:
    app = app_for(gears.path, '"sprocket"', deaf=True, asked=True)
    app.link = link = Counting(app.link_changed)
    link.deaf = True
    async with app.run_test(size=(120, 40)) as pilot:
        app.search.finder._link = link
        await until_stage(pilot, Stage.NOTHING)
        before = link.asked
        running_job = wire.JobState(str(gears.path), "progress", "test")
        for _ in range(20):
            app.search.job_changed(running_job)
            await pilot.pause(0.01)
            assert app.search.finder.state.stage is Stage.NOTHING  # the page does not flicker
        await until(pilot, lambda: link.asked > before)
        assert link.asked == before + 1
        app.search.job_changed(wire.JobState(str(gears.path), "done", "test"))
        await until(pilot, lambda: link.asked == before + 2)


async def test_a_list_that_is_read_stays_and_says_what_is_new(gears: Repo) -> None:
    async with running(gears.path, "cog", asked=True) as (app, pilot):
        results = app.search.finder.state.results
        commit(gears, "sprocket")
        have_indexed(gears)
        await until(pilot, lambda: "1 new commit (f5 asks again)" in text_of(app))
        assert app.search.finder.state.results is results
        assert REWRITTEN not in text_of(app)
        app.search.bar.show(QueryDraft())
        await until(pilot, lambda: app.search.finder.state.stage is Stage.WELCOME)
        assert "new commit" not in text_of(app)


async def test_a_commit_that_is_amended_is_noticed(gears: Repo) -> None:
    async with running(gears.path, "pulley", asked=True) as (app, pilot):
        commit(gears, "winch", "--amend")
        have_indexed(gears)
        await until(pilot, lambda: REWRITTEN in text_of(app))
        app.search.results.focus()
        await pilot.press("f5")
        await until(pilot, lambda: REWRITTEN not in text_of(app))


async def test_a_branch_that_is_reset_is_noticed_though_there_are_as_many_commits(gears: Repo) -> None:
    async with running(gears.path, "lever", asked=True) as (app, pilot):
        gears.git("reset", "--hard", "-q", "HEAD~2")
        for name in ("winch", "crank", "wheel"):
            commit(gears, name)
        have_indexed(gears)
        await until(pilot, lambda: REWRITTEN in text_of(app))
        assert "new commit" not in text_of(app)


async def test_commits_that_are_dropped_are_noticed(gears: Repo) -> None:
    async with running(gears.path, "lever", asked=True) as (app, pilot):
        gears.git("reset", "--hard", "-q", "HEAD~2")
        have_indexed(gears)
        await until(pilot, lambda: REWRITTEN in text_of(app))


async def test_a_hit_whose_commit_is_gone_says_that_history_was_rewritten(gears: Repo) -> None:
    gone = gears.sha["pulley"]
    async with running(gears.path, '"pulley"', asked=True) as (app, pilot):
        commit(gears, "winch", "--amend")
        have_indexed(gears)
        await until(pilot, lambda: REWRITTEN in text_of(app))
        app.search.results.focus()
        await pilot.press("enter")
        await until(pilot, lambda: f"{gone[:10]} is no longer in the history" in text_of(app))
        assert "History was rewritten since it was found: f5 asks again." in text_of(app)
        await pilot.press("f5")
        await until(pilot, lambda: app.screen is app.search)
        await until_stage(pilot, Stage.RESULTS)
        (hit,) = app.search.results.hits
        assert hit.commit.sha == gears.resolve("HEAD")
        await pilot.press("enter")
        await commit_shown(pilot, hit.commit.sha)
