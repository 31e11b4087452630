"""Answers patterns of syntax: in which languages one is code, with which changes matches came and went.

The parsing and counting is done by `pickaxe`; this module asks for it within a deadline, and makes hunks and
a span of what it finds.
"""

from __future__ import annotations

import time
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread

from ohara.errors import OharaError, QueryError
from ohara.extras import install_command
from ohara.languages import languages_named
from ohara.model import AtHead, Filters, Mode, Polarity, SpanScope
from ohara.query.structure import read_structure
from ohara.records import dataclass, replace
from ohara.retrieve.lanes.literal import Verified, offer
from ohara.retrieve.pickaxe import Objects, Pickaxe
from ohara.retrieve.ranking import Candidate
from ohara.retrieve.sought_code import SoughtCode
from ohara.retrieve.structural_hits import span
from ohara.retrieve.version_candidates import candidates
from ohara.structural.found import Difference
from ohara.structural.grammars import LANGUAGES, LOOSE
from ohara.structural.pool import Parsers, is_installed
from ohara.structural.rules import read_rule

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from anyio.streams.memory import MemoryObjectSendStream

    from ohara.model import HunkId, LiteralSpan, Query, Sha
    from ohara.retrieve.pickaxe import Change
    from ohara.retrieve.request import Sources
    from ohara.store.answers import HunkRange
    from ohara.store.candidates import Allowed
    from ohara.store.index import MatchCache
    from ohara.store.reading import Reader
    from ohara.structural.found import Found

_MOST_LANGUAGES = 6  # of a repository: what a pattern is tried in when nothing says which is meant
_TURN_S = 0.01
_RULES = "rules are written as ast-grep's are: rule: with pattern:, kind:, has:, inside:, any: and so on"


class Structures:
    """What structural searches of one repository share: a parser and what earlier searches found."""

    def __init__(self, place: Path, cache: MatchCache) -> None:
        self._place = place
        self._cache = cache
        self.parsers = Parsers()

    def objects(self) -> Objects:
        """The repository's files, for one search."""
        return Objects(self._place)

    def kept(self, pattern: str, contents: Sequence[str]) -> dict[str, Difference]:
        """What earlier searches found in some contents."""
        known = self._cache.get(pattern, contents)
        return {key: Difference.from_line(line) for key, line in known.items()}

    def keep(self, found: Mapping[str, Mapping[str, Difference]]) -> None:
        """Keep what was found for later searches."""
        for pattern, each in found.items():
            self._cache.put(pattern, {key: difference.line for key, difference in each.items()})

    def close(self) -> None:
        """End the parser, close the cache."""
        self.parsers.close()
        self._cache.close()


@dataclass(frozen=True, slots=True)
class Reading:
    """A query read as a pattern of syntax: what is sought, or why it is not; and what to say about it."""

    sought: SoughtCode | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StructuralAnswer:
    """The hunks in which matches came or went, newest first, with their changes, and how the search went."""

    hunks: tuple[Candidate, ...]
    changes: Mapping[HunkId, Change]
    total: int
    span: LiteralSpan | None
    complete: bool
    done: int
    versions: int
    scanned: bool
    notes: tuple[str, ...] = field(default=())


# -- languages -----------------------------------------------------------------------------------


