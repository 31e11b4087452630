"""Sends a search to the background service, when it would give the same answer as this process.

Loads no database, model or git library. When the service cannot answer, the caller searches in process and
prints why.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ohara.client.fastpath import HARMLESS, overrides_settings
from ohara.errors import DaemonError, IndexMissing, InternalError
from ohara.plural import are, counted
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from ohara.model import ExplainOptions, Query, Results, SearchOptions
    from ohara.searcher import Searcher

# Errors of the service are raised and reported by this process, with a traceback if that is wanted.
_HARMLESS = (*HARMLESS, "OHARA_DEBUG")


@dataclass(frozen=True, slots=True)
class Answered:
    """The results of the service, or None when it did not answer; and notes to print."""

    results: Results | None
    notes: tuple[str, ...] = ()


def find_by_daemon(repos: Sequence[str], query: Query, options: SearchOptions) -> Answered:
    """Send a query to the service, if one is running and would answer as this process does."""
    first, *others = repos or (".",)
    answered = _ask(
        lambda searcher: searcher.find_pattern(query, options),
        first,
        also=tuple(others),
        implied=not repos,
    )
    # A first search starts an index, whose progress this process shows.
    found = answered.results
    new = found.unanswered if found is not None and names_paths(repos) else ()
    return Answered(None) if any(each.kind == IndexMissing.__name__ for each in new) else answered


def names_paths(repos: Sequence[str]) -> bool:
    """True when one of several repositories is named by its path, and would be indexed when it is not."""
    return any(not each.startswith("@") for each in repos)


def explain_by_daemon(repo: Path, place: str, options: ExplainOptions) -> Answered:
    """Have the service explain a place, if one is running and would answer as this process does."""
    return _ask(lambda searcher: searcher.explain(place, options), str(repo))


def _ask(
    question: Callable[[Searcher], Results], repo: str, *, also: tuple[str, ...] = (), implied: bool = False
) -> Answered:
    if overrides_settings(os.environ, harmless=_HARMLESS):
        return Answered(None)

    from ohara import client

    try:
        there = client.running()
        if there is None:
            return Answered(None)
        with there:
            searcher = client.RemoteSearcher(there, repo, _prepare_to_print, also, implied)
            results = question(searcher)
    except IndexMissing:
        return Answered(None)  # a first search starts an index, whose progress the caller shows
    except (DaemonError, InternalError) as error:
        return Answered(None, (f"answered without the daemon: {error.message}",))
    return Answered(results, unread(results))


def unread(results: Results) -> tuple[str, ...]:
    """A note about commits that the service has not indexed yet."""
    behind = results.index.behind
    return (f"{counted(behind, 'commit')} {are(behind)} not indexed yet (ohara status)",) if behind else ()


def _prepare_to_print() -> None:
    """Import the printing code while the service works: importing takes about as long as a search."""
    import ohara.cli.output  # noqa: F401
