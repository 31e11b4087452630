"""The replies of the service, and how errors are sent."""

from __future__ import annotations

import dataclasses
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from ohara import errors
from ohara.errors import InternalError, OharaError
from ohara.model import (  # noqa: TC001 - msgspec reads them
    Annotation,
    CommitDetails,
    Comparison,
    History,
    Hit,
    IndexStatus,
    LineOrigin,
    Progress,
    Related,
    Results,
)

Id: TypeAlias = Annotated[int, Meta(ge=0, le=2**53 - 1)]  # every JSON reader holds these exactly
Version: TypeAlias = Annotated[str, Meta(max_length=64)]


class Reply(msgspec.Struct, frozen=True, kw_only=True, tag_field="is", tag=str.lower):
    """The base of all replies: the id of the request that it answers."""

    id: Id


class Welcome(Reply, frozen=True, kw_only=True):
    """The reply to Hello."""

    protocol: int
    version: Version
    pid: int


class Found(Reply, frozen=True, kw_only=True):
    """The reply to Find."""

    results: Results


class Printed(Reply, frozen=True, kw_only=True):
    """The reply to Typed: the exit code, and the text for stdout and stderr."""

    code: int
    out: str
    err: str


class Shown(Reply, frozen=True, kw_only=True):
    """The reply to Show."""

    hits: tuple[Hit, ...]


class Described(Reply, frozen=True, kw_only=True):
    """The reply to Describe."""

    details: CommitDetails


class Followed(Reply, frozen=True, kw_only=True):
    """The reply to HistoryRequest."""

    history: History


class Blamed(Reply, frozen=True, kw_only=True):
    """The reply to Blame."""

    origin: LineOrigin


class Excerpt(Reply, frozen=True, kw_only=True):
    """The reply to Lines; fewer lines where the file ends."""

    lines: tuple[str, ...]


class AnnotatedReply(Reply, frozen=True, kw_only=True, tag="annotated"):
    """The reply to AnnotateRequest."""

    annotation: Annotation


class Compared(Reply, frozen=True, kw_only=True):
    """The reply to CompareRequest."""

    comparison: Comparison


class NamesReply(Reply, frozen=True, kw_only=True, tag="named"):
    """The reply to NamesRequest, the likeliest first."""

    names: tuple[str, ...]


class Located(Reply, frozen=True, kw_only=True):
    """The reply to Remote; None without a remote, and when none of several is called origin."""

    url: str | None


class RelatedReply(Reply, frozen=True, kw_only=True, tag="cochanged"):
    """The reply to RelatedRequest."""

    related: Related


class StatusReply(Reply, frozen=True, kw_only=True, tag="standing"):
    """The reply to Status; `indexing` is the process that is indexing, and since when."""

    status: IndexStatus
    indexing: tuple[int, int] | None = None


class Registered(msgspec.Struct, frozen=True):
    """One index on this machine; when it cannot be read, `status` is None and `fault` is the reason."""

    repository: str
    folder: str
    size_bytes: int
    status: IndexStatus | None
    fault: str = ""
    hint: str = ""


class Repositories(Reply, frozen=True, kw_only=True):
    """The reply to Repos."""

    repositories: tuple[Registered, ...]


class JobState(msgspec.Struct, frozen=True):
    """The state of an index job: `state` is queued, running, progress, done or failed."""

    repository: str
    state: str
    reason: str
    progress: Progress | None = None
    detail: str = ""


class Event(Reply, frozen=True, kw_only=True):
    """A change of an index job, sent to subscribers."""

    job: JobState


class Trouble(msgspec.Struct, frozen=True):
    """A problem of the service with one repository; `part` is watching, indexing or reading."""

    repository: str
    part: str
    said: str


class Health(Reply, frozen=True, kw_only=True, tag="vitals"):
    """The reply to HealthCheck."""

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
    troubles: tuple[Trouble, ...] = ()


class Done(Reply, frozen=True, kw_only=True):
    """The reply to requests without a result; also ends a subscription."""


class Fault(Reply, frozen=True, kw_only=True):
    """The reply to a request that failed; `kind` is the name of a class in ohara.errors."""

    kind: str
    message: str
    hint: str = ""


AnyReply: TypeAlias = (
    Welcome
    | Found
    | Printed
    | Shown
    | StatusReply
    | Repositories
    | Event
    | Health
    | Done
    | Fault
    | Described
    | Followed
    | Blamed
    | Excerpt
    | Located
    | RelatedReply
    | AnnotatedReply
    | Compared
    | NamesReply
)


# -- errors --------------------------------------------------------------------------------------


def fault(number: int, error: OharaError) -> Fault:
    """The reply that reports an error."""
    return Fault(
        id=number, kind=type(error).__name__, message=sendable(error.message), hint=sendable(error.hint)
    )


def as_error(reply: Fault) -> OharaError:
    """The error that a Fault reports, for the client to raise."""
    kind = getattr(errors, reply.kind, InternalError)
    known = kind if isinstance(kind, type) and issubclass(kind, OharaError) else InternalError
    return known(reply.message, hint=reply.hint)


def sendable(text: str) -> str:
    """The text with lone surrogates replaced, which JSON cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def sendable_hits(hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """The hits with paths of repositories that JSON can hold."""
    if all(sendable(path) == path for path in {hit.repository for hit in hits}):
        return hits
    return tuple(dataclasses.replace(hit, repository=sendable(hit.repository)) for hit in hits)
