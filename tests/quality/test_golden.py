"""The golden queries over the scripted project, answered by the whole pipeline with the embedded models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fixtures.golden import GOLDEN
from ohara.index.run import IndexOptions
from ohara.model import Mode, QueryClass, SearchOptions
from tests.indexing import index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fixtures.git import Repo
    from fixtures.golden import GoldenQuery
    from ohara.engine import Engine
    from ohara.model import Results, Sha

# A fixed present, a few months after the scripted history ends.
NOW = 1_735_689_600

_ALL = 1_000
_LISTED = frozenset({QueryClass.LITERAL, QueryClass.REGEX})


@pytest.fixture(scope="module")
def engine(shared_project: Repo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(tmp_path_factory.mktemp("golden")))
        indexed = index(shared_project, IndexOptions(lock_wait_s=10))
        yield indexed
        indexed.close()


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
