"""The session that the UI saves: repository, query, layout, theme, and query history.

One small file in the state folder, written when the UI ends. It is optional: a file that cannot be read, or
that another version wrote, is ignored, and failing to write it does not keep the UI from ending.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import msgspec

from ohara import paths

if TYPE_CHECKING:
    from pathlib import Path

FILE = "tui.json"

MOST_QUERIES = 200  # a few weeks of searching; the palette finds among them


@dataclass(frozen=True, slots=True)
class PastQuery:
    """A query that was sent, and its repository."""

    repository: str
    source: str


@dataclass(frozen=True, slots=True)
class Layout:
    """How the panes share the screen: the list's part of it in hundredths, and how a diff is shown."""

    list_share: int = 46
    is_split: bool = False
    numbers: bool = True
    whitespace: bool = False
    wrap: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """Everything that is saved; queries are newest first."""

    repository: str = ""
    query: str = ""
    theme: str = ""
    layout: Layout = field(default_factory=Layout)
    queries: tuple[PastQuery, ...] = ()

    def with_query(self, repository: str, source: str) -> Session:
        """The session with this query in front, moved there if it was in the history."""
        query = PastQuery(repository, source)
        if not source.strip() or (self.queries and self.queries[0] == query):
            return self
        others = tuple(each for each in self.queries if each != query)
        return replace(self, queries=(query, *others)[:MOST_QUERIES])

    def with_queries_of(self, other: Session) -> Session:
        """The session with the queries that another UI saved meanwhile, behind its own."""
        own = frozenset(self.queries)
        others = tuple(each for each in other.queries if each not in own)
        return replace(self, queries=(*self.queries, *others)[:MOST_QUERIES])

    def recent(self, repository: str) -> tuple[str, ...]:
        """The queries of this repository, newest first."""
        return tuple(each.source for each in self.queries if each.repository == repository)


def session_file() -> Path:
    """Where the session is kept."""
    return paths.state_dir() / FILE


def load() -> Session:
    """The last session, or a fresh one."""
    try:
        return msgspec.json.decode(session_file().read_bytes(), type=Session)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return Session()


def save(session: Session) -> bool:
    """Save the session atomically; False when that failed."""
    file = session_file()
    fresh = file.with_suffix(f".{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh.write_bytes(msgspec.json.encode(session))
        fresh.replace(file)
    except (OSError, UnicodeEncodeError):
        return False
    return True
