"""Cursors of pages: a position in the results of one query, for one state of the index. Pure.

A cursor that is used with another query or other options, or after the index has changed, is refused: pages
of two different answers would repeat some hits and lose others. It holds what else the order depends on: the
time of the first page, and which lanes answered.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ohara.errors import QueryError

if TYPE_CHECKING:
    from ohara.model import Query

_DIGITS = 12  # enough that no two queries of one person are taken for each other


@dataclass(frozen=True, slots=True)
class Page:
    """Where a page begins in the results, and what these depend on.

    `depth` is the number of hits of the first page, `now` its time, which dates and recency count from, and
    `lanes` are those that answered; None until they have.
    """

    start: int
    depth: int
    now: int
    lanes: frozenset[str] | None = None


def asked(query: Query, *choices: object) -> str:
    """A short digest of a query and everything else that its results depend on."""
    said = repr(
        (query.words, query.patterns, query.filters, query.mode, query.polarity, query.intent, choices)
    )
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def write(page: Page, name: str, state: str) -> str:
    """The cursor of a page."""
    lanes = sorted(page.lanes or ())
    said = json.dumps([page.start, page.depth, page.now, lanes, name, state], separators=(",", ":"))
    return base64.urlsafe_b64encode(said.encode()).decode().rstrip("=")


def read(cursor: str, name: str, state: str) -> Page:
    """The page of a cursor; an error when it is of another query or another state of the index."""
    decoded = _decoded(cursor)
    if decoded is None:
        raise QueryError(
            f"{cursor[:40]!r} is not a cursor",
            hint="take it from the `next` of an answer; since: takes a date",
        )
    page, query_name, index_state = decoded
    if query_name != name:
        raise QueryError(
            "the cursor belongs to another query", hint="repeat the query and options it came from"
        )
    if index_state != state:
        raise QueryError("the index has changed since the cursor was made", hint="ask again without a cursor")
    return page


def asked_at(cursor: str | None) -> int | None:
    """The time of a cursor's first page; None for text that is not a cursor."""
    decoded = _decoded(cursor) if cursor is not None else None
    return decoded[0].now if decoded else None


def _decoded(cursor: str) -> tuple[Page, str, str] | None:
    try:
        said = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        start, depth, now, lanes, name, state = said
        page = Page(int(start), int(depth), int(now), frozenset(map(str, lanes)))
    except (ValueError, TypeError, RecursionError, OverflowError):
        return None
    return (page, name, state) if min(page.start, page.depth, page.now) >= 0 else None
