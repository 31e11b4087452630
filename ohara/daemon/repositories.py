"""The engines of recently used repositories, kept open until they are idle.

Only repositories that have an index are opened: a request cannot make the service read anything else.
Settings are read again for every request; when they changed, a new engine replaces the old one.
"""

from __future__ import annotations

import logging
import time
from contextlib import asynccontextmanager
from dataclasses import field
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar

from ohara.engine import CATCH_UP_COMMITS, Engine
from ohara.errors import IndexMissing, OharaError, ServerAway, StoreError
from ohara.model import SearchOptions
from ohara.records import dataclass
from ohara.sharing import require_same_history, shared_name

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

T = TypeVar("T")
Given = TypeVarTuple("Given")

_log = logging.getLogger("ohara.daemon")

IDLE_S = 600.0
_AT_MOST_S = (
    5.0  # for indexing new commits before a search, so that it answers as `ohara find` does in process
)
_BRIEFLY = SearchOptions(k=1, rerank=False)
_AT_ONCE = 8  # a repository on a dead network disk blocks its thread, and no more than this many

_limiter: RunVar[anyio.CapacityLimiter] = RunVar("threads that open repositories")


@dataclass(slots=True)
class _Open:
    engine: Engine
    users: int = 0
    last_used: float = field(default_factory=time.monotonic)
    retired: bool = False
    spare: Engine | None = None  # opened to see what the settings are now, and used by nobody yet


class Repositories:
    """Engines by work tree and index."""

    def __init__(self) -> None:
        self._open: dict[tuple[Path, Path | None], _Open] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The repositories that are open now."""
        return tuple(str(work_dir or folder) for folder, work_dir in self._open)

    @property
    def outdated(self) -> tuple[str, ...]:
        """The open repositories whose index file was deleted or replaced."""
        return tuple(
            str(work_dir or folder)
            for (folder, work_dir), known in self._open.items()
            if not known.engine.is_shared and known.engine.is_outdated
        )

    @asynccontextmanager
    async def use(self, path: str, shared: str | None = None) -> AsyncIterator[Engine]:
        """The engine of the indexed repository that contains a path; it is not closed while in use.

        `shared` names the server whose index of it is asked.
        """
        fresh = (
            await in_thread(open_shared, path, shared) if shared else await in_thread(open_registered, path)
        )
        key = (fresh.location.folder, fresh.repository.work_dir)
        known = self._open.get(key)
        if known is None or known.engine.settings != fresh.settings:
            if fresh.is_shared:
                await in_thread(check_history, fresh)
            if known is not None:
                self._retire(known)
            known = self._open[key] = _Open(fresh)
        else:
            known.spare = fresh
        known.users += 1
        try:
            yield known.engine
        finally:
            known.last_used = time.monotonic()
            self._let_go(known)

    async def catch_up(self, path: str, engine: Engine) -> bool:
        """Index new commits if they are few; True when there are many.

        The engine that is in use may be searching for others: another one does it, that which was opened to
        look at the settings if nobody has taken it yet.
        """
        spare: Engine | None = None
        for known in self._open.values():
            if known.engine is engine:
                spare, known.spare = known.spare, None
        return await in_thread(catch_up, path, spare)

    def _let_go(self, known: _Open) -> None:
        known.users -= 1
        if known.retired and not known.users:
            known.engine.close()

    async def ask(
        self, path: str, shared: str | None, ask: Callable[[Engine], Awaitable[T]]
    ) -> tuple[T, tuple[str, ...]]:
        """What an engine answers, with remarks: while a server is away one's own index does, if any."""
        if shared is None:
            async with self.use(path) as engine:
                return await ask(engine), ()
        try:
            async with self.use(path, shared) as engine:
                return await ask(engine), ()
        except ServerAway as error:
            away = error
        try:
            async with self.use(path) as engine:
                return await ask(engine), (f"{away.message}: answered from this machine's own index",)
        except IndexMissing:
            raise away from None

    async def refresh(self, common_dir: str, question: str) -> None:
        """Ask the engines of a repository that are open something, so that the next answer comes at once.

        That is no use of them: they become idle all the same.
        """
        for known in list(self._open.values()):
            engine = known.engine
            if engine.is_shared or str(engine.repository.common_dir) != common_dir:
                continue
            known.users += 1
            try:
                results = await engine.find(question, _BRIEFLY)
                _log.info("ready again for %s after %.0f ms", engine.repository.path, results.took_ms)
            except OharaError as error:  # whoever asks will be told
                _log.info("not ready again for %s: %s", engine.repository.path, error.message)
            finally:
                self._let_go(known)

    def close_idle(self, *, idle_s: float = IDLE_S) -> None:
        """Close engines that were idle for a while, or whose index was deleted or replaced."""
        now = time.monotonic()
        for key, known in list(self._open.items()):
            idle = not known.users and now - known.last_used > idle_s
            gone = False
            if not known.engine.is_shared:  # a server says so itself when it is asked, and takes its time
                gone = not known.engine.store.exists
                idle = idle or (not known.users and known.engine.is_outdated)
            if gone or idle:
                del self._open[key]
                self._retire(known)

    def close(self) -> None:
        """Close all engines."""
        for known in self._open.values():
            known.engine.close()
        self._open.clear()

    def _retire(self, known: _Open) -> None:
        known.retired = True
        if not known.users:
            known.engine.close()


def open_registered(path: str) -> Engine:
    """The engine of a repository that has an index; blocks."""
    engine = Engine.open(path)
    if not engine.store.exists:
        raise IndexMissing(f"{engine.repository.name} has no index yet", hint="build it with: ohara index")
    return engine


def open_shared(path: str, server: str) -> Engine:
    """The engine of a repository whose index a server keeps; nothing is asked of the server yet."""
    return Engine.open(path, shared=server)


def check_history(engine: Engine) -> None:
    """An error when the server has no such index, or another repository's; blocks."""
    try:
        require_same_history(engine.repository, engine.store, shared_name(engine.repository))
    except IndexMissing as error:  # nothing that indexing here would mend
        raise StoreError(error.message, hint=error.hint) from error


def catch_up(path: str, spare: Engine | None = None) -> bool:
    """Index new commits if they are few; True when there are many, which the answer itself reports."""
    engine = spare or open_registered(path)
    try:
        unread = engine.catch_up(jobs=1, at_most_s=_AT_MOST_S)
    except OharaError as error:  # another indexer is running, or the disk is full: search what is indexed
        _log.info("could not catch up with %s: %s", path, error.message)
    except Exception:  # noqa: BLE001 - as above; the next index job reports what is wrong
        _log.exception("could not catch up with %s", path)
    else:
        return (unread or 0) > CATCH_UP_COMMITS
    return False


async def in_thread(work: Callable[[*Given], T], *given: *Given) -> T:
    """Run blocking work in a thread; a task that is cancelled does not wait for it."""
    try:
        limiter = _limiter.get()
    except LookupError:
        limiter = anyio.CapacityLimiter(_AT_ONCE)
        _limiter.set(limiter)
    return await anyio.to_thread.run_sync(work, *given, limiter=limiter, abandon_on_cancel=True)
