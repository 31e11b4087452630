"""Nothing that a stranger wrote reaches the screen, a file or the clipboard as anything but text."""

from __future__ import annotations

import base64
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import sys
import termios
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from textual.widgets import Input

from ohara import client, wire
from ohara.errors import OharaError
from ohara.forge import forge_of
from ohara.model import SearchOptions
from tests.daemon import CONFIG, end_whatever_runs
from tests.hostile import SAMPLES, TOGETHER, assert_inert, hostile_history
from tests.indexing import index
from tests.process import ROOT
from tests.tui.driving import R, SteadyLink, app_for, running, text_of, until, until_stage
from tests.tui.test_browse_screens import commit_shown, history_shown, said, settled
from tui.export import markdown, patch
from tui.external import editor_command, temporary_copy, work_tree_file
from tui.formats import ordinal
from tui.git_process import inexact
from tui.query_draft import QueryDraft
from tui.screens.filters import FIELDS, FiltersScreen
from tui.screens.repositories import RepositoriesScreen
from tui.screens.why import explained
from tui.search_state import Stage
from tui.session import Session
from tui.visits import CompareVisit, ExplainVisit, FileVisit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fixtures.git import Repo
    from ohara.model import Hit
    from tui.app import OharaApp
    from tui.visits import Visit

anyio = pytest.mark.anyio

SIZE = (130, 40)
# Commits beside those of the samples: a line of a megabyte, a file with NUL in it, and that line taken away.
OTHERS = ("long", "nul", "gone")
# Enough where each costs a dialog; which fields are shown is the same for all.
FEW = ("title", "override", "separators", "zalgo", "markup", "not-utf-8")
# Too long for one piece of a hunk: a patch holds the piece that matched.
IN_PIECES = {"zalgo"}
NOT_UTF_8 = {"not-utf-8", "half"}
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Repo, Path]]:
    """A hostile repository and the home of a service that knows it."""
    place = tmp_path_factory.mktemp("hostile")
    repo = hostile_history(place / "evil\x1b[31m\u202e[b].git")
    home = place / "home"
    (home / "config").mkdir(parents=True)
    (home / "config" / "config.toml").write_text(CONFIG)
    with pytest.MonkeyPatch.context() as set_up:
        set_up.setenv("OHARA_HOME", str(home))
        set_up.setenv("PYTHONPATH", str(ROOT))
        index(repo)
        client.connect(start=True).close()
    yield repo, home
    end_whatever_runs(home)


