"""Which hunks may answer a query: what its filters let through, less what it excludes.

When nothing was found, it also tells which of the filters let nothing through, alone or together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ohara.errors import QueryError
from ohara.model import Filters, Unread
from ohara.plural import are, counted
from ohara.query import filter_sources, pattern_source
from ohara.records import dataclass
from ohara.retrieve.fates import asks_for_fates, in_fate
from ohara.store.answers import ResolvedCommits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ohara.model import HunkId, Query, Sha
    from ohara.retrieve.request import Sources
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader

T = TypeVar("T")

_LACKS = "the clone that was indexed lacks contents (it is partial, or damaged)"
_FETCH = "ohara status names them; in a clone that has all contents, ohara index reads what is missing"
_RAISE = "ohara status counts them; with a larger index.max_blob_bytes, ohara index --rebuild reads them"
_NAMED = "ohara status names them"


@dataclass(frozen=True, slots=True)
class Bounds:
    """The hunks that may answer, notes about what is not indexed, and how many commits of refs are not."""

    allowed: Allowed
    notes: tuple[str, ...] = ()
    outside: int = 0


def allow(sources: Sources, reader: Reader, filters: Filters) -> Bounds:
    """The hunks that filters other than is: let through."""
    reached = sources.reachable(reader, filters.refs) if filters.refs else None
    named = sources.named(reader, filters.commits) if filters.commits else None
    resolved = ResolvedCommits.of(reached.commits if reached else None, named.commits if named else ())
    allowed = reader.allow(filters, resolved, _excluded(sources, reader, filters))
    # What is not indexed cannot answer, so that leaving it out needs no note.
    notes = tuple(found.note for found in (reached, named) if found and found.note)
    return Bounds(allowed, notes, reached.outside if reached else 0)


def unread(sources: Sources, reader: Reader, query: Query) -> Unread | None:
    """What was not read of the commits that filters let through; None when they were wholly read."""
    if not reader.unread_commits():
        return None
    filters = query.filters
    counts = reader.unread(filters, _resolved(sources, reader, filters), _excluded(sources, reader, filters))
    if not counts.commits:
        return None
    why = {
        _LACKS: counts.lacking,
        f"{counted(counts.oversized, 'file')} {are(counts.oversized)} too large": counts.oversized,
        "some have more files than are read of one commit": counts.cut,
    }
    were = "was" if counts.commits == 1 else "were"
    bounds = " within the filters" if filters != Filters() else ""
    said = f"{counted(counts.commits, 'commit')}{bounds} {were} not wholly read"
    reasons = ", ".join(reason for reason, count in why.items() if count)
    hint = _FETCH if counts.lacking else _RAISE if counts.oversized else _NAMED
    return Unread(counts.commits, f"{said}: {reasons}", hint)


def not_searched(sources: Sources, reader: Reader, filters: Filters) -> str:
    """A note about the changes of binary files, which have no lines, that filters on files let through."""
    if not (filters.paths or filters.exts) or filters.symbols or asks_for_fates(filters):
        return ""
    files = reader.binary_files(
        filters, _resolved(sources, reader, filters), _excluded(sources, reader, filters)
    )
    if not files:
        return ""
    changes = sum(files.values())
    said = f"{counted(changes, 'change')} of {counted(len(files), 'file')} that the filters let through"
    file, them = next(iter(files)) if len(files) == 1 else "FILE", "it" if changes == 1 else "them"
    return f"{said} {are(changes)} not searched (binary): ohara explain {file} lists {them}"


def _resolved(sources: Sources, reader: Reader, filters: Filters) -> ResolvedCommits:
    """The commits that filters let through, as far as git tells them."""
    return _commits(sources, reader, filters.refs, filters.commits)


def _excluded(sources: Sources, reader: Reader, filters: Filters) -> ResolvedCommits:
    """The commits that filters leave out, as far as git tells them."""
    return _commits(sources, reader, filters.not_refs, filters.not_commits)


def _commits(
    sources: Sources, reader: Reader, refs: tuple[str, ...], commits: tuple[str, ...]
) -> ResolvedCommits:
    return ResolvedCommits.of(
        sources.reachable(reader, refs).commits if refs else None,
        sources.named(reader, commits).commits if commits else (),
    )


async def without_terms(sources: Sources, query: Query, allowed: Allowed, *, deadline_s: float) -> Allowed:
    """The same hunks without those that hold a term which no hit may contain."""
    from ohara.retrieve.lanes import literal  # late: questions of words alone need none of it

    holding: set[HunkId] = set()
    for pattern in query.excluded:
        answer = await literal.search(sources.pool, [pattern], allowed, limit=None, deadline_s=deadline_s)
        if not answer.complete:  # what was not searched may hold it
            raise QueryError(
                f"what holds {pattern_source(pattern)} could not be left out: the search ran out of time",
                hint="narrow it (path:, since:, a longer text), or give lanes more time: find.lane_timeout_s",
            )
        holding.update(found.hunk for found in answer.hunks)
    return allowed.apart_from(holding) if holding else allowed


def unmatched(
    sources: Sources, reader: Reader, filters: Filters, *, tip: Sha | None, within_s: float
) -> tuple[str, ...]:
    """The filters that let nothing through, each as it is written; where each lets some, all together."""

    def lets_any(each: Filters) -> bool:
        allowed = allow(sources, reader, each).allowed
        if asks_for_fates(each):
            allowed, _ = in_fate(sources, reader, each, allowed, tip=tip, within_s=within_s)
        return reader.lets_any(allowed) or bool(not_searched(sources, reader, each))

    alone = list(_single(filters))
    empty = [each for each in alone if not lets_any(each)]
    if not empty and len(alone) > 1 and not lets_any(filters):
        empty = [filters]
    return tuple(" and ".join(filter_sources(each)) for each in empty)


def _single(filters: Filters) -> Iterator[Filters]:
    """Each value of each filter that lets something through, by itself."""
    yield from (Filters(authors=(each,)) for each in filters.authors)
    yield from (Filters(paths=(each,)) for each in filters.paths)
    yield from (Filters(langs=(each,)) for each in filters.langs)
    yield from (Filters(exts=(each,)) for each in filters.exts)
    yield from (Filters(kinds=(each,)) for each in filters.kinds)
    yield from (Filters(refs=(each,)) for each in filters.refs)
    yield from (Filters(commits=(each,)) for each in filters.commits)
    yield from (Filters(messages=(each,)) for each in filters.messages)
    yield from (Filters(symbols=(each,)) for each in filters.symbols)
    yield from (Filters(fates=(each,)) for each in filters.fates)
    yield from (Filters(since=each) for each in (filters.since,) if each is not None)
    yield from (Filters(until=each) for each in (filters.until,) if each is not None)
