"""Index jobs of the background service: stopped, killed and starved, they leave an index that goes on."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fixtures.large import many_commits
from ohara import client, wire
from ohara.daemon.power import on_battery
from ohara.engine import Engine
from ohara.index.watch import ref_signature
from tests.daemon import alive, end_whatever_runs, service, wait_until
from tests.indexing import facts_of, facts_of_a_fresh_index, index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fixtures.git import Repo

COMMITS = 400  # several batches of the customised indexer
DISK_FILLING_COMMITS = 2_500

# While a file says so, an indexer goes no further than a certain point: a test meets it in the middle of its
# work on any machine, and need not be quick about it.
HOLD = """
import os, sys, time
from pathlib import Path
place = Path(os.environ["OHARA_HOME"])
def hold():
    while (place / "hold").exists():
        (place / "holds").write_text(str(os.getpid()))
        (place / "holds").rename(place / "held")
        time.sleep(0.02)
"""
AFTER_A_BATCH = (
    HOLD
    + """
if "index" in sys.orig_argv:
    from ohara.index import stages
    from ohara.store.sqlite.writer import Writer
    stages._FIRST_BATCH_HUNKS = 60
    end_batch = Writer.commit
    def commit(self):
        writes = self.hunks_pending > 0
        end_batch(self)
        if writes:
            hold()
    Writer.commit = commit
"""
)
AFTER_STEPPING_BACK = (
    HOLD
    + """
priority._NICENESS, priority._SESSION_NICENESS = 10, 5
lower_priority = priority.lower_priority
def stay_there():
    lower_priority()
    hold()
priority.lower_priority = stay_there
"""
)


def held(home: Path) -> int:
    """Wait for an indexer to be held; its pid."""
    file = home / "held"
    file.unlink(missing_ok=True)
    assert wait_until(file.exists)
    return int(file.read_text())


@contextmanager
def met_in_the_middle(path: Path, home: Path) -> Iterator[int]:
    """Have a repository indexed and yield the indexer's pid while it has done some but not all."""
    (home / "hold").touch()
    with client.connect() as there:
        there.send(wire.Index(repo=str(path)))
        pid = held(home)
        assert 0 < there.send(wire.Status(repo=str(path))).status.indexed < COMMITS
    holder = Engine.open(path).indexing_since()
    assert holder is not None
    assert holder[0] == pid
    yield pid
    (home / "hold").unlink()


def finished(path: Path, there: client.Client) -> bool:
    engine = Engine.open(path)
    status = engine.status()
    done = all(part.done == part.total for part in status.passes if part.stage != "vector")
    return done and status.indexed == COMMITS and there.send(wire.HealthCheck()).running is None


