"""Turns filters into the one condition that every lane puts on hunks before it takes its best.

A condition stands on the table `hunk` alone, so a lane can use it wherever it has hunks at hand. People and
messages are compared without regard to case, paths by the rules of `ohara.query.globs`. What needs git (the
commits a ref reaches) is told by the caller. Nothing is ever widened: a filter that nothing fits lets
nothing through.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ohara.languages import languages_named
from ohara.query import path_pattern
from ohara.store.sqlite.fts_query import word_expression

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from ohara.model import Filters, HunkId, Sha
    from ohara.store.answers import WordQuery
    from ohara.store.sqlite.connection import Connection

Parameter = str | int | bytes

_ANY_DEAD = "SELECT EXISTS(SELECT 1 FROM commits WHERE live = 0)"
_NOT_DEAD = "hunk.commit_id NOT IN (SELECT id FROM commits WHERE live = 0)"
_COMMITS = "hunk.commit_id IN (SELECT id FROM commits WHERE {})"
_FILES = "hunk.file_id IN (SELECT id FROM file WHERE {})"
_NOT_FILES = "hunk.file_id NOT IN (SELECT id FROM file WHERE path_id IN (SELECT value FROM json_each(?)))"
_AT_PATHS = "(path_id IN (SELECT value FROM json_each(?)) OR old_path_id IN (SELECT value FROM json_each(?)))"
_NAMED_COMMITS = """hunk.commit_id IN (
  SELECT id FROM commits WHERE live = 1 AND sha IN (SELECT unhex(value) FROM json_each(?)))"""
_SYMBOLS = """hunk.id IN (
  SELECT hunk_id FROM hunk_symbol WHERE symbol_id IN (SELECT value FROM json_each(?)))"""
_AUTHORED = "author IN (SELECT value FROM json_each(?))"
_AMONG_COMMITS = "id IN (SELECT value FROM json_each(?))"
_AMONG_HUNKS = "hunk.id IN (SELECT value FROM json_each(?))"
_NOT_AMONG_HUNKS = "hunk.id NOT IN (SELECT value FROM json_each(?))"
# A long list takes SQLite longer to sort than all the rest of a query; a byte for each hunk needs no sorting.
_FLAGGED_HUNKS = "substr(?, hunk.id, 1) = x'01'"
_UNFLAGGED_HUNKS = "substr(?, hunk.id, 1) != x'01'"
_MANY = 2_000
_HOLDING = "hunk.id IN (SELECT rowid FROM fts_hunk_text WHERE fts_hunk_text MATCH ?)"

_PEOPLE = "SELECT id, name || ' <' || email || '>' FROM person"
_MESSAGES = "SELECT id, message FROM commits WHERE live = 1"
_PATHS = "SELECT id, path FROM path"
_SYMBOL_IDS = "SELECT id, qualified FROM symbol WHERE name = ?"
_COUNT_LIVE = "SELECT count(*) FROM commits WHERE live = 1"

# How languages join the parts of a name; the index joins them by dots.
_JOINTS = re.compile(r"::|->|#|\.")


@dataclass(frozen=True, slots=True)
class HunkFilter:
    """Which hunks may answer: a condition on `hunk` with its parameters; an empty one lets all through."""

    where: str = ""
    parameters: tuple[Parameter, ...] = ()

    @property
    def everything(self) -> bool:
        """True when there is nothing to check."""
        return not self.where

    @property
    def condition(self) -> str:
        """The condition, or one that always holds."""
        return self.where or "1"

    def on(self, column: str) -> str:
        """The condition put on a column that holds hunk ids, to append to a WHERE; "" when all may answer.

        The plus sign keeps the planner from asking a word table once for every hunk that may answer.
        """
        return f" AND +{column} IN (SELECT hunk.id FROM hunk WHERE {self.where})" if self.where else ""

    def also(self, where: str, *parameters: Parameter) -> HunkFilter:
        """This filter narrowed by one more condition on `hunk`."""
        joined = f"{self.where} AND {where}" if self.where else where
        return HunkFilter(joined, (*self.parameters, *parameters))

    def among(self, hunks: Iterable[HunkId]) -> HunkFilter:
        """This filter narrowed to some hunks."""
        ids = sorted(hunks)
        if len(ids) > _MANY:
            return self.also(_FLAGGED_HUNKS, _flags(ids))
        return self.also(_AMONG_HUNKS, json.dumps(ids))

    def apart_from(self, hunks: Iterable[HunkId]) -> HunkFilter:
        """This filter narrowed to all but some hunks."""
        ids = sorted(hunks)
        if len(ids) > _MANY:
            return self.also(_UNFLAGGED_HUNKS, _flags(ids))
        return self.also(_NOT_AMONG_HUNKS, json.dumps(ids))

    def without(self, other: HunkFilter) -> HunkFilter:
        """This filter narrowed to what another one does not let through."""
        return self.also(f"({other.condition}) IS NOT TRUE", *other.parameters)

    def holding(self, words: WordQuery) -> HunkFilter:
        """This filter narrowed to hunks that hold one of the selecting words."""
        return self.also(_HOLDING, word_expression(words))


EVERYTHING = HunkFilter()


def _flags(hunks: Sequence[int]) -> bytes:
    """A byte for each hunk up to the last of some, which are in order: 1 for those, 0 for the others."""
    flags = bytearray(hunks[-1])
    for hunk in hunks:
        flags[hunk - 1] = 1
    return bytes(flags)


def compile_filters(
    connection: Connection,
    filters: Filters,
    *,
    reachable: Collection[int] | None = None,
    named: Collection[Sha] = (),
    not_reachable: Collection[int] | None = None,
    not_named: Collection[Sha] = (),
) -> HunkFilter:
    """The condition that filters put on hunks, as the index stands now.

    `reachable` is every indexed commit that `filters.refs` lead to; it must be given when there are refs.
    `named` are the commits that `filters.commits` name; likewise for what is to be left out.
    """
    if filters.refs and reachable is None:
        raise ValueError("refs need the commits that they reach")
    found = _bounds(connection, filters, reachable, named)
    for each in filters.excluded:
        found = found.without(compile_filters(connection, each, reachable=not_reachable, named=not_named))
    return found


def _bounds(
    connection: Connection, filters: Filters, reachable: Collection[int] | None, named: Collection[Sha]
) -> HunkFilter:
    found = EVERYTHING
    commits, commit_values = _commit_conditions(connection, filters, reachable)
    if commits:
        found = found.also(_COMMITS.format(" AND ".join(("live = 1", *commits))), *commit_values)
    elif connection.execute(_ANY_DEAD).get:
        found = found.also(_NOT_DEAD)
    files, file_values = _file_conditions(connection, filters)
    if files:
        found = found.also(_FILES.format(" AND ".join(files)), *file_values)
    if filters.not_paths:
        found = found.also(_NOT_FILES, _matching_paths(connection, filters.not_paths))
    if filters.commits:
        found = found.also(_NAMED_COMMITS, json.dumps(list(named)))
    if filters.symbols:
        found = found.also(_SYMBOLS, json.dumps(symbol_ids(connection, filters.symbols)))
    return found


def symbol_ids(connection: Connection, names: Iterable[str]) -> list[int]:
    """The symbols that names stand for: `record`, `Journal.record` and `Journal::record` name one method."""
    found: set[int] = set()
    for name in filter(is_text, names):
        parts = [part for part in _JOINTS.split(name) if part]
        dotted = ".".join(parts)
        for symbol, qualified in connection.execute(_SYMBOL_IDS, (parts[-1] if parts else name,)):
            if len(parts) < 2 or qualified == dotted or qualified.endswith(f".{dotted}"):
                found.add(symbol)
    return sorted(found)


def is_text(name: str) -> bool:
    """False for bytes that are no text, which no symbol is called by and SQLite does not take."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _commit_conditions(
    connection: Connection, filters: Filters, reachable: Collection[int] | None
) -> tuple[list[str], list[Parameter]]:
    conditions: list[str] = []
    values: list[Parameter] = []
    if filters.since is not None:
        conditions.append("committer_time >= ?")
        values.append(filters.since)
    if filters.until is not None:
        conditions.append("committer_time <= ?")
        values.append(filters.until)
    if filters.authors:
        wanted = [author.casefold() for author in filters.authors]
        people = [i for i, person in connection.execute(_PEOPLE) if _holds_any(person.casefold(), wanted)]
        conditions.append(_AUTHORED)
        values.append(json.dumps(people))
    if filters.messages:
        said = [message.casefold() for message in filters.messages]
        saying = [i for i, message in connection.execute(_MESSAGES) if _holds_any(message.casefold(), said)]
        conditions.append(_AMONG_COMMITS)
        values.append(json.dumps(saying))
    if filters.refs and reachable is not None and len(reachable) < connection.execute(_COUNT_LIVE).get:
        conditions.append(_AMONG_COMMITS)
        values.append(json.dumps(list(reachable)))
    return conditions, values


