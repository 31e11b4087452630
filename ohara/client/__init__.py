"""The clients of the background service, for the command line, the terminal UI and any Python program.

    from ohara import client, wire

    with client.connect(start=True) as ohara:
        found = ohara.send(wire.Find(repo="/home/me/project", query="retry with backoff"))
        print(found.results.hits[0].commit.subject)

`connect` and `running` return a blocking `Client`; `connect_async` an `AsyncClient`, one connection that many
tasks share. Nothing here loads a model, a database or a git library; only `connect_async` has an event loop.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which `fastpath` cannot afford to import
if TYPE_CHECKING:
    from ohara.client.aio import AsyncClient, connect_async
    from ohara.client.blocking import Client, connect, running
    from ohara.client.index_choice import with_index
    from ohara.client.locate import socket_path, start_daemon, start_daemon_behind
    from ohara.client.searcher import RemoteSearcher

__all__ = [
    "AsyncClient",
    "Client",
    "RemoteSearcher",
    "connect",
    "connect_async",
    "running",
    "socket_path",
    "start_daemon",
    "start_daemon_behind",
    "with_index",
]

_MODULES = {
    "AsyncClient": "aio",
    "Client": "blocking",
    "connect": "blocking",
    "connect_async": "aio",
    "running": "blocking",
    "RemoteSearcher": "searcher",
    "socket_path": "locate",
    "start_daemon": "locate",
    "start_daemon_behind": "locate",
    "with_index": "index_choice",
}


def __getattr__(name: str) -> object:
    """Import each client only when it is used: msgspec and the event loop are slow to import."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
