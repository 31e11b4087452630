"""Empty indexes of each engine: a new engine is one more row of ENGINES."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ohara.store.locate import IndexLocation
from ohara.store.postgres.index import PostgresIndex
from ohara.store.sqlite.index import SqliteIndex

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ohara.store.index import Index

    MakeIndex = Callable[[str], Index]
    """Makes an index that does not exist yet, by a name of its own."""


def _sqlite(_request: pytest.FixtureRequest, location: IndexLocation) -> Index:
    return SqliteIndex(location)


def _postgres(request: pytest.FixtureRequest, location: IndexLocation) -> Index:
    folder = location.folder
    return PostgresIndex(location, request.getfixturevalue("team"), f"{folder.parent.name}/{folder.name}")


ENGINES: dict[str, Callable[[pytest.FixtureRequest, IndexLocation], Index]] = {
    "sqlite": _sqlite,
    "postgres": _postgres,
}


@pytest.fixture(params=sorted(ENGINES))
def make_index(request: pytest.FixtureRequest, tmp_path: Path) -> MakeIndex:
    """Makes indexes of one engine, to be compared with each other."""

    def make(name: str) -> Index:
        location = IndexLocation(tmp_path / "repository.git", tmp_path / name)
        location.prepare()
        return ENGINES[request.param](request, location)

    return make


@pytest.fixture
def index(make_index: MakeIndex) -> Index:
    """An index that does not exist yet: the first writer makes it."""
    return make_index("index")
