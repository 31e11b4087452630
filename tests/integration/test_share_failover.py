"""A replica serves readers and takes over from a server that is gone: what was acknowledged is there."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import psycopg
import pytest

from fixtures import postgres
from ohara.engine import Engine
from ohara.errors import StoreError
from ohara.index.push import push
from ohara.model import SearchOptions
from ohara.store.locate import IndexLocation
from ohara.store.postgres.connection import Server
from ohara.store.postgres.index import PostgresIndex
from ohara.store.postgres.server import initialise
from tests.daemon import wait_until
from tests.indexing import index
from tests.process import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fixtures.git import Repo

_WRITES = "target_session_attrs=read-write"  # libpq takes the server of both that can be written

# Says which commits are there after each batch that the server acknowledged, and waits a little.
_PUSH = """
import json, sys, time
from pathlib import Path
from ohara.engine import Engine
from ohara.errors import OharaError
from ohara.index import push as pushing
from ohara.store.locate import IndexLocation
from ohara.store.postgres.connection import Server
from ohara.store.postgres.index import PostgresIndex
repo, dsn, name = sys.argv[1:]
pushing._READ_COMMITS, pushing._BATCH_HUNKS = 2, 1
engine = Engine.open(repo)
location = IndexLocation(engine.repository.common_dir, Path("/nonexistent"))
target = PostgresIndex(location, Server("team", dsn), name)
try:
    for moment in pushing.push(engine.store, target):
        print(json.dumps([moment.stage.value, moment.done]), flush=True)
        time.sleep(0.05)
except OharaError as error:
    print(json.dumps(["fault", f"{type(error).__name__}: {error.message}"]), flush=True)
"""


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[postgres.Server, postgres.Server]]:
    """A server, and a standby that it waits for before it acknowledges anything."""
    settings = ("fsync=off", "synchronous_commit=remote_apply", *postgres.SMALL)
    with postgres.running(settings) as primary:
        initialise(Server("team", primary.dsn))
        with postgres.standby(primary, "second", settings) as second:
            with psycopg.connect(primary.dsn, autocommit=True) as admin:
                admin.execute("ALTER SYSTEM SET synchronous_standby_names = 'second'")
                admin.execute("SELECT pg_reload_conf()")
                assert wait_until(lambda: _is_synchronous(admin))
            yield primary, second


def _is_synchronous(admin: psycopg.Connection[tuple[object, ...]]) -> bool:
    return admin.execute("SELECT sync_state FROM pg_stat_replication").fetchall() == [("sync",)]


def pushed_to(engine: Engine, target: PostgresIndex) -> None:
    for _ in push(engine.store, target):
        pass


def shas(engine: Engine, query: str) -> list[str]:
    found = engine.find_pattern(query, SearchOptions(k=20, rerank=False, now=2_000_000_000))
    return [hit.commit.sha for hit in found.hits]


def test_what_was_acknowledged_is_read_on_the_standby(
    pair: tuple[postgres.Server, postgres.Server], small_project: Repo, tmp_path: Path
) -> None:
    primary, second = pair
    own = index(small_project)
    location = IndexLocation(own.repository.common_dir, tmp_path / "none")
    target = PostgresIndex(location, Server("team", primary.dsn), "whole")
    pushed_to(own, target)
    replica = PostgresIndex(location, Server("team", second.dsn), "whole")
    assert replica.dump() == target.dump()
    with closing(Engine(own.repository, own.settings, replica)) as reading:
        assert shas(reading, "retry") == shas(own, "retry") != []
    with pytest.raises(StoreError, match="team is a replica, which is only read"):
        pushed_to(own, replica)


def test_a_standby_serves_readers_and_takes_over_without_losing_what_was_acknowledged(
    pair: tuple[postgres.Server, postgres.Server], small_project: Repo, tmp_path: Path
) -> None:
    primary, second = pair
    own = index(small_project)
    location = IndexLocation(own.repository.common_dir, tmp_path / "none")
    either = f"host={primary.folder},{second.folder} user=postgres dbname=postgres"
    asked = [sys.executable, "-c", _PUSH, str(small_project.path), f"{either} {_WRITES}", "p"]
    with subprocess.Popen(asked, cwd=ROOT, stdout=subprocess.PIPE, text=True) as pushed:
        assert pushed.stdout is not None
        told = [json.loads(pushed.stdout.readline()) for _ in range(5)]
        assert [stage for stage, _ in told] == ["text"] * 5
        primary.kill()
        told += map(json.loads, pushed.stdout)
    assert told[-1][0] == "fault"
    assert "does not answer" in told[-1][1]
    acknowledged = max(done for stage, done in told if stage == "text")

    readers = Server("team", f"{either} target_session_attrs=prefer-standby")
    replica = PostgresIndex(location, readers, "p")
    with replica.statistics() as known:
        assert known.commits() >= acknowledged
    whole = PostgresIndex(location, readers, "whole")
    with closing(Engine(own.repository, own.settings, whole)) as reading:  # while nobody can write
        assert shas(reading, "retry") == shas(own, "retry") != []
    second.run("pg_ctl", "promote", "-D", str(second.data), "-w")
    target = PostgresIndex(location, Server("team", f"{either} {_WRITES}"), "p")
    assert target.examine().damage == ""
    with target.statistics() as known:
        assert known.commits() >= acknowledged
    pushed_to(own, target)
    assert target.dump() == whole.dump()
    with closing(Engine(own.repository, own.settings, target)) as shared:
        assert shas(shared, "retry") == shas(own, "retry") != []
