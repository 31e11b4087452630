"""Puts what became of hunks into an answer, and lets only those in a wanted state answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.errors import QueryError
from ohara.fate.source import Fates, Wanted
from ohara.fate.view import Asked
from ohara.records import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.fate.source import FateSource
    from ohara.model import Filters, Sha, Thread
    from ohara.retrieve.request import Sources
    from ohara.store.answers import StoredHunk
    from ohara.store.candidates import Allowed
    from ohara.store.reading import Reader


def asks_for_fates(filters: Filters) -> bool:
    """True when only hunks in some state may answer."""
    return bool(filters.fates or filters.not_fates)


def in_fate(
    sources: Sources, reader: Reader, filters: Filters, allowed: Allowed, *, tip: Sha | None, within_s: float
) -> tuple[Allowed, str]:
    """The same hunks, narrowed to those in a wanted state, and a note; an error when states are not known."""
    if not asks_for_fates(filters):
        return allowed, ""
    wanted = Wanted(filters.fates, filters.not_fates)
    selected = sources.fates.select(reader, wanted, tip, within_s)
    if selected.among is None and selected.apart_from is None:
        raise QueryError(
            f"is: cannot be answered: {selected.note}", hint="ask again when ohara index has finished"
        )

    def narrow() -> Allowed:
        if selected.among is not None:
            return allowed.among(selected.among)
        return allowed.apart_from(selected.apart_from or ())

    # A filter's set is told from another's by what it holds.
    return reader.narrowed((wanted, tip, allowed), narrow), selected.note


def fates_of(
    source: FateSource, reader: Reader, shown: Sequence[StoredHunk], tip: Sha | None, within_s: float
) -> Fates:
    """What became of the hunks that are shown."""
    if not shown:
        return Fates()
    asked = [Asked(row.hunk, row.commit_id, row.path, row.body) for row in shown]
    return source.fates(reader, asked, tip, within_s)


def threads_with_fates(
    source: FateSource, reader: Reader, threads: Sequence[Thread], tip: Sha | None, within_s: float
) -> tuple[tuple[Thread, ...], str]:
    """The threads with what became of each commit's lines, and why that is not known; "" when it is."""
    shas = {commit.sha for thread in threads for commit in thread.commits}
    if not shas:
        return tuple(threads), ""
    fates = source.commit_fates(reader, shas, tip, within_s)
    return tuple(
        replace(
            thread,
            commits=tuple(replace(commit, fate=fates.found.get(commit.sha)) for commit in thread.commits),
        )
        for thread in threads
    ), fates.note
