"""Queues repositories for indexing when their refs move, and at intervals in any case.

The list of indexed repositories is read again every few seconds, so that one indexed by another process is
watched too. Where the system cannot notify of changes, refs are polled.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from ohara.daemon.jobs import Reason
from ohara.index.watch import NotWatched, ref_changes, ref_signature
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
    """Watches all indexed repositories and queues jobs."""

    def __init__(self, jobs: Jobs, *, interval_s: float) -> None:
        self._jobs = jobs
        self._interval_s = interval_s
        self._looked: dict[Path, float] = {}
        self._unwatchable: dict[Path, str] = {}  # each with the reason; looked at instead
        self._system_fault = ""  # why none is watched
        self._anew = anyio.Event()
        self.watched: frozenset[Path] = frozenset()

    @property
    def how(self) -> str:
        """How changes are noticed in general: by notifications of the system, or by polling."""
        return POLLING if self._system_fault else NOTIFIED

    @property
    def polled(self) -> dict[Path, str]:
        """The repositories that are polled because they cannot be watched, with the reason."""
        return {
            repository: why for repository, why in self._unwatchable.items() if repository in self.watched
        }

    def put_off(self, repository: Path) -> None:
        """Let a whole interval pass before a repository is due again, also where it is not watched yet."""
        self._looked[repository] = time.monotonic()

    async def run(self) -> None:
        """Watch all indexed repositories for ever; start over when what there is to watch changes."""
        while True:
            watched = await anyio.to_thread.run_sync(_present)
            if watched != self.watched:
                self.watched, self._system_fault = watched, ""
            self._anew = anyio.Event()
            async with anyio.create_task_group() as group:
                notified = frozenset() if self._system_fault else self.watched - self._unwatchable.keys()
                for below in (False, True):
                    group.start_soon(self._notice, notified, below)
                group.start_soon(self._poll, self.watched - notified)
                while not self._anew.is_set() and self.watched == await anyio.to_thread.run_sync(_present):
                    self._ask_for_due()
                    with anyio.move_on_after(min(_LOOK_S, self._interval_s)):
                        await self._anew.wait()
                group.cancel_scope.cancel()

    async def _notice(self, repositories: frozenset[Path], below: bool) -> None:
        try:
            async for moved in ref_changes(repositories, below=below):
                for repository in moved:
                    self._jobs.want(repository, Reason.MOVED)
        except NotWatched as fault:
            self._give_up(fault)
            for repository in repositories:  # what moved just now, nobody has heard
                self._jobs.want(repository, Reason.MOVED)
            self._anew.set()

    def _give_up(self, fault: NotWatched) -> None:
        if not fault.repositories and not self._system_fault:  # it is told once, though two watches end
            self._system_fault = fault.reason
            _log.warning("the system does not notify (%s): looking every %.0f s", fault.reason, _POLL_S)
        for repository in fault.repositories - self._unwatchable.keys():
            self._unwatchable[repository] = fault.reason
            _log.warning("%s cannot be watched: %s; looking every %.0f s", repository, fault.reason, _POLL_S)

    async def _poll(self, repositories: frozenset[Path]) -> None:
        if not repositories:
            return
        seen = await anyio.to_thread.run_sync(_signatures, repositories)
        while True:
            await anyio.sleep(_POLL_S)
            now = await anyio.to_thread.run_sync(_signatures, repositories)
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
        for gone in self._unwatchable.keys() - self.watched:
            del self._unwatchable[gone]
        for gone in self._looked.keys() - self.watched:
            if now - self._looked[gone] >= self._interval_s:
                del self._looked[gone]


def _present() -> frozenset[Path]:
    """The indexed repositories that exist now."""
    return frozenset(place.common_dir for place in known_indexes() if place.common_dir.is_dir())


def _signatures(repositories: frozenset[Path]) -> dict[Path, int]:
    return {repository: ref_signature(repository) for repository in repositories}
