"""What every client does with a request, whichever way it waits: numbers it, and checks what comes back."""

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

_GRACE_S = 5.0  # what the way back may take on top of a request's own deadline

BUSY_S = 60.0  # how long to go on asking a service that is busy, and how long to pause before each time
BUSY_PAUSE_S = 0.5


class HungUp(DaemonError):
    """The service closed the connection."""

    def __init__(self) -> None:
        super().__init__("the daemon ended the connection", hint="ohara daemon status, ohara daemon logs")


def silent() -> DaemonError:
    """What to say of a service that does not answer in time."""
    return DaemonError("the daemon does not answer", hint="ohara daemon restart")


def request_ids() -> Iterator[int]:
    """Numbers for the requests of one connection."""
    return itertools.count(1)


def numbered(request: wire.Request[R], number: int) -> wire.Request[R]:
    """A request as it is sent: under its number, and with the whole path of its repository."""
    repo = getattr(request, "repo", None)
    if repo is None:
        return msgspec.structs.replace(request, id=number)
    return msgspec.structs.replace(request, id=number, repo=absolute(repo))


def timeout_s(request: wire.Request[R]) -> float:
    """How long to wait for the reply."""
    return request.deadline_ms / 1000 + _GRACE_S


def is_greeting(request: wire.Request[R]) -> bool:
    """True for the first request: a service that is too busy for it ends the connection."""
    return isinstance(request, wire.Hello)


def checked(request: wire.Request[R], reply: wire.AnyReply) -> R:
    """The reply to a request; raises what it faults, and when it is no reply to this one."""
    if isinstance(reply, wire.Fault):
        raise wire.raised(reply)
    if not isinstance(reply, wire.reply_type(type(request))) or reply.id != request.id:
        raise DaemonError("the daemon answered something else than was asked", hint="ohara daemon restart")
    return reply
