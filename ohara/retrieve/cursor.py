"""Where a next page begins: a place in one query's answer, for one state of the index. Pure.

A cursor that is used with another query, or after the index has changed, is refused: pages of two different
answers would repeat some hits and lose others.
"""

from __future__ import annotations

import base64
import binascii
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
    """Where a page begins, and how deep the ranking was that it is a page of."""

    start: int
    depth: int


def asked(query: Query, *choices: object) -> str:
    """A short name for a query together with everything else that decides its answer."""
    said = repr((query.words, query.patterns, query.filters, query.mode, query.polarity, choices))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def write(page: Page, name: str, state: str) -> str:
    """The cursor of a page."""
    said = json.dumps([page.start, page.depth, name, state], separators=(",", ":"))
    return base64.urlsafe_b64encode(said.encode()).decode().rstrip("=")


def read(cursor: str, name: str, state: str) -> Page:
    """The page that a cursor stands for."""
    try:
        said = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        start, depth, query_name, index_state = said
        page = Page(int(start), int(depth))
    except (ValueError, TypeError, binascii.Error):
        raise QueryError(
            f"{cursor[:40]!r} is not a cursor",
            hint="take it from the `next` of an answer; since: takes a date",
        ) from None
    if page.start < 0 or page.depth < 0:
        raise QueryError(
            f"{cursor[:40]!r} is not a cursor",
            hint="take it from the `next` of an answer; since: takes a date",
        )
    if query_name != name:
        raise QueryError(
            "the cursor belongs to another query", hint="repeat the query and options it came from"
        )
    if index_state != state:
        raise QueryError("the index has changed since the cursor was made", hint="ask again without a cursor")
    return page
