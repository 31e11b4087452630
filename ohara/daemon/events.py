"""Publishes changes of index jobs to subscribers; a slow subscriber delays nobody."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import anyio

from ohara.wire import JobState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream


_WAITING = 256  # what a subscriber may leave unread; further events are not for it


class Events:
    """The subscribers, and the last failure of each repository."""

    def __init__(self) -> None:
        self._subscribers: set[MemoryObjectSendStream[JobState]] = set()
        self.failures: dict[str, str] = {}  # by repository: why the last job failed; what was stopped did not

    def publish(self, job: JobState) -> None:
        """Send a job state to every subscriber, without waiting."""
        if job.state == "failed" and not job.detail.startswith("stopped"):
            self.failures[job.repository] = job.detail
        elif job.state == "done":
            self.failures.pop(job.repository, None)
        for subscriber in tuple(self._subscribers):
            with suppress(anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
                subscriber.send_nowait(job)

    @contextmanager
    def subscribe(self) -> Iterator[MemoryObjectReceiveStream[JobState]]:
        """Receive everything that is published from now on."""
        sender, receiver = anyio.create_memory_object_stream[JobState](_WAITING)
        self._subscribers.add(sender)
        try:
            with sender, receiver:
                yield receiver
        finally:
            self._subscribers.discard(sender)
