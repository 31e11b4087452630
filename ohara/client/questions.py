"""What clients ask of the service and what they take from its replies, whichever way they wait for them.

Nothing is sent here: a question is a request, the kind of reply that answers it, and what is taken from that.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypedDict, TypeVar, Unpack

from ohara import __version__, wire
from ohara.client.place import absolute
from ohara.errors import DaemonError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ohara.model import CommitDetails, History, Hit, IndexStatus, Mode, Origin, Query, Results

R = TypeVar("R", bound=wire.Reply)
T = TypeVar("T")

_GRACE_S = 5.0  # what the way back may take on top of a request's own deadline

DEADLINE_S = 30.0  # for a query


class FindWish(TypedDict, total=False):
    """How a query is to be answered; what is absent or None is left to the settings of the repository."""

    k: int | None
    mode: Mode | None
    rerank: bool | None
    all_hunks: bool
    by_date: bool
    after: str | None
    context: int | None


class PastWish(TypedDict, total=False):
    """Whose history is asked for: a symbol's, or else that of lines; and at most how many hunks of it."""

    symbol: str | None
    first: int
    last: int
    k: int


BUSY_S = 60.0  # how long to go on asking a service that is busy, and how long to pause before each time
BUSY_PAUSE_S = 0.5


class HungUp(DaemonError):
    """The service closed the connection."""

    def __init__(self) -> None:
        super().__init__("the daemon ended the connection", hint="ohara daemon status, ohara daemon logs")


def silent() -> DaemonError:
    """What to say of a service that does not answer in time."""
    return DaemonError("the daemon does not answer", hint="ohara daemon restart")


@dataclass(frozen=True, slots=True)
class Question(Generic[R, T]):
    """A request, the kind of reply that answers it, and how to take the answer from that."""

    request: wire.Request
    kind: type[R]
    take: Callable[[R], T]

    @property
    def patience_s(self) -> float:
        """How long to wait for the reply."""
        return self.request.deadline_ms / 1000 + _GRACE_S

    @property
    def is_greeting(self) -> bool:
        """True for the first question: a service that is too busy for it ends the connection."""
        return isinstance(self.request, wire.Hello)

    def answered(self, reply: wire.AnyReply) -> T:
        """What a reply says; raises what it faults, and when it is no reply to this."""
        if isinstance(reply, wire.Fault):
            raise wire.raised(reply)
        if not isinstance(reply, self.kind) or reply.id != self.request.id:
            raise DaemonError(
                "the daemon answered something else than was asked", hint="ohara daemon restart"
            )
        return self.take(reply)


class Questions:
    """Everything that one connection may ask, each under a number of its own."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def number(self) -> int:
        """A number that no request of this connection has had."""
        return next(self._numbers)

    def hello(self, version: str = __version__) -> Question[wire.Welcome, wire.Welcome]:
        """Says which protocol and version this is."""
        request = wire.Hello(id=self.number(), protocol=wire.PROTOCOL, version=version)
        return Question(request, wire.Welcome, lambda reply: reply)

    def find(
        self,
        repo: Path | str,
        query: str | Query,
        *,
        deadline_s: float = DEADLINE_S,
        **wish: Unpack[FindWish],
    ) -> Question[wire.Found, Results]:
        """Asks for the answer to a query."""
        request = wire.Find(
            id=self.number(),
            deadline_ms=max(1, round(deadline_s * 1000)),
            repo=absolute(repo),
            query=query,
            **wish,
        )
        return Question(request, wire.Found, lambda reply: reply.results)

    def show(self, repo: Path | str, commit: str) -> Question[wire.Shown, tuple[Hit, ...]]:
        """Asks for all hunks of a commit."""
        request = wire.Show(id=self.number(), repo=absolute(repo), commit=commit)
        return Question(request, wire.Shown, lambda reply: reply.hits)

    def commit(self, repo: Path | str, commit: str) -> Question[wire.Described, CommitDetails]:
        """Asks for everything about a commit but its lines."""
        request = wire.Describe(id=self.number(), repo=absolute(repo), commit=commit)
        return Question(request, wire.Described, lambda reply: reply.details)

    def history(
        self, repo: Path | str, commit: str, path: str, **wish: Unpack[PastWish]
    ) -> Question[wire.Followed, History]:
        """Asks for every hunk that touched a symbol of a file, or else lines of it as it is in a commit."""
        request = wire.Past(id=self.number(), repo=absolute(repo), commit=commit, path=path, **wish)
        return Question(request, wire.Followed, lambda reply: reply.history)

    def blame(self, repo: Path | str, commit: str, path: str, line: int) -> Question[wire.Blamed, Origin]:
        """Asks who last touched a line of a file as it is in a commit."""
        request = wire.Blame(id=self.number(), repo=absolute(repo), commit=commit, path=path, line=line)
        return Question(request, wire.Blamed, lambda reply: reply.origin)

    def lines(
        self, repo: Path | str, commit: str, path: str, first: int, last: int
    ) -> Question[wire.Excerpt, tuple[str, ...]]:
        """Asks for lines of a file as it is in a commit."""
        request = wire.Lines(
            id=self.number(), repo=absolute(repo), commit=commit, path=path, first=first, last=last
        )
        return Question(request, wire.Excerpt, lambda reply: reply.lines)

    def remote(self, repo: Path | str) -> Question[wire.Located, str | None]:
        """Asks where a repository is fetched from."""
        return Question(
            wire.Remote(id=self.number(), repo=absolute(repo)), wire.Located, lambda reply: reply.url
        )

    def status(self, repo: Path | str) -> Question[wire.Standing, IndexStatus]:
        """Asks how an index stands."""
        return Question(
            wire.Status(id=self.number(), repo=absolute(repo)), wire.Standing, lambda reply: reply.status
        )

    def repos(self) -> Question[wire.Repositories, tuple[wire.Registered, ...]]:
        """Asks for all indexes on this machine."""
        return Question(wire.Repos(id=self.number()), wire.Repositories, lambda reply: reply.repositories)

    def health(self) -> Question[wire.Vitals, wire.Vitals]:
        """Asks how the service itself is."""
        return Question(wire.Health(id=self.number()), wire.Vitals, lambda reply: reply)

    def index(self, repo: Path | str) -> Question[wire.Done, None]:
        """Has a repository indexed."""
        return _told(wire.Index(id=self.number(), repo=absolute(repo)))

    def stop(self, repo: Path | str) -> Question[wire.Done, None]:
        """Stops indexing one repository until it is asked for or changes again."""
        return _told(wire.Stop(id=self.number(), repo=absolute(repo)))

    def pause(self) -> Question[wire.Done, None]:
        """Stops indexing until resumed."""
        return _told(wire.Pause(id=self.number()))

    def resume(self) -> Question[wire.Done, None]:
        """Lets indexing go on."""
        return _told(wire.Resume(id=self.number()))

    def shutdown(self) -> Question[wire.Done, None]:
        """Ends the service."""
        return _told(wire.Shutdown(id=self.number()))


def _told(request: wire.Request) -> Question[wire.Done, None]:
    return Question(request, wire.Done, lambda _: None)
