"""Tells from the index alone which of its commits others lead to.

It holds every commit's parents, so a history that is wholly indexed need not be walked through git again,
which takes more than a second for eighty thousand commits.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from ohara.model import Sha
from ohara.store.facts import COMPLETE, TIPS
from ohara.store.sql.meta import read_fact, read_failed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ohara.store.sql.session import Session

_LINKS = "SELECT sha, id, parents FROM commits WHERE live = 1"
_NAMED = """SELECT id, sha FROM commits
  WHERE live = 1 AND sha IN (SELECT value FROM shas(?))"""

_SHOWN = "SELECT id FROM commits WHERE live = 1"

_SHA_BYTES = 20

# Answers that are kept until the index changes: the branches a person compares in one sitting.
_KEPT = 8


def ancestors(session: Session, tips: Collection[Sha]) -> Collection[int] | None:
    """The commits that tips lead to, themselves among them; None when a tip is not indexed.

    Right only where everything that an indexed commit leads to is indexed.
    """
    kept = session.remembered("ancestors", _nothing_kept)
    asked = frozenset(tips)
    if asked not in kept:
        if len(indexed(session, asked)) < len(asked):
            return None
        if len(kept) >= _KEPT:
            kept.clear()
        kept[asked] = _all_shown(session, asked) or _follow(session, map(bytes.fromhex, asked))
    return kept[asked]


def indexed(session: Session, shas: Collection[Sha]) -> dict[Sha, int]:
    """The indexed commits among some, with the index's own number for each."""
    rows = session.rows(_NAMED, (session.listed(shas),))
    return {Sha(sha.hex()): number for number, sha in rows}


def _nothing_kept() -> dict[frozenset[Sha], frozenset[int]]:
    return {}


def _all_shown(session: Session, tips: frozenset[Sha]) -> frozenset[int] | None:
    """Every commit that is shown, where these are the tips that lead to them all; None where they may not be.

    Most often it is HEAD alone, and following the parents of each commit would be most of a first answer.
    """
    complete = read_fact(session, COMPLETE)
    if tips != frozenset(complete.values()) or complete != read_fact(session, TIPS) or read_failed(session):
        return None
    return frozenset(chain.from_iterable(session.rows(_SHOWN)))


def _follow(session: Session, tips: Iterable[bytes]) -> frozenset[int]:
    links = {sha: (number, parents) for sha, number, parents in session.rows(_LINKS)}
    reached: list[int] = []
    waiting = list(tips)
    while waiting:
        link = links.pop(waiting.pop(), None)
        if link is not None:
            number, parents = link
            reached.append(number)
            if len(parents) == _SHA_BYTES:  # as of most
                waiting.append(parents)
            else:
                waiting += [parents[at : at + _SHA_BYTES] for at in range(0, len(parents), _SHA_BYTES)]
    return frozenset(reached)
