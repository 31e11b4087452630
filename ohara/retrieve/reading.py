"""Reads a text as a query, with the options it is asked with; one that is already parsed stays as it is.

Loads neither a database nor a git library: the command line reads a query before it knows who will answer.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ohara.model import Query
from ohara.query import parse
from ohara.retrieve.cursor import asked_at

if TYPE_CHECKING:
    from ohara.model import SearchOptions


def moment(options: SearchOptions) -> int:
    """The moment that dates count from: now, or for a further page when the first was asked for."""
    return options.now or asked_at(options.after) or int(time.time())


def read_query(query: str | Query, options: SearchOptions) -> Query:
    """The query that a text asks for, together with the options."""
    if isinstance(query, Query):
        return query
    return parse(
        query,
        now=moment(options),
        mode=options.mode,
        flags=options.filters,
        polarity=options.polarity,
        strict=options.strict,
    )
