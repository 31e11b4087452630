"""One repository's fault is that repository's alone, and no fault of a task ends the service."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from fixtures.git import git_bytes
from fixtures.histories import three_commits as make_three_commits
from fixtures.script import History
from ohara import client, wire
from ohara.daemon.lifecycle import PID, lasting, only_one
from ohara.daemon.own_source import OwnSource
from ohara.errors import RepositoryError
from ohara.store.locate import MARKER
from tests.daemon import alive, service, wait_until
from tests.indexing import index
from tests.process import ROOT, ohara

if TYPE_CHECKING:
    from fixtures.git import Repo

LATIN_1 = os.fsdecode(b"caf\xe9/na\xefve")


def commit(repo: Repo, word: str) -> None:
    (repo.path / f"{word}.txt").write_text(f"{word}\n")
    repo.git("add", ".")
    repo.git("commit", "-q", "-m", f"add the {word}")


# -- names that are not text ---------------------------------------------------------------------


def test_a_branch_name_that_is_no_text_costs_nobody_the_service(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo, tmp_path: Path
) -> None:
    odd = make_three_commits(tmp_path / "odd")
    index(three_commits)
    index(odd)
    with service(ohara_home, monkeypatch) as pid, client.connect() as there:
        assert wait_until(lambda: len(there.send(wire.HealthCheck()).watched) == 2)
        git_bytes(odd.path, "branch", LATIN_1)
        git_bytes(odd.path, "branch", os.fsdecode(b"na\xefve"))
        assert wait_until(lambda: there.send(wire.HealthCheck()).troubles)
        (trouble,) = there.send(wire.HealthCheck()).troubles
        assert (trouble.repository, trouble.part) == (str(odd.path / ".git"), "watching")
        assert trouble.said == "a ref has a name that is not UTF-8: looked at now and then"
        for repo in (odd, three_commits):
            commit(repo, "quokka")
        assert wait_until(lambda: there.send(wire.Status(repo=str(odd.path))).status.indexed == 4)
        assert wait_until(lambda: there.send(wire.Status(repo=str(three_commits.path))).status.indexed == 4)
        said = "watching: a ref has a name that is not UTF-8"
        assert said in ohara("status", "--repo", str(odd.path)).stdout
        assert said not in ohara("status", "--repo", str(three_commits.path)).stdout
        assert json.loads(ohara("status", "--json", "--repo", str(odd.path)).stdout)["daemon"]
        assert said in ohara("daemon", "status").stdout
        assert f"daemon, watching {odd.path}/.git" in ohara("doctor").stdout
        assert there.send(wire.HealthCheck()).watching == "notified"
        assert (there.greeting.pid, alive(pid)) == (pid, True)
        assert there.send(wire.Find(repo=str(odd.path), query='"quokka"')).results.hits


def test_a_repository_whose_path_is_no_text_is_served_like_the_others(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo, tmp_path: Path
) -> None:
    odd = make_three_commits(tmp_path / os.fsdecode(b"caf\xe9"))
    index(odd)
    index(three_commits)
    with service(ohara_home, monkeypatch), client.connect() as there:
        assert wait_until(lambda: len(there.send(wire.HealthCheck()).watched) == 2)
        assert wait_until(lambda: there.send(wire.HealthCheck()).troubles)
        assert [trouble.part for trouble in there.send(wire.HealthCheck()).troubles] == ["watching"]
        assert {known.repository for known in there.send(wire.Repos()).repositories} == {
            str(three_commits.path),
            str(tmp_path / "caf?"),
        }
        commit(three_commits, "quokka")
        assert wait_until(lambda: there.send(wire.Status(repo=str(three_commits.path))).status.indexed == 4)


def test_a_path_that_is_too_long_or_no_path_is_a_plain_fault(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with service(ohara_home, monkeypatch), client.connect() as there:
        for path in ("/" + "a" * 3_000, "/tmp/" + "b/" * 2_000, "/tmp/\0nul"):
            requests: tuple[wire.Request[Any], ...] = (
                wire.Status(repo=path),
                wire.Index(repo=path),
                wire.Stop(repo=path),
                wire.Find(repo=path, query="x"),
            )
            for request in requests:
                with pytest.raises(RepositoryError, match=r"cannot be opened|does not exist") as refused:
                    there.send(request)
                assert "\n" not in refused.value.message


# -- lists ---------------------------------------------------------------------------------------


@pytest.fixture
def mixed(three_commits: Repo, tmp_path: Path) -> dict[str, Repo]:
    """Indexes of all sorts: one that is well, and one of each kind that is not."""
    repos = {name: make_three_commits(tmp_path / name) for name in ("bad", "broken", "unfinished")}
    with History(tmp_path / "gone") as history:  # of its own, or it would be the others' that was moved
        history.commit("Elsewhere", {"other.py": "other = 1\n"})
    repos["gone"] = history.repo
    for repo in (three_commits, *repos.values()):
        engine = index(repo)
        if repo is repos["broken"]:
            engine.location.database.write_bytes(b"no database at all" * 1_000)
        if repo is repos["unfinished"]:
            for file in engine.location.folder.iterdir():
                if file.name != MARKER:
                    file.unlink()
    (repos["bad"].path / ".ohara.toml").write_text('[index]\nsince = "not a day"\n')
    shutil.rmtree(repos["gone"].path)
    return {**repos, "well": three_commits}


SAID = {
    "bad": ".ohara.toml",
    "broken": "is damaged",
    "gone": "the repository is gone",
    "unfinished": "the first index run did not finish",
}


def test_every_index_is_listed_each_with_what_is_wrong_with_it(mixed: dict[str, Repo]) -> None:
    shown = ohara("repos")
    assert (shown.returncode, shown.stderr) == (0, "")
    lines = {Path(line.split("  ")[0].removesuffix("/.git")).name: line for line in shown.stdout.splitlines()}
    assert lines.keys() == {"bad", "broken", "gone", "unfinished", mixed["well"].path.name}
    assert "3 commits, 0 behind" in lines[mixed["well"].path.name]
    for name, words in SAID.items():
        assert words in lines[name], name
        assert ("gone" in lines[name].partition("  ")[2]) is (name == "gone")
    facts = [json.loads(line) for line in ohara("repos", "--json").stdout.splitlines()]
    faults = {Path(fact["path"].removesuffix("/.git")).name: fact["fault"] for fact in facts}
    assert faults.pop(mixed["well"].path.name) is None
    assert all(SAID[name] in fault for name, fault in faults.items())
    assert {fact["path"] for fact in facts if fact["available"]} == {str(mixed["well"].path)}


def test_the_service_lists_every_index_too(
    mixed: dict[str, Repo], ohara_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with service(ohara_home, monkeypatch), client.connect() as there:
        there.send(wire.Pause())
        listed = {
            Path(each.repository.removesuffix("/.git")).name: each
            for each in there.send(wire.Repos()).repositories
        }
        assert listed.pop(mixed["well"].path.name).status is not None
        assert listed.keys() == SAID.keys()
        for name, words in SAID.items():
            assert words in listed[name].fault
            assert listed[name].hint
        there.send(wire.Resume())

        def failed() -> dict[str, str]:
            return {each.repository: each.said for each in there.send(wire.HealthCheck()).troubles}

        assert wait_until(lambda: str(mixed["bad"].path / ".git") in failed())
        assert "since" in failed()[str(mixed["bad"].path / ".git")]
        (mixed["bad"].path / ".ohara.toml").unlink()
        there.send(wire.Index(repo=str(mixed["bad"].path)))
        assert wait_until(lambda: str(mixed["bad"].path / ".git") not in failed())


# -- tasks ---------------------------------------------------------------------------------------

# The service looks after itself every five seconds; these tests wait for it to do so.
TIDY = """
from ohara.daemon import server
server._TIDY_S = 0.5
"""

SABOTAGE = """
import itertools
from ohara.daemon import connection, repositories, watcher
def failing(work, times=2):
    calls = itertools.count()
    def instead(*given, **named):
        if next(calls) < times:
            raise KeyError("sabotage")
        return work(*given, **named)
    return instead
