"""Finds the hunks whose changed lines may hold certain trigrams, and reads their bodies to be verified.

An engine knows which trigrams a content holds, in any case, and nothing of their order: what it names are
candidates. Hunks of commits that the literal pass has not reached are candidates as well, so an
answer is exact even while an index grows; and so are contents with encoded text, which has no trigrams,
unless it lacks a sign that is looked for. Only live commits are ever named.
"""

from __future__ import annotations

from itertools import starmap
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from ohara.encoded import may_hold
from ohara.model import Pass
from ohara.store.answers import TrigramMatch
from ohara.store.sql.session import ALL_PASSES, PASS_BITS
from ohara.store.trigram_query import ANYTHING, All, Either

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ohara.store.sql.filters import HunkFilter
    from ohara.store.sql.session import Session
    from ohara.store.trigram_query import Formula

_COLUMNS = "hunk.content_id, hunk.id, commits.committer_time, commits.sha"
# CROSS JOIN keeps the order: the trigram table first, then a look-up for each of its rows.
CANDIDATES = f"""SELECT {_COLUMNS}
  FROM {{trigrams}} CROSS JOIN hunk ON hunk.content_id = {{content}}
  CROSS JOIN commits ON commits.id = hunk.commit_id
  WHERE {{holds}} AND commits.live = 1"""
UNREAD = f"""SELECT {_COLUMNS}
  FROM commits CROSS JOIN hunk ON hunk.commit_id = commits.id
  WHERE commits.passes < {ALL_PASSES} AND (commits.passes & {PASS_BITS[Pass.LITERAL]}) = 0
    AND commits.live = 1 AND hunk.content_id IS NOT NULL"""
ENCODED = f"""SELECT {_COLUMNS}
  FROM encoded CROSS JOIN hunk ON hunk.content_id = encoded.content_id
  CROSS JOIN commits ON commits.id = hunk.commit_id
  WHERE commits.live = 1 AND """
EVERYTHING = f"""SELECT {_COLUMNS}
  FROM hunk CROSS JOIN commits ON commits.id = hunk.commit_id
  WHERE commits.live = 1 AND hunk.content_id IS NOT NULL"""
# One statement for many contents: four times as fast as one for each.
BODIES = "SELECT id, body FROM content WHERE id IN (SELECT value FROM numbers(?))"


class TrigramTable(NamedTuple):
    """Where an engine has what holds a formula: a table, its column of contents, and a condition."""

    trigrams: str
    content: str
    holds: str
    parameters: tuple[object, ...]


def by_trigrams(
    session: Session,
    formula: Formula,
    allowed: HunkFilter,
    table: Callable[[Formula], TrigramTable],
) -> list[TrigramMatch]:
    """Every allowed hunk whose changed lines hold the trigrams, newest first; all of them for ANYTHING."""
    where = f" AND {allowed.where}" if allowed.where else ""
    if formula == ANYTHING:
        rows = session.rows(EVERYTHING + where, allowed.parameters)
    else:
        asked = table(formula)
        statement = CANDIDATES.format(trigrams=asked.trigrams, content=asked.content, holds=asked.holds)
        rows = session.rows(statement + where, (*asked.parameters, *allowed.parameters))
        beside = [UNREAD]
        if session.has_encoded:
            beside.append(ENCODED + _signs_expression(formula))
        for others in beside:
            more = session.rows(others + where, allowed.parameters)
            if more:
                known = {row[1] for row in rows}
                rows += [row for row in more if row[1] not in known]
    # Of one time, the order of the commits' names, and of one commit, of its hunks.
    rows.sort(key=itemgetter(1))
    rows.sort(key=itemgetter(2, 3), reverse=True)
    return list(starmap(TrigramMatch, rows))


def bodies(session: Session, contents: Iterable[int]) -> dict[int, bytes]:
    """The bodies of contents, by content."""
    rows = session.rows(BODIES, (session.listed(contents),))
    return dict(
        zip([row[0] for row in rows], session.codec.unpack_bytes(row[1] for row in rows), strict=True)
    )


def _signs_expression(formula: Formula) -> str:
    """The formula as a condition on `encoded.signs`: true wherever encoded lines may hold its trigrams."""
    match formula:
        case str():
            return _has_signs(may_hold(formula))
        case All(parts):
            trigrams = "".join(part for part in parts if isinstance(part, str))
            others = (_signs_expression(part) for part in parts if not isinstance(part, str))
            return f"({' AND '.join([_has_signs(may_hold(trigrams)), *others])})"
        case Either(parts):
            return f"({' OR '.join(map(_signs_expression, parts))})"


def _has_signs(signs: int) -> str:
    return f"(signs & {signs}) = {signs}"
