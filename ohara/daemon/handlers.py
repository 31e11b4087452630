"""Answers each kind of request, with the part of the service that can."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ohara import __version__, wire
from ohara.daemon import resource_usage
from ohara.daemon.browse_handlers import browse
from ohara.daemon.jobs import Reason
from ohara.daemon.members import ServedMember
from ohara.daemon.repositories import in_thread, open_registered
from ohara.daemon.request_turns import Turns
from ohara.engine import all_indexes
from ohara.federation.asking import ask
from ohara.federation.scope import choose, is_several
from ohara.git.repo import Repository
from ohara.retrieve.reading import read_query

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Hashable, Iterator
    from contextlib import AbstractAsyncContextManager
    from typing import TypeAlias

    from ohara.daemon.events import Events
    from ohara.daemon.jobs import Jobs
    from ohara.daemon.repositories import Repositories
    from ohara.daemon.watcher import Watch
    from ohara.engine import Engine
    from ohara.model import IndexStatus, Query, Results

    Search: TypeAlias = Callable[[wire.Find], Awaitable[wire.Found]]
    Wording: TypeAlias = Callable[[wire.Typed, Search], Awaitable[wire.Printed]]

OWN_INDEXES = "several repositories are searched in this machine's own indexes"

WATCHING, INDEXING, READING = "watching", "indexing", "reading"  # the values of `wire.Trouble.part`

_EXACT_AT_ONCE = 24  # each keeps its matches in memory; they take turns on the processor
_WORK_S = 10.0  # the part of a request's deadline that is kept for working, not waiting


class Answers:
    """Answers the requests of all clients."""

    def __init__(
        self,
        repositories: Repositories,
        jobs: Jobs,
        watch: Watch,
        events: Events,
        *,
        stop: Callable[[], None],
        wording: Wording,
    ) -> None:
        self._repositories = repositories
        self._jobs = jobs
        self._watch = watch
        self._events = events
        self._stop = stop
        self._wording = wording
        self._turns = Turns()
        # Exact searches may take a minute each, and share the processors among themselves.
        self._exact_turns = Turns(at_once=_EXACT_AT_ONCE)
        self._started = int(time.time())
        self._requests = 0
        self.connections = 0
        self.last_used = time.monotonic()
        self.used_since_tidied = False

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Count a client while it is connected; a subscriber to events keeps the service from idling out."""
        self.connections += 1
        try:
            yield
        finally:
            self.connections -= 1
            self.last_used = time.monotonic()

    def shut_down(self) -> None:
        """Stop the service."""
        self._stop()

    async def stream(self, request: wire.Subscribe, send: Callable[[wire.Event], Awaitable[None]]) -> None:
        """Send the state of the running job, then an event for each change."""
        with self._events.subscribe() as happening:
            if self._jobs.running is not None:
                await send(wire.Event(id=request.id, job=_carried(self._jobs.running)))
            async for job in happening:
                await send(wire.Event(id=request.id, job=_carried(job)))

    async def answer(self, request: wire.AnyRequest, client: Hashable) -> wire.AnyReply:  # noqa: C901, PLR0912 - one case each
        """The reply to one request of a client."""
        self._requests += 1
        self.last_used = time.monotonic()
        self.used_since_tidied = True
        match request:
            case wire.Hello():
                return wire.Welcome(
                    id=request.id, protocol=wire.PROTOCOL, version=__version__, pid=os.getpid()
                )
            case wire.Find():
                return await self._find(request, client)
            case wire.Explain():
                return await self._explain(request, client)
            case wire.Typed():
                return await self._wording(request, partial(self._find, client=client))
            case wire.Show():
                return await self._show(request, client)
            case (
                wire.Describe()
                | wire.HistoryRequest()
                | wire.Blame()
                | wire.Lines()
                | wire.Remote()
                | wire.RelatedRequest()
                | wire.AnnotateRequest()
                | wire.CompareRequest()
                | wire.NamesRequest()
            ):
                ask = partial(browse, request)
                async with self._turn(request, client):
                    return (await self._repositories.ask(request.repo, request.index, ask))[0]
            case wire.Stop():
                common_dir = await in_thread(_common_dir, request.repo)
                if not self._jobs.knows(common_dir):  # a first run has no index yet
                    await in_thread(open_registered, request.repo)
                self._jobs.stop(common_dir)
                # The watch would find a first run's index, and have it gone on with at once.
                self._watch.put_off(common_dir)
            case wire.Status():
                status, indexing = await self._status(request)
                return wire.StatusReply(id=request.id, status=_sendable(status), indexing=indexing)
            case wire.Index():
                self._jobs.want(await in_thread(_common_dir, request.repo), Reason.ASKED)
            case wire.Repos():
                return wire.Repositories(id=request.id, repositories=await in_thread(_registered))
            case wire.HealthCheck():
                return self._health(request.id)
            case wire.Pause():
                self._jobs.pause()
            case wire.Resume():
                self._jobs.resume()
            case wire.Shutdown() | wire.Cancel() | wire.Subscribe():
                pass  # `Connection` handles these
        return wire.Done(id=request.id)

    def _health(self, number: int) -> wire.Health:
        return wire.Health(
            id=number,
            version=__version__,
            pid=os.getpid(),
            started=self._started,
            paused=self._jobs.paused,
            connections=self.connections,
            requests=self._requests,
            open_repositories=tuple(map(wire.sendable, self._repositories.names)),
            watched=tuple(sorted(wire.sendable(str(each)) for each in self._watch.watched)),
            watching=self._watch.how,
            running=_carried(self._jobs.running) if self._jobs.running else None,
            queued=tuple(map(wire.sendable, self._jobs.queued)),
            memory_bytes=resource_usage.memory_bytes(),
            threads=resource_usage.threads(),
            descriptors=resource_usage.descriptors(),
            troubles=tuple(self._troubles()),
        )

    def _troubles(self) -> Iterator[wire.Trouble]:
        """Problems of the service, by repository."""
        for repository, why in sorted(self._watch.polled.items()):
            yield wire.Trouble(wire.sendable(str(repository)), WATCHING, f"{why}: looked at now and then")
        for name, why in sorted(self._events.failures.items()):
            yield wire.Trouble(wire.sendable(name), INDEXING, wire.sendable(why))
        for name in sorted(self._repositories.outdated):
            yield wire.Trouble(wire.sendable(name), READING, "its index was replaced a moment ago")

    def _turn(
        self, request: wire.AnyRequest, client: Hashable, *, exact: bool = False
    ) -> AbstractAsyncContextManager[None]:
        deadline_s = request.deadline_ms / 1000
        turns = self._exact_turns if exact else self._turns
        return turns.take(client, patience_s=max(deadline_s - _WORK_S, deadline_s / 2))

    async def _find(self, request: wire.Find, client: Hashable) -> wire.Found:
        asked = time.monotonic()
        query = read_query(request.query, request.options)
        named = (request.repo, *request.also)
        if is_several(named, query.filters):
            return await self._find_in_several(request, query, client, asked)

        async def find(engine: Engine) -> Results:
            await self._catch_up(request.repo, engine)
            left_s = request.deadline_ms / 1_000 - (time.monotonic() - asked)
            results = await engine.find(query, replace(request.options, within_s=left_s))
            if engine.search.vectors_are_old and not engine.is_shared:
                self._jobs.want(engine.repository.common_dir, Reason.DUE)
            return results

        async with self._turn(request, client, exact=bool(query.patterns or query.excluded)):
            results, notes = await self._repositories.ask(request.repo, request.index, find)
        return wire.Found(id=request.id, results=_found(_noted(results, notes)))

    async def _catch_up(self, repo: str, engine: Engine) -> None:
        """Index new commits where they are few, and have many indexed soon; a shared index is only read."""
        if not engine.is_shared and await self._repositories.catch_up(repo, engine):
            self._jobs.hurry(engine.repository.common_dir)

    async def _status(self, request: wire.Status) -> tuple[IndexStatus, tuple[int, int] | None]:
        if request.index is None:
            return await in_thread(_status, request.repo)

        async def status(engine: Engine) -> tuple[IndexStatus, tuple[int, int] | None]:
            return await in_thread(_status_of, engine)

        return (await self._repositories.ask(request.repo, request.index, status))[0]

    async def _find_in_several(
        self, request: wire.Find, query: Query, client: Hashable, asked: float
    ) -> wire.Found:
        named = () if request.implied else (request.repo, *request.also)
        async with self._turn(request, client, exact=bool(query.patterns)):
            chosen = await in_thread(partial(choose, named, query.filters, folder=Path("/")))
            left_s = request.deadline_ms / 1_000 - (time.monotonic() - asked)
            members = [ServedMember(each, self._repositories, self._jobs) for each in chosen]
            results = await ask(members, query, replace(request.options, within_s=left_s))
            notes = (OWN_INDEXES,) if request.index else ()
            return wire.Found(id=request.id, results=_found(_noted(results, notes)))

    async def _explain(self, request: wire.Explain, client: Hashable) -> wire.Found:
        async def explain(engine: Engine) -> Results:
            await self._catch_up(request.repo, engine)
            return await engine.browser.explain(request.place, request.options)

        async with self._turn(request, client):
            results, notes = await self._repositories.ask(request.repo, request.index, explain)
        return wire.Found(id=request.id, results=_found(_noted(results, notes)))

    async def _show(self, request: wire.Show, client: Hashable) -> wire.Shown:
        async def show(engine: Engine) -> Results:
            return await engine.hunks_of(await in_thread(engine.repository.commit_named, request.commit))

        async with self._turn(request, client):
            results, _ = await self._repositories.ask(request.repo, request.index, show)
        return wire.Shown(id=request.id, hits=wire.sendable_hits(results.hits))


