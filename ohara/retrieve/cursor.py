"""Cursors of pages: a position in the results of one query, for one state of the index. Pure.

A cursor that is used with another query or other options, or after the index has changed, is refused: pages
of two different answers would repeat some hits and lose others. It holds what else the order depends on: the
time of the first page, and which lanes answered.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING

from ohara.errors import QueryError
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ohara.model import Query

_JOINT = "joint"
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


@dataclass(frozen=True, slots=True)
class Place:
    """How many hits of one of several indexes came before a page, and what its order depends on."""

    start: int
    lanes: frozenset[str]
    state: str


@dataclass(frozen=True, slots=True)
class JointPage:
    """Where a page of several indexes begins: the place in each, by the name of its folder."""

    depth: int
    now: int
    places: Mapping[str, Place]

    @property
    def start(self) -> int:
        """How many hits came before it."""
        return sum(place.start for place in self.places.values())


def asked(query: Query, *choices: object) -> str:
    """A short digest of a query and everything else that its results depend on."""
    said = repr(
        (
            query.words,
            query.patterns,
            query.excluded,
            query.filters,
            query.mode,
            query.polarity,
            query.intent,
            choices,
        )
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
    if decoded is None and _decoded_joint(cursor) is not None:
        raise another_query()
    if decoded is None:
        raise QueryError(
            f"{cursor[:40]!r} is not a cursor",
            hint="take it from the `next` of an answer; since: takes a date",
        )
    page, query_name, index_state = decoded
    if query_name != name:
        raise another_query()
    if index_state != state:
        raise QueryError("the index has changed since the cursor was made", hint="ask again without a cursor")
    return page


def another_query() -> QueryError:
    """What to say of a cursor that another query gave."""
    return QueryError("the cursor belongs to another query", hint="repeat the query and options it came from")


def asked_at(cursor: str | None) -> int | None:
    """The time of a cursor's first page; None for text that is not a cursor."""
    if cursor is None:
        return None
    decoded = _decoded(cursor) or _decoded_joint(cursor)
    return decoded[0].now if decoded else None


def write_joint(page: JointPage, name: str) -> str:
    """The cursor of a page of several indexes."""
    lanes = sorted({tuple(sorted(place.lanes)) for place in page.places.values()})
    places = [
        [key, place.start, lanes.index(tuple(sorted(place.lanes))), place.state]
        for key, place in page.places.items()
    ]
    said = json.dumps([_JOINT, page.depth, page.now, name, lanes, places], separators=(",", ":"))
    return base64.urlsafe_b64encode(said.encode()).decode().rstrip("=")


def read_joint(cursor: str, name: str) -> JointPage:
    """The page of a cursor of several indexes; an error when it is of another query."""
    decoded = _decoded_joint(cursor)
    if decoded is None and _decoded(cursor) is None:
        raise QueryError(
            f"{cursor[:40]!r} is not a cursor",
            hint="take it from the `next` of an answer; since: takes a date",
        )
    if decoded is None or decoded[1] != name:
        raise another_query()
    return decoded[0]


def short(state: str) -> str:
    """The state of an index as a cursor of several has it."""
    return hashlib.sha256(state.encode()).hexdigest()[:_DIGITS]


def _decoded(cursor: str) -> tuple[Page, str, str] | None:
    try:
        said = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        start, depth, now, lanes, name, state = said
        page = Page(int(start), int(depth), int(now), frozenset(map(str, lanes)))
    except (ValueError, TypeError, RecursionError, OverflowError):
        return None
    return (page, name, state) if min(page.start, page.depth, page.now) >= 0 else None


def _decoded_joint(cursor: str) -> tuple[JointPage, str] | None:
    try:
        said = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        kind, depth, now, name, lanes, listed = said
        places = {
            str(key): Place(int(start), frozenset(map(str, lanes[number])), str(state))
            for key, start, number, state in listed
        }
        page = JointPage(int(depth), int(now), places)
    except (ValueError, TypeError, IndexError, RecursionError, OverflowError):
        return None
    least = min(page.depth, page.now, *(place.start for place in places.values()))
    return (page, str(name)) if kind == _JOINT and places and least >= 0 else None
