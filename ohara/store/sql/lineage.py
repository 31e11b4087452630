"""Follows history in the index alone: in which order git logs it, and where a file's lines may have gone.

Committer times order most histories. Where a commit is no younger than a parent of it (rebased in one second,
made on a machine whose clock was wrong), they do not, and the order is that of `git log`.
"""

from __future__ import annotations

import heapq
from collections import deque
from typing import TYPE_CHECKING

from ohara.model import Sha
from ohara.store.log_order import ClockSlips

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from ohara.store.sql.session import Session

_LINKS = "SELECT sha, committer_time, parents FROM commits WHERE live = 1"
# Most commits have one parent or two: a look-up for each place at which a parent may stand.
_SLIPS = """SELECT child.committer_time, parent.committer_time
  FROM commits AS child JOIN commits AS parent ON parent.sha = substr(child.parents, {at}, 20)
  WHERE length(child.parents) > {at} AND child.live = 1 AND parent.live = 1
    AND child.committer_time < parent.committer_time"""
_LONGEST = "SELECT max(length(parents)) FROM commits WHERE live = 1"
# The index by time alone says which seconds these are.
_OF_FULL_SECONDS = """SELECT sha, committer_time, parents FROM commits WHERE live = 1 AND committer_time IN
  (SELECT committer_time FROM commits GROUP BY committer_time HAVING count(*) > 1)"""
_RENAMES = """SELECT DISTINCT old_path_id, path_id FROM file
  WHERE old_path_id IS NOT NULL AND old_path_id != path_id"""
_PATHS_OF_HUNKS = """SELECT DISTINCT file.path_id FROM hunk JOIN file ON file.id = hunk.file_id
  WHERE hunk.id IN (SELECT value FROM numbers(?))"""
_PATHS = "SELECT path FROM path WHERE id IN (SELECT value FROM numbers(?)) ORDER BY path"

_SHA_BYTES = 20
_TURN_BITS = 32
_TURN = (1 << _TURN_BITS) - 1


def clock_slips(session: Session) -> ClockSlips:
    """Where the time of a commit lies before that of a parent."""
    return session.remembered("clock slips", lambda: ClockSlips(_slips(session)))


def _slips(session: Session) -> Iterator[tuple[int, int]]:
    longest = session.rows(_LONGEST)[0][0] or 0
    for at in range(1, longest, _SHA_BYTES):
        yield from session.rows(_SLIPS.format(at=at))


def places_in_second(session: Session) -> Mapping[bytes, int]:
    """By the raw id of a commit, how many of its own second lead to it in a row; 0 is left out."""
    return session.remembered("places in second", lambda: _places_in_second(session))


def _places_in_second(session: Session) -> dict[bytes, int]:
    links = {bytes(sha): (time, bytes(parents)) for sha, time, parents in session.rows(_OF_FULL_SECONDS)}
    children: dict[bytes, list[bytes]] = {}
    missing: dict[bytes, int] = {}
    for sha, (time, parents) in links.items():
        for at in range(0, len(parents), _SHA_BYTES):
            parent = parents[at : at + _SHA_BYTES]
            if links.get(parent, (None,))[0] == time:
                children.setdefault(parent, []).append(sha)
                missing[sha] = missing.get(sha, 0) + 1
    places: dict[bytes, int] = {}
    ready = deque(sha for sha in children if sha not in missing)
    while ready:  # by their places: the last parent to be met is the one with the longest way to it
        parent = ready.popleft()
        for child in children.get(parent, ()):
            missing[child] -= 1
            if not missing[child]:
                places[child] = places.get(parent, 0) + 1
                ready.append(child)
    return places


def known_links(session: Session) -> dict[bytes, tuple[int, bytes]]:
    """Every shown commit by its raw id: its committer time and its parents' raw ids."""
    return {bytes(sha): (time, bytes(parents)) for sha, time, parents in session.rows(_LINKS)}


def log_order(session: Session) -> Mapping[Sha, int] | None:
    """Each commit's position in `git log`, the newest first; None where times alone give it."""
    return session.remembered("log order", lambda: _log_order(session))


def _log_order(session: Session) -> dict[Sha, int] | None:
    rows = session.rows(_LINKS)
    places = {row[0]: place for place, row in enumerate(rows)}
    times = [row[1] for row in rows]
    found = map(places.get, [row[2] for row in rows])  # of most, who have one parent
    parents = [
        (one,) if one is not None else _places(places, row[2]) for one, row in zip(found, rows, strict=True)
    ]
    if all(moment > times[parent] for moment, each in zip(times, parents, strict=True) for parent in each):
        return None
    seen = bytearray(len(rows))
    for each in parents:
        for parent in each:
            seen[parent] = 1
    # The newest first, and of one time the first to be met: both in one number, whose lower half says which.
    met = [place for place, has_child in enumerate(seen) if not has_child]
    waiting = [(-times[place] << _TURN_BITS) + turn for turn, place in enumerate(met)]
    heapq.heapify(waiting)
    seen = bytearray(len(rows))
    for place in met:
        seen[place] = 1
    order: list[int] = []
    while waiting:
        place = met[heapq.heappop(waiting) & _TURN]
        order.append(place)
        for parent in parents[place]:
            if not seen[parent]:
                seen[parent] = 1
                heapq.heappush(waiting, (-times[parent] << _TURN_BITS) + len(met))
                met.append(parent)
    return {Sha(rows[place][0].hex()): at for at, place in enumerate(order)}


def _places(places: Mapping[bytes, int], parents: bytes) -> tuple[int, ...]:
    """Where the parents stand among the commits; those that are not there have none."""
    each = (parents[at : at + _SHA_BYTES] for at in range(0, len(parents), _SHA_BYTES))
    return tuple(places[sha] for sha in each if sha in places)


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
