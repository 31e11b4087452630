"""Talks to the background service: what the command line, the terminal UI and any Python program use.

    from ohara import client, wire

    with client.connect(start=True) as ohara:
        found = ohara.send(wire.Find(repo="/home/me/project", query="retry with backoff"))
        print(found.results.hits[0].commit.subject)

`connect` and `running` give a `Client` that waits; `connect_async` an `AsyncClient` for one connection that
many tasks share. No model, database or git library is ever loaded here, and no event loop unless asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which `fastpath` cannot afford to import
if TYPE_CHECKING:
    from ohara.client.aio import AsyncClient, connect_async
    from ohara.client.blocking import Client, connect, running
    from ohara.client.locate import socket_path, start_daemon

__all__ = ["AsyncClient", "Client", "connect", "connect_async", "running", "socket_path", "start_daemon"]

_MODULES = {
    "AsyncClient": "aio",
    "Client": "blocking",
    "connect": "blocking",
    "connect_async": "aio",
    "running": "blocking",
    "socket_path": "locate",
    "start_daemon": "locate",
}


def __getattr__(name: str) -> object:
    """Import each half only for those who use it: JSON with types, or an event loop, is slow to load."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
