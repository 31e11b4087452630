"""The golden queries over the scripted project, answered by the whole pipeline with the embedded models."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from fixtures.golden import GOLDEN
from ohara.engine import Engine
from ohara.index.push import push
from ohara.model import Mode, QueryClass, SearchOptions
from ohara.store.postgres.index import PostgresIndex
from tests.indexing import wholly_indexed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fixtures.git import Repo
    from fixtures.golden import GoldenQuery
    from ohara.model import Results, Sha
    from ohara.store.postgres.connection import Server

# A fixed present, a few months after the scripted history ends.
NOW = 1_735_689_600

_ALL = 1_000
_LISTED = frozenset({QueryClass.LITERAL, QueryClass.REGEX})


@pytest.fixture(scope="module")
def engine(shared_project: Repo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with wholly_indexed(shared_project, tmp_path_factory.mktemp("golden")) as indexed:
        yield indexed


@pytest.fixture(scope="module")
def shared(engine: Engine, team: Server) -> Iterator[Engine]:
    """The same index on a PostgreSQL server."""
    target = PostgresIndex(engine.location, team, "golden")
    for _ in push(engine.store, target):
        pass
    # However busy the machine is, no lane is left out.
    settings = replace(engine.settings, find=replace(engine.settings.find, lane_timeout_s=100.0))
    engine.settings = settings
    asked = Engine(engine.repository, settings, target)
    yield asked
    asked.close()
    target.forget(wait_s=5)


def behind(results: Results, within: int) -> set[Sha]:
    return {sha for hit in results.hits[:within] for sha in (hit.commit.sha, *hit.also_in)}


def described(results: Results, names: dict[Sha, str]) -> str:
    return "; ".join(
        f"{hit.rank} {names.get(hit.commit.sha)} {hit.path} {dict(hit.lanes)}" for hit in results.hits
    )


@pytest.mark.parametrize("rerank", [False, True], ids=["fused", "reranked"])
@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: f"{golden.mode} {golden.query[:50]}")
def test_golden_query(golden: GoldenQuery, rerank: bool, engine: Engine, shared_project: Repo) -> None:
    sha = shared_project.sha
    names = {commit: key for key, commit in sha.items()}
    k = _ALL if golden.exact else max(golden.within, 8)
    results = engine.find_pattern(
        golden.asked(sha), SearchOptions(k=k, mode=golden.mode, rerank=rerank, now=NOW)
    )
    told = described(results, names)
    if golden.query_class is not None and golden.mode is Mode.AUTO:
        assert results.query.query_class is golden.query_class
    found = behind(results, _ALL if golden.exact else golden.within)
    missing = [key for key in golden.finds if sha[key] not in found]
    assert not missing, f"{golden.why}: {told}"
    everything = behind(results, _ALL)
    assert not [key for key in golden.never if sha[key] in everything], told
    if golden.exact:
        assert {names[commit] for commit in everything} == set(golden.finds)


def test_a_shared_index_gives_the_same_answers(engine: Engine, shared: Engine, shared_project: Repo) -> None:
    for golden in GOLDEN:
        options = SearchOptions(k=20, mode=golden.mode, rerank=False, now=NOW)
        own, theirs = (
            each.find_pattern(golden.asked(shared_project.sha), options) for each in (engine, shared)
        )
        assert [(hit.commit.sha, hit.path, hit.line, hit.also_in) for hit in theirs.hits] == [
            (hit.commit.sha, hit.path, hit.line, hit.also_in) for hit in own.hits
        ], golden.query