@pytest.fixture
def evil(place: tuple[Repo, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Repo:
    """The hostile repository, seen from a folder with a hostile name."""
    monkeypatch.setenv("OHARA_HOME", str(place[1]))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    shutil.rmtree(place[1] / "state", ignore_errors=True)
    folder = tmp_path / "out\x1b]0;owned\x07\u202e"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return place[0]


@pytest.fixture
def hits(evil: Repo) -> dict[str, Hit]:
    """The hits of each commit, by its key; a commit has one file."""
    with client.connect() as ohara:
        asked = wire.Find(
            repo=str(evil.path), query='"needle"', options=SearchOptions(k=0, context=1_000, all_hunks=True)
        )
        found = ohara.send(asked).results.hits
    return {evil.key_of(hit.commit.sha): hit for hit in found if hit.path}


def assert_screen_inert(app: OharaApp) -> None:
    """What Textual would write holds no character but plain ones, and no link."""
    strips = app.screen._compositor.render_strips(app.size)
    assert len(strips) == SIZE[1]
    for strip in strips:
        assert_inert(strip.text)
        assert not any(segment.control or (segment.style and segment.style.link) for segment in strip)


# -- screens -----------------------------------------------------------------------------------------


@anyio
async def test_the_list_and_the_diff_of_every_hit(evil: Repo) -> None:
    async with running(evil.path, "needle", size=SIZE) as (app, pilot):
        await until(pilot, lambda: app.search.finder.state.cursor is None)  # every page is there
        seen = set()
        for number, hit in enumerate(app.search.results.hits):
            app.search.hit_list.move(1 if number else 0)
            await pilot.pause()
            assert app.search.selected == hit
            assert_screen_inert(app)
            seen.add(evil.key_of(hit.commit.sha))
        assert seen >= set(SAMPLES) | {"long"}
        for keys in (["enter"], ["tab"], ["|"], ["W"], ["#"], ["}"], ["right"] * 9, ["H"], ["escape"]):
            await pilot.press(*keys)
            assert_screen_inert(app)


@anyio
async def test_every_commit(evil: Repo) -> None:
    async with running(evil.path, size=SIZE) as (app, pilot):
        for key in (*SAMPLES, *OTHERS):
            app.open_commit(evil.sha[key])
            screen = await commit_shown(pilot, evil.sha[key])
            assert screen.details is not None
            assert_screen_inert(app)
            app.pop_screen()


@anyio
async def test_the_history_of_every_symbol_and_of_lines(evil: Repo, hits: dict[str, Hit]) -> None:
    async with running(evil.path, size=SIZE) as (app, pilot):
        for key in SAMPLES:
            app.open_history(hits[key])
            history = await history_shown(pilot)
            assert history.steps or history.advice.display
            assert_screen_inert(app)
            if key in FEW:
                await pilot.press("l")
                await settled(pilot, "history")
                assert_screen_inert(app)
            app.pop_screen()


@anyio
async def test_whole_files_a_comparison_and_explanations(evil: Repo, hits: dict[str, Hit]) -> None:
    newest = evil.git("rev-parse", "HEAD").strip()
    oldest = evil.git("rev-list", "--max-parents=0", "HEAD").split()[0]
    visits: list[Visit] = [CompareVisit(str(evil.path), oldest, newest)]
    for key in FEW:
        hit = hits[key]
        visits.append(FileVisit(str(evil.path), hit.commit.sha, hit.path))
        visits.append(ExplainVisit(str(evil.path), f"{hit.path}:1", hit.commit.sha, hit))
    async with running(evil.path, size=SIZE) as (app, pilot):
        for visit in visits:
            app.visited.open(visit)
            await until(pilot, lambda: len(app.screen_stack) > 1)
            for group in ("file", "compare", "history"):
                await settled(pilot, group)
            assert_screen_inert(app)
            app.leave_screens()


@anyio
async def test_dialogs_and_what_is_said_in_passing(evil: Repo) -> None:
    async with running(evil.path, "needle", size=SIZE) as (app, pilot):
        await until(pilot, lambda: len(app.search.results.hits) > len(SAMPLES))
        app.search.results.focus()
        results = app.search.finder.state.results
        assert results is not None
        for at, hit in enumerate(app.search.results.hits):
            assert_inert(explained(hit, results).plain)
            app.search.results.move_to(at)
            await pilot.press("m")
            app.search.results.move_to(at)
            if evil.key_of(hit.commit.sha) not in FEW:
                continue
            for open_it, do in (("w", "escape"), ("y", "m"), ("y", "p")):
                await pilot.press(open_it)
                assert len(app.screen_stack) == 2
                assert_screen_inert(app)
                await pilot.press(do)
                await settled(pilot, "copy")
                assert_inert(app.clipboard)
            assert app.clipboard[-3:] == hit.path[-3:]
        assert len(app.marks) > len(SAMPLES)
        for form in ("m", "p"):
            await pilot.press("x")
            assert_screen_inert(app)
            await pilot.press(form)
            await settled(pilot, "export")
            assert_screen_inert(app)
        assert [file.suffix for file in sorted(Path.cwd().iterdir())] == [".md", ".patch"]
        assert_inert(next(Path.cwd().glob("*.md")).read_text("utf-8").replace("\t", ""))
        await pilot.press("u", "ctrl+p")
        await pilot.press(*"open")
        await pilot.pause()
        assert_screen_inert(app)
        await pilot.press("escape", "escape", "ctrl+r")
        screen = app.screen
        assert isinstance(screen, RepositoriesScreen)
        await until(pilot, lambda: screen._known)
        screen._job_changed(wire.JobState(str(evil.path), "failed", "", detail=TOGETHER))
        await settled(pilot, "look")
        assert_screen_inert(app)


class Refusing(SteadyLink):
    """Fails with a stranger's words, whatever it is asked for."""

    fails = False

    async def send(self, request: wire.Request[R]) -> R:
        if self.fails:
            raise OharaError(f"no: {TOGETHER}\nand", hint=TOGETHER)
        return await super().send(request)


@anyio
async def test_what_goes_wrong_is_told_as_text(evil: Repo, hits: dict[str, Hit]) -> None:
    app = app_for(evil.path, "needle")
    app.link = link = Refusing(app.link_changed)
    async with app.run_test(size=SIZE) as pilot:
        await until_stage(pilot, Stage.RESULTS)
        link.fails = True
        app.search.results.focus()
        await pilot.press("y", "u")
        await settled(pilot, "copy")
        assert "no: " in said(app)
        assert_screen_inert(app)
        app.search.ask()
        await until(pilot, lambda: app.search.finder.state.stage is Stage.ERROR)
        assert_screen_inert(app)
        app.open_commit(evil.sha["title"])
        await settled(pilot, "commit")
        assert_screen_inert(app)
        app.open_history(hits["title"])
        await settled(pilot, "history")
        assert_screen_inert(app)


@anyio
async def test_whatever_is_in_the_query_bar(evil: Repo) -> None:
    async with running(evil.path, size=SIZE) as (app, pilot):
        bar = app.search.bar
        for name, sample in SAMPLES.items():
            bar.show(QueryDraft(f"x {sample[:80]} /(", (f'author:"{sample[:20]}"', f"path:{sample[:9]}")))
            bar.input.focus()
            app.search.ask()
            await settled(pilot, "find")
            assert_screen_inert(app)
            column = app.cursor_position.x - bar.input.content_region.x
            shown = text_of(app).split("\n")[bar.input.content_region.y][bar.input.content_region.x :]
            if shown.isascii():
                assert shown[:column].endswith("/("), name
        app.session = Session().with_query(app.repository, TOGETHER)
        bar.show(QueryDraft())
        await pilot.press("ctrl+up")
        assert bar.draft.source
        assert_screen_inert(app)
        await pilot.press("ctrl+p")
        await pilot.press(*"ask")
        await pilot.pause()
        assert_screen_inert(app)


@anyio
async def test_whatever_is_in_the_filter_dialog(evil: Repo) -> None:
    async with running(evil.path, size=SIZE) as (app, pilot):
        dialog = FiltersScreen([f"{name}:{TOGETHER}" for name, _, _ in FIELDS])
        app.push_screen(dialog)
        await pilot.pause()
        assert_screen_inert(app)
        for sample in SAMPLES.values():
            for field in dialog.query(Input):
                field.value = f"9 {sample[:40]}"
            dialog.action_apply()
            await pilot.pause()
            assert app.screen is dialog
            assert_screen_inert(app)


@anyio
async def test_a_repository_whose_path_is_not_utf_8(evil: Repo, tmp_path: Path) -> None:
    path = tmp_path / "caf\udce9\udcff.git"
    evil.copy_to(path)
    app = app_for(path, "needle")
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: app.search.finder.state.stage is Stage.ERROR)
        assert_screen_inert(app)
        assert "caf��" in text_of(app)


# -- a real terminal ---------------------------------------------------------------------------------

# What Textual writes of its own accord: colours (of 24 bits), the cursor, modes and questions about them.
_OURS = re.compile(
    rb"\x1b\[(?:0|[0-9;:]*(?:38|48)[;:]2[;:][0-9;:]*|[1-9](?:;[1-9])*)?m|\x1b\[[0-9;]*[HABCD]"
    rb"|\x1b\[[?>=<][0-9;]*(?:\$p|[a-zA-Z])|\x1b\[[0-9;]*[JKntq]|\x1b[78=>]|\x1b\]22;[a-z-]*\x07|\x1b_G.*?\x1b\\"
)
_CLIPBOARD = re.compile(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07")


class Terminal:
    """A pseudo-terminal with a program in it, and every byte that it wrote."""

    def __init__(self, command: list[str]) -> None:
        self.written = b""
        self._pid, self._terminal = pty.fork()
        if not self._pid:
            shown = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
            os.execvpe(command[0], command, os.environ | shown)  # noqa: S606 - no shell is wanted
        columns, lines = SIZE
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def until(self, there: str, *, after: int = 0) -> int:
        """Read until something was written; where that ends."""
        deadline = time.monotonic() + 90
        while there.encode() not in self.written[after:]:
            assert time.monotonic() < deadline, f"{there!r} never came: {self.written[-2_000:]!r}"
            self._read(0.5)
        return len(self.written)

    def _read(self, seconds: float) -> bool:
        if not select.select([self._terminal], [], [], seconds)[0]:
            return True
        try:
            self.written += os.read(self._terminal, 65_536)
        except OSError:  # it ended
            return False
        return True

    def press(self, keys: str) -> int:
        os.write(self._terminal, keys.encode())
        return len(self.written)

    def end(self) -> int:
        """Read the rest; the exit code."""
        deadline = time.monotonic() + 60
        while self._read(0.5) and time.monotonic() < deadline:
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])

    def close(self) -> None:
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        os.close(self._terminal)


