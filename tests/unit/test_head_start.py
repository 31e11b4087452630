"""What a first question needs later is made while its lanes run."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import anyio
import anyio.to_thread
import pytest

from ohara.errors import QueryError
from ohara.retrieve.head_start import with_head_start
from ohara.store.answers import VectorSets

if TYPE_CHECKING:
    from collections.abc import Callable

    from ohara.retrieve.request import Sources

pytestmark = pytest.mark.anyio
_SOON_S = 20.0


@dataclass
class FakeModel:
    """Notes that its weights were read."""

    read: threading.Event = field(default_factory=threading.Event)

    def score(self, _query: str, documents: list[str]) -> list[float]:
        self.read.set()
        return [0.0 for _ in documents]


@dataclass
class FakeHistory:
    """Notes that clocks were looked at; a pool that lends itself."""

    looked: threading.Event = field(default_factory=threading.Event)

    async def read(self, work: Callable[[FakeHistory], object]) -> object:
        return await anyio.to_thread.run_sync(work, self)

    def clock_slips(self) -> None:
        self.looked.set()


@dataclass
class FakeModels:
    loaded: set[VectorSets] = field(default_factory=set)


@dataclass
class FakeSources:
    """What of the sources of a search a head start needs."""

    model: FakeModel = field(default_factory=FakeModel)
    pool: FakeHistory = field(default_factory=FakeHistory)
    models: FakeModels = field(default_factory=FakeModels)
    is_served: bool = False

    def reranker(self) -> FakeModel:
        return self.model


def asked(fake: FakeSources) -> Sources:
    return cast("Sources", fake)


async def test_weights_and_clocks_are_read_while_lanes_of_a_first_question_run() -> None:
    fake = FakeSources()

    async def lanes() -> bool:
        def wait() -> bool:  # for what would never come if it came after the lanes
            return fake.model.read.wait(_SOON_S) and fake.pool.looked.wait(_SOON_S)

        return await anyio.to_thread.run_sync(wait)

    assert await with_head_start(lanes, asked(fake), reranks=True)


async def test_without_reranking_no_weights_are_read() -> None:
    fake = FakeSources()

    async def lanes() -> str:
        return "answer"

    assert await with_head_start(lanes, asked(fake), reranks=False) == "answer"
    assert fake.pool.looked.is_set()
    assert not fake.model.read.is_set()


async def test_later_questions_and_those_of_a_server_look_for_nothing() -> None:
    fake = FakeSources(models=FakeModels({VectorSets("a model", None)}))

    async def lanes() -> str:
        return "answer"

    assert await with_head_start(lanes, asked(fake), reranks=True) == "answer"
    assert not fake.pool.looked.is_set()
    assert not fake.model.read.is_set()
    served = FakeSources(is_served=True)
    await with_head_start(lanes, asked(served), reranks=False)
    assert not served.pool.looked.is_set()


async def test_what_fails_ahead_is_left_to_who_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeSources()

    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(fake.model, "score", fail)
    monkeypatch.setattr(fake.pool, "clock_slips", fail)

    async def lanes() -> str:
        return "answer"

    assert await with_head_start(lanes, asked(fake), reranks=True) == "answer"


async def test_a_mistake_in_the_query_is_told_as_such() -> None:
    async def lanes() -> str:
        raise QueryError("no such thing", hint="")

    with pytest.raises(QueryError, match="no such thing"):
        await with_head_start(lanes, asked(FakeSources()), reranks=True)
