"""Repositories that the service searches together: opened once, kept open, new commits indexed first."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ohara.daemon.jobs import Reason
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ohara.daemon.jobs import Jobs
    from ohara.daemon.repositories import Repositories
    from ohara.engine import Engine
    from ohara.federation.scope import Chosen


@dataclass(frozen=True, slots=True)
class ServedMember:
    """One repository of the service."""

    chosen: Chosen
    repositories: Repositories
    jobs: Jobs

    @property
    def name(self) -> str:
        """Its path."""
        return self.chosen.name

    @property
    def key(self) -> str:
        """The name of its index."""
        return self.chosen.key

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Engine]:
        """Its engine, with new commits indexed if they are few."""
        async with self.repositories.use(self.chosen.path) as engine:
            if await self.repositories.catch_up(self.chosen.path, engine):
                self.jobs.hurry(engine.repository.common_dir)
            yield engine
            if engine.search.vectors_are_old:
                self.jobs.want(engine.repository.common_dir, Reason.DUE)