watcher._present = failing(watcher._present)
repositories.Repositories.close_idle = failing(repositories.Repositories.close_idle)
connection.Connection.serve = failing(connection.Connection.serve, 0)
connection.Connection._take = failing(connection.Connection._take, 1)
"""


def test_a_fault_in_one_task_ends_neither_the_service_nor_the_task(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo
) -> None:
    index(three_commits)
    settings = "[daemon]\nidle_exit_s = 0\n"
    with service(ohara_home, monkeypatch, customised=TIDY + SABOTAGE, settings=settings, faulty=True) as pid:
        with pytest.raises(Exception, match="ended the connection"), client.connect() as there:
            there.send(wire.HealthCheck())
        with client.connect() as there:
            assert wait_until(lambda: there.send(wire.HealthCheck()).watched)
            log = ohara_home / "state" / "ohara.log"
            assert wait_until(lambda: log.read_text().count("tidying up failed, and begins again") == 2)
            commit(three_commits, "quokka")
            assert wait_until(
                lambda: there.send(wire.Status(repo=str(three_commits.path))).status.indexed == 4
            )
            assert there.send(wire.HealthCheck()).pid == pid
        said = log.read_text()
        assert said.count("watching failed, and begins again") == 2
        assert said.count("a connection ended by a fault") == 1


def test_a_task_that_fails_begins_again_until_it_does_not() -> None:
    calls: list[int] = []

    async def work() -> None:
        calls.append(1)
        if len(calls) < 3:
            raise ExceptionGroup("several", [ValueError("of it")])

    anyio.run(lasting, "testing", work)
    assert len(calls) == 3


# -- homes that go away --------------------------------------------------------------------------


def test_where_no_home_can_be_nobody_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("OHARA_HOME", str(tmp_path / "file" / "home"))
    assert client.running() is None


def test_a_service_whose_home_is_deleted_ends_and_leaves_its_successor_alone(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with service(ohara_home, monkeypatch, customised=TIDY) as orphan:
        shutil.rmtree(ohara_home / "run")
        with service(ohara_home, monkeypatch, customised=TIDY) as successor:
            assert successor != orphan
            assert wait_until(lambda: not alive(orphan))
            with client.connect() as there:
                assert there.send(wire.HealthCheck()).pid == successor
            assert int((ohara_home / "run" / PID).read_text()) == successor


def test_an_orphan_that_is_told_to_stop_leaves_the_socket_of_its_successor(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = "\nfrom ohara.daemon import server\nserver._TIDY_S = 600\n"
    with service(ohara_home, monkeypatch, customised=patient) as orphan:
        shutil.rmtree(ohara_home / "run")
        with service(ohara_home, monkeypatch) as successor:
            os.kill(orphan, signal.SIGTERM)
            assert wait_until(lambda: not alive(orphan))
            with client.connect() as there:
                assert there.send(wire.HealthCheck()).pid == successor
            assert int((ohara_home / "run" / PID).read_text()) == successor


def test_the_pid_file_goes_with_a_service_that_ends_by_a_fault(tmp_path: Path) -> None:
    with suppress(KeyError), only_one(tmp_path):
        assert int((tmp_path / PID).read_text()) == os.getpid()
        raise KeyError("of ours")
    assert not (tmp_path / PID).exists()


# -- its own files -------------------------------------------------------------------------------


def test_a_service_whose_files_are_replaced_begins_again_with_the_new_ones(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo, tmp_path: Path
) -> None:
    index(three_commits)
    installed = tmp_path / "daemon"
    shutil.copytree(ROOT / "ohara" / "daemon", installed, ignore=shutil.ignore_patterns("__pycache__"))
    customised = f"""
