"""The newest commits of a long history are searchable before the rest has been looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fixtures import histories
from ohara.engine import Engine
from ohara.index import newest, pool, run, survey, threads
from ohara.index.job import IndexOptions
from ohara.index.plan import Limits
from ohara.model import Pass
from ohara.store.facts import TIPS, TOTAL
from ohara.store.sqlite.upkeep import Upkeep
from tests.indexing import WITHOUT_VECTORS, facts_of, facts_of_a_fresh_index, index

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from subprocess import Popen

    from ohara.index.plan import Plan

AHEAD = 40
QUICK = IndexOptions(passes=frozenset({Pass.TEXT, Pass.LITERAL}), lock_wait_s=10, jobs=1)


def test_the_newest_are_read_first_and_the_result_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = histories.many_commits(tmp_path / "many", 90)
    plain = facts_of_a_fresh_index(repo, tmp_path / "plain", monkeypatch)
    monkeypatch.setattr(newest, "NEWEST_COMMITS", AHEAD)
    looked_at: list[int] = []

    def counted(*given: object) -> Plan:
        writer = given[1]
        assert writer.fact(TIPS) == {}  # type: ignore[attr-defined]
        looked_at.append(len(writer.known_shas()))  # type: ignore[attr-defined]
        return survey.survey(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(run, "survey", counted)
    engine = index(repo)
    assert looked_at == [AHEAD]
    assert facts_of(engine) == plain
    assert engine.status().behind == 0


def test_a_run_that_ends_while_it_reads_ahead_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = histories.many_commits(tmp_path / "many", 90)
    monkeypatch.setattr(newest, "NEWEST_COMMITS", AHEAD)

    def ended(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(run, "survey", ended)
        with pytest.raises(KeyboardInterrupt):
            index(repo, QUICK)
    status = Engine.open(repo.path).status()
    assert (status.commits, status.indexed, status.behind) == (90, AHEAD, 90 - AHEAD)
    engine = index(repo)
    with engine.store.statistics() as known:
        assert (known.commits(), known.fact(TOTAL)) == (90, 90)
    assert facts_of(engine) == facts_of_a_fresh_index(repo, tmp_path / "fresh", monkeypatch, WITHOUT_VECTORS)


def test_workers_of_a_first_long_run_start_before_the_index_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = histories.many_commits(tmp_path / "many", 40)
    found: list[bool] = []
    start = pool.Pool.start

    def noted(self: pool.Pool) -> None:
        found.append(database.exists())
        start(self)

    monkeypatch.setattr(pool.Pool, "start", noted)
    database = Engine.open(repo.path).location.database
    index(repo, QUICK)
    assert found[0] is False


@pytest.mark.parametrize("is_first", [True, False])
def test_workers_have_ended_before_threads_are_found_and_the_index_is_compacted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_first: bool
) -> None:
    repo = histories.many_commits(tmp_path / "many", 40)
    if not is_first:
        index(repo, IndexOptions(limits=Limits(max_commits=1), lock_wait_s=10, passes=QUICK.passes))
    monkeypatch.setattr(run, "WORTH_COMPACTING_COMMITS", 1)
    processes: list[Popen[bytes]] = []
    alive: dict[str, int] = {}
    start = pool.Pool.start

    def noted(self: pool.Pool) -> None:
        start(self)
        processes.extend(worker.process for worker in self._workers)

    def looked(name: str, function: Callable[..., None]) -> Callable[..., None]:
        def looking(*given: object) -> None:
            alive[name] = sum(process.poll() is None for process in processes)
            function(*given)

        return looking

    monkeypatch.setattr(pool.Pool, "start", noted)
    monkeypatch.setattr(threads, "find", looked("threads", threads.find))
    monkeypatch.setattr(Upkeep, "compact", looked("compaction", Upkeep.compact))
    index(repo)
    assert processes
    assert alive == {"threads": 0, "compaction": 0}
