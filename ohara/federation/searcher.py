"""Searches several repositories in this process, with the methods of `ohara.searcher.Searcher`."""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from dataclasses import field
from typing import TYPE_CHECKING, TypeVar

import anyio.to_thread

from ohara import blocking
from ohara.engine import Engine
from ohara.errors import OharaError, RepositoryError
from ohara.federation.asking import ask
from ohara.model import ExplainOptions, SearchOptions
from ohara.records import dataclass
from ohara.retrieve.reading import read_query

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from ohara.federation.scope import Chosen
    from ohara.model import Hit, IndexStatus, Query, Related, Results

T = TypeVar("T")

_CATCH_UP_S = 5.0


@dataclass(slots=True)
class LocalMember:
    """A repository of this process; its engine stays open between questions."""

    chosen: Chosen
    _engine: Engine | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        """Its path."""
        return self.chosen.name

    @property
    def key(self) -> str:
        """The name of its index."""
        return self.chosen.key

    @property
    def engine(self) -> Engine:
        """Its engine."""
        if self._engine is None:
            self._engine = Engine.open(self.chosen.path)
        return self._engine

    def close(self) -> None:
        """Close its engine, if it was opened."""
        if self._engine is not None:
            self._engine.close()

    def to_begin(self) -> Engine | None:
        """Its engine, when it has no index yet; None when it has one, or cannot be opened."""
        try:
            return None if self.engine.store.exists else self.engine
        except OharaError:  # the answer says why
            return None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Engine]:
        """Its engine, with new commits indexed if they are few."""
        yield await anyio.to_thread.run_sync(self._caught_up, abandon_on_cancel=True)

    def _caught_up(self) -> Engine:
        engine = self.engine
        if engine.store.exists:
            with suppress(OharaError):  # another process indexes, or the disk is full: search what is there
                engine.catch_up(at_most_s=_CATCH_UP_S)
        return engine


class Federation:
    """Several repositories as one searcher."""

    def __init__(self, chosen: Sequence[Chosen]) -> None:
        self.members = [LocalMember(each) for each in chosen]

    def find_pattern(self, query: str | Query, options: SearchOptions = SearchOptions()) -> Results:  # noqa: B008 - frozen
        """Search all of them."""
        return blocking.run(self.find, query, options)

    async def find(self, query: str | Query, options: SearchOptions = SearchOptions()) -> Results:  # noqa: B008 - frozen
        """Search all of them, in a running event loop."""
        return await ask(self.members, read_query(query, options), options)

    def explain(self, place: str, options: ExplainOptions = ExplainOptions()) -> Results:  # noqa: B008 - frozen
        """The commits that made a place what it is, in the one repository that has it."""
        return self._in_the_one(lambda engine: engine.explain(place, options), f"the place {place}")

    def show(self, commit: str) -> tuple[Hit, ...]:
        """All hunks of one commit, whole, in the one repository that has it."""
        return self._in_the_one(lambda engine: engine.show(commit), f"the commit {commit}")

    def related(self, place: str, k: int = 10) -> Related:
        """What changes together with a place, in the one repository that has it."""
        return self._in_the_one(lambda engine: engine.related(place, k), f"the place {place}")

    def statuses(self) -> tuple[IndexStatus, ...]:
        """The status of each index that is searched."""
        return tuple(member.engine.status() for member in self.members)

    def to_begin(self) -> list[Engine]:
        """The engines of repositories that have no index yet."""
        return [engine for member in self.members if (engine := member.to_begin()) is not None]

    def close(self) -> None:
        """Close what is open."""
        for member in self.members:
            member.close()

    def _in_the_one(self, question: Callable[[Engine], T], subject: str) -> T:
        answers: list[tuple[str, T]] = []
        faults: list[OharaError] = []
        for member in self.members:
            try:
                answers.append((member.name, question(member.engine)))
            except OharaError as fault:
                faults.append(fault)
        if len(answers) == 1:
            return answers[0][1]
        if answers:
            names = ", ".join(name for name, _ in answers)
            raise RepositoryError(
                f"{subject} is in {len(answers)} repositories: {names}", hint="name one with --repo PATH"
            )
        raise faults[0]
