"""Views of their own: a whole file with whose lines it has, two commits compared, a place explained."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

from ohara.model import Role
from tests.tui.driving import app_for, running, text_of, until, until_complete
from tests.tui.test_browse_screens import at_work, commit_shown, said
from tui.app import OharaApp
from tui.screens.compare import CompareScreen
from tui.screens.explain import ExplainScreen
from tui.screens.file import FileScreen
from tui.screens.paned import PanedScreen
from tui.visits import CompareVisit, ExplainVisit, FileVisit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

    from fixtures.git import Repo
    from tui.visits import Visit

    Compare = Callable[..., bool]

S = TypeVar("S", bound=PanedScreen)
anyio = pytest.mark.anyio
SOURCE = "parcel/upload.py"


async def shown(pilot: Pilot[None], kind: type[S], group: str) -> S:
    """The screen of a kind, once everything that it asked for is there."""
    await until(pilot, lambda: isinstance(pilot.app.screen, kind), kind.__name__)
    screen = pilot.app.screen
    assert isinstance(screen, kind)
    await pilot.pause()
    await until(pilot, lambda: not at_work(screen, group), group)
    return screen


def blamed(repo: Repo, revision: str, path: str) -> list[str]:
    """The commit of each line by git's own blame."""
    lines = repo.git("blame", "-l", "-s", "--root", revision, "--", path).splitlines()
    return [line.split()[0].lstrip("^") for line in lines]


@anyio
async def test_a_whole_file_is_read_with_whose_lines_it_has(parcel: Path, shared_project: Repo) -> None:
    commits = blamed(shared_project, "HEAD", SOURCE)
    head = shared_project.git("rev-parse", "HEAD").strip()
    async with running(parcel) as (app, pilot):
        app.visited.open(FileVisit(str(parcel), head, SOURCE, line=12))
        screen = await shown(pilot, FileScreen, "file")
        assert [screen._commits[line].sha for line in range(1, len(commits) + 1)] == commits
        assert screen.diff.selected_line is not None
        assert screen.diff.selected_line.line == 12
        subject = shared_project.git("log", "-1", "--format=%s", commits[11]).strip()
        assert commits[11][:8] in text_of(app)
        assert subject[:40] in text_of(app).splitlines()[-2]
        await pilot.press("right_square_bracket")
        line = screen._line
        assert line > 12
        assert commits[line - 1] != commits[line - 2]
        assert commits[line - 1][:10] in text_of(app).splitlines()[-2]
        await pilot.press("g", "slash", *"def ", "enter")
        await until(pilot, lambda: "lines with def" in said(app))
        here = commits[screen._line - 1]
        await pilot.press("enter")
        opened = await commit_shown(pilot, here)
        assert opened.diff.selected_line is not None
        await pilot.press("less_than_sign")
        await shown(pilot, FileScreen, "file")


@anyio
async def test_a_file_is_walked_back_to_what_it_was_before_a_line(parcel: Path, shared_project: Repo) -> None:
    async with running(parcel) as (app, pilot):
        sha = shared_project.sha["retry"]
        app.visited.open(FileVisit(str(parcel), sha, "server/parcel/upload.py", line=1))
        screen = await shown(pilot, FileScreen, "file")
        line = next(line for line, commit in screen._commits.items() if commit.sha == sha)
        screen.diff.go_to_line("server/parcel/upload.py", line)
        await pilot.press("p")
        await until(pilot, lambda: app.screen is not screen and isinstance(app.screen, FileScreen))
        before = await shown(pilot, FileScreen, "file")
        assert before.visit.sha == shared_project.git("rev-parse", f"{sha}^").strip()
        assert sha not in {commit.sha for commit in before._commits.values()}
        await pilot.press("g", "p")
        await until(pilot, lambda: "The file began with" in said(app) or app.screen is not before)


@anyio
async def test_the_whole_file_is_opened_from_a_diff_at_its_line(parcel: Path) -> None:
    async with running(parcel, "upload retry", asked=True) as (app, pilot):
        await until_complete(pilot)
        hit = app.search.selected
        assert hit is not None
        await pilot.press("F")
        screen = await shown(pilot, FileScreen, "file")
        assert (screen.visit.sha, screen.visit.path) == (hit.commit.sha, hit.path)
        await pilot.press("E")
        explained = await shown(pilot, ExplainScreen, "history")
        assert explained._place == f"{hit.path}:{screen._line}"
        await pilot.press("escape", "escape")
        assert app.screen is app.search


@anyio
async def test_a_file_that_is_not_there_says_so(parcel: Path, shared_project: Repo) -> None:
    async with running(parcel) as (app, pilot):
        app.visited.open(FileVisit(str(parcel), shared_project.sha["root"], "nowhere.py"))
        await shown(pilot, FileScreen, "file")
        assert "there is no file nowhere.py" in text_of(app)
        await pilot.press("enter")  # asks again
        await shown(pilot, FileScreen, "file")
        assert "there is no file nowhere.py" in text_of(app)


