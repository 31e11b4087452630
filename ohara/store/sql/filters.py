"""Turns filters into the one condition that every lane puts on hunks before it takes its best.

A condition stands on the table `hunk` alone, so a lane can use it wherever it has hunks at hand. People and
messages are compared without regard to case, paths by the rules of `ohara.query.globs`. What needs git (the
commits a ref reaches) is told by the caller. Nothing is ever widened: a filter that nothing fits lets
nothing through.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from ohara.languages import languages_named
from ohara.query import path_pattern
from ohara.records import dataclass
from ohara.store.answers import UNRESOLVED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import Self

    from ohara.model import Filters, HunkId
    from ohara.store.answers import ResolvedCommits, WordQuery
    from ohara.store.sql.session import Asks

_ANY_DEAD = "SELECT 1 FROM commits WHERE live = 0 LIMIT 1"
_NOT_DEAD = "hunk.commit_id NOT IN (SELECT id FROM commits WHERE live = 0)"
_COMMITS = "hunk.commit_id IN (SELECT id FROM commits WHERE {})"
_FILES = "hunk.file_id IN (SELECT id FROM file WHERE {})"
_NOT_FILES = "hunk.file_id NOT IN (SELECT id FROM file WHERE path_id IN (SELECT value FROM numbers(?)))"
_NOT_AT_PATHS = "path_id NOT IN (SELECT value FROM numbers(?))"
# The row of a commit whose lines are not searched by words stands for all of its files.
_SPARED = """(hunk.file_id != 0 OR NOT EXISTS (SELECT 1 FROM file WHERE file.commit_id = hunk.commit_id)
  OR EXISTS (SELECT 1 FROM file WHERE file.commit_id = hunk.commit_id AND {}))"""
_AT_PATHS = "(path_id IN (SELECT value FROM numbers(?)) OR old_path_id IN (SELECT value FROM numbers(?)))"
_NAMED_COMMITS = """hunk.commit_id IN (
  SELECT id FROM commits WHERE live = 1 AND sha IN (SELECT value FROM shas(?)))"""
_SYMBOLS = """hunk.id IN (
  SELECT hunk_id FROM hunk_symbol WHERE symbol_id IN (SELECT value FROM numbers(?)))"""
_AUTHORED = "author IN (SELECT value FROM numbers(?))"
_IN_LANGUAGES = "path_id IN (SELECT id FROM path WHERE language IN (SELECT value FROM texts(?)))"
_OF_KINDS = "kind IN (SELECT value FROM texts(?))"
_AMONG_COMMITS = "id IN (SELECT value FROM numbers(?))"
_AMONG_HUNKS = "hunk.id IN (SELECT value FROM numbers(?))"
_NOT_AMONG_HUNKS = "hunk.id NOT IN (SELECT value FROM numbers(?))"

_PEOPLE = "SELECT id, name || ' <' || email || '>' FROM person"
_MESSAGES = "SELECT id, message FROM commits WHERE live = 1"
_PATHS = "SELECT id, path FROM path"
_SYMBOL_IDS = "SELECT id, qualified FROM symbol WHERE name = ?"
_COUNT_LIVE = "SELECT count(*) FROM commits WHERE live = 1"

# How languages join the parts of a name; the index joins them by dots.
_JOINTS = re.compile(r"::|->|#|\.")


@dataclass(frozen=True, slots=True)
class HunkFilter(ABC):
    """Which hunks may answer: a condition on `hunk` with its parameters; an empty one lets all through.

    An engine adds what its tables of words decide, and how it takes a list.
    """

    where: str = ""
    parameters: tuple[object, ...] = ()

    @property
    def everything(self) -> bool:
        """True when there is nothing to check."""
        return not self.where

    @property
    def condition(self) -> str:
        """The condition, or one that always holds."""
        return self.where or "1 = 1"

    def also(self, where: str, *parameters: object) -> Self:
        """This filter narrowed by one more condition on `hunk`."""
        joined = f"{self.where} AND {where}" if self.where else where
        return replace(self, where=joined, parameters=(*self.parameters, *parameters))

    def among(self, hunks: Iterable[HunkId]) -> Self:
        """This filter narrowed to some hunks."""
        return self.also(_AMONG_HUNKS, self.listed(sorted(hunks)))

    def apart_from(self, hunks: Iterable[HunkId]) -> Self:
        """This filter narrowed to all but some hunks."""
        return self.also(_NOT_AMONG_HUNKS, self.listed(sorted(hunks)))

    def without(self, other: HunkFilter) -> Self:
        """This filter narrowed to what another one does not let through."""
        return self.also(f"({other.condition}) IS NOT TRUE", *other.parameters)

    @abstractmethod
    def holding(self, words: WordQuery) -> Self:
        """This filter narrowed to hunks that hold one of the selecting words."""

    @staticmethod
    @abstractmethod
    def listed(values: Iterable[object]) -> object:
        """Values as one parameter, as the engine's connections take it."""


FilterT = TypeVar("FilterT", bound=HunkFilter)


def compile_filters(
    session: Asks,
    filters: Filters,
    everything: FilterT,
    resolved: ResolvedCommits = UNRESOLVED,
    excluded: ResolvedCommits = UNRESOLVED,
) -> FilterT:
    """The condition that filters put on hunks, as the index stands now; `everything` lets all through.

    `resolved` and `excluded` are as for `Candidates.allow`.
    """
    if filters.refs and resolved.reachable is None:
        raise ValueError("refs need the commits that they reach")
    found = _bounds(session, filters, everything, resolved)
    for each in filters.excluded:
        found = found.without(compile_filters(session, each, everything, excluded))
    spared, values = _spared_files(session, filters)
    return found.also(_SPARED.format(" AND ".join(spared)), *values) if spared else found


