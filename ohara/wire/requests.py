"""The requests of clients, with the limits beyond which a request is refused."""

from __future__ import annotations

from typing import Annotated, Generic, TypeAlias, TypeVar, get_args

import msgspec
from msgspec import Meta

from ohara.model import ExplainOptions, NameKind, Query, SearchOptions
from ohara.wire.replies import (
    AnnotatedReply,
    Blamed,
    Compared,
    Described,
    Done,
    Event,
    Excerpt,
    Followed,
    Found,
    Health,
    Id,
    Located,
    NamesReply,
    Printed,
    RelatedReply,
    Reply,
    Repositories,
    Shown,
    StatusReply,
    Version,
    Welcome,
)

PROTOCOL = 2
UNNUMBERED = -1  # never sent: a request gets its id when it is sent

R = TypeVar("R", bound=Reply)

ShortText: TypeAlias = Annotated[str, Meta(min_length=1, max_length=4096)]
LongText: TypeAlias = Annotated[str, Meta(max_length=100_000)]
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
    """The base of all requests, generic in the kind of its reply; the service gives up at the deadline."""

    id: Id = UNNUMBERED
    deadline_ms: Annotated[int, Meta(ge=1, le=600_000)] = 30_000


class Searching(Request[R], Generic[R], frozen=True, kw_only=True):
    """The base of requests that an index answers: the one that a server keeps, by its name, or one's own."""

    repo: ShortText
    index: Annotated[str, Meta(min_length=1, max_length=200)] | None = None


class Hello(Request[Welcome], frozen=True, kw_only=True):
    """The first request of a connection: the client's protocol number and version."""

    protocol: int
    version: Version


class Find(Searching[Found], frozen=True, kw_only=True):
    """Search one repository or several; options that are None are taken from the settings in force there.

    A repository is named by its path, by `@NAME` (a group of the user's settings) or by `@all` (every index).
    `implied`: nobody named the repository, so that `repo:` in the query may choose others.
    """

    query: LongText | Query
    options: SearchOptions = SearchOptions()
    also: Annotated[tuple[ShortText, ...], Meta(max_length=1_000)] = ()
    implied: bool = False


class Explain(Searching[Found], frozen=True, kw_only=True):
    """Explain a place: the commits that made lines, a file or a symbol what they are."""

    place: Annotated[str, Meta(max_length=4096)]
    options: ExplainOptions = ExplainOptions()


class Typed(Request[Printed], frozen=True, kw_only=True):
    """Run `ohara find` with these arguments, as typed in this folder on a terminal of this width."""

    arguments: Annotated[tuple[LongText, ...], Meta(max_length=1_000)]
    folder: ShortText
    width: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    talks: bool = False
    environment: Annotated[dict[str, Annotated[str, Meta(max_length=4096)]], Meta(max_length=16)] = {}


class Show(Searching[Shown], frozen=True, kw_only=True):
    """Get all hunks of one commit, named by sha, prefix or ref."""

    commit: ShortText


class Describe(Searching[Described], frozen=True, kw_only=True, tag="commit"):
    """Get everything about one commit except its lines; it is named by sha, prefix or ref."""

    commit: ShortText


class HistoryRequest(Searching[Followed], frozen=True, kw_only=True, tag="history"):
    """Get every hunk that touched a symbol of a file, or else some lines of the file as of a commit."""

    commit: ShortText
    path: Annotated[str, Meta(max_length=4096)]
    symbol: Annotated[str, Meta(min_length=1, max_length=4096)] | None = None
    first: Line = 1
    last: Line = 1
    k: Annotated[int, Meta(ge=1, le=1_000)] = 200


class Blame(Searching[Blamed], frozen=True, kw_only=True):
    """Get the commit that last touched a line of a file as of a commit."""

    commit: ShortText
    path: ShortText
    line: Line


class Lines(Searching[Excerpt], frozen=True, kw_only=True):
    """Get lines `first` to `last` of a file as of a commit."""

    commit: ShortText
    path: ShortText
    first: Line
    last: Line


class AnnotateRequest(Searching[AnnotatedReply], frozen=True, kw_only=True, tag="annotate"):
    """Get the commit that last touched each line of a file as of a commit."""

    commit: ShortText
    path: ShortText


class CompareRequest(Searching[Compared], frozen=True, kw_only=True, tag="compare"):
    """Get what differs between two commits, from a file on; as many files as are read in a moment."""

    old: ShortText
    new: ShortText
    first: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 0


class NamesRequest(Searching[NamesReply], frozen=True, kw_only=True, tag="names"):
    """Get the values that a filter may be completed to."""

    kind: NameKind
    begun: Annotated[str, Meta(max_length=4096)] = ""
    k: Annotated[int, Meta(ge=1, le=1_000)] = 24


class RelatedRequest(Searching[RelatedReply], frozen=True, kw_only=True, tag="related"):
    """Get what changes together with a path, `path:line`, `path:symbol`, a symbol or a commit."""

    place: ShortText
    k: Annotated[int, Meta(ge=1, le=1_000)] = 10


class Remote(Searching[Located], frozen=True, kw_only=True):
    """Get the URL that a repository is fetched from."""


class Stop(Request[Done], frozen=True, kw_only=True):
    """Stop indexing one repository, running or queued, until it is requested or changes again."""

    repo: ShortText


class Status(Searching[StatusReply], frozen=True, kw_only=True):
    """Get the status of an index."""


class Index(Request[Done], frozen=True, kw_only=True):
    """Queue a repository to be indexed, for the first time or again; the reply does not wait for it."""

    repo: ShortText


class Repos(Request[Repositories], frozen=True, kw_only=True):
    """List all indexes on this machine."""


class Subscribe(Request[Event], frozen=True, kw_only=True):
    """Get an Event for every change of an index job, until the connection ends or this is cancelled."""


class HealthCheck(Request[Health], frozen=True, kw_only=True, tag="health"):
    """Get the health of the service itself."""


class Pause(Request[Done], frozen=True, kw_only=True):
    """Stop indexing, including the job that is running, until resumed."""


class Resume(Request[Done], frozen=True, kw_only=True):
    """Continue indexing."""


class Shutdown(Request[Done], frozen=True, kw_only=True):
    """Stop the service."""


class Cancel(Request[Done], frozen=True, kw_only=True):
    """Cancel an earlier request of the same connection."""

    target: Id


AnyRequest: TypeAlias = (
    Hello
    | Find
    | Explain
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
    | RelatedRequest
    | AnnotateRequest
    | CompareRequest
    | NamesRequest
    | Stop
)


def reply_type(kind: type[Request[R]]) -> type[R]:
    """The reply class of a request class."""
    (named,) = (args[0] for base in kind.__orig_bases__ if (args := get_args(base)))  # type: ignore[attr-defined]
    found: type[R] = named
    return found
