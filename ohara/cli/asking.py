"""Turns what a command line asks for into a query put to the engine."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ohara.errors import UsageError
from ohara.model import Filters, Mode, Polarity, QueryClass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyio.streams.memory import MemoryObjectReceiveStream

    from ohara.client.questions import FindWish
    from ohara.engine import Engine
    from ohara.model import Query, Results
    from ohara.retrieve.lanes.literal import Verified
    from ohara.retrieve.request import Wishes

_WONDER_S = 0.3  # a search that ends sooner needs no explanation
_LISTED = frozenset({QueryClass.LITERAL, QueryClass.REGEX, QueryClass.SHA})


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of every query of one command: how many hits, found and cut how."""

    count: int | None
    mode: Mode
    filters: Filters
    polarity: Polarity
    no_rerank: bool
    all_hunks: bool
    order: str
    after: str | None
    context: int | None
    strict: bool = False  # a gate by exit code: nothing may be read more widely than it was written


def for_service(wish: Wish) -> FindWish:
    """What is asked of a query, as the service takes it; its mode and filters are in the query."""
    return {
        "k": wish.count,
        "rerank": False if wish.no_rerank else None,
        "all_hunks": wish.all_hunks,
        "by_date": wish.order == "date",
        "after": wish.after,
        "context": wish.context,
    }


def joined(words: Sequence[str]) -> str:
    """The words of a command line as one query.

    Where there are several, the shell has taken the quotes off `author:"Bob Smith"`: it gets them again.
    """
    return " ".join(map(_requoted, words)) if len(words) > 1 else "".join(words)


def _requoted(word: str) -> str:
    from ohara.query import ALL_NAMES

    name, _, value = word.partition(":")
    if name not in ALL_NAMES or len(value.split()) < 2 or '"' in value or value.startswith(("/", " ")):
        return word
    escaped = value.replace("\\", "\\\\")
    return f'{name}:"{escaped}"'


def moment(after: str | None) -> int:
    """The moment that dates count from: now, or for a further page when the first was asked for."""
    from ohara.retrieve.cursor import asked_at

    return asked_at(after) or int(time.time())


def read_query(source: str, wish: Wish) -> Query:
    """The query that a text asks for, together with the options."""
    from ohara.query import parse

    query = parse(
        source,
        now=moment(wish.after),
        mode=wish.mode,
        flags=wish.filters,
        polarity=wish.polarity,
        strict=wish.strict,
    )
    if wish.count == 0 and query.query_class not in _LISTED:
        raise UsageError(
            f"-k 0 lists all matches of a text or /…/, and this query was read as {query.query_class}",
            hint="give a number, or --mode literal",
        )
    return query


def ask(engine: Engine, query: Query, wish: Wish, *, watched: bool = False) -> Results:
    """Put a query to the engine; `watched` shows on a terminal how far a long search is."""
    count = engine.settings.find.k if wish.count is None else wish.count
    wishes = engine.search.wishes(
        now=moment(wish.after),
        k=count,
        rerank=not wish.no_rerank,
        all_hunks=wish.all_hunks,
        order=wish.order,
        after=wish.after,
        context=wish.context,
    )

    import anyio

    if watched and query.patterns and sys.stderr.isatty():
        return anyio.run(_watched, engine, query, wishes)
    return anyio.run(engine.search.find, query, wishes)


async def _watched(engine: Engine, query: Query, wishes: Wishes) -> Results:
    """Search while telling how far the search is."""
    import anyio

    send, receive = anyio.create_memory_object_stream["Verified"](1)
    async with anyio.create_task_group() as group, send:
        group.start_soon(_tell, receive)
        results = await engine.search.find(query, wishes, send)
        group.cancel_scope.cancel()
    return results


async def _tell(moments: MemoryObjectReceiveStream[Verified]) -> None:
    """Write and rewrite one line on stderr, once a search takes long enough to wonder."""
    started = time.monotonic()
    told = False
    try:
        async with moments:
            async for moment in moments:
                if time.monotonic() - started > _WONDER_S:
                    told = True
                    said = f"reading {moment.done:,} of {moment.total:,} changes, {moment.matched:,} match"
                    sys.stderr.write(f"\r\x1b[2K{said}")
                    sys.stderr.flush()
    finally:
        if told:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
