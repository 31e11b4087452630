"""A clock that jumps, and indexers that meet, change nothing of what is found."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from fixtures.histories import many_commits
from ohara import client, wire
from ohara.engine import Engine
from ohara.errors import IndexLocked, IndexMissing
from ohara.model import SearchOptions
from tests.daemon import service, wait_until
from tests.indexing import facts_of, facts_of_a_fresh_index, index
from tests.process import ROOT, ohara

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from fixtures.git import Repo

# Shifts the time of day of every process of the test by what a file says; durations are not measured by it.
JUMPING = """
import os, time
_real = time.time
def _shifted():
    try:
        with open(os.environ["OHARA_HOME"] + "/shift") as file:
            return _real() + float(file.read() or 0)
    except OSError:
        return _real()
time.time = _shifted
"""
YEARS_S = 10 * 365 * 86_400


def test_a_clock_that_jumps_costs_no_commit_and_no_answer(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo
) -> None:
    index(three_commits)
    repo, where = three_commits, ("--repo", str(three_commits.path))
    shifted = {"PYTHONPATH": f"{ohara_home / 'custom'}:{ROOT}"}
    with service(ohara_home, monkeypatch, customised=JUMPING), client.connect() as there:
        assert wait_until(
            lambda: there.send(wire.HealthCheck()).watched and there.send(wire.HealthCheck()).running is None
        )
        for number, shift in enumerate((-YEARS_S, YEARS_S, 0), 1):
            (ohara_home / "shift").write_text(str(shift))
            (repo.path / f"quokka{number}.txt").write_text(f"quokka{number}\n")
            repo.git("add", ".")
            # Each time as if it were written at the other end of the jump: in the future, then in the past.
            repo.git("commit", "-q", "-m", f"quokka {number}", f"--date={10**9 - shift} +0000")
            status = wire.Status(repo=str(repo.path))
            assert wait_until(lambda: there.send(status).status.indexed == 3 + number), shift  # noqa: B023
            found = ohara("find", "-q", *where, f'"quokka{number}"', env=shifted)
            assert (found.returncode, found.stderr) == (0, "")
            for command in (("status", *where), ("repos",), ("daemon", "status")):
                told = ohara(*command, env=shifted)
                assert (told.returncode, told.stderr) == (0, ""), (shift, command)
                assert " -" not in told.stdout, (shift, command)  # nothing takes less than no time
        assert there.send(wire.HealthCheck()).troubles == ()


def test_indexers_that_meet_leave_one_whole_index_whatever_is_forgotten_meanwhile(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repo = many_commits(tmp_path / "many", 200)
    command = [sys.executable, "-m", "ohara", "index", "-q", "--repo", str(repo.path)]
    with service(ohara_home, monkeypatch), client.connect() as there:
        for turn in range(2):
            there.send(wire.Index(repo=str(repo.path)))
            runs = [
                subprocess.Popen([*command, *more], cwd=ROOT, stderr=subprocess.PIPE, text=True)
                for more in ((), ("--rebuild",))
            ]
            if turn:
                with suppress(IndexLocked, IndexMissing):  # who is at work may hold it for longer
                    Engine.open(repo.path).forget()
            for run in runs:
                _, said = run.communicate(timeout=120)
                assert run.returncode == 0 or "has been indexing this repository since" in said, said
        there.send(wire.Index(repo=str(repo.path)))
        assert wait_until(
            lambda: not (health := there.send(wire.HealthCheck())).queued and health.running is None
        )
        assert there.send(wire.HealthCheck()).troubles == ()
        found = there.send(wire.Find(repo=str(repo.path), query="/./", options=SearchOptions(k=1))).results
        assert found.index.indexed == found.index.commits == 200
    assert facts_of(index(repo)) == facts_of_a_fresh_index(repo, tmp_path / "fresh", monkeypatch)