import ohara.daemon
ohara.daemon.__path__.insert(0, {str(installed)!r})
from ohara.daemon import server
server._TIDY_S = 0.2
"""
    log = ohara_home / "state" / "ohara.log"

    def starts() -> int:
        return log.read_text(encoding="utf-8").count(" starts, process ")

    with service(ohara_home, monkeypatch, customised=customised) as pid:
        with client.connect() as there:
            assert there.send(wire.Find(repo=str(three_commits.path), query="world")).results.hits
        replaced = installed / "events.py"
        replaced.write_text(replaced.read_text() + "\n# of another version\n")
        assert wait_until(lambda: starts() == 2)
        assert "the files of ohara were replaced" in log.read_text(encoding="utf-8")
        assert wait_until(listens)
        with client.connect() as there:
            assert there.greeting.pid == pid
            assert there.send(wire.Find(repo=str(three_commits.path), query="world")).results.hits


def listens() -> bool:
    known = client.running()
    if known is not None:
        known.close()
    return known is not None


def test_files_are_replaced_once_they_no_longer_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "module.py"
    module = ModuleType("ohara.such_module")
    module.__file__ = str(file)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    file.write_text("1\n")
    source = OwnSource()
    assert [source.is_replaced() for _ in range(3)] == [False] * 3
    file.write_text("two\n")
    assert [source.is_replaced() for _ in range(3)] == [False, True, True]
    file.unlink()
    assert [source.is_replaced() for _ in range(2)] == [False, True]
    late = ModuleType("ohara.loaded_later")
    late.__file__ = __file__
    monkeypatch.setitem(sys.modules, late.__name__, late)
    assert source.is_replaced()
