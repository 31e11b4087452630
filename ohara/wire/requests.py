"""What clients ask of the service, each with the bounds that a request is refused beyond."""

from __future__ import annotations

from typing import Annotated, Generic, TypeAlias, TypeVar, get_args

import msgspec
from msgspec import Meta

from ohara.model import Query, SearchOptions
from ohara.wire.answers import (
    Blamed,
    Described,
    Done,
    Event,
    Excerpt,
    Followed,
    Found,
    Health,
    Id,
    Located,
    Printed,
    Reply,
    Repositories,
    Shown,
    StatusReply,
    Version,
    Welcome,
)

PROTOCOL = 2
UNNUMBERED = -1  # no id on the wire: a request gets its own when it is sent

R = TypeVar("R", bound=Reply)

Place: TypeAlias = Annotated[str, Meta(min_length=1, max_length=4096)]
Words: TypeAlias = Annotated[str, Meta(max_length=100_000)]
Line: TypeAlias = Annotated[int, Meta(ge=1, le=2**31 - 1)]


class Request(
    msgspec.Struct,
    Generic[R],
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="do",
    tag=str.lower,
):
    """What every request carries, and the kind of its reply; the service gives up at the deadline."""

    id: Id = UNNUMBERED
    deadline_ms: Annotated[int, Meta(ge=1, le=600_000)] = 30_000


class Hello(Request[Welcome], frozen=True, kw_only=True):
    """Says which protocol and version the client speaks; the first request of a connection."""

    protocol: int
    version: Version


class Find(Request[Found], frozen=True, kw_only=True):
    """Asks one repository; what is None is left to the settings that hold there."""

    repo: Place
    query: Words | Query
    options: SearchOptions = SearchOptions()


class Typed(Request[Printed], frozen=True, kw_only=True):
    """Asks what `ohara find` would print for these arguments, typed in this folder on such a terminal."""

    arguments: Annotated[tuple[Words, ...], Meta(max_length=1_000)]
    folder: Place
    width: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    talks: bool = False
    environment: Annotated[dict[str, Annotated[str, Meta(max_length=4096)]], Meta(max_length=16)] = {}


class Show(Request[Shown], frozen=True, kw_only=True):
    """Asks for all hunks of one commit, named by sha, prefix or ref."""

    repo: Place
    commit: Place


class Describe(Request[Described], frozen=True, kw_only=True, tag="commit"):
    """Asks for everything about one commit but its lines; it is named by sha, prefix or ref."""

    repo: Place
    commit: Place


class HistoryRequest(Request[Followed], frozen=True, kw_only=True, tag="history"):
    """Asks for every hunk that touched a symbol of a file, or else lines of it as it is in a commit."""

    repo: Place
    commit: Place
    path: Annotated[str, Meta(max_length=4096)]
    symbol: Annotated[str, Meta(min_length=1, max_length=4096)] | None = None
    first: Line = 1
    last: Line = 1
    k: Annotated[int, Meta(ge=1, le=1_000)] = 200


class Blame(Request[Blamed], frozen=True, kw_only=True):
    """Asks who last touched a line of a file as it is in a commit."""

    repo: Place
    commit: Place
    path: Place
    line: Line


class Lines(Request[Excerpt], frozen=True, kw_only=True):
    """Asks for lines of a file as it is in a commit, first to last."""

    repo: Place
    commit: Place
    path: Place
    first: Line
    last: Line


class Remote(Request[Located], frozen=True, kw_only=True):
    """Asks where a repository is fetched from."""

    repo: Place


class Stop(Request[Done], frozen=True, kw_only=True):
    """Stops indexing one repository, running or waiting, until it is asked for or changes again."""

    repo: Place


class Status(Request[StatusReply], frozen=True, kw_only=True):
    """Asks how an index stands."""

    repo: Place


class Index(Request[Done], frozen=True, kw_only=True):
    """Asks to index a repository, whether it was indexed before or not; the answer comes at once."""

    repo: Place


class Repos(Request[Repositories], frozen=True, kw_only=True):
    """Asks for all indexes on this machine."""


class Subscribe(Request[Event], frozen=True, kw_only=True):
    """Asks to hear of everything that happens to indexes, until the connection ends or this is cancelled."""


class HealthCheck(Request[Health], frozen=True, kw_only=True, tag="health"):
    """Asks how the service itself is."""


class Pause(Request[Done], frozen=True, kw_only=True):
    """Stops indexing, also what is running now, until resumed."""


class Resume(Request[Done], frozen=True, kw_only=True):
    """Lets indexing go on."""


class Shutdown(Request[Done], frozen=True, kw_only=True):
    """Ends the service."""


class Cancel(Request[Done], frozen=True, kw_only=True):
    """Gives up an earlier request of the same connection."""

    target: Id


AnyRequest: TypeAlias = (
    Hello
    | Find
    | Typed
    | Show
    | Status
    | Index
    | Repos
    | Subscribe
    | HealthCheck
    | Pause
    | Resume
    | Shutdown
    | Cancel
    | Describe
    | HistoryRequest
    | Blame
    | Lines
    | Remote
    | Stop
)


def reply_type(kind: type[Request[R]]) -> type[R]:
    """The kind of reply that a kind of request names."""
    (named,) = (args[0] for base in kind.__orig_bases__ if (args := get_args(base)))  # type: ignore[attr-defined]
    found: type[R] = named
    return found