def test_every_byte_that_a_terminal_gets(evil: Repo) -> None:
    terminal = Terminal([sys.executable, "-m", "ohara", "tui", "--repo", str(evil.path), "needle"])
    try:
        terminal.until("1st of ")
        terminal.until("Why")  # the keys of the list, which has the focus
        for at in range(2, len(SAMPLES)):
            before = terminal.press("j")
            terminal.until(f"{ordinal(at)} of ", after=before)
        before = terminal.press("y")
        terminal.until("the commit's page", after=before)
        before = terminal.press("m")
        terminal.until("Copied the message", after=before)
        before = terminal.press("\r")
        terminal.until("hunk 1 of", after=before)
        terminal.press("\x11")
        assert terminal.end() == 0
    finally:
        terminal.close()
    copied = _CLIPBOARD.findall(terminal.written)
    assert len(copied) == 1
    assert_inert(base64.b64decode(copied[0]).decode())
    left = _OURS.sub(b"", _CLIPBOARD.sub(b"", terminal.written)).decode()
    assert_inert(left.replace("\r\n", "\n").replace("\r", ""))


# -- taking away -------------------------------------------------------------------------------------


def test_what_is_read_elsewhere_is_text(hits: dict[str, Hit]) -> None:
    forge = forge_of("https://github.com/me/net")
    for sample in (TOGETHER, *SAMPLES.values()):
        text = markdown(tuple(hits.values()), title=sample, forge=forge)
        assert_inert(text.replace("\t", ""))
    assert text.count("\n## ") == len(hits)


