"""Asks the service on behalf of a tool, and has a repository indexed that is not yet.

The first question about a repository waits a few seconds for its newest commits, tells how far that is, and
is answered from those; the service reads the rest. Who cancels such a question stops the reading too.
"""

from __future__ import annotations

import time
from contextlib import aclosing
from typing import TYPE_CHECKING, Protocol, TypeVar

import anyio

from ohara import wire
from ohara.errors import DaemonError, IndexMissing, OharaError, RepositoryError, UsageError
from ohara.mcp.diffs import clipped
from ohara.mcp.repositories import Chosen, is_in

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ohara.mcp.repositories import Choice
    from ohara.mcp.service import Service

R = TypeVar("R", bound="wire.Reply")

FIRST_ANSWER_S = 5.0  # as long as a first `ohara find` reads before it answers
_NOTHING_YET_S = 20.0  # how long to wait for the first commits where they take longer
_LOOK_S = 0.2
_CLEAN_UP_S = 2.0
DEADLINE_MS = 120_000
_MOST_NAMED = 10


class Progress(Protocol):
    """Tells the client of a call how far its work is."""

    async def __call__(self, done: float, total: float | None, message: str) -> None:
        """Report."""
        ...


class Asking:
    """The questions of one server."""

    def __init__(self, service: Service, choice: Choice) -> None:
        self._service = service
        self._choice = choice

    async def chosen(self, named: str) -> Chosen:
        """The repository that a question is about, or several: a group of the settings, or all."""
        if named.startswith("@"):
            return Chosen(named, allowed=False, named=True)
        short = bool(named) and "/" not in named and not named.startswith(("~", "."))
        indexed = [each.repository for each in await self.indexed()] if short else ()
        return self._choice.choose(named, indexed)

    async def indexed(self) -> tuple[wire.Registered, ...]:
        """Every index on this machine."""
        return (await self._service.send(wire.Repos())).repositories

    async def send(self, request: wire.Request[R]) -> R:
        """Send a request about a repository that has an index."""
        return await self._service.send(request)

    async def about(
        self, chosen: Chosen, ask: Callable[[], Awaitable[R]], progress: Progress
    ) -> tuple[R, tuple[str, ...]]:
        """The reply to a question, after indexing what is not yet indexed; and what to remark about that."""
        try:
            return await ask(), ()
        except IndexMissing as error:
            if not chosen.allowed:
                raise UsageError(
                    f"{clipped(chosen.path, 200)} is not indexed, and this server may not index it",
                    hint="start it with --allow PATH, or run: ohara index --repo PATH",
                ) from error
        except RepositoryError as error:
            await self._check_repository(chosen)
            raise error from None
        begun = await self._begin(chosen, progress)
        try:
            return await ask(), (begun,)
        except IndexMissing as error:
            raise OharaError(
                "no commit of this repository is searchable yet: it is being indexed",
                hint="ask again in some seconds; history_status says how far it is",
            ) from error

    async def _check_repository(self, chosen: Chosen) -> None:
        """Raise for a folder that is no repository, and name those that can be asked about."""
        try:
            await self._service.send(wire.Status(repo=chosen.path))
        except RepositoryError as error:
            raise await self._no_repository(chosen, error) from error
        except OharaError:
            return

    async def _no_repository(self, chosen: Chosen, error: RepositoryError) -> OharaError:
        names = [each.repository for each in await self.indexed()]
        some = ", ".join(clipped(name, 120) for name in names[:_MOST_NAMED])
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        known = (
            f"indexed are: {some}{more}"
            if names
            else "nothing is indexed yet: give the path of a git repository"
        )
        said = error.message if chosen.named else f"the server's folder is no git repository: {error.message}"
        return UsageError(said, hint=f"name one with repo=PATH; {known}")

    async def _begin(self, chosen: Chosen, progress: Progress) -> str:
        """Have a repository indexed, and wait until its newest commits can be searched."""
        started = time.monotonic()
        await self._service.send(wire.Index(repo=chosen.path))
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._tell, chosen, progress)
                with anyio.move_on_after(_NOTHING_YET_S):
                    while not await self._enough(chosen, time.monotonic() - started):  # noqa: ASYNC110 - of the service
                        await anyio.sleep(_LOOK_S)
                tasks.cancel_scope.cancel()
        except anyio.get_cancelled_exc_class():
            with anyio.move_on_after(_CLEAN_UP_S, shield=True):
                await self._stop(chosen)
            raise
        return (
            "there was no index: this answer is from the newest commits that could be read in"
            f" {time.monotonic() - started:.0f} s; ask again for more"
        )

    async def _enough(self, chosen: Chosen, waited_s: float) -> bool:
        """True when all is read, or something after a while."""
        try:
            reply = await self._service.send(wire.Status(repo=chosen.path))
        except IndexMissing:
            return False
        status = reply.status
        return bool(status.indexed) and (waited_s > FIRST_ANSWER_S or not status.behind)

    async def _stop(self, chosen: Chosen) -> None:
        """Stop what was begun for a question that nobody waits for any more; what was read stays."""
        try:
            await self._service.send(wire.Stop(repo=chosen.path))
        except OharaError:  # its index is not even begun
            return

    async def _tell(self, chosen: Chosen, progress: Progress) -> None:
        """Report how far indexing is, as the service says it."""
        best = 0.0
        try:
            async with aclosing(self._service.events()) as events:
                async for job in events:
                    now = job.progress
                    if now is not None and now.done > best and is_in(job.repository, chosen.path):
                        best = now.done
                        await progress(now.done, now.total or None, f"indexing ({now.stage})")
        except DaemonError:
            return
