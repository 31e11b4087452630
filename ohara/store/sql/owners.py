"""Whose contents and commits are, after vectors have named them, and which of them may be named at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.store.sql.lane_queries import NEWEST_FIRST, OCCURRENCE, occurrence, occurrences_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ohara.store.answers import CommitHunk, Occurrence
    from ohara.store.sql.filters import HunkFilter
    from ohara.store.sql.session import Session

_OCCURRENCES = f"""SELECT {OCCURRENCE}, hunk.content_id FROM numbers(?) AS asked
  CROSS JOIN hunk ON hunk.content_id = asked.value CROSS JOIN commits ON commits.id = hunk.commit_id
  WHERE {{allowed}} ORDER BY {NEWEST_FIRST}"""
# A commit's hunks have neighbouring ids: its first ones, so that a sweep through the tree costs no more.
_FIRST_OF = """SELECT hunk.commit_id, hunk.id, hunk.content_id FROM numbers(?) AS asked
  CROSS JOIN hunk ON hunk.commit_id = asked.value AND hunk.id <
    (SELECT min(id) FROM hunk AS first WHERE first.commit_id = asked.value) + ? ORDER BY hunk.id"""
_ALLOWED_OF = """SELECT hunk.commit_id, hunk.id, hunk.content_id FROM numbers(?) AS asked
  CROSS JOIN hunk ON hunk.commit_id = asked.value WHERE {allowed} ORDER BY hunk.id"""
_OCCURRENCES_OF = f"""SELECT {OCCURRENCE} FROM numbers(?) AS asked
  CROSS JOIN hunk ON hunk.id = asked.value CROSS JOIN commits ON commits.id = hunk.commit_id"""

_KEPT = 8_000  # commits whose first hunks are remembered, of a kilobyte each
_KEPT_OCCURRENCES = 50_000  # hunks, and as many contents: ten megabytes each


def newest_occurrences(
    session: Session, contents: Iterable[int], allowed: HunkFilter
) -> dict[int, Occurrence]:
    """The newest hunk of each content that has one; remembered where all hunks may answer."""
    if not allowed.everything:
        return _read_newest(session, contents, allowed)
    known: dict[int, Occurrence] = session.remembered("newest occurrences", dict)
    found = {content: known.get(content) for content in contents}
    lacking = [content for content, at in found.items() if at is None]
    if lacking:
        read = _read_newest(session, lacking, allowed)
        _remember(known, read)
        found.update(read)
    return {content: at for content, at in found.items() if at is not None}


def _read_newest(session: Session, contents: Iterable[int], allowed: HunkFilter) -> dict[int, Occurrence]:
    newest: dict[int, Occurrence] = {}
    statement = _OCCURRENCES.format(allowed=allowed.condition)
    for row in session.rows(statement, (session.listed(contents), *allowed.parameters)):
        if row[6] not in newest:
            newest[row[6]] = occurrence(row)
    return newest


def hunks_of(session: Session, commits: Iterable[int], allowed: HunkFilter, first: int) -> list[CommitHunk]:
    """Hunks of commits that may answer; where all may, each commit's first."""
    if allowed.everything:
        return _first_hunks(session, list(commits), first)
    asked = (session.listed(commits), *allowed.parameters)
    return session.rows(_ALLOWED_OF.format(allowed=allowed.condition), asked)


def _first_hunks(session: Session, commits: Sequence[int], first: int) -> list[CommitHunk]:
    """The first hunks of each commit, remembered: the commits near to a question are near to others."""
    known: dict[int, tuple[CommitHunk, ...]] = session.remembered(f"first {first} hunks of commits", dict)
    found = {commit: known.get(commit) for commit in commits}
    read: dict[int, list[CommitHunk]] = {commit: [] for commit, hunks in found.items() if hunks is None}
    if read:
        for row in session.rows(_FIRST_OF, (session.listed(read), first)):
            read[row[0]].append(row)
        if len(known) > _KEPT:
            known.clear()
        known.update((commit, tuple(hunks)) for commit, hunks in read.items())
    return [hunk for commit, hunks in found.items() for hunk in (read[commit] if hunks is None else hunks)]


def occurrences(session: Session, hunks: Iterable[int]) -> list[Occurrence]:
    """Hunks with the commits they are in, in their order; those that are gone are left out.

    They are remembered: a lane asks for some hundreds, and the next question for most of them again.
    """
    known: dict[int, Occurrence] = session.remembered("occurrences", dict)
    asked = list(hunks)
    found = list(map(known.get, asked))
    if not all(found):
        lacking = [hunk for hunk, at in zip(asked, found, strict=True) if at is None]
        rows = occurrences_of(session.rows(_OCCURRENCES_OF, (session.listed(lacking),)))
        read: dict[int, Occurrence] = {at.hunk: at for at in rows}
        _remember(known, read)
        found = [at or read.get(hunk) for hunk, at in zip(asked, found, strict=True)]
    return list(filter(None, found))


def _remember(known: dict[int, Occurrence], read: dict[int, Occurrence]) -> None:
    if len(known) > _KEPT_OCCURRENCES:
        known.clear()
    known.update(read)
