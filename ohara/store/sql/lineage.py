"""Follows history in the index alone: in which order git logs it, and where a file's lines may have gone.

Committer times order most histories. Where a commit is no younger than a parent of it (rebased in one second,
made on a machine whose clock was wrong), they do not, and the order is that of `git log`.
"""

from __future__ import annotations

import heapq
from collections import deque
from itertools import count
from typing import TYPE_CHECKING

from ohara.model import Sha

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ohara.store.sql.session import Session

_LINKS = "SELECT sha, committer_time, parents FROM commits WHERE live = 1"
_RENAMES = """SELECT DISTINCT old_path_id, path_id FROM file
  WHERE old_path_id IS NOT NULL AND old_path_id != path_id"""
_PATHS_OF_HUNKS = """SELECT DISTINCT file.path_id FROM hunk JOIN file ON file.id = hunk.file_id
  WHERE hunk.id IN (SELECT value FROM numbers(?))"""
_PATHS = "SELECT path FROM path WHERE id IN (SELECT value FROM numbers(?)) ORDER BY path"

_SHA_BYTES = 20


def log_order(session: Session) -> Mapping[Sha, int] | None:
    """Each commit's position in `git log`, the newest first; None where times alone give it."""
    return session.remembered("log order", lambda: _log_order(session))


def _log_order(session: Session) -> dict[Sha, int] | None:
    times: dict[bytes, int] = {}
    parents: dict[bytes, tuple[bytes, ...]] = {}
    for sha, moment, blob in session.rows(_LINKS):
        times[sha] = moment
        parents[sha] = tuple(blob[at : at + _SHA_BYTES] for at in range(0, len(blob), _SHA_BYTES))
    if all(
        moment > times.get(parent, moment - 1) for sha, moment in times.items() for parent in parents[sha]
    ):
        return None
    known = {parent for each in parents.values() for parent in each}
    turns = count()
    waiting = [(-times[sha], next(turns), sha) for sha in times if sha not in known]
    heapq.heapify(waiting)
    order: dict[Sha, int] = {}
    seen = {sha for _, _, sha in waiting}
    while waiting:
        sha = heapq.heappop(waiting)[2]
        order[Sha(sha.hex())] = len(order)
        for parent in parents[sha]:
            if parent in times and parent not in seen:
                seen.add(parent)
                heapq.heappush(waiting, (-times[parent], next(turns), parent))
    return order


def paths_reached(session: Session, hunks: Iterable[int]) -> list[str]:
    """The paths of some hunks and every path that these were renamed to since, in order."""
    rows = session.rows(_PATHS_OF_HUNKS, (session.listed(hunks),))
    reached = with_later_names(session, {row[0] for row in rows})
    return [row[0] for row in session.rows(_PATHS, (session.listed(sorted(reached)),))]


def with_later_names(session: Session, paths: Iterable[int]) -> set[int]:
    """Paths, and every path that these were renamed to since."""
    reached = set(paths)
    renames = session.remembered("renames", lambda: _renames(session))
    waiting = deque(reached)
    while waiting:
        for path in renames.get(waiting.popleft(), ()):
            if path not in reached:
                reached.add(path)
                waiting.append(path)
    return reached


def _renames(session: Session) -> dict[int, Collection[int]]:
    found: dict[int, list[int]] = {}
    for old, new in session.rows(_RENAMES):
        found.setdefault(old, []).append(new)
    return {old: tuple(new) for old, new in found.items()}
