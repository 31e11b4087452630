"""The engines that the service keeps open, and which of them reads new commits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from ohara.daemon import repositories
from ohara.daemon.repositories import Repositories, open_registered
from ohara.model import SearchOptions
from tests.indexing import index

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.engine import Engine

pytestmark = pytest.mark.anyio


async def test_a_repository_is_opened_once_a_request_and_new_commits_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Engine] = []

    def note(path: str) -> Engine:
        opened.append(open_registered(path))
        return opened[-1]

    with History(tmp_path / "shop") as history:
        history.commit("Begin", {"shop.py": "total = 0\n"}, key="begin")
        history.flush()
        index(history.repo)
        history.commit("Count the baskets", {"shop.py": "total = 1\n"}, key="count")
        history.flush()
        monkeypatch.setattr(repositories, "open_registered", note)
        path = str(history.repo.path)
        kept = Repositories()
        try:
            async with kept.use(path) as engine:
                assert not await kept.catch_up(path, engine)
            assert len(opened) == 2  # the first engine is kept for searching
            async with kept.use(path) as again:
                assert again is engine
                assert not await kept.catch_up(path, again)
                assert len(opened) == 3
                assert not await kept.catch_up(path, again)  # somebody else's request
                assert len(opened) == 4
                results = await again.find("baskets", SearchOptions(rerank=False))
        finally:
            kept.close()
    assert [hit.commit.subject for hit in results.hits] == ["Count the baskets"]