def _spared_files(session: Asks, filters: Filters) -> tuple[list[str], list[object]]:
    """The conditions on a file that nothing leaves out."""
    conditions: list[str] = []
    values: list[object] = []
    if filters.not_paths:
        conditions.append(_NOT_AT_PATHS)
        values.append(session.listed(matching_paths(session, filters.not_paths)))
    for each in filters.excluded:
        files, file_values = _file_conditions(session, each)
        conditions += (f"({condition}) IS NOT TRUE" for condition in files)
        values += file_values
    return conditions, values


def _bounds(
    session: Asks,
    filters: Filters,
    everything: FilterT,
    resolved: ResolvedCommits,
) -> FilterT:
    found = everything
    commits, commit_values = _commit_conditions(session, filters, resolved.reachable)
    if commits:
        found = found.also(_COMMITS.format(" AND ".join(("live = 1", *commits))), *commit_values)
    elif session.rows(_ANY_DEAD):
        found = found.also(_NOT_DEAD)
    files, file_values = _file_conditions(session, filters)
    if files:
        found = found.also(_FILES.format(" AND ".join(files)), *file_values)
    if filters.not_paths:
        found = found.also(_NOT_FILES, session.listed(matching_paths(session, filters.not_paths)))
    if filters.commits:
        found = found.also(_NAMED_COMMITS, session.listed(resolved.named))
    if filters.symbols:
        found = found.also(_SYMBOLS, session.listed(symbol_ids(session, filters.symbols)))
    return found


def symbol_ids(session: Asks, names: Iterable[str]) -> list[int]:
    """The symbols that names stand for: `record`, `Journal.record` and `Journal::record` name one method."""
    found: set[int] = set()
    for name in filter(is_text, names):
        parts = [part for part in _JOINTS.split(name) if part]
        dotted = ".".join(parts)
        for symbol, qualified in session.rows(_SYMBOL_IDS, (parts[-1] if parts else name,)):
            if len(parts) < 2 or qualified == dotted or qualified.endswith(f".{dotted}"):
                found.add(symbol)
    return sorted(found)


def is_text(name: str) -> bool:
    """False for bytes that are no text, which no symbol is called by and an engine does not take."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _commit_conditions(
    session: Asks, filters: Filters, reachable: Collection[int] | None
) -> tuple[list[str], list[object]]:
    conditions: list[str] = []
    values: list[object] = []
    if filters.since is not None:
        conditions.append("committer_time >= ?")
        values.append(filters.since)
    if filters.until is not None:
        conditions.append("committer_time <= ?")
        values.append(filters.until)
    if filters.authors:
        conditions.append(_AUTHORED)
        values.append(session.listed(people_called(session, filters.authors)))
    if filters.messages:
        conditions.append(_AMONG_COMMITS)
        values.append(session.listed(commits_saying(session, filters.messages)))
    if filters.refs and reachable is not None and len(reachable) < int(session.rows(_COUNT_LIVE)[0][0]):
        conditions.append(_AMONG_COMMITS)
        values.append(session.listed(reachable))
    return conditions, values


def _file_conditions(session: Asks, filters: Filters) -> tuple[list[str], list[object]]:
    conditions: list[str] = []
    values: list[object] = []
    if filters.paths:
        matching = session.listed(matching_paths(session, filters.paths))
        conditions.append(_AT_PATHS)
        values.extend((matching, matching))
    if filters.exts:
        ending = session.listed(paths_ending(session, filters.exts))
        conditions.append(_AT_PATHS)
        values.extend((ending, ending))
    if filters.langs:
        languages = sorted({name for asked in filters.langs for name in languages_named(asked)})
        conditions.append(_IN_LANGUAGES)
        values.append(session.listed(languages))
    if filters.kinds:
        conditions.append(_OF_KINDS)
        values.append(session.listed(kind.value for kind in filters.kinds))
    return conditions, values


def people_called(session: Asks, authors: Iterable[str]) -> list[int]:
    """The people whose name or address holds any of these."""
    wanted = [author.casefold() for author in authors]
    return [i for i, person in session.rows(_PEOPLE) if _holds_any(person.casefold(), wanted)]


def commits_saying(session: Asks, messages: Iterable[str]) -> list[int]:
    """The commits whose message holds any of these."""
    said = [message.casefold() for message in messages]
    return [i for i, message in session.rows(_MESSAGES) if _holds_any(message.casefold(), said)]


def matching_paths(session: Asks, globs: Iterable[str]) -> list[int]:
    """The paths that any of the globs accepts."""
    accepts: list[Callable[[str], re.Match[str] | None]] = [path_pattern(glob).fullmatch for glob in globs]
    return [i for i, path in session.rows(_PATHS) if any(accept(path) for accept in accepts)]


def paths_ending(session: Asks, exts: Iterable[str]) -> list[int]:
    """The paths whose last name ends in a dot and any of these."""
    endings = tuple(f".{ext}" for ext in exts)
    return [i for i, path in session.rows(_PATHS) if path.endswith(endings)]


def _holds_any(text: str, wanted: Iterable[str]) -> bool:
    return any(each in text for each in wanted)
