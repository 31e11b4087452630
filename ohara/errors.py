"""The tree of errors that are shown to people.

    OharaError                   something a person can act on: a message and a hint
    ├── UsageError               the command line or a request is wrong
    │   ├── QueryError           a query does not parse, or names an unknown filter or value
    │   └── ConfigError          a setting is unknown, malformed, or not allowed where it stands
    ├── RepositoryError          the git repository cannot be found, opened or read
    ├── StoreError               the index cannot be used as it is
    │   ├── IndexMissing         there is no index for this repository yet
    │   ├── IndexLocked          another process is indexing
    │   ├── IndexReplaced        others take its place faster than it can be read
    │   ├── IndexCorrupt         the database is damaged or not ohara's
    │   ├── IndexTooNew          a newer ohara wrote it
    │   └── ServerAway           the server that keeps a shared index does not answer
    ├── ModelError               an embedder or reranker cannot be loaded or run
    ├── DaemonError              the background service cannot be reached or refused a request
    │   └── DaemonBusy           it has more to do than it can do in time
    └── InternalError            a bug in ohara, reported without a traceback

The message says what happened to what; the hint is the next command to type. Foreign exceptions are
translated into this tree once, in the package that owns the library.
"""

from __future__ import annotations


class OharaError(Exception):
    """Something went wrong that a person can act on."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(OharaError):
    """The command line or a request is wrong."""


class QueryError(UsageError):
    """A query does not parse, or names an unknown filter or value."""


class ConfigError(UsageError):
    """A setting is unknown, malformed, or not allowed where it stands."""


class RepositoryError(OharaError):
    """The git repository cannot be found, opened or read."""


class StoreError(OharaError):
    """The index cannot be used as it is."""


class IndexMissing(StoreError):
    """There is no index for this repository yet."""


class IndexLocked(StoreError):
    """Another process is indexing."""


class IndexReplaced(StoreError):
    """Other indexes take this one's place faster than it can be read."""


class IndexCorrupt(StoreError):
    """The database is damaged or not ohara's."""


class IndexTooNew(StoreError):
    """A newer ohara wrote the index."""


class ServerAway(StoreError):
    """The server that keeps a shared index does not answer."""


class ModelError(OharaError):
    """An embedder or reranker cannot be loaded or run."""


class DaemonError(OharaError):
    """The background service cannot be reached or refused a request."""


class DaemonBusy(DaemonError):
    """The background service has more to do than it can do in time."""


class InternalError(OharaError):
    """A bug in ohara, reported without a traceback."""


def reason_of(fault: BaseException) -> str:
    """The message of any exception, in one line."""
    return fault.message if isinstance(fault, OharaError) else f"{type(fault).__name__}: {fault}".rstrip(": ")
