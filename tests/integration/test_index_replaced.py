"""An answer comes from the index that is there now: who holds another one open notices before it speaks."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING

import anyio
import pytest

from fixtures.histories import many_commits
from ohara import client, wire
from ohara.engine import Engine, forget
from ohara.errors import IndexMissing, IndexReplaced, QueryError, StoreError
from ohara.index.job import IndexOptions
from ohara.index.plan import Limits
from ohara.model import SearchOptions
from ohara.store.sql.meta import read_meta
from ohara.store.sqlite import identity as identities
from ohara.store.sqlite.connected import Connected
from ohara.store.sqlite.connection import LOG, SHARED, beside, connect_writer
from ohara.store.sqlite.identity import IDENTITY
from ohara.store.sqlite.pool import ReaderPool
from ohara.store.sqlite.schema import open_reader
from tests.daemon import service
from tests.indexing import WITHOUT_VECTORS, index
from tests.process import ohara

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fixtures.git import Repo

REBUILD = IndexOptions(passes=WITHOUT_VECTORS.passes, rebuild=True, lock_wait_s=10)


@pytest.fixture
def warm(three_commits: Repo) -> Iterator[Engine]:
    """An engine that has answered, and keeps its connections."""
    engine = index(three_commits)
    assert not found(engine, '"quokka"')
    yield engine
    engine.close()


def commit(repo: Repo, word: str) -> None:
    (repo.path / f"{word}.txt").write_text(f"{word}\n")
    repo.git("add", ".")
    repo.git("commit", "-q", "-m", f"add the {word}")


def found(engine: Engine, query: str) -> bool:
    return bool(engine.find_pattern(query, SearchOptions(rerank=False)).hits)


def identity(database: Path) -> object:
    reader = open_reader(database)
    try:
        return read_meta(Connected(database, reader), IDENTITY)
    finally:
        reader.close()


# -- through the service -------------------------------------------------------------------------


def test_a_warm_service_answers_from_the_index_that_is_there(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo
) -> None:
    repo = three_commits
    words = ("--repo", str(repo.path), "-q")

    def says(word: str) -> int:
        return ohara("find", *words, f'"{word}"').returncode

    assert ohara("index", *words).returncode == 0
    with service(ohara_home, monkeypatch), client.connect() as there:
        there.send(wire.Pause())  # what is found, the service itself has not indexed
        assert says("alpha_g") == 1
        for word in ("beta_g", "gamma_g"):  # replaced twice
            assert ohara("forget", str(repo.path)).returncode == 0
            commit(repo, word)
            assert ohara("index", *words).returncode == 0
            assert says(word) == 0, word
        commit(repo, "delta_g")
        assert ohara("index", "--rebuild", *words).returncode == 0
        assert says("delta_g") == 0
        with client.connect() as other:
            results = other.send(wire.Find(repo=str(repo.path), query='"delta_g"')).results
        assert (results.index.indexed, results.index.commits) == (6, 6)
        forget(Engine.open(repo.path).store)
        with pytest.raises(IndexMissing, match="has no index yet"):
            there.send(wire.Find(repo=str(repo.path), query='"delta_g"'))
        with pytest.raises(IndexMissing, match="has no index yet"):
            there.send(wire.Describe(repo=str(repo.path), commit=repo.tip))


def test_a_warm_service_shows_commits_of_the_index_that_is_there(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, three_commits: Repo
) -> None:
    index(three_commits)
    with service(ohara_home, monkeypatch), client.connect() as there:
        there.send(wire.Pause())
        assert there.send(wire.Describe(repo=str(three_commits.path), commit=three_commits.tip)).details.files
        forget(Engine.open(three_commits.path).store)
        commit(three_commits, "quokka")
        index(three_commits)
        (file,) = there.send(
            wire.Describe(repo=str(three_commits.path), commit=three_commits.tip)
        ).details.files
        assert file.path == "quokka.txt"


# -- in one process ------------------------------------------------------------------------------


def test_an_index_that_was_forgotten_is_missing_and_its_successor_answers(
    warm: Engine, three_commits: Repo
) -> None:
    forget(warm.store)
    assert warm.is_outdated
    with pytest.raises(IndexMissing):
        found(warm, '"quokka"')
    commit(three_commits, "quokka")
    index(three_commits)
    assert found(warm, '"quokka"')
    assert not warm.is_outdated


def test_an_index_that_was_overwritten_in_place_is_read_anew(
    warm: Engine, three_commits: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(three_commits, "quokka")
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("OHARA_HOME", str(tmp_path / "elsewhere"))
        other = index(three_commits)
    database = warm.location.database
    before = database.stat().st_ino
    shutil.copyfile(other.location.database, database)
    assert database.stat().st_ino == before
    assert found(warm, '"quokka"')


def test_a_copy_of_an_earlier_state_has_the_same_identity_and_is_noticed_too(
    warm: Engine, three_commits: Repo, tmp_path: Path
) -> None:
    database = warm.location.database
    warm.close()
    shutil.copyfile(database, tmp_path / "earlier.db")
    commit(three_commits, "quokka")
    index(three_commits)
    assert found(warm, '"quokka"')
    for suffix in (LOG, SHARED):
        beside(database, suffix).unlink(missing_ok=True)
    (tmp_path / "earlier.db").replace(database)
    assert not found(warm, '"quokka"')


def test_a_question_during_which_the_index_is_replaced_is_asked_again(
    warm: Engine, three_commits: Repo
) -> None:
    database = warm.location.database
    seen: list[object] = []

    async def ask() -> int:
        async def question() -> int:
            first = await pool.read(lambda reader: read_meta(reader, IDENTITY))
            if not seen:
                forget(warm.store)
                commit(three_commits, "quokka")
                index(three_commits)
            seen.append(first)
            return int(
                await pool.read(lambda reader: reader.connection.execute("SELECT count(*) FROM commits").get)
            )

        return await pool.of_one_index(question)

    with ReaderPool(database) as pool:
        assert anyio.run(ask) == 4
    assert seen[0] != seen[1] == identity(database)


def test_an_index_that_is_replaced_for_ever_is_said(warm: Engine) -> None:
    database = warm.location.database

    async def ask() -> None:
        async def question() -> None:
            await pool.read(lambda reader: reader.counts())
            os.replace(shutil.copyfile(database, f"{database}.copy"), database)  # noqa: PTH105

        await pool.of_one_index(question)

    with ReaderPool(database) as pool, pytest.raises(IndexReplaced, match="is being replaced"):
        anyio.run(ask)


def test_a_fault_that_comes_of_the_replacement_is_not_told(warm: Engine, three_commits: Repo) -> None:
    calls: list[int] = []

    async def ask() -> str:
        async def question() -> str:
            calls.append(1)
            if len(calls) == 1:
                index(three_commits, REBUILD)
                raise StoreError("what was being read is gone")
            return "answered"

        return await pool.of_one_index(question)

    with ReaderPool(warm.location.database) as pool:
        assert anyio.run(ask) == "answered"


def test_a_cursor_of_a_replaced_index_is_refused(warm: Engine, three_commits: Repo) -> None:
    first = warm.find_pattern("/./", SearchOptions(k=1))
    assert first.next_cursor is not None
    assert warm.find_pattern("/./", SearchOptions(k=1, after=first.next_cursor)).hits
    index(three_commits, REBUILD)  # the same commits, hunks and passes
    with pytest.raises(QueryError, match="the index has changed since the cursor was made"):
        warm.find_pattern("/./", SearchOptions(k=1, after=first.next_cursor))


def test_nothing_found_in_an_index_that_is_not_finished_is_no_no(
    ohara_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repo = many_commits(tmp_path / "many", 300)
    index(repo, IndexOptions(passes=WITHOUT_VECTORS.passes, limits=Limits(max_commits=20)))
    words = ("find", "--repo", str(repo.path), "-q", '"quokka"')
    said = "ohara: nothing was found, but 280 of 300 commits are not indexed\n"
    with service(ohara_home, monkeypatch), client.connect() as there:
        there.send(wire.Pause())
        told = ohara(*words)
        assert (told.returncode, told.stdout) == (2, "")
        assert told.stderr.startswith(said)
    index(repo)
    told = ohara(*words)
    assert (told.returncode, told.stdout, told.stderr) == (1, "", "")


# -- identities ----------------------------------------------------------------------------------


def test_every_index_has_an_identity_of_its_own_and_keeps_it(warm: Engine, three_commits: Repo) -> None:
    first = identity(warm.location.database)
    assert isinstance(first, str)
    assert len(first) == 32
    commit(three_commits, "quokka")
    index(three_commits)
    assert identity(warm.location.database) == first
    index(three_commits, REBUILD)
    assert identity(warm.location.database) != first


def make_old(database: Path) -> None:
    """Make an index as it was before there were identities."""
    writer = connect_writer(database)
    writer.execute("DELETE FROM meta WHERE key = ?", (IDENTITY,))
    for table in (
        "encoded",
        "thread",
        "copy",
        "line_count",
        "line_end",
        "merged_file",
        "head_version",
        "head_line",
    ):
        writer.execute(f"DROP TABLE {table}")
    writer.execute("DROP INDEX commits_pending")
    writer.execute("CREATE INDEX commits_pending ON commits(committer_time DESC, passes) WHERE passes < 15")
    writer.execute("UPDATE commits SET passes = passes & 15")
    writer.pragma("user_version", 2)
    writer.close()


def test_an_older_index_answers_as_it_is_and_gets_its_identity_from_the_next_run(
    warm: Engine, three_commits: Repo
) -> None:
    make_old(warm.location.database)
    assert found(warm, "/./")
    assert identity(warm.location.database) is None
    commit(three_commits, "quokka")
    index(three_commits)
    assert identity(warm.location.database) is not None
    assert found(warm, '"quokka"')


def test_who_cannot_write_reads_an_older_index_and_notices_what_others_do(
    warm: Engine, three_commits: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_old(warm.location.database)
    monkeypatch.setattr(os, "access", lambda *_: False)  # as a user who owns none of it
    assert not found(warm, '"quokka"')
    assert found(warm, '"world"')
    assert warm.status().left_out == ()
    commit(three_commits, "quokka")
    index(three_commits)
    assert found(warm, '"quokka"')
    forget(warm.store)
    commit(three_commits, "wombat")
    index(three_commits)
    assert found(warm, '"wombat"')


# -- writers -------------------------------------------------------------------------------------


def test_a_writer_whose_index_is_taken_away_says_so(three_commits: Repo) -> None:
    engine = Engine.open(three_commits.path)
    moments = engine.index(WITHOUT_VECTORS)
    next(moments)
    shutil.rmtree(engine.location.folder)
    with pytest.raises(StoreError, match="was taken away while it was written"):
        list(moments)


def test_a_log_left_by_an_index_that_is_gone_is_no_part_of_a_new_one(three_commits: Repo) -> None:
    engine = index(three_commits)
    database = engine.location.database
    writer = connect_writer(database)
    writer.execute("UPDATE commits SET message = 'of another index'")
    shutil.copyfile(beside(database, LOG), log := database.with_name("kept"))
    writer.close()
    database.unlink()
    log.replace(beside(database, LOG))
    index(three_commits)
    reader = open_reader(database)
    assert {"of another index"}.isdisjoint(
        message for (message,) in reader.execute("SELECT message FROM commits")
    )
    reader.close()


def test_two_rebuilds_in_one_second_keep_both_old_indexes(three_commits: Repo) -> None:
    engine = index(three_commits)
    old = [identity(engine.location.database)]
    index(three_commits, REBUILD)
    old.append(identity(engine.location.database))
    index(three_commits, REBUILD)
    kept = sorted(engine.location.folder.glob("aside-*.db"))
    assert sorted(map(str, (identity(each) for each in kept))) == sorted(map(str, old))


def test_a_database_that_nobody_wrote_to_is_not_opened_anew(
    warm: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = warm.location.database
    opened: list[Path] = []
    reading = identities._identity_at

    def read(path: Path) -> str | None:
        opened.append(path)
        return reading(path)

    monkeypatch.setattr(identities, "_identity_at", read)
    with ReaderPool(database) as pool:
        stamp = anyio.run(pool.read, lambda reader: reader.stamp)
        _written(database, seconds_ago=60)
        assert [pool.is_same(stamp) for _ in range(3)] == [True] * 3
        assert len(opened) == 1
        _written(database, seconds_ago=0)  # it may be written once more in the same moment
        assert [pool.is_same(stamp) for _ in range(3)] == [True] * 3
        assert len(opened) == 4
        _written(database, seconds_ago=60)
        connection = connect_writer(database)
        connection.execute("UPDATE meta SET value = '\"another\"' WHERE key = 'identity'")
        connection.pragma("wal_checkpoint", "truncate")
        connection.close()
        _written(database, seconds_ago=30)
        assert not pool.is_same(stamp)


def _written(database: Path, *, seconds_ago: float) -> None:
    """Have the files of a database look as if they were written then."""
    moment = time.time() - seconds_ago
    for each in (database, beside(database, LOG)):
        if each.exists():
            os.utime(each, (moment, moment))