def _carried(job: wire.JobState) -> wire.JobState:
    """The job with text that JSON can hold: its repository's path may not be UTF-8."""
    return msgspec.structs.replace(
        job, repository=wire.sendable(job.repository), detail=wire.sendable(job.detail)
    )


def _found(results: Results) -> Results:
    """The results with paths of the repository that JSON can hold."""
    return replace(
        results,
        index=_sendable(results.index),
        hits=wire.sendable_hits(results.hits),
        parts=tuple(replace(part, index=_sendable(part.index)) for part in results.parts),
        unanswered=tuple(
            replace(each, repository=wire.sendable(each.repository), reason=wire.sendable(each.reason))
            for each in results.unanswered
        ),
        lanes=tuple(replace(lane, repository=wire.sendable(lane.repository)) for lane in results.lanes),
        notes=tuple(map(wire.sendable, results.notes)),
    )


def _noted(results: Results, notes: tuple[str, ...]) -> Results:
    return replace(results, notes=(*notes, *results.notes)) if notes else results


def _sendable(status: IndexStatus) -> IndexStatus:
    """The status with a path that JSON can hold: the repository's path may not be UTF-8."""
    return replace(status, repository=wire.sendable(status.repository))


# -- blocking work -------------------------------------------------------------------------------


def _status(path: str) -> tuple[IndexStatus, tuple[int, int] | None]:
    return _status_of(open_registered(path))


def _status_of(engine: Engine) -> tuple[IndexStatus, tuple[int, int] | None]:
    return engine.status(), engine.indexing_since()


def _common_dir(path: str) -> Path:
    """The git directory of the repository that contains a path; it need not be indexed yet."""
    return Repository.open(path).common_dir


def _registered() -> tuple[wire.Registered, ...]:
    return tuple(
        wire.Registered(
            repository=wire.sendable(known.repository),
            folder=wire.sendable(str(known.store.location.folder)),
            size_bytes=known.store.size_bytes(),
            status=_sendable(known.status) if known.status else None,
            fault=wire.sendable(known.fault.message) if known.fault else "",
            hint=wire.sendable(known.fault.hint) if known.fault else "",
        )
        for known in all_indexes()
    )
