"""Reading commits, following history and choosing repositories on screen, against a real service."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest

from ohara import client, wire
from ohara.errors import RepositoryError
from ohara.model import History, HunkId, SearchOptions
from ohara.wire import JobState
from tests.tui.driving import R, SteadyLink, app_for, running, text_of, until, until_complete
from tui.app import OharaApp
from tui.diff.rows import lines_of
from tui.formats import author_day
from tui.screens.commit import CommitScreen
from tui.screens.history import HistoryScreen
from tui.screens.menu import MenuScreen
from tui.screens.repositories import RepositoriesScreen
from tui.visits import CommitVisit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot
    from textual.widget import Widget

    from fixtures.git import Repo
    from ohara.wire import Registered

anyio = pytest.mark.anyio


def at_work(screen: Widget, group: str) -> bool:
    return any(worker.group == group and not worker.is_finished for worker in screen.workers)


def said(app: OharaApp) -> str:
    """What was said in passing."""
    return "\n".join(note.message for note in app._notifications)


async def settled(pilot: Pilot[None], group: str) -> None:
    """Wait until nothing of a group is at work."""
    await pilot.pause()
    await until(pilot, lambda: not at_work(pilot.app.screen, group), f"the end of {group}")


async def commit_shown(pilot: Pilot[None], sha: str) -> CommitScreen:
    """The commit screen, once it shows this commit and its hunks."""

    def there() -> bool:
        screen = pilot.app.screen
        return (
            isinstance(screen, CommitScreen)
            and screen.visit.sha == sha
            and screen.details is not None
            and not [
                worker for worker in screen.workers if worker.group == "commit" and not worker.is_finished
            ]
        )

    await until(pilot, there, f"commit {sha[:8]}")
    screen = pilot.app.screen
    assert isinstance(screen, CommitScreen)
    return screen


async def history_shown(pilot: Pilot[None]) -> HistoryScreen:
    """The history screen, once it shows something."""
    await until(
        pilot,
        lambda: isinstance(pilot.app.screen, HistoryScreen) and not at_work(pilot.app.screen, "history"),
        "a history",
    )
    screen = pilot.app.screen
    assert isinstance(screen, HistoryScreen)
    return screen


# -- commit ------------------------------------------------------------------------------------------


@anyio
async def test_opening_a_hit_shows_its_commit_at_the_hunk_with_its_marks(parcel: Path) -> None:
    async with running(parcel, "upload retry") as (app, pilot):
        await pilot.press("enter")
        hit = app.search.results.selected
        assert hit is not None
        await pilot.press("enter")
        screen = await commit_shown(pilot, hit.commit.sha)
        shown = text_of(app)
        for part in (
            hit.commit.sha[:12],
            hit.commit.author,
            hit.commit.subject[:30],
            hit.path.rpartition("/")[2],
        ):
            assert part in shown
        assert screen.diff.selected_hit is not None
        assert screen.diff.selected_hit.hunk == hit.hunk
        assert len(screen.diff._document.matches) == len({match.line for match in hit.matches})
        await pilot.press("enter")
        assert screen.diff.has_focus
        await pilot.press("escape")  # from the diff to the files, and only then out
        assert len(app.screen_stack) == 2
        await pilot.press("escape")
        assert app.screen is app.search


@anyio
async def test_files_and_hunks_are_gone_through_together(parcel: Path, shared_project: Repo) -> None:
    async with running(parcel) as (app, pilot):
        app.open_commit(shared_project.sha["resume-client"])
        screen = await commit_shown(pilot, shared_project.sha["resume-client"])
        details = screen.details
        assert details is not None
        paths = [hit.path for hit in screen.diff.hits]
        assert set(paths) == {file.path for file in details.files if file.hunks}
        seen = []
        for _ in details.files:
            await until(pilot, lambda: screen.diff.selected_hit is not None)
            seen.append(screen.files.path)
            await pilot.press("j")
            await settled(pilot, "file")
        assert set(seen) == {file.path for file in details.files}
        await pilot.press("g", "right_square_bracket")
        await pilot.pause()
        here = screen.diff.selected_hit
        assert here is not None
        assert screen.files.path == here.path


@anyio
async def test_parents_and_children_are_gone_to_and_back(parcel: Path, shared_project: Repo) -> None:
    sha = shared_project.sha
    async with running(parcel) as (app, pilot):
        app.open_commit(sha["merge"])
        screen = await commit_shown(pilot, sha["merge"])
        assert "This merge changed nothing itself." in text_of(app)
        await pilot.press("p")
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))
        await pilot.press("2")
        second = shared_project.git("rev-parse", f"{sha['merge']}^2").strip()
        screen = await commit_shown(pilot, second)
        await pilot.press("c")
        screen = await commit_shown(pilot, sha["merge"])
        await pilot.press("less_than_sign")
        screen = await commit_shown(pilot, second)
        assert screen.details is not None
        app.open_commit(sha["root"])
        await commit_shown(pilot, sha["root"])
        await pilot.press("p")
        await until(pilot, lambda: "it has no parent" in said(app))


@anyio
async def test_hostile_commits_are_shown_inert(parcel: Path, shared_project: Repo) -> None:
    async with running(parcel) as (app, pilot):
        for key in (
            "hostile-message",
            "hostile-paths",
            "hostile-code",
            "cjk",
            "latin1-message",
            "mixed-encodings",
        ):
            app.open_commit(shared_project.sha[key])
            await commit_shown(pilot, shared_project.sha[key])
            shown = text_of(app)
            assert not {"\x1b", "\x07", "\u202e", "\u200b", "\t"} & set(shown)
            assert shared_project.sha[key][:10] in shown


class Refusing(SteadyLink):
    """Says no to a commit until it is asked again."""

    refusals = 1

    async def send(self, request: wire.Request[R]) -> R:
        if isinstance(request, wire.Describe) and self.refusals:
            self.refusals -= 1
            raise RepositoryError("commit 1234 is not in the index", hint="ohara index")
        return await super().send(request)


@anyio
async def test_a_commit_that_cannot_be_read_says_why_and_can_be_asked_for_again(
    parcel: Path, shared_project: Repo
) -> None:
    app = app_for(parcel)
    app.link = Refusing(app.link_changed)
    async with app.run_test(size=(100, 30)) as pilot:
        app.open_commit(shared_project.sha["retry"])
        await until(
            pilot, lambda: isinstance(app.screen, CommitScreen) and app.screen.advice.advice.tone == "error"
        )
        assert "is not in the index" in text_of(app)
        assert "ohara index" in text_of(app)
        await pilot.press("r")
        screen = await commit_shown(pilot, shared_project.sha["retry"])
        assert screen.diff.hits


@anyio
async def test_a_commit_of_thousands_of_files_opens_at_its_first_and_fetches_the_rest_when_gone_to(
    parcel: Path, shared_project: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.commit_hunks._PAGE", 2)  # a page of two hunks: most commits are huge then
    sha = shared_project.sha["drop-python2"]
    async with running(parcel) as (app, pilot):
        app.open_commit(sha)
        screen = await commit_shown(pilot, sha)
        assert len(screen.diff.hits) == 2
        await pilot.press("G")
        await settled(pilot, "file")
        last = screen.files.path
        assert last in {hit.path for hit in screen.diff.hits}
        assert screen.diff.selected_hit is not None
        assert screen.diff.selected_hit.path == last


@anyio
async def test_a_hit_deep_in_a_large_commit_opens_at_its_own_file(
    parcel: Path, shared_project: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.commit_hunks._PAGE", 2)
    sha = shared_project.sha["drop-python2"]
    with client.connect() as ohara:
        options = SearchOptions(k=100, all_hunks=True)
        hits = ohara.send(wire.Find(repo=str(parcel), query=sha, options=options)).results.hits
    last = hits[-1]
    assert len(hits) > 3
    async with running(parcel) as (app, pilot):
        app.open_commit(sha, last)
        screen = await commit_shown(pilot, sha)
        assert screen.diff.selected_hit is not None
        assert (screen.diff.selected_hit.path, screen.files.path) == (last.path, last.path)
        app.visited.open(CommitVisit(app.repository, sha, line=(last.path, last.line)))
        await until(pilot, lambda: app.screen is not screen)
        screen = await commit_shown(pilot, sha)
        assert screen.diff.selected_line is not None
        assert (screen.diff.selected_line.hit.path, screen.diff.selected_line.line) == (last.path, last.line)


# -- history and blame -------------------------------------------------------------------------------


@anyio
async def test_the_history_of_a_hit_is_read_newest_first_and_opened(parcel: Path) -> None:
    async with running(parcel, "upload retry") as (app, pilot):
        await pilot.press("enter")
        hit = app.search.results.selected
        assert hit is not None
        await pilot.press("h")
        screen = await history_shown(pilot)
        times = [commit.committer_time for commit, _ in screen.steps]
        assert times == sorted(times, reverse=True)
        assert any(commit.sha == hit.commit.sha for commit, _ in screen.steps)
        assert screen.steps[screen.step_list.position][0].sha == hit.commit.sha
        await pilot.press("end")
        oldest = screen.steps[-1][0]
        assert oldest.sha[:8] in text_of(app)
        assert author_day(oldest) in str(screen.diff.border_subtitle)
        assert screen.diff.hits == tuple(screen.steps[-1][1])
        await pilot.press("enter")
        await commit_shown(pilot, oldest.sha)


@anyio
async def test_a_symbol_is_followed_as_its_lines_and_back(parcel: Path) -> None:
    with client.connect() as ohara:
        found = ohara.send(
            wire.Find(repo=str(parcel), query="upload retry", options=SearchOptions(k=30))
        ).results
    hit = next(hit for hit in found.hits if hit.symbol)
    async with running(parcel) as (app, pilot):
        app.open_history(hit)
        screen = await history_shown(pilot)
        assert f"History of {hit.symbol}" in text_of(app)
        await pilot.press("l")
        await history_shown(pilot)
        assert screen.trace is not None
        assert screen.trace.symbol is None
        assert "History of line" in text_of(app)
        await pilot.press("l")
        await history_shown(pilot)
        assert f"History of {hit.symbol}" in text_of(app)


@anyio
async def test_blame_goes_to_the_commit_before_and_on_to_the_beginning(
    parcel: Path, shared_project: Repo
) -> None:
    sha = shared_project.sha["sha256"]
    async with running(parcel) as (app, pilot):
        app.open_commit(sha)
        screen = await commit_shown(pilot, sha)
        number, text = next(
            (row.new, row.text)
            for hit in screen.diff.hits
            for row in lines_of(hit)
            if "sha256(piece)" in row.text
        )
        assert number is not None
        assert screen.diff.go_to_line("parcel/digest.py", number)
        assert screen.diff.selected_line is not None
        assert screen.diff.selected_line.text == text
        await pilot.press("B")
        await until(pilot, lambda: isinstance(app.screen, CommitScreen) and app.screen is not screen)
        before = app.screen
        assert isinstance(before, CommitScreen)
        assert before.visit.line is not None
        assert shared_project.key_of(before.visit.sha) == "checksum"
        older = await commit_shown(pilot, before.visit.sha)
        line = older.diff.selected_line
        assert line is not None
        assert (line.hit.path, line.line) == before.visit.line
        assert "md5(piece)" in line.text


class Forgetful(SteadyLink):
    """Knows no symbol."""

    async def send(self, request: wire.Request[R]) -> R:
        if isinstance(request, wire.HistoryRequest) and request.symbol:
            return cast("R", wire.Followed(id=0, history=History((), (), "")))
        return await super().send(request)


@anyio
async def test_a_symbol_without_a_history_gives_way_to_its_lines(parcel: Path) -> None:
    with client.connect() as ohara:
        hit = next(
            hit
            for hit in ohara.send(
                wire.Find(repo=str(parcel), query="upload retry", options=SearchOptions(k=30))
            ).results.hits
            if hit.symbol and "+" in hit.excerpt
        )
    app = app_for(parcel)
    app.link = Forgetful(app.link_changed)
    async with app.run_test(size=(120, 30)) as pilot:
        app.open_history(hit)
        await history_shown(pilot)
        assert "⚠ no history of" in text_of(app)


@anyio
async def test_a_menu_is_chosen_from_by_arrows_as_well(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        await pilot.press("enter", "y")
        menu = app.screen
        assert isinstance(menu, MenuScreen)
        assert "▌s  sha" in text_of(app)
        await pilot.press("up", "down", "down")
        assert "▌u  url" in text_of(app)
        await pilot.press("up", "enter")
        assert app.screen is app.search
        hit = app.search.selected
        assert hit is not None
        assert app.clipboard == hit.path


# -- repositories ------------------------------------------------------------------------------------


@anyio
@pytest.mark.usefixtures("still")
async def test_repositories_are_listed_indexed_stopped_and_switched_to(parcel: Path) -> None:
    async with running(parcel) as (app, pilot):
        await pilot.press("ctrl+r")
        screen = app.screen
        assert isinstance(screen, RepositoriesScreen)
        await until(pilot, lambda: screen._known)
        shown = text_of(app)
        assert str(parcel) in shown
        assert "commits" in shown
        await until(pilot, lambda: "paused by ohara daemon pause (P resumes)" in text_of(app))
        await pilot.press("i")
        await until(pilot, lambda: "waits to be indexed" in text_of(app))
        await pilot.press("s")
        await until(pilot, lambda: "waits to be indexed" not in text_of(app))
        await pilot.press("s")
        await until(pilot, lambda: "It is not being indexed." in said(app))
        await pilot.press("P")
        await until(pilot, lambda: "paused by" not in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is app.search)
        assert app.repository == str(parcel)


class Counting(SteadyLink):
    """Notes how often it is asked for all indexes."""

    looks = 0

    async def send(self, request: wire.Request[R]) -> R:
        if isinstance(request, wire.Repos):
            self.looks += 1
        return await super().send(request)


@anyio
@pytest.mark.usefixtures("still")
async def test_a_table_of_repositories_has_its_heads_and_details_when_nothing_moves(parcel: Path) -> None:
    async with running(parcel) as (app, pilot):
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "last run" in text_of(app))
        frame, heads, *rest = text_of(app).splitlines()
        assert "Repositories" in frame
        assert heads.strip("│").split() == ["repository", "path", "state", "commits", "size", "indexed"]
        assert any(line.strip("│ ").startswith(f"path       {parcel}") for line in rest)


@anyio
@pytest.mark.usefixtures("still")
async def test_what_is_there_is_asked_again_now_and_then_while_indexing_goes_on(parcel: Path) -> None:
    app = app_for(parcel)
    app.link = link = Counting(app.link_changed)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("ctrl+r")
        screen = app.screen
        assert isinstance(screen, RepositoriesScreen)
        await until(pilot, lambda: link.looks == 1 and screen._known)
        job = JobState(str(parcel), "progress", "asked")
        screen._job_changed(job)
        await pilot.pause()
        assert link.looks == 1
        screen._loaded_at -= 60
        screen._job_changed(job)
        screen._job_changed(job)
        await until(pilot, lambda: link.looks == 2)


@anyio
async def test_without_any_index_it_says_how_to_make_one(
    ohara_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Nothing(SteadyLink):
        async def send(self, request: wire.Request[R]) -> R:
            if isinstance(request, wire.Repos):
                return cast("R", wire.Repositories(id=0, repositories=()))
            return await super().send(request)

    from tests.daemon import service

    with service(ohara_home, monkeypatch):
        app = app_for(tmp_path)
        app.link = Nothing(app.link_changed)
        async with app.run_test(size=(100, 24)) as pilot:
            await pilot.press("ctrl+r")
            await until(pilot, lambda: "No repository is indexed yet" in text_of(app))
            assert "ohara index" in text_of(app)


# -- pictures ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize(
    ("theme", "size"), [("dark", (140, 40)), ("light", (140, 40)), ("ansi", (120, 36)), ("dark", (80, 24))],
    ids=["dark", "light", "ansi", "narrow"],
)  # fmt: skip
def test_picture_of_a_commit(
    parcel: Path, shared_project: Repo, snap_compare: Callable[..., bool], theme: str, size: tuple[int, int]
) -> None:
    sha = shared_project.sha["drop-python2"]

    async def before(pilot: Pilot[None]) -> None:
        assert isinstance(pilot.app, OharaApp)
        pilot.app.open_commit(sha)
        screen = await commit_shown(pilot, sha)
        await until_complete(pilot)
        screen.diff.scroll_to(y=0, animate=False)  # where it opens depends on when the panes got their size
        await pilot.pause()

    assert snap_compare(app_for(parcel, theme=theme), terminal_size=size, run_before=before)


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize("size", [(140, 36), (80, 24)], ids=["wide", "narrow"])
def test_picture_of_a_history(parcel: Path, snap_compare: Callable[..., bool], size: tuple[int, int]) -> None:
    async def before(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, OharaApp)
        found = (
            await app.link.send(
                wire.Find(repo=str(parcel), query="upload retry", options=SearchOptions(k=30))
            )
        ).results
        app.open_history(next(hit for hit in found.hits if hit.symbol))
        screen = await history_shown(pilot)
        await until(pilot, lambda: screen.step_list.count == 2 and screen.focused is screen.step_list)
        await pilot.press("down")
        await until(pilot, lambda: screen.step_list.position == 1)
        await settled(pilot, "history")
        await until_complete(pilot)

    assert snap_compare(app_for(parcel), terminal_size=size, run_before=before)


@pytest.mark.usefixtures("still")
def test_picture_of_a_merge_without_lines(
    parcel: Path, shared_project: Repo, snap_compare: Callable[..., bool]
) -> None:
    sha = shared_project.sha["merge"]

    async def before(pilot: Pilot[None]) -> None:
        assert isinstance(pilot.app, OharaApp)
        pilot.app.open_commit(sha)
        await commit_shown(pilot, sha)
        await until_complete(pilot)

    assert snap_compare(app_for(parcel), terminal_size=(120, 30), run_before=before)


def test_picture_of_a_commit_that_is_not_there(parcel: Path, snap_compare: Callable[..., bool]) -> None:
    async def before(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, OharaApp)
        app.push_screen(CommitScreen(CommitVisit(app.repository, "feedbeef" * 5)))
        await until(
            pilot, lambda: isinstance(app.screen, CommitScreen) and app.screen.advice.advice.tone == "error"
        )

    assert snap_compare(app_for(parcel), terminal_size=(100, 24), run_before=before)


def test_picture_of_repositories_at_work(parcel: Path, snap_compare: Callable[..., bool]) -> None:
    from ohara.model import LastRun, Pass, Progress
    from ohara.wire import Registered
    from tests.tui.driving import NOW
    from tests.tui.test_file_tree import status

    class Several(SteadyLink):
        """Four repositories in four states; only the pictures need them all at once."""

        async def send(self, request: wire.Request[R]) -> R:
            if isinstance(request, wire.Repos):
                return cast("R", wire.Repositories(id=0, repositories=self.listed()))
            return await super().send(request)

        def listed(self) -> tuple[Registered, ...]:
            run = LastRun(NOW - 7200, 4.2, "done", scheduled=True)
            fresh = replace(status("/home/ada/parcel"), last_run=run, indexed=17_666, commits=17_666)
            return (
                Registered("/home/ada/parcel", "a", 185_700_000, fresh),
                Registered(
                    "/home/ada/code/kernel",
                    "b",
                    3_100_000_000,
                    replace(status("k", behind=812), last_run=run),
                ),
                Registered(
                    "/home/ada/src/redis", "c", 96_000_000, replace(status("r", symbols=5), last_run=run)
                ),
                Registered("/mnt/usb/old-project", "d", 1_200_000, None, "gone or damaged"),
            )

    async def before(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, OharaApp)
        await pilot.press("ctrl+r")
        screen = app.screen
        assert isinstance(screen, RepositoriesScreen)
        await until(pilot, lambda: len(screen._known) == 4)
        progress = Progress(Pass.TEXT, 30_000, 120_000, 90_000, 20.0)
        screen._job_changed(JobState("/home/ada/code/kernel/.git", "progress", "moved", progress))
        screen._list.focus()
        await pilot.press("down")
        await pilot.pause()

    app = app_for(parcel)
    app.repository = "/home/ada/parcel"
    app.link = link = Several(app.link_changed)
    link.deaf = True  # what the real service does meanwhile is not in the picture
    assert snap_compare(app, terminal_size=(130, 30), run_before=before)


@anyio
async def test_a_history_begins_at_the_hunk_that_one_came_from(parcel: Path) -> None:
    async with running(parcel, "upload") as (app, pilot):
        first = app.search.results.hits[0]
        second = replace(first, hunk=HunkId(first.hunk + 1_000_000))
        app.open_history(second)
        screen = await history_shown(pilot)
        screen._show(History(hits=(first, second), paths=(first.path,)))
        assert screen.diff.selected_hit == second
