"""Reads a query from the command line and runs it in this process."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from ohara.errors import UsageError
from ohara.model import QueryClass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyio.streams.memory import MemoryObjectReceiveStream

    from ohara.engine import Engine
    from ohara.model import Query, Results, SearchOptions
    from ohara.retrieve.lanes.literal import Verified

_PROGRESS_AFTER_S = 0.3  # a search that ends sooner shows no progress
_LISTED = frozenset({QueryClass.LITERAL, QueryClass.REGEX, QueryClass.SHA, QueryClass.STRUCTURAL})


def joined(words: Sequence[str]) -> str:
    """The arguments of a command line as one query.

    With several arguments, the shell has removed the quotes of `author:"Bob Smith"`: they are added again.
    """
    return " ".join(map(_requoted, words)) if len(words) > 1 else "".join(words)


def _requoted(word: str) -> str:
    from ohara.query import ALL_NAMES

    name, _, value = word.partition(":")
    if (
        name.removeprefix("-") not in ALL_NAMES
        or len(value.split()) < 2
        or '"' in value
        or value.startswith(("/", " "))
    ):
        return word
    escaped = value.replace("\\", "\\\\")
    return f'{name}:"{escaped}"'


def read_query(source: str, options: SearchOptions) -> Query:
    """Parse the query text together with the options."""
    from ohara.retrieve import reading

    query = reading.read_query(source, options)
    if options.k == 0 and query.query_class not in _LISTED and not query.structure:
        raise UsageError(
            f"-k 0 lists all matches of a text or /…/, and this query was read as {query.query_class}",
            hint="give a number, or --mode literal",
        )
    return query


def ask(engine: Engine, query: Query, options: SearchOptions, *, watched: bool = False) -> Results:
    """Run a query in the engine; `watched` shows the progress of a long search on a terminal."""
    if not (watched and (query.patterns or query.structure) and sys.stderr.isatty()):
        return engine.find_pattern(query, options)

    import anyio

    return anyio.run(_watched, engine, query, options)


async def _watched(engine: Engine, query: Query, options: SearchOptions) -> Results:
    """Search and show progress meanwhile."""
    import anyio

    send, receive = anyio.create_memory_object_stream["Verified"](1)
    async with anyio.create_task_group() as group, send:
        group.start_soon(_show_progress, receive)
        results = await engine.find(query, options, send)
        group.cancel_scope.cancel()
    return results


async def _show_progress(moments: MemoryObjectReceiveStream[Verified]) -> None:
    """Update one line on stderr, once a search takes long."""
    started = time.monotonic()
    shown = False
    try:
        async with moments:
            async for moment in moments:
                if time.monotonic() - started > _PROGRESS_AFTER_S:
                    shown = True
                    line = f"reading {moment.done:,} of {moment.total:,} changes, {moment.matched:,} match"
                    sys.stderr.write(f"\r\x1b[2K{line}")
                    sys.stderr.flush()
    finally:
        if shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
