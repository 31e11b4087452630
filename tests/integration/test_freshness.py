"""What a search does first about an index that is behind, begun and left, busy or not to be written."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ohara import engine as engine_module
from ohara.cli.main import main
from ohara.engine import Engine
from ohara.errors import IndexLocked
from ohara.index.job import IndexOptions
from ohara.index.plan import Limits
from ohara.setup import doctor
from tests.indexing import index

if TYPE_CHECKING:
    from fixtures.git import Repo


def add_a_line(repo: Repo) -> None:
    (repo.path / "late.txt").write_text("a brand new line\n")
    repo.git("add", "late.txt")
    repo.git("commit", "-q", "-m", "Late")


def test_a_search_waits_for_a_run_that_has_just_begun(three_commits: Repo) -> None:
    engine = index(three_commits)
    add_a_line(three_commits)
    has_lock, enough = threading.Event(), threading.Event()

    def work() -> None:
        with engine.store.locked(wait_s=0):
            has_lock.set()
            enough.wait(0.3)

    other = threading.Thread(target=work)
    other.start()
    has_lock.wait()
    assert Engine.open(three_commits.path).catch_up() is None
    other.join()
    assert engine.status().indexed == 4


def test_it_is_content_with_what_another_run_has_read_meanwhile(
    three_commits: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = index(three_commits)
    add_a_line(three_commits)
    tried: list[IndexOptions] = []

    def locked(options: IndexOptions) -> None:
        tried.append(options)
        index(three_commits)  # as the other process does in the meantime
        raise IndexLocked("somebody is indexing", hint="")

    monkeypatch.setattr(engine, "_run", locked)
    assert engine.catch_up() is None
    assert len(tried) == 1


def test_a_run_that_has_gone_on_for_long_is_not_waited_for(
    three_commits: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = index(three_commits)
    add_a_line(three_commits)
    monkeypatch.setattr(engine_module, "_JUST_BEGUN_S", -1.0)
    with engine.store.locked(wait_s=0), pytest.raises(IndexLocked):
        Engine.open(three_commits.path).catch_up()


@pytest.mark.parametrize("with_header", [False, True])
def test_an_index_that_was_left_before_anything_was_written_is_begun_again(
    three_commits: Repo, with_header: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = index(three_commits)
    database = engine.location.database
    for file in database.parent.glob("index.db*"):
        file.unlink()
    database.touch()
    if with_header:  # as far as a run gets that is killed between opening the file and making its tables
        import apsw

        connection = apsw.Connection(str(database))
        connection.pragma("journal_mode", "wal")
        connection.close()
    assert main(["status", "--repo", str(three_commits.path)]) == 2
    assert "or begin it: ohara index" in capsys.readouterr().err
    assert main(["find", "--repo", str(three_commits.path), '"hello, world"']) == 0
    assert engine.status().indexed == 3


def test_what_cannot_be_read_in_the_background_is_said_and_the_rest_searched(
    three_commits: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = index(three_commits, IndexOptions(limits=Limits(max_commits=1)))
    (engine.location.folder / "background.log").mkdir()  # as on a disk that is read-only
    monkeypatch.setattr(engine_module, "CATCH_UP_COMMITS", 0)
    assert main(["find", "--repo", str(three_commits.path), '"python hello.py"']) == 0
    said = capsys.readouterr()
    assert three_commits.sha["three"][:10] in said.out
    assert "the rest cannot be read: Is a directory: " in said.err


@pytest.fixture
def closed(three_commits: Repo, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an index that may not be looked into, whoever runs the tests."""
    folder = index(three_commits).location.folder
    really = Path.stat

    def stat(self: Path, *, follow_symlinks: bool = True) -> object:
        if self.parent == folder:
            raise PermissionError(13, "Permission denied", str(self))
        return really(self, follow_symlinks=follow_symlinks)

    def refused(self: Path, *_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "stat", stat)
    monkeypatch.setattr("ohara.store.locate.Path.read_text", refused)
    return folder


def test_an_index_that_may_not_be_looked_into_is_listed_and_told(
    closed: Path, three_commits: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["repos"]) == 0
    said = f"the index in {closed} cannot be read: Permission denied (if it is yours: chmod 700 {closed})"
    assert said in capsys.readouterr().out
    assert main(["repos", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["index"], told["available"]) == (str(closed), False)
    assert main(["status", "--repo", str(three_commits.path)]) == 2
    assert f"hint: if it is yours: chmod 700 {closed}" in capsys.readouterr().err
    (found,) = [each for each in doctor.examine() if each.name == "permissions"]
    assert (found.well, found.fix) == (False, f"if it is yours: chmod 700 {closed}")
