"""What the service answers, and how an error travels."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from ohara import errors
from ohara.errors import InternalError, OharaError
from ohara.model import (  # noqa: TC001 - msgspec reads them
    CommitDetails,
    History,
    Hit,
    IndexStatus,
    Origin,
    Progress,
    Results,
)

Id: TypeAlias = Annotated[int, Meta(ge=0, le=2**53 - 1)]  # what every JSON reader holds exactly
Version: TypeAlias = Annotated[str, Meta(max_length=64)]


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
    """Answers HistoryRequest."""

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


class StatusReply(Reply, frozen=True, kw_only=True, tag="standing"):
    """Answers Status; `indexing` is the process at work and since when."""

    status: IndexStatus
    indexing: tuple[int, int] | None = None


class Registered(msgspec.Struct, frozen=True):
    """One index on this machine; when it cannot be read, `status` is None and `fault` says why."""

    repository: str
    folder: str
    size_bytes: int
    status: IndexStatus | None
    fault: str = ""
    hint: str = ""


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


class Trouble(msgspec.Struct, frozen=True):
    """What the service cannot do for one repository as it should: `part` is watching, indexing or reading."""

    repository: str
    part: str
    said: str


class Health(Reply, frozen=True, kw_only=True, tag="vitals"):
    """Answers HealthCheck."""

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
)


# -- errors --------------------------------------------------------------------------------------


def fault(number: int, error: OharaError) -> Fault:
    """An error as it travels."""
    return Fault(
        id=number, kind=type(error).__name__, message=carried(error.message), hint=carried(error.hint)
    )


def raised(reply: Fault) -> OharaError:
    """The error that a fault stands for, as if it had happened here."""
    kind = getattr(errors, reply.kind, InternalError)
    known = kind if isinstance(kind, type) and issubclass(kind, OharaError) else InternalError
    return known(reply.message, hint=reply.hint)


def carried(text: str) -> str:
    """The text with what JSON cannot carry replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")
