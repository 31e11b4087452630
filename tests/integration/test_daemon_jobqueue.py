"""Repositories take turns at being indexed: a long history holds up no other, and ends the same."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from fixtures.large import many_commits
from ohara import client, wire
from ohara.engine import Engine
from tests.daemon import service, wait_until
from tests.indexing import facts_of, facts_of_a_fresh_index
from tests.integration.test_daemon_jobs import AFTER_A_BATCH, held

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

    from fixtures.git import Repo

COMMITS = 300

# Turns short enough for a test; only the indexer of the long history is ever held.
BRIEF = """
import sys
if "daemon" in sys.orig_argv:
    from ohara.daemon import jobs, jobqueue
    jobqueue.TURN_S = jobqueue.SHORT_TURN_S = jobs.TURN_S = {turn_s}
    jobs._GRACE_S = {grace_s}
if not any("many" in word for word in sys.orig_argv):
    hold = lambda: None
"""
ONE_WORKER = "[index]\njobs = 1\n"


@contextmanager
def asked_for_both(
    home: Path, monkeypatch: pytest.MonkeyPatch, many: Path, three: Repo, *, grace_s: float
) -> Iterator[tuple[client.Client, Iterator[wire.JobState]]]:
    """A service that is held in the middle of the long history, and was then asked for the short one."""
    customised = AFTER_A_BATCH + BRIEF.format(turn_s=0.2, grace_s=grace_s)
    (home / "hold").touch()
    with (
        service(home, monkeypatch, settings=ONE_WORKER, customised=customised),
        client.connect() as listening,
        client.connect() as there,
    ):
        events = listening.events()
        there.send(wire.Index(repo=str(many)))
        held(home)
        there.send(wire.Index(repo=str(three.path)))
        yield there, events


def test_a_long_history_gives_way_and_goes_on_to_the_same_index(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, three_commits: Repo
) -> None:
    many = many_commits(tmp_path / "many.git", COMMITS).path
    with asked_for_both(ohara_home, monkeypatch, many, three_commits, grace_s=600) as (there, events):
        health = there.send(wire.HealthCheck())
        assert health.queued[0] == str(three_commits.git_dir)
        assert health.running is not None
        assert health.running.repository == str(many)
        wait_until(lambda: False, at_most_s=1.0)  # its turn is over: it is told to give way while it is held
        (ohara_home / "hold").unlink()
        order: list[tuple[str, str]] = []
        while not order or order[-1] != ("many", "done"):
            job = next(events)
            if job.state == "done" or job.detail.startswith("gives way"):
                order.append(("many" if "many" in job.repository else "three", job.state))
        assert order[0] == ("many", "queued")
        assert order.index(("three", "done")) < order.index(("many", "done"))
        assert there.send(wire.Status(repo=str(many))).status.indexed == COMMITS
    uninterrupted = facts_of_a_fresh_index(many, tmp_path / "fresh", monkeypatch)
    assert facts_of(Engine.open(many)) == uninterrupted


def test_a_job_that_cannot_end_its_turn_goes_on_beside_the_next(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, three_commits: Repo
) -> None:
    many = many_commits(tmp_path / "many.git", COMMITS).path
    with asked_for_both(ohara_home, monkeypatch, many, three_commits, grace_s=0.2) as (there, events):
        assert next(job for job in events if job.state == "done").repository == str(three_commits.git_dir)
        assert there.send(wire.Status(repo=str(many))).status.indexed < COMMITS
        (ohara_home / "hold").unlink()
        next(job for job in events if job.state == "done" and job.repository == str(many))
        assert there.send(wire.Status(repo=str(many))).status.indexed == COMMITS
