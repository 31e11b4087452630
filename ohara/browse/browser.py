"""The browsing part of the engine of one repository, for the commit, history and blame views.

Blocking work happens in a thread with a reader of the index, and is interrupted when it is cancelled. The git
repository is opened for this alone and used by one thread at a time.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from ohara.browse.history_hits import line_hit, symbol_hit
from ohara.browse.lineage import Position, Unknown, follow
from ohara.browse.span import Span
from ohara.errors import RepositoryError
from ohara.git.blame import blame as git_blame
from ohara.git.repo import Repository
from ohara.git.walk import read_commit
from ohara.index.reachability import not_indexed
from ohara.model import CommitDetails, History, LineOrigin, Pass, Place
from ohara.retrieve.request import Traced
from ohara.retrieve.together import read_threads
from ohara.store.engines import index_at

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ohara.browse.lineage import Step
    from ohara.model import Hit, Sha
    from ohara.query.names import LinesName
    from ohara.store.locate import IndexLocation
    from ohara.store.reading import Reader

T = TypeVar("T")

MOST_LINES = 5_000  # of a file at once: more than any screen, less than any frame

_FILES_TRACED = 5  # of those that a name without its folder may mean
_STEPS_TRACED = 200

_READERS = 2  # one person browses; the other is for changing one's mind


class Browser:
    """Reads commits and histories; safe to use from several tasks at once."""

    def __init__(self, repository: Repository, location: IndexLocation) -> None:
        self._repository = Repository.open(repository.path)
        self._pool = index_at(location).readers(size=_READERS)
        self._lock = Lock()

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()

    @property
    def is_outdated(self) -> bool:
        """True when connections are open to an index that is no longer there."""
        return self._pool.is_outdated

    async def details(self, name: str) -> CommitDetails:
        """A commit by sha, prefix or ref, with its kin and files."""
        return await self._read(lambda reader: self._details(reader, name))

    async def symbol_history(self, symbol: str, path: str, limit: int) -> History:
        """Every hunk that touched a symbol of a file, under all names the file had."""
        return self._named(await self._read(lambda reader: _symbol_history(reader, symbol, path, limit)))

    async def line_history(self, name: str, path: str, span: Span, limit: int) -> History:
        """Every hunk that touched lines of a file as it is in a commit."""
        return self._named(
            await self._read(lambda reader: self._line_history(reader, name, path, span, limit))
        )

    async def blame(self, name: str, path: str, line: int) -> LineOrigin:
        """Who last touched a line of a file as it is in a commit."""
        return await self._read(lambda reader: self._blame(reader, name, path, line))

    async def lines(self, name: str, path: str, span: Span) -> tuple[str, ...]:
        """Lines of a file as it is in a commit; fewer where it ends."""
        return await self._read(lambda _: self._lines(name, path, span))

    def trace(self, reader: Reader, lines: LinesName, paths: Sequence[str]) -> Traced:
        """The hunks that touched lines, newest first, of the files at these paths that there are."""
        found: list[Hit] = []
        notes: list[str] = []
        span = Span(lines.first, lines.last)
        with self._lock:
            try:
                sha = self._repository.commit_named(lines.revision)
            except RepositoryError:
                notes.append(f"{lines.revision} is not known here: the lines are counted as in HEAD")
                sha = self._repository.commit_named("HEAD")
            there = [path for path in paths if self._repository.blob_at(sha, path)]
            if lines.path in there:
                there = [lines.path]
            for path in there[:_FILES_TRACED]:
                try:
                    for step in islice(
                        follow(self._repository, reader, Position(sha, path, span)), _STEPS_TRACED
                    ):
                        found += _step_hits(reader, step, first_rank=1)
                except Unknown as lost:
                    notes.append(str(lost))
        if not there:
            notes.append(f"there is no {lines.path} in {sha[:10]}: all that ever changed it is shown")
        elif len(there) > 1:
            notes.append(f"{lines.path} names {len(there)} files: {', '.join(there[:_FILES_TRACED])}")
        found.sort(key=lambda hit: -hit.commit.committer_time)
        return Traced(tuple(dict.fromkeys(hit.hunk for hit in found)), tuple(notes))

    async def remote(self) -> str | None:
        """Where the repository is fetched from."""
        return await self._read(lambda _: self._repository.remote_url())

    def _named(self, history: History) -> History:
        """The history with its repository in each hit."""
        path = str(self._repository.path)
        return replace(history, hits=tuple(replace(hit, repository=path) for hit in history.hits))

    async def _read(self, work: Callable[[Reader], T]) -> T:
        """Run blocking work with a reader of the current index."""
        return await self._pool.of_one_index(lambda: self._pool.read(work))

    # -- blocking work ---------------------------------------------------------------------------

    def _details(self, reader: Reader, name: str) -> CommitDetails:
        with self._lock:
            sha = self._repository.commit_named(name)
            commit = read_commit(self._repository, sha)
            committer, email = self._repository.committer(sha)
            refs = self._repository.names_of(sha)
        number = reader.indexed((sha,)).get(sha)
        if number is None:
            raise not_indexed(sha)
        own = reader.threads_of((sha,)).get(sha)
        return CommitDetails(
            commit=commit,
            committer=committer,
            committer_email=email,
            parents=reader.kin(commit.parents),
            children=reader.children_of(sha),
            refs=refs,
            files=reader.files_of(number),
            thread=read_threads(reader, (own,)).get(own) if own else None,
        )

    def _line_history(self, reader: Reader, name: str, path: str, span: Span, limit: int) -> History:
        hits: list[Hit] = []
        paths = {path: None}
        note = ""
        with self._lock:
            start = Position(self._repository.commit_named(name), path, span)
            try:
                for step in follow(self._repository, reader, start):
                    paths[step.at.path] = None
                    hits += _step_hits(reader, step, first_rank=len(hits) + 1)
                    if len(hits) >= limit:
                        note = f"only the newest {len(hits)} are shown"
                        break
            except Unknown as lost:
                note = str(lost)
        return History(tuple(hits), tuple(paths), note)

    def _blame(self, reader: Reader, name: str, path: str, line: int) -> LineOrigin:
        with self._lock:
            sha = self._repository.commit_named(name)
            try:
                step = next(follow(self._repository, reader, Position(sha, path, Span(line, line))))
            except Unknown:
                return self._traced_by_git(sha, path, line)
            commit = read_commit(self._repository, step.made.sha)
        before = step.parent
        return LineOrigin(
            place=Place(step.made.sha, step.at.path, step.at.span.first),
            commit=commit,
            before=Place(before.sha, before.path, before.span.first) if before else None,
            was_there=step.older is not None,
        )

    def _traced_by_git(self, sha: Sha, path: str, line: int) -> LineOrigin:
        """Blame by libgit2, where the index does not know: slower, and without the line before."""
        (found, *_) = git_blame(self._repository, sha, path, line)
        commit = read_commit(self._repository, found.sha)
        place = Place(found.sha, found.path, found.line)
        return LineOrigin(place=place, commit=commit, before=None, was_there=False)

    def _lines(self, name: str, path: str, span: Span) -> tuple[str, ...]:
        with self._lock:
            sha = self._repository.commit_named(name)
            lines = self._repository.lines_at(sha, path)
        if lines is None:
            raise RepositoryError(
                f"there is no file {path} in {sha[:10]} that can be read", hint="ohara show lists its files"
            )
        return tuple(lines[span.first - 1 : min(span.last, span.first - 1 + MOST_LINES)])


def _symbol_history(reader: Reader, symbol: str, path: str, limit: int) -> History:
    paths = reader.names_of_file(path) if path else ()
    found = reader.hunks_touching(symbol, paths, limit + 1)
    rows = reader.hydrate(found[:limit])
    hits = [
        symbol_hit(rows[hunk], symbol, rank) for rank, hunk in enumerate(found[:limit], 1) if hunk in rows
    ]
    touched = {hit.path for hit in hits} | {hit.old_path for hit in hits if hit.old_path}
    note = f"only the newest {limit} are shown" if len(found) > limit else _unread(reader)
    return History(tuple(hits), tuple(name for name in paths if name in touched), note)


def _unread(reader: Reader) -> str:
    counts = reader.counts()
    done = next((each.done for each in counts.passes if each.stage is Pass.SYMBOL), counts.commits)
    left = counts.commits - done
    return f"symbols of {left:,} commits are not read yet" if left > 0 else ""


def _step_hits(reader: Reader, step: Step, *, first_rank: int) -> list[Hit]:
    """The hunks of a commit that touched the lines, with these marked."""
    new, old = step.at.span, step.parent.span if step.parent else None
    places = [
        place.hunk
        for place in reader.hunks_of_file(step.made.commit_id, step.made.file_id)
        if _meets(new, place.new_start, place.new_lines)
        or (old is not None and _meets(old, place.old_start, place.old_lines))
    ]
    rows = reader.hydrate(places)
    made: Sequence[Hit] = [
        line_hit(rows[hunk], new, old, first_rank + at) for at, hunk in enumerate(places) if hunk in rows
    ]
    return [hit for hit in made if hit.matches] or list(made)


def _meets(span: Span, start: int, count: int) -> bool:
    return start <= span.last and start + max(count, 1) > span.first