def test_a_job_that_is_paused_killed_or_stopped_goes_on_to_the_same_index(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = many_commits(tmp_path / "many.git", COMMITS).path
    with service(ohara_home, monkeypatch, settings="[index]\njobs = 1\n", customised=AFTER_A_BATCH) as first:
        with met_in_the_middle(path, ohara_home) as indexer, client.connect() as there:
            there.send(wire.Pause())
            assert wait_until(lambda: not alive(indexer))
            assert 0 < there.send(wire.Status(repo=str(path))).status.indexed < COMMITS
            assert there.send(wire.Find(repo=str(path), query="step")).results.hits
        with client.connect() as there:
            (ohara_home / "hold").touch()
            there.send(wire.Resume())
        with met_in_the_middle(path, ohara_home) as indexer:
            os.kill(first, signal.SIGKILL)
            os.kill(indexer, signal.SIGKILL)
            assert wait_until(lambda: not alive(first))
        (ohara_home / "hold").touch()
        with client.connect(start=True) as there:
            assert there.greeting.pid != first
        with met_in_the_middle(path, ohara_home) as indexer:
            end_whatever_runs(ohara_home)
            assert wait_until(lambda: not alive(indexer))
        with client.connect(start=True) as there:
            there.send(wire.Index(repo=str(path)))
            assert wait_until(lambda: finished(path, there))
    uninterrupted = facts_of_a_fresh_index(path, tmp_path / "fresh", monkeypatch)
    assert facts_of(Engine.open(path)) == uninterrupted


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """A disk of a few megabytes."""
    folder.mkdir(parents=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("needs to mount a small disk")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.skipif(not shutil.which("mount") or os.getuid() != 0, reason="needs to mount a small disk")
def test_a_full_disk_fails_the_job_and_nothing_else(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, three_commits: Repo
) -> None:
    path = many_commits(tmp_path / "many.git", DISK_FILLING_COMMITS).path
    with (
        small_disk(ohara_home / "data", "2000k"),
        service(ohara_home, monkeypatch) as pid,
        client.connect() as listening,
        client.connect() as there,
    ):
        index(three_commits)
        assert there.send(wire.Find(repo=str(three_commits.path), query="greeting")).results.hits
        events = listening.events()
        there.send(wire.Index(repo=str(path)))
        ended = next(job for job in events if "many" in job.repository and job.state in {"done", "failed"})
        assert ended.state == "failed"
        assert "full" in ended.detail
        assert there.send(wire.Find(repo=str(three_commits.path), query="greeting")).results.hits
        assert there.send(wire.HealthCheck()).pid == pid


def test_an_indexer_of_the_service_steps_back_with_its_whole_session(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo
) -> None:
    (ohara_home / "hold").touch()
    with (
        service(ohara_home, monkeypatch, customised=AFTER_STEPPING_BACK) as pid,
        client.connect() as there,
    ):
        there.send(wire.Index(repo=str(three_commits.path)))
        indexer = held(ohara_home)
        assert os.getpriority(os.PRIO_PROCESS, indexer) == os.getpriority(os.PRIO_PROCESS, pid) + 10
        assert os.getsid(indexer) == indexer
        session = Path(f"/proc/{indexer}/autogroup")
        if session.exists():
            assert session.read_text().endswith(" nice 5\n")
            assert Path(f"/proc/{pid}/autogroup").read_text().endswith(" nice 0\n")
        (ohara_home / "hold").unlink()


# -- what decides when -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("supplies", "expected"),
    [
        ({}, False),
        ({"BAT0": ("Battery", "1")}, False),
        ({"AC": ("Mains", "1"), "BAT0": ("Battery", "1")}, False),
        ({"AC": ("Mains", "0"), "BAT0": ("Battery", "1")}, True),
        ({"AC": ("Mains", "0"), "USBC": ("USB", "1")}, False),
    ],
)
def test_battery_is_told_from_mains(
    tmp_path: Path, supplies: dict[str, tuple[str, str]], expected: bool
) -> None:
    for name, (kind, online) in supplies.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "type").write_text(f"{kind}\n")
        (tmp_path / name / "online").write_text(f"{online}\n")
    assert on_battery(tmp_path) is expected


def test_a_machine_that_tells_nothing_is_not_on_battery(tmp_path: Path) -> None:
    assert on_battery(tmp_path / "no-such-folder") is False


def test_polling_sees_what_moves_refs_and_nothing_else(three_commits: Repo) -> None:
    folder = three_commits.git_dir
    seen = [ref_signature(folder)]

    def moved() -> bool:
        seen.append(ref_signature(folder))
        return seen[-1] != seen[-2]

    (three_commits.path / "new.txt").write_text("x\n")
    three_commits.git("add", "new.txt")
    assert not moved()
    three_commits.git("commit", "-q", "-m", "new")
    assert moved()
    three_commits.git("branch", "other")
    assert moved()
    three_commits.git("checkout", "-q", "other")
    assert moved()
    three_commits.git("pack-refs", "--all")
    assert moved()
    three_commits.git("tag", "v1")
    assert moved()
    three_commits.git("status")
    assert not moved()
