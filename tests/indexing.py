"""Indexes scripted repositories in tests, the way the command does."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ohara.engine import Engine
from ohara.index.job import IndexOptions
from ohara.model import Pass
from ohara.store.sqlite.dump import dump

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fixtures.git import Repo
    from ohara.model import Progress

# The vector pass loads a model; tests that are not about it leave it out.
WITHOUT_VECTORS = IndexOptions(passes=frozenset(Pass) - {Pass.VECTOR}, lock_wait_s=10)


def index(repo: Repo | Path, options: IndexOptions = WITHOUT_VECTORS) -> Engine:
    """Index a repository and return its engine."""
    engine = Engine.open(repo if isinstance(repo, Path) else repo.path)
    for _ in engine.index(options):
        pass
    return engine


@contextmanager
def wholly_indexed(repo: Repo, home: Path) -> Iterator[Engine]:
    """Index a repository with all passes in a home of its own, for the tests of a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(home))
        patch.setenv("OHARA_FIND_LANE_TIMEOUT_S", "60")  # a busy machine is no reason to leave a lane out
        engine = index(repo, IndexOptions(lock_wait_s=10))
        yield engine
        engine.close()


def moments(repo: Repo, options: IndexOptions = WITHOUT_VECTORS) -> list[Progress]:
    """Everything that an index run said."""
    return list(Engine.open(repo.path).index(options))


def facts_of(engine: Engine) -> list[str]:
    """All that an index says, in an order that does not depend on how it was made."""
    return dump(engine.location.database)


def facts_of_a_fresh_index(
    repo: Repo | Path, home: Path, monkeypatch: pytest.MonkeyPatch, options: IndexOptions = WITHOUT_VECTORS
) -> list[str]:
    """All that an index of the same repository says when it is built from nothing."""
    with monkeypatch.context() as patch:
        patch.setenv("OHARA_HOME", str(home))
        return facts_of(index(repo, options))
