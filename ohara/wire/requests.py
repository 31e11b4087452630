"""What clients ask of the service, each with the bounds that a request is refused beyond."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from ohara.model import MOST_HITS, Mode, Query

PROTOCOL = 1

Id: TypeAlias = Annotated[int, Meta(ge=0, le=2**53 - 1)]  # what every JSON reader holds exactly
Place: TypeAlias = Annotated[str, Meta(min_length=1, max_length=4096)]
Words: TypeAlias = Annotated[str, Meta(max_length=100_000)]
Line: TypeAlias = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Version: TypeAlias = Annotated[str, Meta(max_length=64)]


class Request(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do", tag=str.lower
):
    """What every request carries; the service gives up after the deadline."""

    id: Id
    deadline_ms: Annotated[int, Meta(ge=1, le=600_000)] = 30_000


class Hello(Request, frozen=True, kw_only=True):
    """Says which protocol and version the client speaks; the first request of a connection."""

    protocol: int
    version: Version


class Find(Request, frozen=True, kw_only=True):
    """Asks one repository; what is None is left to the settings that hold there."""

    repo: Place
    query: Words | Query
    k: Annotated[int, Meta(ge=0, le=MOST_HITS)] | None = None
    mode: Mode | None = None
    rerank: bool | None = None
    all_hunks: bool = False
    by_date: bool = False
    after: Annotated[str, Meta(max_length=4096)] | None = None
    context: Annotated[int, Meta(ge=0, le=1_000)] | None = None


class Typed(Request, frozen=True, kw_only=True):
    """Asks what `ohara find` would print for these arguments, typed in this folder on such a terminal."""

    arguments: Annotated[tuple[Words, ...], Meta(max_length=1_000)]
    folder: Place
    width: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    talks: bool = False
    environment: Annotated[dict[str, Annotated[str, Meta(max_length=4096)]], Meta(max_length=16)] = {}


class Show(Request, frozen=True, kw_only=True):
    """Asks for all hunks of one commit, named by sha, prefix or ref."""

    repo: Place
    commit: Place


class Describe(Request, frozen=True, kw_only=True, tag="commit"):
    """Asks for everything about one commit but its lines; it is named by sha, prefix or ref."""

    repo: Place
    commit: Place


class Past(Request, frozen=True, kw_only=True, tag="history"):
    """Asks for every hunk that touched a symbol of a file, or else lines of it as it is in a commit."""

    repo: Place
    commit: Place
    path: Annotated[str, Meta(max_length=4096)]
    symbol: Annotated[str, Meta(min_length=1, max_length=4096)] | None = None
    first: Line = 1
    last: Line = 1
    k: Annotated[int, Meta(ge=1, le=1_000)] = 200


class Blame(Request, frozen=True, kw_only=True):
    """Asks who last touched a line of a file as it is in a commit."""

    repo: Place
    commit: Place
    path: Place
    line: Line


class Lines(Request, frozen=True, kw_only=True):
    """Asks for lines of a file as it is in a commit, first to last."""

    repo: Place
    commit: Place
    path: Place
    first: Line
    last: Line


class Remote(Request, frozen=True, kw_only=True):
    """Asks where a repository is fetched from."""

    repo: Place


class Stop(Request, frozen=True, kw_only=True):
    """Stops indexing one repository, running or waiting, until it is asked for or changes again."""

    repo: Place


class Status(Request, frozen=True, kw_only=True):
    """Asks how an index stands."""

    repo: Place


class Index(Request, frozen=True, kw_only=True):
    """Asks to index a repository, whether it was indexed before or not; the answer comes at once."""

    repo: Place


class Repos(Request, frozen=True, kw_only=True):
    """Asks for all indexes on this machine."""


class Subscribe(Request, frozen=True, kw_only=True):
    """Asks to hear of everything that happens to indexes, until the connection ends or this is cancelled."""


class Health(Request, frozen=True, kw_only=True):
    """Asks how the service itself is."""


class Pause(Request, frozen=True, kw_only=True):
    """Stops indexing, also what is running now, until resumed."""


class Resume(Request, frozen=True, kw_only=True):
    """Lets indexing go on."""


class Shutdown(Request, frozen=True, kw_only=True):
    """Ends the service."""


class Cancel(Request, frozen=True, kw_only=True):
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
    | Health
    | Pause
    | Resume
    | Shutdown
    | Cancel
    | Describe
    | Past
    | Blame
    | Lines
    | Remote
    | Stop
)
