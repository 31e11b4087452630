"""Asks a scripted repository, indexed in a home of its own, without reranking and as of one moment."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ohara.model import SearchOptions
from tests.indexing import index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fixtures.git import Repo
    from ohara.engine import Engine
    from ohara.model import Results

NOW = 1_735_689_600
_OPTIONS = SearchOptions(k=9, rerank=False, now=NOW)


@contextmanager
def indexed_at_home(repo: Repo, factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The engine of a repository that was indexed in a home of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(factory.mktemp("home")))
        engine = index(repo)
        yield engine
        engine.close()


def ask(engine: Engine, query: str, **others: object) -> Results:
    """The answer to a query; other options as they are named."""
    return engine.find_pattern(query, replace(_OPTIONS, **others))  # type: ignore[arg-type]