class _NotCode(Exception):
    """A query cannot be read as a pattern; says why, and what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


async def read_as_code(sources: Sources, structures: Structures, query: Query) -> Reading:
    """Read a query as a pattern, in the languages that it is code in."""
    try:
        return await _read(sources, structures, query)
    except _NotCode as error:
        if query.mode is Mode.STRUCTURAL:
            raise QueryError(str(error), hint=error.hint) from error
        return Reading(None, (f"read as words: {error}",))


async def _read(sources: Sources, structures: Structures, query: Query) -> Reading:
    if not is_installed():
        raise _NotCode(
            "ast-grep, which matches code by its shape, is not installed", install_command("structural")
        )
    structure = read_structure(query.structure)
    rule = read_rule(structure.text) if structure.is_rule else None
    asked = tuple(dict.fromkeys(name for each in query.filters.langs for name in languages_named(each)))
    if rule is not None and rule.language is not None:
        asked = asked or (rule.language,)
    there = await sources.pool.read(lambda reader: reader.languages())
    tried = [each for each in asked or there if each in LANGUAGES]
    if not asked:
        strict = [each for each in tried if each not in LOOSE]
        loose = tried if query.mode is Mode.STRUCTURAL else []
        tried = (strict or loose)[:_MOST_LANGUAGES]
    if not tried:
        named = " and ".join(asked) or "what this repository is written in"
        raise _NotCode(
            f"code in {named} cannot be matched", f"the languages are {', '.join(sorted(LANGUAGES))}"
        )
    sought = SoughtCode.of_rule(rule, structure.text, tried) if rule else SoughtCode.of(structure, tried)
    parse = partial(_parsing, structures.parsers, sought)
    sought, why = await anyio.to_thread.run_sync(parse, abandon_on_cancel=True)
    if not sought.task.languages and rule is not None:
        raise _NotCode(f"the rule cannot be used: {why}", _RULES)
    if not sought.task.languages and structure.where:
        raise QueryError(f"the pattern cannot be used: {why}", hint="it ends in: where NAME=/regex/")
    if not sought.task.languages:
        raise _NotCode(
            f"the pattern is no whole piece of code: {why}",
            "write an expression, a statement or a definition; $NAME is one node, $$$ several",
        )
    if asked:
        return Reading(sought)
    *others, last = sought.task.languages
    named = f"{', '.join(others)} and {last}" if others else last
    return Reading(sought, (f"matched as {named}; lang: says which is meant",))


def _parsing(parsers: Parsers, sought: SoughtCode) -> tuple[SoughtCode, str]:
    """What is sought, in the languages in which it parses; and why it does not in the first other one."""
    refused = parsers.refusals(sought.task)
    languages = tuple(each for each in sought.task.languages if each not in refused)
    why = next(iter(refused.values()), "")
    return replace(sought, task=replace(sought.task, languages=languages)), why


# -- the search ----------------------------------------------------------------------------------


async def search(
    sources: Sources,
    structures: Structures,
    query: Query,
    sought: SoughtCode,
    allowed: Allowed,
    *,
    deadline_s: float,
    moments: MemoryObjectSendStream[Verified] | None = None,
) -> StructuralAnswer:
    """Every change in which the number of matches rose or fell, within a deadline, newest first."""
    ends = time.monotonic() + deadline_s
    found = await sources.pool.read(lambda reader: candidates(reader, sought.atoms, sought.task.languages))
    objects = await anyio.to_thread.run_sync(structures.objects)
    pickaxe = Pickaxe(sought, found, objects, structures.parsers)
    is_narrow = query.filters != Filters(langs=query.filters.langs) or bool(query.excluded)
    by_file: dict[int, list[HunkRange]] = {}

    def narrow(reader: Reader) -> None:
        def files(asked: Sequence[int]) -> set[int]:
            by_file.update(reader.hunks_in_files(asked, allowed))
            return set(by_file)

        pickaxe.narrow(files if is_narrow else None)

    await sources.pool.read(narrow)
    order: Mapping[Sha, int] | None = None

    async def find_order() -> None:
        nonlocal order
        order = await sources.pool.read(lambda reader: reader.log_order())

    complete = await _parsed(pickaxe, structures, ends, moments, beside=find_order)
    changes = [change for change in pickaxe.changes() if _is_on_side(change, query.polarity)]
    if not is_narrow:  # few changes differ: their hunks are read when that is known
        changed = [change.version.file for change in changes]
        by_file = await sources.pool.read(lambda reader: reader.hunks_in_files(changed, allowed))
        changes = [change for change in changes if change.version.file in by_file]
    extent = await sources.pool.read(sources.extent)
    head: AtHead | None = None
    if complete and extent.head is not None:
        pickaxe.look_at(extent.head)
        exact = await _parsed(pickaxe, structures, ends, None)
        nodes, files = pickaxe.counted()
        head = AtHead(extent.head, nodes, files, exact=exact)
    is_filtered = is_narrow or query.polarity is not Polarity.ANY
    scope = SpanScope.FILTERED if is_filtered else extent.scope if complete else SpanScope.INDEXED
    lifetime: LiteralSpan | None = None
    if changes:
        lifetime = await sources.pool.read(lambda reader: span(reader, changes, order, scope, head))
    hunks: dict[HunkId, tuple[Candidate, Change]] = {}
    for change in changes:
        for hunk in _telling(change, by_file[change.version.file]):
            hunks[hunk] = (Candidate(hunk, 0.0, change.version.time, change.version.sha), change)
    return StructuralAnswer(
        hunks=tuple(candidate for candidate, _ in hunks.values()),
        changes={hunk: change for hunk, (_, change) in hunks.items()},
        total=len(changes),
        span=lifetime,
        complete=complete,
        done=pickaxe.progress.done,
        versions=pickaxe.progress.total,
        scanned=not found.words,
        notes=_notes(pickaxe, complete=complete),
    )


async def _parsed(
    pickaxe: Pickaxe,
    structures: Structures,
    ends: float,
    moments: MemoryObjectSendStream[Verified] | None,
    beside: Callable[[], Awaitable[None]] | None = None,
) -> bool:
    """Parse what waits, and do something beside it; False when the time was over first."""
    await anyio.to_thread.run_sync(pickaxe.known, structures.kept, abandon_on_cancel=True)
    faults: list[OharaError] = []

    async def guarded(task: Callable[[], Awaitable[None]]) -> None:
        try:
            await task()
        except OharaError as error:
            faults.append(error)
            group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        for share in range(pickaxe.shares.count):
            group.start_soon(guarded, partial(_parsed_share, pickaxe, structures, share, ends, moments))
        if beside is not None:
            group.start_soon(guarded, beside)
    if faults:
        raise faults[0]
    return pickaxe.is_done


async def _parsed_share(
    pickaxe: Pickaxe,
    structures: Structures,
    share: int,
    ends: float,
    moments: MemoryObjectSendStream[Verified] | None,
) -> None:
    """Parse what waits for one parser, until the time is over."""

    def step() -> None:
        structures.keep(pickaxe.advance(share))

    while pickaxe.shares.next(share) and time.monotonic() < ends:
        if pickaxe.shares.is_ahead(share):
            await anyio.sleep(_TURN_S)
            continue
        await anyio.to_thread.run_sync(step, abandon_on_cancel=True)
        if moments is not None:
            progress = pickaxe.progress
            offer(moments, Verified(progress.done, progress.total, progress.differing))


def _notes(pickaxe: Pickaxe, *, complete: bool) -> tuple[str, ...]:
    progress = pickaxe.progress
    told: list[str] = []
    if progress.unparsed:
        many = "version" if len(progress.unparsed) == 1 else "versions"
        told.append(
            f"{len(progress.unparsed):,} {many} of files could not be parsed: too large, missing, or hostile"
        )
    if not complete:
        told.append(
            f"the search ran out of time: {progress.done:,} of {progress.total:,} changes, newest first;"
            " asked again, it goes on from there"
        )
    return tuple(told)


def _is_on_side(change: Change, polarity: Polarity) -> bool:
    if polarity is Polarity.ADDED:
        return change.after > change.before
    if polarity is Polarity.REMOVED:
        return change.after < change.before
    return True


def _telling(change: Change, hunks: Sequence[HunkRange]) -> list[HunkId]:
    """The hunks of a change that its matches came or went with, or else its first."""
    told = [
        each.hunk
        for each in hunks
        if any(_meets(one, each.new_start, each.new_lines) for one in change.gained)
        or any(_meets(one, each.old_start, each.old_lines) for one in change.lost)
    ]
    return told or [each.hunk for each in hunks[:1]]


def _meets(found: Found, start: int, count: int) -> bool:
    """Whether a match and a run of lines, numbered from 1, have a line in common."""
    return count > 0 and found.first_line + 1 < start + count and found.last_line + 1 >= start
