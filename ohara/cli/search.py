"""Reads a query from the command line and runs it in this process."""

from __future__ import annotations

import shlex
import sys
import time
from typing import TYPE_CHECKING

from ohara.errors import UsageError
from ohara.model import Mode, Order, QueryClass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyio.streams.memory import MemoryObjectReceiveStream

    from ohara.engine import Engine
    from ohara.model import Query, Results, SearchOptions
    from ohara.retrieve.lanes.literal import Verified

ALL, COUNT = "-k 0", "--count"  # the options that need a list
_NAMES = frozenset({QueryClass.SHA, QueryClass.PATH})  # also where their words look like no other name
_PROGRESS_AFTER_S = 0.3  # a search that ends sooner shows no progress
_COUNTED = 60  # characters of a query that a hint repeats


def joined(words: Sequence[str]) -> str:
    """The arguments of a command line as one query.

    With several arguments, the shell has removed the quotes of `author:"Bob Smith"`: they are added again.
    """
    return " ".join(map(requoted, words)) if len(words) > 1 else "".join(words)


def requoted(word: str) -> str:
    """An argument of several, with the quotes of a value with spaces."""
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
    if options.k == 0 and _surely_ranks(query, options):
        raise no_list(query, ALL)
    return query


def _surely_ranks(query: Query, options: SearchOptions) -> bool:
    """True for words that name nothing: what a name stands for, and what is sorted by time, may be a list."""
    from ohara.query.names import read_name

    if not query.words or query.structure or options.order != Order.RANK:
        return False
    if query.patterns or query.mode is not Mode.AUTO:
        return True
    return query.query_class not in _NAMES and read_name(query.words) is None


def no_list(query: Query, option: str) -> UsageError:
    """The error for a ranking, which ends where it pleases: of that there is no whole, and no number."""
    verb = "lists" if option == ALL else "counts"
    hint = f"quote a text to {verb[:-1]} what holds it: {option} {_quoted(query.words)}"
    if query.query_class is QueryClass.SYMBOL and query.words.replace(".", "_").isidentifier():
        hint = f"what touches the symbol: {option} {shlex.quote(f'symbol:{query.words}')}; {hint}"
    what = "all of a list" if option == ALL else "a list"
    return UsageError(
        f"{option} {verb} {what}, and this query, read as {query.query_class}, ranks", hint=hint
    )


def _quoted(words: str) -> str:
    """The words as a literal text, for a shell; an example in their place where there are none, or many."""
    text = words if words and '"' not in words and len(words) <= _COUNTED else "retry"
    return shlex.quote(f'"{text}"')


def ask(engine: Engine, query: Query, options: SearchOptions, *, watched: bool = False) -> Results:
    """Run a query in the engine; `watched` shows the progress of a long search on a terminal."""
    if not (watched and (query.patterns or query.structure) and sys.stderr.isatty()):
        return engine.find_pattern(query, options)

    from ohara import blocking

    return blocking.run(_watched, engine, query, options)


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