def _file_conditions(connection: Connection, filters: Filters) -> tuple[list[str], list[Parameter]]:
    conditions: list[str] = []
    values: list[Parameter] = []
    if filters.paths:
        matching = _matching_paths(connection, filters.paths)
        conditions.append(_AT_PATHS)
        values.extend((matching, matching))
    if filters.exts:
        ending = _paths_ending(connection, filters.exts)
        conditions.append(_AT_PATHS)
        values.extend((ending, ending))
    if filters.langs:
        languages = sorted({name for asked in filters.langs for name in languages_named(asked)})
        conditions.append(f"path_id IN (SELECT id FROM path WHERE language IN ({_marks(languages)}))")
        values.extend(languages)
    if filters.kinds:
        conditions.append(f"kind IN ({_marks(filters.kinds)})")
        values.extend(kind.value for kind in filters.kinds)
    return conditions, values


def _matching_paths(connection: Connection, globs: Iterable[str]) -> str:
    """The ids of the paths that any of the globs accepts, as JSON."""
    accepts: list[Callable[[str], re.Match[str] | None]] = [path_pattern(glob).fullmatch for glob in globs]
    found = [i for i, path in connection.execute(_PATHS) if any(accept(path) for accept in accepts)]
    return json.dumps(found)


def _paths_ending(connection: Connection, exts: Iterable[str]) -> str:
    """The ids of the paths whose last name ends in a dot and any of these, as JSON."""
    endings = tuple(f".{ext}" for ext in exts)
    return json.dumps([i for i, path in connection.execute(_PATHS) if path.endswith(endings)])


def _holds_any(text: str, wanted: Iterable[str]) -> bool:
    return any(each in text for each in wanted)


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))
