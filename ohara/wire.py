"""What the background service and its clients say to each other: frames of JSON, validated on arrival.

A frame is a length (four bytes, big-endian) and that many bytes of JSON. A request says what to `do` under an
`id` of the client's choosing; every reply to it carries that id and says what it `is`. docs/protocol.md
describes all of them. Pure: no socket is opened here, and a frame that is too long is refused by its
length alone.
"""

from __future__ import annotations

import functools
import struct
from typing import Annotated, TypeAlias, Union

import msgspec
from msgspec import Meta

from ohara import errors
from ohara.errors import DaemonError, InternalError, OharaError
from ohara.model import (  # noqa: TC001 - msgspec reads them
    CommitDetails,
    History,
    Hit,
    IndexStatus,
    Mode,
    Origin,
    Progress,
    Query,
    Results,
)

PROTOCOL = 1
MAX_FRAME_BYTES = 16 * 2**20  # a thousand hits with whole excerpts take a tenth of this
HEADER_BYTES = 4

_HEADER = struct.Struct(">I")

Id: TypeAlias = Annotated[int, Meta(ge=0, le=2**53 - 1)]  # what every JSON reader holds exactly
Place: TypeAlias = Annotated[str, Meta(min_length=1, max_length=4096)]
Words: TypeAlias = Annotated[str, Meta(max_length=100_000)]
Line: TypeAlias = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Version: TypeAlias = Annotated[str, Meta(max_length=64)]


# -- requests ------------------------------------------------------------------------------------


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
    k: Annotated[int, Meta(ge=0, le=100_000)] | None = None
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


# -- replies -------------------------------------------------------------------------------------


class Reply(msgspec.Struct, frozen=True, kw_only=True, tag_field="is", tag=str.lower):
    """What every reply carries: the id of the request it answers."""

    id: Id


class Welcome(Reply, frozen=True, kw_only=True):
    """Answers Hello."""

    protocol: int
    version: Version
    pid: int


class Found(Reply, frozen=True, kw_only=True):
    """Answers Find."""

    results: Results


class Printed(Reply, frozen=True, kw_only=True):
    """Answers Typed: the exit code, and what belongs on stdout and stderr."""

    code: int
    out: str
    err: str


class Shown(Reply, frozen=True, kw_only=True):
    """Answers Show."""

    hits: tuple[Hit, ...]


class Described(Reply, frozen=True, kw_only=True):
    """Answers Describe."""

    details: CommitDetails


class Followed(Reply, frozen=True, kw_only=True):
    """Answers Past."""

    history: History


class Blamed(Reply, frozen=True, kw_only=True):
    """Answers Blame."""

    origin: Origin


class Excerpt(Reply, frozen=True, kw_only=True):
    """Answers Lines; fewer come where the file ends."""

    lines: tuple[str, ...]


class Located(Reply, frozen=True, kw_only=True):
    """Answers Remote; None when there is no remote, or no one of several that is called origin."""

    url: str | None


class Standing(Reply, frozen=True, kw_only=True):
    """Answers Status; `indexing` is the process at work and since when."""

    status: IndexStatus
    indexing: tuple[int, int] | None = None


class Registered(msgspec.Struct, frozen=True):
    """One index on this machine; `status` is None when its repository is gone or damaged."""

    repository: str
    folder: str
    size_bytes: int
    status: IndexStatus | None


class Repositories(Reply, frozen=True, kw_only=True):
    """Answers Repos."""

    repositories: tuple[Registered, ...]


class JobState(msgspec.Struct, frozen=True):
    """An index job: `state` is queued, running, progress, done or failed."""

    repository: str
    state: str
    reason: str
    progress: Progress | None = None
    detail: str = ""


class Event(Reply, frozen=True, kw_only=True):
    """Something that happened to an index, to whoever subscribed."""

    job: JobState


class Vitals(Reply, frozen=True, kw_only=True):
    """Answers Health."""

    version: Version
    pid: int
    started: int
    paused: str
    connections: int
    requests: int
    open_repositories: tuple[str, ...]
    watched: tuple[str, ...]
    watching: str
    running: JobState | None
    queued: tuple[str, ...]
    memory_bytes: int
    threads: int
    descriptors: int


class Done(Reply, frozen=True, kw_only=True):
    """Answers what has no answer of its own, and ends a subscription."""


class Fault(Reply, frozen=True, kw_only=True):
    """Says why a request failed; `kind` is the name of one of ohara's errors."""

    kind: str
    message: str
    hint: str = ""


AnyReply: TypeAlias = (
    Welcome
    | Found
    | Printed
    | Shown
    | Standing
    | Repositories
    | Event
    | Vitals
    | Done
    | Fault
    | Described
    | Followed
    | Blamed
    | Excerpt
    | Located
)


# -- frames --------------------------------------------------------------------------------------

_encoder = msgspec.json.Encoder()


@functools.cache
def _requests() -> msgspec.json.Decoder[AnyRequest]:
    """Made when first needed: a client never reads a request."""
    return msgspec.json.Decoder(AnyRequest)


@functools.cache
def replies(*kinds: type[Reply]) -> msgspec.json.Decoder[AnyReply]:
    """What reads these replies and faults, or any reply; a reader of few is made in a tenth of the time."""
    return msgspec.json.Decoder(Union[(*kinds, Fault)] if kinds else AnyReply)


def frame(message: Request | Reply) -> bytes:
    """The message as it travels."""
    try:
        body = _encoder.encode(message)
    except UnicodeEncodeError as error:  # a lone surrogate, as a path with odd bytes in it has
        raise DaemonError("a message holds text that JSON cannot carry", hint="use --no-daemon") from error
    if len(body) > MAX_FRAME_BYTES:
        raise DaemonError(
            f"a message of {len(body):,} bytes is over the limit of {MAX_FRAME_BYTES:,}",
            hint="ask for fewer hits at a time",
        )
    return _HEADER.pack(len(body)) + body


def body_length(header: bytes) -> int:
    """How long the rest of a frame is; refuses one that is longer than any message may be."""
    (length,) = _HEADER.unpack(header)
    if length > MAX_FRAME_BYTES:
        raise DaemonError(
            f"a frame of {length:,} bytes is over the limit of {MAX_FRAME_BYTES:,}",
            hint="speak the protocol of docs/protocol.md",
        )
    return int(length)


def decode_request(body: bytes) -> AnyRequest:
    """The request in a frame; a DaemonError says what is wrong with it."""
    try:
        return _requests().decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DaemonError(f"not a request: {error}", hint="speak the protocol of docs/protocol.md") from error


def decode_reply(body: bytes, *kinds: type[Reply]) -> AnyReply:
    """The reply in a frame, of these kinds if any are named; a DaemonError says what is wrong with it."""
    try:
        return replies(*kinds).decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DaemonError(
            f"the daemon said something else than expected: {error}", hint="ohara daemon restart"
        ) from error


# -- errors --------------------------------------------------------------------------------------


def fault(number: int, error: OharaError) -> Fault:
    """An error as it travels."""
    return Fault(
        id=number, kind=type(error).__name__, message=_carried(error.message), hint=_carried(error.hint)
    )


def raised(reply: Fault) -> OharaError:
    """The error that a fault stands for, as if it had happened here."""
    kind = getattr(errors, reply.kind, InternalError)
    known = kind if isinstance(kind, type) and issubclass(kind, OharaError) else InternalError
    return known(reply.message, hint=reply.hint)


def _carried(text: str) -> str:
    """The text with what JSON cannot carry replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")