@anyio
async def test_git_applies_a_patch_to_the_same_bytes(
    evil: Repo, hits: dict[str, Hit], tmp_path: Path
) -> None:
    clone = evil.copy_to(tmp_path / "clone.git")
    odd = await inexact(evil.path, hits.values())
    applied = set()
    for key in SAMPLES:
        text = patch((hits[key],), odd=odd)
        if "is left out" in text:
            continue
        (tmp_path / "p.patch").write_text(text, encoding="utf-8", newline="")
        clone.git("read-tree", f"{hits[key].commit.sha}^" if hits[key].commit.parents else EMPTY_TREE)
        clone.git("apply", "--cached", str(tmp_path / "p.patch"))
        applied.add(key)
        if key in IN_PIECES:
            made, whole = (clone.git("show", f"{rev}:{hits[key].path}") for rev in ("", hits[key].commit.sha))
            assert whole.startswith(made)
            assert SAMPLES[key] in made
            continue
        assert clone.git("write-tree") == clone.git("rev-parse", f"{hits[key].commit.sha}^{{tree}}"), key
    assert applied == set(SAMPLES) - NOT_UTF_8


def test_other_programs_get_one_word_for_a_path(hits: dict[str, Hit]) -> None:
    forge = forge_of("git@gitlab.com:me/net.git")
    assert forge is not None
    for hit in hits.values():
        url = forge.file(hit.commit.sha, hit.path, hit.line)
        assert url.isascii()
        assert url.isprintable()
        assert " " not in url
        copied = temporary_copy(hit.path, hit.commit.sha, hit.excerpt.split("\n"))
        assert_inert(str(copied))
        assert editor_command(copied, 3, {"EDITOR": "vim"}) == ["vim", "+3", str(copied)]
        assert work_tree_file("/nowhere", hit.path) is None
    for sample in (TOGETHER, *SAMPLES.values()):
        page = forge_of(f"https://github.com/me/{sample}")
        if page is not None:
            assert page.url.isascii()
            assert page.url.isprintable()
