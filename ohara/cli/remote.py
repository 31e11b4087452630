"""Asks the background service instead of this process, where that gives the same answer sooner.

Nothing here loads a database, a model or a git library. Whatever keeps the service from answering, the caller
answers by itself and says why.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ohara.errors import DaemonError, IndexMissing, InternalError

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.model import Query, Results, SearchOptions

# What the service knows as well, or need not: it is started without the settings of one shell.
_HARMLESS = ("OHARA_HOME", "OHARA_DEBUG", "OHARA_DAEMON_")

DEADLINE_S = 120.0  # a scan of a huge history; the lanes have deadlines of their own


@dataclass(frozen=True, slots=True)
class Answered:
    """What the service answered, or None and what to say about that."""

    results: Results | None
    notes: tuple[str, ...] = ()


def ask_daemon(repo: Path, query: Query, options: SearchOptions) -> Answered:
    """Put a query to the service, if one runs and would understand it as this process does."""
    if any(name.startswith("OHARA_") and not name.startswith(_HARMLESS) for name in os.environ):
        return Answered(None)

    from ohara import client, wire

    try:
        there = client.running()
        if there is None:
            return Answered(None)
        with there:
            request = wire.Find(
                repo=str(repo), query=query, options=options, deadline_ms=round(DEADLINE_S * 1000)
            )
            results = there.send(request, meanwhile=_prepare_to_print).results
    except IndexMissing:
        return Answered(None)  # a first search begins an index, which the caller knows how to show
    except (DaemonError, InternalError) as error:
        return Answered(None, (f"answered without the daemon: {error.message}",))
    return Answered(results, unread(results))


def unread(results: Results) -> tuple[str, ...]:
    """What to say about an answer of the service, which reads what is new in its own time."""
    behind = results.index.behind
    return (f"{behind:,} commits are not indexed yet (ohara status)",) if behind else ()


def _prepare_to_print() -> None:
    """Load what prints an answer, which takes as long as many an answer does."""
    import ohara.cli.answer  # noqa: F401
