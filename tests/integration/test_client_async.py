"""The client for event loops: many tasks on one connection, each of which may change its mind."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import anyio
import pytest

from ohara import client, wire
from ohara.errors import DaemonError, QueryError
from ohara.model import SearchOptions
from tests.daemon import service
from tests.indexing import index

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.model import Results

pytestmark = pytest.mark.anyio


@pytest.fixture
def daemon(ohara_home: Path, monkeypatch: pytest.MonkeyPatch, small_project: Repo) -> Iterator[int]:
    index(small_project)
    with service(ohara_home, monkeypatch) as pid:
        yield pid


async def test_many_tasks_share_one_connection_and_changing_ones_mind_costs_nothing(
    daemon: int, small_project: Repo
) -> None:
    async with client.connect_async() as ohara:
        answers: dict[str, Results] = {}

        async def ask(query: str) -> None:
            answers[query] = (
                await ohara.send(
                    wire.Find(repo=str(small_project.path), query=query, options=SearchOptions(k=3))
                )
            ).results

        queries = ["retry", "timeout", '"def "', "docs", "fix"]
        async with anyio.create_task_group() as group:
            for query in queries:
                group.start_soon(ask, query)
        assert {query: answers[query].query.source for query in queries} == {
            query: query for query in queries
        }
        for _ in range(20):
            with anyio.move_on_after(0.001):
                await ohara.send(wire.Find(repo=str(small_project.path), query="retry"))
        with pytest.raises(QueryError, match="auther"):
            await ohara.send(wire.Find(repo=str(small_project.path), query="auther:x y"))
        assert [
            hit.hunk
            for hit in (
                (
                    await ohara.send(
                        wire.Find(repo=str(small_project.path), query="retry", options=SearchOptions(k=3))
                    )
                ).results
            ).hits
        ] == [hit.hunk for hit in answers["retry"].hits]
        health = await ohara.send(wire.HealthCheck())
        assert (health.pid, health.connections) == (daemon, 1)
        assert ((await ohara.send(wire.Status(repo=str(small_project.path)))).status).behind == 0
        assert [known.repository for known in (await ohara.send(wire.Repos())).repositories] == [
            str(small_project.path)
        ]
        assert {
            hit.commit.sha
            for hit in (await ohara.send(wire.Show(repo=str(small_project.path), commit="HEAD"))).hits
        } == {small_project.tip}


async def test_events_arrive_beside_answers(daemon: int, small_project: Repo) -> None:
    seen: list[wire.JobState] = []
    async with client.connect_async() as ohara:

        async def listen(*, task_status: anyio.abc.TaskStatus[None]) -> None:
            events = ohara.events()
            task_status.started()
            async for job in events:
                seen.append(job)
                if job.state == "done" and job.reason == "asked":
                    return

        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                await group.start(listen)
                while not seen:
                    await ohara.send(wire.Index(repo=str(small_project.path)))
                    await anyio.sleep(0.2)
        assert (await ohara.send(wire.HealthCheck())).pid == daemon
    assert seen[-1].repository == str(small_project.git_dir)


async def test_a_service_that_dies_is_an_error_at_once_and_not_a_wait(
    daemon: int, small_project: Repo
) -> None:
    async with client.connect_async() as ohara:
        os.kill(daemon, signal.SIGKILL)
        with anyio.fail_after(30):
            with pytest.raises(DaemonError, match="ended the connection"):
                await ohara.send(wire.Find(repo=str(small_project.path), query="retry"))
            with pytest.raises(DaemonError, match="ended the connection"):
                await ohara.send(wire.HealthCheck())
    async with client.connect_async(start=True) as again:
        assert (await again.send(wire.HealthCheck())).pid != daemon


async def test_without_a_service_connecting_says_so() -> None:
    with pytest.raises(DaemonError, match="no daemon is running"):
        async with client.connect_async():
            pass