@anyio
async def test_a_binary_file_is_not_shown_as_text(parcel: Path) -> None:
    async with running(parcel) as (app, pilot):
        app.visited.open(FileVisit(str(parcel), "HEAD", "docs/logo.png"))
        await shown(pilot, FileScreen, "file")
        assert "This is a binary file" in text_of(app)
        await pilot.press("escape")
        assert app.screen is app.search


@anyio
async def test_two_marked_commits_are_compared_and_turned_round(parcel: Path, shared_project: Repo) -> None:
    async with running(parcel, "upload", asked=True) as (app, pilot):
        await pilot.press("equals_sign")
        assert "Mark hits of two commits" in said(app)
        results = app.search.results
        first = results.hits[0]
        other = next(at for at, hit in enumerate(results.hits) if hit.commit.sha != first.commit.sha)
        await pilot.press("m")
        results.move_to(other)
        second = results.hits[other]
        await pilot.press("equals_sign")  # the marked one and this
        screen = await shown(pilot, CompareScreen, "compare")
        old, new = sorted((first.commit, second.commit), key=lambda commit: commit.committer_time)
        assert (screen.visit.old, screen.visit.new) == (old.sha, new.sha)
        counted = shared_project.git("diff", "-M", "--numstat", old.sha, new.sha).splitlines()
        assert len(screen._listed) == len(counted)
        added = sum(int(line.split()[0]) for line in counted if line[0] != "-")
        removed = sum(int(line.split()[1]) for line in counted if line[0] != "-")
        assert f"+{added:,} · -{removed:,}" in text_of(app).splitlines()[-2]
        assert "Parent" not in text_of(app).splitlines()[-1]  # there is no parent of a comparison
        await pilot.press("equals_sign")
        await until(pilot, lambda: screen.visit.old == new.sha and not at_work(screen, "compare"))
        assert f"+{removed:,} · -{added:,}" in text_of(app).splitlines()[-2]
        await pilot.press("enter")
        assert screen.diff.has_focus
        await pilot.press("escape", "escape")
        assert app.screen is app.search


@anyio
async def test_a_commit_compared_with_itself_differs_in_nothing(parcel: Path, shared_project: Repo) -> None:
    sha = shared_project.sha["retry"]
    async with running(parcel) as (app, pilot):
        app.visited.open(CompareVisit(str(parcel), sha, sha))
        await shown(pilot, CompareScreen, "compare")
        assert "Nothing differs" in text_of(app)


@anyio
async def test_a_place_is_explained_commit_by_commit(parcel: Path) -> None:
    async with running(parcel) as (app, pilot):
        await pilot.press("escape", "L", *SOURCE, "enter")
        screen = await shown(pilot, ExplainScreen, "history")
        roles = [hits[0].explained.role for _, hits in screen.steps if hits[0].explained]
        assert len(roles) == len(screen.steps) > 1
        assert roles[-1] is Role.BEGAN
        assert f"Why {SOURCE} is as it is" in text_of(app)
        assert "● began" in text_of(app)
        await pilot.press("end")
        await until(pilot, lambda: "began here" in text_of(app))
        await pilot.press("enter")
        await commit_shown(pilot, screen.steps[-1][0].sha)


@anyio
async def test_a_place_that_is_nowhere_says_so(parcel: Path) -> None:
    async with running(parcel) as (app, pilot):
        app.visited.open(ExplainVisit(str(parcel), "nowhere.py:3"))
        await shown(pilot, ExplainScreen, "history")
        assert "nowhere.py" in text_of(app)
        assert "✗" in text_of(app)


# -- pictures ----------------------------------------------------------------------------------------


def opening(visit: Visit, kind: type[PanedScreen], group: str) -> Callable[[Pilot[None]], object]:
    async def before(pilot: Pilot[None]) -> None:
        assert isinstance(pilot.app, OharaApp)
        pilot.app.visited.open(visit)
        await shown(pilot, kind, group)
        await until_complete(pilot)

    return before


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize("size", [(140, 36), (80, 24)], ids=["wide", "narrow"])
def test_picture_of_a_whole_file(
    parcel: Path, shared_project: Repo, snap_compare: Compare, size: tuple[int, int]
) -> None:
    visit = FileVisit(str(parcel), shared_project.sha["timeout"], SOURCE, line=14)
    before = opening(visit, FileScreen, "file")
    assert snap_compare(app_for(parcel), terminal_size=size, run_before=before)


@pytest.mark.usefixtures("still")
def test_picture_of_two_commits_compared(parcel: Path, shared_project: Repo, snap_compare: Compare) -> None:
    visit = CompareVisit(str(parcel), shared_project.sha["auth"], shared_project.sha["timeout"])
    before = opening(visit, CompareScreen, "compare")
    assert snap_compare(app_for(parcel), terminal_size=(140, 36), run_before=before)


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize("theme", ["dark", "ansi"])
def test_picture_of_an_explanation(
    parcel: Path, shared_project: Repo, snap_compare: Compare, theme: str
) -> None:
    visit = ExplainVisit(str(parcel), f"{SOURCE}:1-40", shared_project.sha["timeout"])
    before = opening(visit, ExplainScreen, "history")
    assert snap_compare(app_for(parcel, theme=theme), terminal_size=(140, 36), run_before=before)
