"""What is shown of the selected hit: its commit, its whole hunk, the other hunks; and what was understood."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from ohara import client, wire
from ohara.model import Intent, SearchOptions
from tests.indexing import index
from tests.tui.driving import running, text_of, until, until_complete, until_stage
from tests.tui.test_browse_screens import commit_shown
from tui.diff.rows import RowKind
from tui.search_state import Stage

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo

pytestmark = pytest.mark.anyio


async def test_the_commit_and_its_other_hunks_are_told_once_the_list_rests(
    parcel: Path, shared_project: Repo
) -> None:
    sha = shared_project.sha["retry"]
    with client.connect() as ohara:
        hunks = ohara.send(
            wire.Find(repo=str(parcel), query=sha, options=SearchOptions(k=50, all_hunks=True))
        ).results.hits
    async with running(parcel, "Retry failed uploads with exponential backoff", asked=True) as (app, pilot):
        assert app.search.select(sha, app.search.results.hits[0].hunk) or app.search.selected
        at = next(at for at, hit in enumerate(app.search.results.hits) if hit.commit.sha == sha)
        app.search.results.move_to(at)
        await until(pilot, lambda: len(app.search.diff.hits) > 1)
        await until_complete(pilot)
        diff, hit = app.search.diff, app.search.results.hits[at]
        assert diff.hits[0].hunk == hit.hunk
        assert {each.path for each in diff.hits} == {each.path for each in hunks if each.path}
        kinds = [row.kind for row in diff._document.rows]
        assert kinds.index(RowKind.TITLE) < kinds.index(RowKind.META) < kinds.index(RowKind.MESSAGE)
        assert kinds.index(RowKind.MESSAGE) < kinds.index(RowKind.HUNK) < kinds.index(RowKind.SECTION)
        shown = text_of(app)
        said = ("#12 · first in v1.0", "2 more hunks in this commit")
        for part in (hit.commit.subject[:30], hit.commit.sha[:10], *said):
            assert part in shown


@pytest.mark.usefixtures("parcel")
async def test_pieces_of_a_long_hunk_are_shown_as_the_one_that_git_has(tmp_path: Path) -> None:
    body = "".join(f"def grommet_{at}():\n    return {at}\n\n\n" for at in range(120))
    with History(tmp_path / "long") as history:
        history.commit("Add all grommets", {"grommets.py": body}, key="all")
    index(history.repo)
    sha = history.repo.sha["all"]
    with client.connect() as ohara:
        options = SearchOptions(k=100, all_hunks=True)
        pieces = ohara.send(wire.Find(repo=str(history.repo.path), query=sha, options=options)).results.hits
    assert len(pieces) > 1
    async with running(history.repo.path, "grommet_70", asked=True) as (app, pilot):
        await until_complete(pilot)
        assert len(app.search.diff.hits) == 1
        assert app.search.diff.hits[0].excerpt.count("\n+def grommet_") + 1 == 120
        hit = app.search.selected
        assert hit is not None
        app.open_commit(sha, hit)
        screen = await commit_shown(pilot, sha)
        assert len(screen.diff.hits) == 1
        assert screen.diff.selected_line is not None
        assert str(screen.diff.border_subtitle) == "hunk 1 of 1"
        assert "1 hunk " in f"{text_of(app)} ".replace("\n", " ")
        assert "hunks" not in text_of(app)
        assert "@@ -0,0 +1,480 @@" in [row.text[:18].strip() for row in screen.diff._document.rows][1]


@pytest.mark.usefixtures("parcel")
async def test_pieces_are_joined_in_a_file_that_comes_late_in_its_commit(tmp_path: Path) -> None:
    body = "".join(f"def grommet_{at}():\n    return {at}\n\n\n" for at in range(120))
    files = {f"early/part{at}.py": f"part = {at}\n" for at in range(20)}
    with History(tmp_path / "late") as history:
        history.commit("Add all grommets", {**files, "late name/gromm\u00e9ts.py": body})
    index(history.repo)
    async with running(history.repo.path, "grommet_70", asked=True) as (app, pilot):
        await until_complete(pilot)
        whole, *others = app.search.diff.hits
        assert whole.path == "late name/gromm\u00e9ts.py"
        assert whole.excerpt.count("\n+def grommet_") + 1 == 120
        assert {each.path.split("/")[0] for each in others} == {"early"}


async def test_what_a_question_asks_is_said_and_can_be_changed(parcel: Path) -> None:
    async with running(parcel, "who added upload", asked=True) as (app, pilot):
        results = app.search.finder.state.results
        assert results is not None
        assert results.query.intent is Intent.BEGINNING
        assert "asks when it began (I changes that)" in text_of(app)
        await pilot.press("I")
        await until(pilot, lambda: app.search.intent is Intent.ENDING)
        await until_stage(pilot, Stage.RESULTS)
        await until(pilot, lambda: "asks when it ended" in text_of(app))


async def test_more_like_this_marks_nothing(parcel: Path) -> None:
    async with running(parcel, "upload", asked=True) as (app, pilot):
        assert any(hit.matches for hit in app.search.results.hits)
        await pilot.press("s")
        await until(pilot, lambda: app.search.finder.state.source == app.search.bar.draft.source != "upload")
        await until_stage(pilot, Stage.RESULTS)
        assert not any(hit.matches for hit in app.search.results.hits)
