"""Talks to the background service: what the command line, the terminal UI and any Python program use.

    from ohara import client

    with client.connect(start=True) as ohara:
        results = ohara.find("/home/me/project", "retry with backoff")

`connect` and `running` give a `Client` that waits; `connect_async` an `AsyncClient` for one connection that
many tasks share. No model, database or git library is ever loaded here, and no event loop unless asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which `quick` cannot afford to import
if TYPE_CHECKING:
    from ohara.client.place import socket_path, start_daemon
    from ohara.client.sharing import AsyncClient, connect_async
    from ohara.client.waiting import Client, connect, running

__all__ = ["AsyncClient", "Client", "connect", "connect_async", "running", "socket_path", "start_daemon"]

_PLACES = {
    "AsyncClient": "sharing",
    "Client": "waiting",
    "connect": "waiting",
    "connect_async": "sharing",
    "running": "waiting",
    "socket_path": "place",
    "start_daemon": "place",
}


def __getattr__(name: str) -> object:
    """Import each half only for those who use it: JSON with types, or an event loop, is slow to load."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
