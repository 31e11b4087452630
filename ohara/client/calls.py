"""What both clients do with a request: give it an id, and check its reply."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, TypeVar

import msgspec

from ohara import wire
from ohara.client.locate import absolute
from ohara.errors import DaemonError

if TYPE_CHECKING:
    from collections.abc import Iterator

R = TypeVar("R", bound=wire.Reply)

_GRACE_S = 5.0  # added to a request's own deadline for the reply to arrive

BUSY_S = 60.0  # how long to retry while the service is busy, and how long to pause between tries
BUSY_PAUSE_S = 0.5


class HungUp(DaemonError):
    """The service closed the connection."""

    def __init__(self) -> None:
        super().__init__("the daemon ended the connection", hint="ohara daemon status, ohara daemon logs")


def silent() -> DaemonError:
    """The error for a service that does not answer in time."""
    return DaemonError("the daemon does not answer", hint="ohara daemon restart")


def request_ids() -> Iterator[int]:
    """The ids of the requests of one connection."""
    return itertools.count(1)


def numbered(request: wire.Request[R], number: int) -> wire.Request[R]:
    """The request as it is sent: with its id, and with absolute paths of its repositories."""
    repo = getattr(request, "repo", None)
    if repo is None:
        return msgspec.structs.replace(request, id=number)
    others = {"also": tuple(map(absolute, request.also))} if isinstance(request, wire.Find) else {}
    return msgspec.structs.replace(request, id=number, repo=absolute(repo), **others)


def timeout_s(request: wire.Request[R]) -> float:
    """How long to wait for the reply."""
    return request.deadline_ms / 1000 + _GRACE_S


def is_greeting(request: wire.Request[R]) -> bool:
    """True for the first request: a service that is too busy for it closes the connection."""
    return isinstance(request, wire.Hello)


def checked(request: wire.Request[R], reply: wire.AnyReply) -> R:
    """The reply, after checks: a Fault, or a reply to something else, is raised as an error."""
    if isinstance(reply, wire.Fault):
        raise wire.as_error(reply)
    if not isinstance(reply, wire.reply_type(type(request))) or reply.id != request.id:
        raise DaemonError("the daemon answered something else than was asked", hint="ohara daemon restart")
    return reply
