"""Filters as sets of hunks, with a byte for each hunk: 1 for those that may answer.

A filter is on people, times and messages (of commits), on paths and kinds (of changed files), or on symbols
(of hunks). Each is looked up where it belongs, and one pass over the hunks puts all together. A byte at a
known place costs nothing to look up, where a list would be sorted anew for every statement.
"""

from __future__ import annotations

import json
from dataclasses import field
from typing import TYPE_CHECKING

from ohara.languages import languages_named
from ohara.records import dataclass
from ohara.store.sql import filters as shared

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.model import Filters
    from ohara.store.answers import ResolvedCommits
    from ohara.store.sql.session import Asks
    from ohara.store.sqlite.session import Session

# As JSON a hundred thousand numbers come in a third of the time that their rows take.
_HUNKS = "SELECT json_group_array(id) FROM hunk WHERE {}"
_COMMITS_WITH = "SELECT json_group_array(id) FROM commits WHERE {}"
_FILES_WITH = "SELECT json_group_array(id) FROM file WHERE {}"
_DEAD = "live = 0"
_SINCE, _UNTIL = "committer_time >= ?", "committer_time <= ?"
_AUTHORED = "substr(?, author, 1) = x'01'"
_NAMED = "sha IN (SELECT value FROM shas(?))"
_AT_EITHER_PATH = "substr(?1, path_id, 1) = x'01' OR substr(?1, old_path_id, 1) = x'01'"
_AT_PATH = "substr(?, path_id, 1) = x'01'"
_OF_KINDS = "kind IN (SELECT value FROM texts(?))"
_PATHS_IN = "SELECT json_group_array(id) FROM path WHERE language IN (SELECT value FROM texts(?))"
_TOUCHING = """SELECT json_group_array(hunk_id) FROM hunk_symbol
  WHERE symbol_id IN (SELECT value FROM numbers(?))"""

# A hunk without a file has 0 for it, which is at no place; of no bytes at all there is no part, not even ''.
_IS, _IS_NOT = "substr(?, {}, 1) = x'01'", "substr(?, {}, 1) IS NOT x'01'"
# It stands for all files of its commit, so that one whose files are all left out is left out with them.
_MESSAGES_LEFT_OUT = """SELECT json_group_array(id) FROM hunk WHERE file_id = 0
  AND EXISTS (SELECT 1 FROM file WHERE file.commit_id = hunk.commit_id)
  AND NOT EXISTS (SELECT 1 FROM file WHERE file.commit_id = hunk.commit_id AND {})"""


def flags(numbers: Iterable[int]) -> bytes:
    """A byte for each number from 1 to the highest of some: 1 for those, 0 for the others."""
    listed = list(numbers)
    found = bytearray(max(listed, default=0))
    for number in listed:
        found[number - 1] = 1
    return bytes(found)


@dataclass(slots=True)
class HunkSet:
    """The hunks that filters let through; their contents and commits once these were asked for."""

    hunks: bytes
    _more: dict[str, bytes] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """About how many bytes it takes once all of it was asked for."""
        return 3 * len(self.hunks)

    def contents(self, session: Session) -> bytes:
        """A byte for each content: 1 for those of these hunks."""
        return self._owning(session, "coalesce(content_id, 0)")

    def commits(self, session: Session) -> bytes:
        """A byte for each commit: 1 for those of these hunks."""
        return self._owning(session, "commit_id")

    def _owning(self, session: Session, column: str) -> bytes:
        from ohara.store.sqlite.hunk_owners import (
            Owners,  # brings numpy, which what has no filters may not need
        )

        if column not in self._more:
            owners = session.shared(("owners", column), lambda: Owners.read(session, column))
            self._more[column] = owners.flags(self.hunks)
        return self._more[column]


def flagged(session: Asks, statement: str, *parameters: object) -> bytes:
    """The numbers that a statement gives in one list, as flags."""
    return flags(json.loads(session.rows(statement, parameters)[0][0]))


def hunk_set(
    session: Asks, filters: Filters, resolved: ResolvedCommits, excluded: ResolvedCommits
) -> HunkSet | None:
    """The hunks that filters let through, as the index is now; None when these are all.

    `excluded` is what is to be left out: of `filters.not_refs` and `filters.not_commits`.
    """
    conditions: list[tuple[str, bytes]] = []
    left_out: list[tuple[str, bytes]] = []
    for column, found in _found(session, filters, resolved):
        conditions.append((_IS.format(column), found))
    if filters.not_paths:
        there = flags(shared.matching_paths(session, filters.not_paths))
        left_out.append(("file_id", flagged(session, _FILES_WITH.format(_AT_PATH), there)))
    for each in filters.excluded:
        left_out += _found(session, each, excluded)
    conditions += ((_IS_NOT.format(column), found) for column, found in left_out)
    if files := [found for column, found in left_out if column == "file_id"]:
        spared = " AND ".join([_IS_NOT.format("file.id")] * len(files))
        conditions.append((_IS_NOT.format("id"), flagged(session, _MESSAGES_LEFT_OUT.format(spared), *files)))
    if dead := flagged(session, _COMMITS_WITH.format(_DEAD)):
        conditions.append((_IS_NOT.format("commit_id"), dead))
    if not conditions:
        return None
    where = " AND ".join(condition for condition, _ in conditions)
    return HunkSet(flagged(session, _HUNKS.format(where), *(found for _, found in conditions)))


def _found(session: Asks, filters: Filters, resolved: ResolvedCommits) -> list[tuple[str, bytes]]:
    """What each filter names, with the column of hunks in which that stands."""
    if filters.refs and resolved.reachable is None:
        raise ValueError("refs need the commits that they reach")
    commits = [("commit_id", found) for found in _commits(session, filters, resolved)]
    files = [("file_id", found) for found in _files(session, filters)]
    if not filters.symbols:
        return [*commits, *files]
    symbols = session.listed(shared.symbol_ids(session, filters.symbols))
    return [*commits, *files, ("id", flagged(session, _TOUCHING, symbols))]


def _commits(session: Asks, filters: Filters, resolved: ResolvedCommits) -> Iterable[bytes]:
    def those(where: str, value: object) -> bytes:
        return flagged(session, _COMMITS_WITH.format(where), value)

    if filters.since is not None:
        yield those(_SINCE, filters.since)
    if filters.until is not None:
        yield those(_UNTIL, filters.until)
    if filters.authors:
        yield those(_AUTHORED, flags(shared.people_called(session, filters.authors)))
    if filters.messages:
        yield flags(shared.commits_saying(session, filters.messages))
    if filters.refs and resolved.reachable is not None:
        yield flags(resolved.reachable)
    if filters.commits:
        yield those(_NAMED, session.listed(resolved.named))


def _files(session: Asks, filters: Filters) -> Iterable[bytes]:
    def at(paths: Sequence[int]) -> bytes:
        return flagged(session, _FILES_WITH.format(_AT_EITHER_PATH), flags(paths))

    if filters.paths:
        yield at(shared.matching_paths(session, filters.paths))
    if filters.exts:
        yield at(shared.paths_ending(session, filters.exts))
    if filters.langs:
        languages = sorted({name for asked in filters.langs for name in languages_named(asked)})
        there = flagged(session, _PATHS_IN, session.listed(languages))
        yield flagged(session, _FILES_WITH.format(_AT_PATH), there)
    if filters.kinds:
        kinds = session.listed(kind.value for kind in filters.kinds)
        yield flagged(session, _FILES_WITH.format(_OF_KINDS), kinds)
