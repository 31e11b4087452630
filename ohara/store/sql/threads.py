"""Threads and copies in the tables: all that they are found by, what was found, and who asks for it."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from ohara.history.reasons import Node, Reason
from ohara.model import Sha
from ohara.store.answers import CopyOf, ThreadCommit
from ohara.store.sql.stored_enum import member

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ohara.history.copies import Copied
    from ohara.history.threads import Member
    from ohara.store.sql.session import Session, Writes

_SHA_BYTES = 20

_COMMITS = """SELECT id, sha, parents, author, author_time, committer_time, message FROM commits
  WHERE live = 1 ORDER BY committer_time, sha"""
_FILES = "SELECT commit_id, path_id FROM file"
_PATCHES = """SELECT hunk.commit_id, file.path_id, hunk.content_id
  FROM hunk JOIN file ON file.id = hunk.file_id WHERE hunk.content_id IS NOT NULL
  ORDER BY hunk.commit_id, file.path_id, hunk.content_id"""
_SYMBOLS = """SELECT DISTINCT hunk.commit_id, hunk_symbol.symbol_id FROM hunk_symbol
  JOIN hunk ON hunk.id = hunk_symbol.hunk_id"""

_THREADS = "SELECT commit_id, first_id, place, reason FROM thread"
_COPIES = "SELECT commit_id, first_id, branches FROM copy"
_PUT_THREAD = """INSERT INTO thread(commit_id, first_id, place, reason) VALUES(?, ?, ?, ?)
  ON CONFLICT(commit_id) DO UPDATE
  SET first_id = excluded.first_id, place = excluded.place, reason = excluded.reason"""
_PUT_COPY = """INSERT INTO copy(commit_id, first_id, branches) VALUES(?, ?, ?)
  ON CONFLICT(commit_id) DO UPDATE SET first_id = excluded.first_id, branches = excluded.branches"""

_THREADS_OF = """SELECT commits.sha, first.sha FROM commits JOIN thread ON thread.commit_id = commits.id
  JOIN commits AS first ON first.id = thread.first_id
  WHERE commits.live = 1 AND commits.sha IN (SELECT value FROM shas(?))"""
_MEMBERS = """SELECT first.sha, commits.id, commits.sha, person.name, commits.committer_time, commits.message,
    thread.reason
  FROM commits AS first JOIN thread ON thread.first_id = first.id
  JOIN commits ON commits.id = thread.commit_id JOIN person ON person.id = commits.author
  WHERE first.sha IN (SELECT value FROM shas(?)) AND commits.live = 1
  ORDER BY first.sha, thread.place"""
# Of a thread, what comes after a commit and has two parents, whose names stand one after the other.
_LATER_MERGES = f"""SELECT own.commit_id, commits.message
  FROM thread AS own JOIN thread ON thread.first_id = own.first_id AND thread.place > own.place
  JOIN commits ON commits.id = thread.commit_id
  WHERE own.commit_id IN (SELECT value FROM numbers(?))
    AND length(commits.parents) > {_SHA_BYTES} AND commits.live = 1
  ORDER BY own.commit_id, thread.place"""
_COPIES_OF = """SELECT asked.sha, other.sha, copy.branches
  FROM commits AS asked JOIN copy AS own ON own.commit_id = asked.id
  JOIN copy ON copy.first_id = own.first_id JOIN commits AS other ON other.id = copy.commit_id
  WHERE asked.sha IN (SELECT value FROM shas(?)) AND other.live = 1
  ORDER BY other.committer_time, other.sha"""


class ThreadWriter:
    """Reads what threads are found by, and keeps what was found, through the one writer."""

    def __init__(self, writer: Writes) -> None:
        self._writer = writer

    def nodes(self) -> list[Node]:
        """Every live commit with what threads are found by, oldest first."""
        rows = self._writer.rows
        commits = rows(_COMMITS)
        files = _gathered(rows(_FILES))
        symbols = _gathered(rows(_SYMBOLS))
        patches = _numbered(rows(_PATCHES))
        ids: dict[bytes, int] = {row[1]: row[0] for row in commits}
        return [
            Node(
                id=number,
                sha=sha.hex(),
                parents=tuple(
                    ids.get(parents[at : at + _SHA_BYTES], -1) for at in range(0, len(parents), _SHA_BYTES)
                ),
                author=author,
                author_time=author_time,
                time=moment,
                message=message,
                patch=patches.get(number, 0),
                paths=tuple(files.get(number, ())),
                symbols=tuple(symbols.get(number, ())),
            )
            for number, sha, parents, author, author_time, moment, message in commits
        ]

    def replace(self, threads: Sequence[Sequence[Member]], copies: Sequence[Sequence[Copied]]) -> None:
        """Make these the threads and the copies; rows that say the same stay as they are."""
        self._writer.begin()
        wanted = {
            (member.commit, each[0].commit, place, int(member.reason))
            for each in threads
            for place, member in enumerate(each)
        }
        same = {
            (copied.commit, each[0].commit, json.dumps(copied.branches)) for each in copies for copied in each
        }
        self._become("thread", _THREADS, _PUT_THREAD, wanted)
        self._become("copy", _COPIES, _PUT_COPY, same)

    def _become(self, table: str, read: str, put: str, wanted: Collection[tuple[Any, ...]]) -> None:
        there: set[tuple[Any, ...]] = set(self._writer.rows(read))
        kept = {row[0] for row in wanted}
        gone = [(row[0],) for row in there if row[0] not in kept]
        self._writer.run_many(f"DELETE FROM {table} WHERE commit_id = ?", gone)
        self._writer.run_many(put, sorted(set(wanted) - there))


def _numbered(rows: Iterable[tuple[int, int, int]]) -> dict[int, int]:
    """A number for what each commit changes, the same for equal lines of equal files."""
    changes: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for commit, path, content in rows:
        changes[commit].append((path, content))
    numbers: dict[tuple[tuple[int, int], ...], int] = {}
    return {commit: numbers.setdefault(tuple(parts), len(numbers) + 1) for commit, parts in changes.items()}


def _gathered(rows: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for commit, thing in rows:
        found[commit].append(thing)
    return found


def merges_of(session: Session, commits: Iterable[int]) -> dict[int, str]:
    """The message of the merge that brought each commit in: the first after it in its thread."""
    if not session.has_threads:
        return {}
    found: dict[int, str] = {}
    rows = session.rows(_LATER_MERGES, (session.listed(commits),))
    if rows:
        from ohara.history.merges import MergeKind, kind_of  # late: its patterns are for such commits alone

        for number, message in rows:
            if number not in found and kind_of(message) is not MergeKind.SYNC:
                found[number] = message
    return found


def threads_of(session: Session, shas: Collection[Sha]) -> dict[Sha, Sha]:
    """The thread of each commit that has one, by its first commit."""
    if not session.has_threads:
        return {}
    rows = session.rows(_THREADS_OF, (session.listed(shas),))
    return {Sha(sha.hex()): Sha(first.hex()) for sha, first in rows}


def thread_commits(session: Session, firsts: Collection[Sha]) -> dict[Sha, tuple[ThreadCommit, ...]]:
    """The commits of threads, each in its order; of a thread, two at least."""
    if not session.has_threads:
        return {}
    found: dict[Sha, list[ThreadCommit]] = defaultdict(list)
    for first, number, sha, author, moment, message, reason in session.rows(
        _MEMBERS, (session.listed(firsts),)
    ):
        found[Sha(first.hex())].append(
            ThreadCommit(number, Sha(sha.hex()), author, moment, message, member(Reason, reason))
        )
    return {first: tuple(commits) for first, commits in found.items() if len(commits) > 1}


def copies_of(session: Session, shas: Collection[Sha]) -> dict[Sha, tuple[CopyOf, ...]]:
    """All commits that make the same change as each of these, itself among them, oldest first."""
    if not session.has_threads:
        return {}
    found: dict[Sha, list[CopyOf]] = defaultdict(list)
    for asked, other, branches in session.rows(_COPIES_OF, (session.listed(shas),)):
        found[Sha(asked.hex())].append(CopyOf(Sha(other.hex()), tuple(json.loads(branches))))
    return {sha: tuple(copies) for sha, copies in found.items() if len(copies) > 1}
