"""The service as a whole: starts the socket, the jobs and the watcher, and shuts them down."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from anyio.abc import SocketAttribute

from ohara import __version__, config, paths, wire
from ohara.client import socket_path
from ohara.daemon import resource_usage
from ohara.daemon.connection import Connection
from ohara.daemon.events import Events
from ohara.daemon.handlers import Answers
from ohara.daemon.jobs import Jobs
from ohara.daemon.lifecycle import OwnSocket, lasting, logging_to_file, only_one
from ohara.daemon.own_source import OwnSource
from ohara.daemon.peer import is_same_user
from ohara.daemon.repositories import Repositories
from ohara.daemon.watcher import Watch
from ohara.errors import DaemonBusy, OharaError
from ohara.records import dataclass

if TYPE_CHECKING:
    from anyio.abc import SocketStream

    from ohara.daemon.handlers import Wording

_log = logging.getLogger("ohara.daemon")

_CONNECTIONS = 512  # at once; a descriptor each, of the 1,024 that systems usually allow
_TURN_AWAY_S = 1.0  # for telling one client more
_TIDY_S = 5.0
_QUIET_S = 60.0  # without a request: who is connected then connects again
_ERROR = 2  # the exit code of a command that could not answer
_FIRST_QUESTION = "the first change"  # any words do


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the service."""

    idle_exit_s: float
    interval_s: float
    ready_for: str | None = None  # the repository that is asked about first


def options(idle_exit_s: float | None = None, ready_for: str | None = None) -> Options:
    """The options from the user's settings, with those of the command line before them."""
    daemon = config.load().settings.daemon
    limit_s = daemon.idle_exit_s if idle_exit_s is None else idle_exit_s
    return Options(limit_s, daemon.interval_s, ready_for)


def serve(given: Options, wording: Wording) -> None:
    """Run the service until it is told to stop; `wording` answers the command lines of `wire.Typed`.

    When its own files were replaced, this process begins again with those.
    """
    with only_one(paths.runtime_dir()), logging_to_file():
        _log.info("ohara %s starts, process %d", __version__, os.getpid())
        service = _Service(given, wording)
        try:
            anyio.run(service.run)  # noqa: TID251 - it returns nothing
        except BaseException:
            _log.exception("the service ends by a fault")
            raise
        _log.info("ohara stops")
    if service.begins_again:
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - as it was started


class _Service:
    """The parts that live as long as the service does."""

    def __init__(self, given: Options, wording: Wording) -> None:
        self._options = given
        self.begins_again = False
        self._stop = anyio.Event()
        self._events = Events()
        self._jobs = Jobs(self._events)
        self._watch = Watch(self._jobs, interval_s=given.interval_s)
        self._repositories = Repositories()
        self._answers = Answers(
            self._repositories, self._jobs, self._watch, self._events, stop=self._stop.set, wording=wording
        )

    async def run(self) -> None:
        """Serve until told to stop, or until the socket is gone."""
        resource_usage.use_few_arenas()
        resource_usage.collect_seldom()
        place = OwnSocket(socket_path())
        listener = await place.listen()
        try:
            async with listener, anyio.create_task_group() as group:
                group.start_soon(self._heed_signals)
                group.start_soon(lasting, "index jobs", self._jobs.run)
                group.start_soon(lasting, "watching", self._watch.run)
                group.start_soon(lasting, "tidying up", partial(self._tidy, place))
                group.start_soon(lasting, "listening", partial(listener.serve, self._welcome))
                group.start_soon(lasting, "staying ready", self._stay_ready)
                if self._options.ready_for is not None:
                    group.start_soon(self._get_ready, self._options.ready_for)
                await self._stop.wait()
                place.remove()  # nobody new comes in while what runs is ended
                group.cancel_scope.cancel()
        finally:
            self._repositories.close()
            place.remove()

    async def _welcome(self, stream: SocketStream) -> None:
        try:
            await self._serve(stream)
        except Exception:  # noqa: BLE001 - a fault of ours costs this client alone
            _log.exception("a connection ended by a fault")

    async def _serve(self, stream: SocketStream) -> None:
        async with stream:
            if not is_same_user(stream.extra(SocketAttribute.raw_socket)):  # noqa: S610 - no Django here
                _log.warning("a process of another user was turned away")
            elif self._answers.connections >= _CONNECTIONS:
                _log.warning("more than %d connections: one was turned away", _CONNECTIONS)
                busy = DaemonBusy(f"the daemon has {_CONNECTIONS} clients already", hint="ask again later")
                with (
                    anyio.move_on_after(_TURN_AWAY_S),
                    suppress(anyio.EndOfStream, anyio.BrokenResourceError),
                ):
                    await stream.send(wire.frame(wire.fault(0, busy)))
                    await stream.receive()  # its greeting: one that is left unread would take the reply along
            else:
                with self._answers.connected():
                    await Connection(stream, self._answers).serve()

    async def _get_ready(self, repository: str) -> None:
        """Ask something as a shell does: the index is opened, all is loaded, the next answer is warm."""
        here = {name: os.environ[name] for name in ("TZ",) if name in os.environ}
        asked = wire.Typed(
            id=0, arguments=("--repo", repository, _FIRST_QUESTION), folder=repository, environment=here
        )
        began = time.monotonic()
        try:
            answer = await self._answers.answer(asked, client=self)
        except OharaError as error:  # whoever asks will be told
            _log.info("not ready for %s: %s", repository, error.message)
        except Exception:  # noqa: BLE001 - nobody waits for it, and it must not end the service
            _log.exception("not ready for %s", repository)
        else:
            is_ready = isinstance(answer, wire.Printed) and answer.code != _ERROR
            _log.info(
                "ready for %s after %.0f ms" if is_ready else "not ready for %s (%.0f ms)",
                repository,
                (time.monotonic() - began) * 1_000,
            )

    async def _stay_ready(self) -> None:
        """After each index job, work out again what readers of that index had worked out before it.

        Also one that found nothing new writes how it went, and what was read before no longer counts.
        """
        with self._events.subscribe() as happening:
            async for job in happening:
                if job.state == "done":
                    await self._repositories.refresh(job.repository, _FIRST_QUESTION)

    async def _heed_signals(self) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for number in signals:
                _log.info("told to stop by %s", signal.Signals(number).name)
                self._stop.set()

    async def _tidy(self, place: OwnSocket) -> None:
        """Close idle engines; stop when the whole service is idle, or its socket or its source is gone."""
        source = OwnSource()
        await anyio.to_thread.run_sync(source.is_replaced)
        while True:
            await anyio.sleep(min(_TIDY_S, self._options.idle_exit_s or _TIDY_S))
            if not place.is_ours:
                _log.warning("the socket %s is gone or another's: nobody can ask us any more", place.path)
                self._stop.set()
            self._repositories.close_idle()
            idle_s = time.monotonic() - self._answers.last_used
            if self._answers.used_since_tidied:
                self._answers.used_since_tidied = False
                await anyio.to_thread.run_sync(resource_usage.give_back)
            is_quiet = not self._answers.connections or idle_s > _QUIET_S
            if await anyio.to_thread.run_sync(source.is_replaced) and is_quiet:
                _log.info("the files of ohara were replaced: it begins again with those")
                self.begins_again = True
                self._stop.set()
            limit_s = self._options.idle_exit_s
            if limit_s and idle_s > limit_s and not self._answers.connections and self._jobs.running is None:
                _log.info("nobody asked anything for %.0f s", idle_s)
                self._stop.set()
