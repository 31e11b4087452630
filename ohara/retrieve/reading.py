"""Parses query text with the options of a search; a query that is already parsed is returned unchanged.

Loads neither a database nor a git library: the command line parses a query before it knows whether the
service or this process will answer.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ohara.errors import UsageError
from ohara.model import Query
from ohara.query import parse
from ohara.retrieve.cursor import asked_at

if TYPE_CHECKING:
    from ohara.model import SearchOptions

_LATEST = 253_402_300_799  # the last second of the year 9999; who sends milliseconds sends more


def moment(options: SearchOptions) -> int:
    """The time that dates count from: now, or for a later page the time of the first."""
    now = options.now or asked_at(options.after) or int(time.time())
    if not 0 <= now <= _LATEST:
        raise UsageError(f"{now} is no time", hint="give `now` in seconds since 1970")
    return now


def read_query(query: str | Query, options: SearchOptions) -> Query:
    """Parse a query together with the options."""
    if isinstance(query, Query):
        return query
    return parse(
        query,
        now=moment(options),
        mode=options.mode,
        flags=options.filters,
        polarity=options.polarity,
        strict=options.strict,
        intent=options.intent,
        ignore_case=options.ignore_case,
        whole_words=options.whole_words,
    )
