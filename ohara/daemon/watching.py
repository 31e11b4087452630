"""Decides when repositories are looked at: when their refs move, and now and then in any case.

Which repositories there are is looked up again every few seconds, so that one indexed by another process is
watched too. Where the system does not notify, refs are polled.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from ohara.daemon.jobs import Reason
from ohara.index.watch import ref_changes, ref_signature
from ohara.store.locate import known_indexes

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.daemon.jobs import Jobs

_log = logging.getLogger("ohara.daemon")

_LOOK_S = 3.0  # how soon a repository that another process indexed is watched
_POLL_S = 3.0
NOTIFIED = "notified"
POLLING = "polling"


class Watch:
    """Feeds the jobs."""

    def __init__(self, jobs: Jobs, *, interval_s: float) -> None:
        self._jobs = jobs
        self._interval_s = interval_s
        self._looked: dict[Path, float] = {}
        self.how = NOTIFIED
        self.watched: frozenset[Path] = frozenset()

    async def run(self) -> None:
        """Watch what there is, for ever; begin anew when that changes."""
        while True:
            self.watched = await anyio.to_thread.run_sync(_present)
            self.how = NOTIFIED
            self._ask_for_due()
            async with anyio.create_task_group() as group:
                for below in (False, True):
                    group.start_soon(self._notice, below)
                while self.watched == await anyio.to_thread.run_sync(_present):
                    self._ask_for_due()
                    await anyio.sleep(min(_LOOK_S, self._interval_s))
                group.cancel_scope.cancel()

    async def _notice(self, below: bool) -> None:
        try:
            async for moved in ref_changes(self.watched, below=below):
                for repository in moved:
                    self._jobs.want(repository, Reason.MOVED)
        except (OSError, RuntimeError) as error:
            if self.how == POLLING:
                return  # the other watch failed before, and polling sees what both would
            self.how = POLLING
            _log.warning("the system does not notify (%s): looking every %.0f s", error, _POLL_S)
            await self._poll()

    async def _poll(self) -> None:
        seen = await anyio.to_thread.run_sync(_signatures, self.watched)
        while True:
            await anyio.sleep(_POLL_S)
            now = await anyio.to_thread.run_sync(_signatures, self.watched)
            for repository in now:
                if now[repository] != seen[repository]:
                    self._jobs.want(repository, Reason.MOVED)
            seen = now

    def _ask_for_due(self) -> None:
        now = time.monotonic()
        for repository in self.watched:
            if now - self._looked.get(repository, -self._interval_s) >= self._interval_s:
                self._looked[repository] = now
                self._jobs.want(repository, Reason.DUE)
        for gone in self._looked.keys() - self.watched:
            del self._looked[gone]


def _present() -> frozenset[Path]:
    """The indexed repositories that exist now."""
    return frozenset(place.common_dir for place in known_indexes() if place.common_dir.is_dir())


def _signatures(repositories: frozenset[Path]) -> dict[Path, int]:
    return {repository: ref_signature(repository) for repository in repositories}
