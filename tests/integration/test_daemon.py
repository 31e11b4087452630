"""The background service as its users meet it: a real process, a real socket, real repositories."""

from __future__ import annotations

import json
import os
import signal
import stat
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ohara import __version__, client, paths, wire
from ohara.errors import DaemonError, IndexMissing, QueryError, RepositoryError
from ohara.model import Mode, SearchOptions
from tests.daemon import alive, service, wait_until
from tests.indexing import index
from tests.process import ohara

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.model import Hit


@pytest.fixture
def daemon(ohara_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    with service(ohara_home, monkeypatch) as pid:
        yield pid


def subjects(repo: Repo, query: str) -> set[str]:
    with client.connect() as ohara:
        return {
            hit.commit.subject
            for hit in ohara.send(
                wire.Find(repo=str(repo.path), query=query, options=SearchOptions(k=20, mode=Mode.TEXT))
            ).results.hits
        }


def unaged(hit: Hit) -> Hit:
    """A hit without what the passing seconds change."""
    return replace(hit, score=0.0, recency=0.0)


def indexed(there: client.Client) -> int:
    """How many commits the one index holds; 0 while there is none."""
    return sum(
        known.status.indexed for known in there.send(wire.Repos()).repositories if known.status is not None
    )


# -- the life of the service ---------------------------------------------------------------------


def test_start_status_and_stop(ohara_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ohara("daemon", "status").stdout == "not running (ohara daemon start)\n"
    with service(ohara_home, monkeypatch) as pid:
        assert ohara("daemon", "start").stdout == f"already running, process {pid}\n"
        status = ohara("daemon", "status")
        assert status.returncode == 0
        assert f"process {pid}, version {__version__}" in status.stdout
        assert "indexing    nothing to do\n" in status.stdout
        told = json.loads(ohara("daemon", "status", "--json").stdout)
        assert (told["running"], told["pid"], told["watched"]) == (True, pid, [])
        again = ohara("daemon", "run")
        assert again.returncode == 2
        assert again.stderr == (
            f"ohara: a daemon is running already, process {pid}\n  hint: ohara daemon status\n"
        )
        assert ohara("daemon", "stop").stdout == f"stopped, process {pid}\n"
        assert not client.socket_path().exists()
        assert wait_until(lambda: not alive(pid))
    assert ohara("daemon", "stop").returncode == 1
    log = ohara("daemon", "logs").stdout
    assert f"ohara {__version__} starts, process {pid}" in log
    assert log.endswith("ohara stops\n")


def test_only_this_user_can_reach_the_socket(daemon: int) -> None:
    place = client.socket_path()
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    assert place.stat().st_uid == os.getuid()
    assert alive(daemon)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(daemon: int, number: signal.Signals) -> None:
    os.kill(daemon, number)
    assert wait_until(lambda: not alive(daemon))
    assert not client.socket_path().exists()
    assert not (paths.runtime_dir() / "daemon.pid").exists()
    assert f"told to stop by {number.name}" in ohara("daemon", "logs").stdout


def test_what_a_killed_service_leaves_behind_is_recognised(daemon: int) -> None:
    os.kill(daemon, signal.SIGKILL)
    assert wait_until(lambda: not alive(daemon))
    assert client.socket_path().exists()
    assert client.running() is None
    with pytest.raises(DaemonError, match="no daemon is running"):
        client.connect()
    with client.connect(start=True) as ohara_client:
        assert ohara_client.greeting.pid != daemon
        assert ohara_client.send(wire.HealthCheck()).connections == 1


def test_it_leaves_when_nobody_asks(ohara_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with service(ohara_home, monkeypatch, settings="[daemon]\nidle_exit_s = 0.5\n") as pid:
        with client.connect() as there:
            assert there.send(wire.HealthCheck()).pid == pid
        assert wait_until(lambda: not alive(pid))
    assert "nobody asked anything" in ohara("daemon", "logs").stdout


def test_restarting_waits_for_the_old_one_to_end(daemon: int, three_commits: Repo) -> None:
    index(three_commits)
    with client.connect() as there:
        assert wait_until(lambda: there.send(wire.HealthCheck()).watched)
    done = ohara("daemon", "restart")
    assert (done.returncode, done.stderr) == (0, "")
    with client.connect() as there:
        assert there.greeting.pid != daemon
        assert done.stdout == f"stopped, process {daemon}\nstarted, process {there.greeting.pid}\n"


def test_a_newer_client_replaces_an_older_service(daemon: int) -> None:
    with client.connect(version="9999.1") as newer:
        assert newer.greeting.pid != daemon
    assert not alive(daemon)
    with client.connect(version="0.0.1") as older:
        assert older.greeting.pid == newer.greeting.pid


# -- asking --------------------------------------------------------------------------------------


def test_it_answers_as_the_engine_does(daemon: int, small_project: Repo) -> None:
    engine = index(small_project)
    with client.connect() as there:
        assert there.send(wire.HealthCheck()).pid == daemon
        for query in ("retry", '"def "', "path:src/ fix", "/import +/"):
            expected = engine.find_pattern(query, SearchOptions(k=10))
            answer = there.send(
                wire.Find(repo=str(small_project.path), query=query, options=SearchOptions(k=10))
            ).results
            assert [unaged(hit) for hit in answer.hits] == [unaged(hit) for hit in expected.hits]
            scores = [hit.score for hit in expected.hits]
            assert [hit.score for hit in answer.hits] == pytest.approx(scores, abs=1e-3)
            assert answer.query == expected.query
            assert answer.literal == expected.literal
        status = there.send(wire.Status(repo=str(small_project.path))).status
        assert (status.indexed, status.behind) == (engine.status().indexed, 0)
        (known,) = there.send(wire.Repos()).repositories
        assert known.repository == str(small_project.path)
        assert known.status is not None
        hits = there.send(wire.Show(repo=str(small_project.path), commit="HEAD")).hits
        assert {hit.commit.sha for hit in hits} == {small_project.tip}
        assert there.send(wire.HealthCheck()).open_repositories == (str(small_project.path),)


def test_errors_arrive_as_what_they_are(daemon: int, three_commits: Repo, tmp_path: Path) -> None:
    assert alive(daemon)
    with client.connect() as there:
        with pytest.raises(IndexMissing, match="three has no index yet"):
            there.send(wire.Find(repo=str(three_commits.path), query="x"))
        with pytest.raises(RepositoryError, match="is not inside a git repository"):
            there.send(wire.Find(repo=str(tmp_path), query="x"))
        with pytest.raises(RepositoryError, match="does not exist"):
            there.send(wire.Status(repo=str(tmp_path / "gone")))
        index(three_commits)
        with pytest.raises(QueryError, match="auther"):
            there.send(wire.Find(repo=str(three_commits.path), query="auther:bob x"))
        with pytest.raises(RepositoryError):
            there.send(wire.Show(repo=str(three_commits.path), commit="no-such-ref"))
        assert there.send(wire.Find(repo=str(three_commits.path), query="one")).results.index.indexed == 3


# -- keeping fresh -------------------------------------------------------------------------------


def test_commits_are_found_without_any_command_and_rewritten_ones_are_gone(
    daemon: int, three_commits: Repo
) -> None:
    assert alive(daemon)
    with client.connect() as there:
        there.send(wire.Index(repo=str(three_commits.path)))
        assert wait_until(lambda: indexed(there) == 3)
        assert wait_until(lambda: there.send(wire.HealthCheck()).watched == (str(three_commits.git_dir),))
        (three_commits.path / "zebra.txt").write_text("zebra crossing\n")
        three_commits.git("add", "zebra.txt")
        three_commits.git("commit", "-q", "-m", "Paint the zebra crossing")
        assert wait_until(lambda: there.send(wire.Status(repo=str(three_commits.path))).status.indexed == 4)
        assert "Paint the zebra crossing" in subjects(three_commits, "zebra")
        three_commits.git("commit", "-q", "--amend", "-m", "Paint the pelican crossing")
        assert wait_until(
            lambda: (
                there.send(wire.Status(repo=str(three_commits.path))).status.refs[0][1] == three_commits.tip
            )
        )
        assert wait_until(lambda: subjects(three_commits, "zebra") == {"Paint the pelican crossing"})
        run = there.send(wire.Status(repo=str(three_commits.path))).status.last_run
        assert run is not None


def test_events_tell_what_happens(daemon: int, small_project: Repo) -> None:
    assert alive(daemon)
    with client.connect() as listening, client.connect() as there:
        events = listening.events()
        there.send(wire.Index(repo=str(small_project.path)))
        seen = []
        for job in events:
            seen.append(job)
            if job.state in {"done", "failed"}:
                break
        states = [job.state for job in seen if job.state != "queued"]
        assert (states[0], states[-1]) == ("running", "done")
        assert {job.repository for job in seen} == {str(small_project.git_dir)}
        last = [job.progress for job in seen if job.progress is not None][-1]
        assert last.done == last.total


def test_paused_it_answers_but_does_not_index(daemon: int, three_commits: Repo) -> None:
    assert alive(daemon)
    assert ohara("daemon", "pause").stdout == "paused (ohara daemon resume)\n"
    with client.connect() as there:
        there.send(wire.Index(repo=str(three_commits.path)))
        health = there.send(wire.HealthCheck())
        assert (health.paused, health.queued) == (
            "paused by ohara daemon pause",
            (str(three_commits.git_dir),),
        )
        assert ohara("daemon", "resume").returncode == 0
        assert wait_until(lambda: indexed(there) == 3)


def test_a_repository_that_vanished_or_is_damaged_hurts_nobody_else(
    daemon: int, small_project: Repo, three_commits: Repo
) -> None:
    index(small_project)
    engine = index(three_commits)
    for log in engine.location.folder.glob("index.db-*"):
        log.unlink()
    engine.location.database.write_bytes(b"not a database at all" * 1000)
    small_project.path.rename(small_project.path.with_name("moved"))
    with client.connect() as there:
        with pytest.raises(RepositoryError, match="does not exist"):
            there.send(wire.Find(repo=str(small_project.path), query="x"))
        with pytest.raises(Exception, match=r"damaged|not an ohara index") as caught:
            there.send(wire.Find(repo=str(three_commits.path), query="x"))
        assert type(caught.value).__name__ == "IndexCorrupt"
        assert len(there.send(wire.Repos()).repositories) == 2
        assert there.send(wire.HealthCheck()).pid == daemon
