"""Threads and copies in the tables: all that they are found by, what was found, and who asks for it."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from ohara.history.reasons import Node, Reason
from ohara.model import Sha
from ohara.store.answers import CopyOf, ThreadCommit
from ohara.store.sqlite.connection import translated
from ohara.store.sqlite.schema import has_threads

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ohara.history.copies import Copied
    from ohara.history.threads import Member
    from ohara.store.sqlite.session import Session
    from ohara.store.sqlite.writer import Writer

_SHA_BYTES = 20

_COMMITS = """SELECT id, sha, parents, author, author_time, committer_time, message FROM commits
  WHERE live = 1 ORDER BY committer_time, sha"""
_FILES = "SELECT commit_id, path_id FROM file"
_PATCHES = """SELECT commit_id, group_concat(part, ' ') FROM (
    SELECT hunk.commit_id, file.path_id || ':' || hunk.content_id AS part
    FROM hunk JOIN file ON file.id = hunk.file_id WHERE hunk.content_id IS NOT NULL
    ORDER BY hunk.commit_id, part)
  GROUP BY commit_id"""
_SYMBOLS = """SELECT DISTINCT hunk.commit_id, hunk_symbol.symbol_id FROM hunk_symbol
  JOIN hunk ON hunk.id = hunk_symbol.hunk_id"""

_THREADS = "SELECT commit_id, first_id, place, reason FROM thread"
_COPIES = "SELECT commit_id, first_id, branches FROM copy"
_PUT_THREAD = "INSERT OR REPLACE INTO thread VALUES(?, ?, ?, ?)"
_PUT_COPY = "INSERT OR REPLACE INTO copy VALUES(?, ?, ?)"

_THREADS_OF = """SELECT commits.sha, first.sha FROM commits JOIN thread ON thread.commit_id = commits.id
  JOIN commits AS first ON first.id = thread.first_id
  WHERE commits.live = 1 AND commits.sha IN (SELECT unhex(value) FROM json_each(?))"""
_MEMBERS = """SELECT first.sha, commits.id, commits.sha, person.name, commits.committer_time, commits.message,
    thread.reason
  FROM commits AS first JOIN thread ON thread.first_id = first.id
  JOIN commits ON commits.id = thread.commit_id JOIN person ON person.id = commits.author
  WHERE first.sha IN (SELECT unhex(value) FROM json_each(?)) AND commits.live = 1
  ORDER BY first.sha, thread.place"""
_COPIES_OF = """SELECT asked.sha, other.sha, copy.branches
  FROM commits AS asked JOIN copy AS own ON own.commit_id = asked.id
  JOIN copy ON copy.first_id = own.first_id JOIN commits AS other ON other.id = copy.commit_id
  WHERE asked.sha IN (SELECT unhex(value) FROM json_each(?)) AND other.live = 1
  ORDER BY other.committer_time, other.sha"""


class ThreadWriter:
    """Reads what threads are found by, and keeps what was found, through the one writer."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def nodes(self) -> list[Node]:
        """Every live commit with what threads are found by, oldest first."""
        with translated(self._writer.path):
            execute = self._writer.connection.execute
            commits: list[tuple[Any, ...]] = execute(_COMMITS).fetchall()
            files = _gathered(execute(_FILES))
            symbols = _gathered(execute(_SYMBOLS))
            numbers: dict[str, int] = {}
            patches = {
                commit: numbers.setdefault(patch, len(numbers) + 1) for commit, patch in execute(_PATCHES)
            }
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
        with translated(self._writer.path):
            self._become("thread", _THREADS, _PUT_THREAD, wanted)
            self._become("copy", _COPIES, _PUT_COPY, same)

    def _become(self, table: str, read: str, put: str, wanted: Collection[tuple[Any, ...]]) -> None:
        connection = self._writer.connection
        there: set[tuple[Any, ...]] = set(connection.execute(read))
        kept = {row[0] for row in wanted}
        gone = [(row[0],) for row in there if row[0] not in kept]
        connection.executemany(f"DELETE FROM {table} WHERE commit_id = ?", gone)
        connection.executemany(put, sorted(set(wanted) - there))


def _gathered(rows: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for commit, thing in rows:
        found[commit].append(thing)
    return found


def threads_of(session: Session, shas: Collection[Sha]) -> dict[Sha, Sha]:
    """The thread of each commit that has one, by its first commit."""
    if not has_threads(session.connection):
        return {}
    rows = session.rows(_THREADS_OF, (json.dumps(list(shas)),))
    return {Sha(sha.hex()): Sha(first.hex()) for sha, first in rows}


def thread_commits(session: Session, firsts: Collection[Sha]) -> dict[Sha, tuple[ThreadCommit, ...]]:
    """The commits of threads, each in its order; of a thread, two at least."""
    if not has_threads(session.connection):
        return {}
    found: dict[Sha, list[ThreadCommit]] = defaultdict(list)
    for first, number, sha, author, moment, message, reason in session.rows(
        _MEMBERS, (json.dumps(list(firsts)),)
    ):
        found[Sha(first.hex())].append(
            ThreadCommit(number, Sha(sha.hex()), author, moment, message, Reason(reason))
        )
    return {first: tuple(commits) for first, commits in found.items() if len(commits) > 1}


def copies_of(session: Session, shas: Collection[Sha]) -> dict[Sha, tuple[CopyOf, ...]]:
    """All commits that make the same change as each of these, itself among them, oldest first."""
    if not has_threads(session.connection):
        return {}
    found: dict[Sha, list[CopyOf]] = defaultdict(list)
    for asked, other, branches in session.rows(_COPIES_OF, (json.dumps(list(shas)),)):
        found[Sha(asked.hex())].append(CopyOf(Sha(other.hex()), tuple(json.loads(branches))))
    return {sha: tuple(copies) for sha, copies in found.items() if len(copies) > 1}
