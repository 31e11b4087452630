"""Many clients at once are all answered in full, each in its turn, whatever one of them asks for."""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

import anyio
import anyio.lowlevel
import pytest

from ohara import client, wire
from ohara.daemon.request_turns import Turns
from ohara.errors import DaemonBusy
from ohara.model import LaneStatus
from tests.daemon import service
from tests.indexing import index
from tests.process import ohara

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.model import Results

CLIENTS = 100


def all_at_once(count: int, ask: Callable[[], Results]) -> list[Results]:
    """What so many clients are answered that begin together; a fault of one is raised."""
    ready = threading.Barrier(count)
    answers: list[Results] = []
    faults: list[Exception] = []

    def one() -> None:
        ready.wait()
        try:
            answers.append(ask())
        except Exception as fault:  # noqa: BLE001 - raised below, in the thread of the test
            faults.append(fault)

    threads = [threading.Thread(target=one) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return answers


def test_a_hundred_clients_at_once_are_all_answered_by_all_lanes(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo
) -> None:
    index(three_commits)

    def ask() -> Results:
        with client.connect() as there:
            return there.send(wire.Find(repo=str(three_commits.path), query="greet the world")).results

    with service(ohara_home, monkeypatch):
        answers = all_at_once(CLIENTS, ask)
    assert len(answers) == CLIENTS
    shas = {tuple(hit.commit.sha for hit in answer.hits) for answer in answers}
    assert len(shas) == 1
    assert shas.pop()
    assert {lane.status for answer in answers for lane in answer.lanes} <= {
        LaneStatus.OK,
        LaneStatus.EMPTY,
        LaneStatus.OFF,
    }


SLOW = """
import time
from ohara.daemon import repositories, request_turns, server
request_turns.Turns.__init__.__kwdefaults__.update(at_once=1)
catch_up = repositories.catch_up
def slowly(*given):
    time.sleep(0.2)
    return catch_up(*given)
repositories.catch_up = slowly
server._CONNECTIONS = 40
"""

# How long one who is turned away tries again.
HASTY = """
from ohara.client import blocking
blocking._GREETING_S = 2.0
"""


def test_who_is_told_that_the_service_is_busy_asks_again_and_is_answered(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo
) -> None:
    index(three_commits)
    told: list[str] = []

    def ask() -> Results:
        with client.connect() as there:
            hasty = wire.Find(id=99, repo=str(three_commits.path), query="world", deadline_ms=1_000)
            there._write(hasty)
            reply = there._receive()
            if isinstance(reply, wire.Fault) and reply.kind == DaemonBusy.__name__:
                told.append(reply.message)
            patient = wire.Find(repo=str(three_commits.path), query="world", deadline_ms=15_000)
            return there.send(patient).results

    with service(ohara_home, monkeypatch, customised=SLOW):
        answers = all_at_once(16, ask)
    assert len(answers) == 16
    assert all(answer.hits for answer in answers)
    assert told
    assert all("busy" in message for message in told)


def test_one_client_more_than_there_may_be_is_told_so_and_comes_in_when_another_leaves(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo
) -> None:
    index(three_commits)
    with service(ohara_home, monkeypatch, customised=SLOW + HASTY), ExitStack() as others:
        for _ in range(40):
            others.enter_context(client.connect())
        with monkeypatch.context() as hasty:
            hasty.setattr("ohara.client.blocking._GREETING_S", 2.0)
            with pytest.raises(DaemonBusy, match="has 40 clients already"):
                client.connect()
        # What a person types is answered all the same.
        hastily = {"PYTHONPATH": os.environ["PYTHONPATH"]}
        found = ohara("find", "--repo", str(three_commits.path), "-q", '"world"', env=hastily)
        assert (found.returncode, found.stderr) == (0, "")
        others.close()
        with client.connect() as there:
            assert there.send(wire.Find(repo=str(three_commits.path), query='"world"')).results.hits


# -- turns ---------------------------------------------------------------------------------------


def test_who_asks_much_does_not_keep_others_waiting() -> None:
    done: list[str] = []

    async def ask(turns: Turns, who: str) -> None:
        async with turns.take(who, patience_s=60):
            await anyio.lowlevel.checkpoint()
            done.append(who)

    async def run() -> None:
        turns = Turns(at_once=2, for_one=2)
        async with anyio.create_task_group() as group:
            for _ in range(50):
                group.start_soon(ask, turns, "much")
            await anyio.lowlevel.checkpoint()
            for who in ("little", "less"):
                group.start_soon(ask, turns, who)
        assert turns.waiting == 0

    anyio.run(run)
    assert sorted(done) == sorted(["much"] * 50 + ["little", "less"])
    assert {"little", "less"} <= set(done[:8])


def test_one_client_never_has_all_turns() -> None:
    async def run() -> None:
        turns = Turns(at_once=3, for_one=2)
        async with turns.take("a", patience_s=1), turns.take("a", patience_s=1):
            with pytest.raises(DaemonBusy, match="was busy for 0 s"):
                async with turns.take("a", patience_s=0.01):
                    pass
            async with turns.take("b", patience_s=1):
                pass

    anyio.run(run)


def test_who_would_wait_too_long_is_told_at_once_and_who_gives_up_leaves_the_queue() -> None:
    async def wait(turns: Turns) -> None:
        async with turns.take("patient", patience_s=60):
            pass

    async def run() -> None:
        turns = Turns(at_once=1, for_one=1)
        async with anyio.create_task_group() as group, turns.take("first", patience_s=1):
            for _ in range(100):
                group.start_soon(wait, turns)
            await anyio.sleep(0.01)
            assert turns.waiting == 100
            with pytest.raises(DaemonBusy, match="100 requests wait, for about 10 s"):
                async with turns.take("hasty", patience_s=5):
                    pass
            group.cancel_scope.cancel()
        assert turns.waiting == 0
        async with turns.take("next", patience_s=1):
            pass

    anyio.run(run)
