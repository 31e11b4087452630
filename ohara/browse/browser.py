"""The browsing part of the engine of one repository, for the commit, history and blame views.

Blocking work happens in a thread with a reader of the index, and is interrupted when it is cancelled. The git
repository is opened for this alone and used by one thread at a time.
"""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from ohara.browse.annotate import annotate
from ohara.browse.compare import compared, differences
from ohara.browse.explain import Explainer
from ohara.browse.fates import FATES_WITHIN_S, with_fates
from ohara.browse.history_hits import symbol_hit
from ohara.browse.lineage import Position, Trail
from ohara.browse.names import names
from ohara.browse.related import Ways, related
from ohara.browse.span import Span
from ohara.browse.subject import Places, Subject
from ohara.errors import RepositoryError, UsageError
from ohara.fate.source import FateSource
from ohara.forge import forge_of, hit_page
from ohara.git import decode
from ohara.git.blame import blame as git_blame
from ohara.git.diff import differing
from ohara.git.repo import Repository
from ohara.git.walk import read_commit
from ohara.index.reachability import not_indexed
from ohara.index.status import UnseenCommits, brief_status
from ohara.model import CommitDetails, ExplainOptions, History, LineOrigin, Pass, Place, QueryClass
from ohara.plural import counted
from ohara.query.place import read_place
from ohara.query.project import of_another_project
from ohara.retrieve.fates import threads_with_fates
from ohara.retrieve.request import Traced, TracedHunk
from ohara.retrieve.together import read_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from ohara.browse.compare import Differences
    from ohara.model import Annotation, Comparison, Hit, NameKind, Related, Results, Sha
    from ohara.query.names import LinesName
    from ohara.settings import Settings
    from ohara.store.index import Index
    from ohara.store.reading import Reader

T = TypeVar("T")

MOST_LINES = 5_000  # of a file at once: more than any screen, less than any frame

_ALL_HUNKS = ExplainOptions(k=0, all_hunks=True, ref="HEAD")
_FILES_TRACED = 5  # of those that a name without its folder may mean
_STEPS_TRACED = 200

_READERS = 2  # one person browses; the other is for changing one's mind


class Browser:
    """Reads commits and histories; safe to use from several tasks at once."""

    def __init__(self, repository: Repository, index: Index, settings: Settings) -> None:
        self._repository = Repository.open(repository.path)
        self._shared_by = index.shared_by
        self._settings = settings
        self._unseen = UnseenCommits(self._repository)
        self._pool = index.readers(size=_READERS)
        self._lock = Lock()
        self._fates = FateSource(repository.common_dir)
        self._differences: tuple[tuple[str, str], Differences] | None = None

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
        return await self._read(lambda reader: self._symbol_history(reader, symbol, path, limit))

    async def line_history(self, name: str, path: str, span: Span, limit: int) -> History:
        """Every hunk that touched lines of a file as it is in a commit."""
        return await self._read(lambda reader: self._line_history(reader, name, path, span, limit))

    async def blame(self, name: str, path: str, line: int) -> LineOrigin:
        """Who last touched a line of a file as it is in a commit."""
        return await self._read(lambda reader: self._blame(reader, name, path, line))

    async def lines(self, name: str, path: str, span: Span) -> tuple[str, ...]:
        """Lines of a file as it is in a commit; fewer where it ends."""
        return await self._read(lambda _: self._lines(name, path, span))

    async def annotate(self, name: str, path: str) -> Annotation:
        """Whose lines a file has, as it is in a commit."""
        return await self._read(lambda reader: self._annotate(reader, name, path))

    async def compare(self, old: str, new: str, first: int) -> Comparison:
        """What differs between two commits, some files from a number on."""
        return await self._read(lambda _: self._compare(old, new, first))

    async def names(self, kind: NameKind, begun: str, limit: int) -> tuple[str, ...]:
        """What a name of some kind that is begun may become."""
        return await self._read(lambda reader: self._names(reader, kind, begun, limit))

    async def first_tags(self, shas: Collection[Sha]) -> dict[Sha, str]:
        """The first release that held each commit, for those that one did."""
        return await self._read(lambda reader: self._first_tags(reader, shas))

    async def explain(self, place: str, options: ExplainOptions) -> Results:
        """The commits that made a place what it is."""
        return await self._read(lambda reader: self._explain(reader, place, options))

    def trace(self, reader: Reader, lines: LinesName, paths: Sequence[str]) -> Traced:
        """The hunks that touched lines, newest first, of the files at these paths that there are."""
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
            found: list[Hit] = []
            for path in there[:_FILES_TRACED]:
                history = self._lines_followed(reader, sha, path, span, _STEPS_TRACED)
                found += history.hits
                notes += [history.note] if history.note else []
        if not there:
            notes.append(f"there is no {lines.path} in {sha[:10]}: all that ever changed it is shown")
        elif len(there) > 1:
            notes.append(f"{lines.path} names {len(there)} files: {', '.join(there[:_FILES_TRACED])}")
        if len(there) > 1:
            found.sort(key=lambda hit: -hit.commit.committer_time)
        hunks = {hit.hunk: TracedHunk(hit.matches, hit.symbol) for hit in found if hit.hunk}
        return Traced(hunks, tuple(notes))

    async def related(self, place: str, limit: int) -> Related:
        """What changes together with a path, lines of it, a symbol or a commit."""
        ways = Ways(self._commit_if_any, self._files_at, self._merged, self.trace)
        return await self._read(lambda reader: related(reader, ways, place, limit))

    def _commit_if_any(self, name: str) -> Sha | None:
        with self._lock:
            try:
                return self._repository.commit_named(name)
            except RepositoryError:
                return None

    def _files_at(self, sha: Sha) -> list[str]:
        with self._lock:
            return [path for path, _ in self._repository.files_at(sha)]

    def _merged(self, sha: Sha) -> list[str]:
        """The paths that differ from a merge's first parent; none of a commit that is no merge."""
        with self._lock:
            parents = read_commit(self._repository, sha).parents
            if len(parents) < 2:
                return []
            return [decode.path(delta.path) for delta in differing(self._repository, parents[0], sha).deltas]

    async def remote(self) -> str | None:
        """Where the repository is fetched from."""
        return await self._read(lambda _: self._repository.remote_url())

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
            head = self._repository.resolve_existing(("HEAD",)).get("HEAD")
        number = reader.indexed((sha,)).get(sha)
        if number is None:
            raise not_indexed(sha)
        own = reader.threads_of((sha,)).get(sha)
        threads = list(read_threads(reader, (own,)).values()) if own else []
        known, _ = threads_with_fates(self._fates, reader, threads, head, FATES_WITHIN_S)
        with self._lock:
            arrivals = Explainer(self._repository, reader, _ALL_HUNKS).arrivals_of((sha,))
        return CommitDetails(
            commit=commit,
            committer=committer,
            committer_email=email,
            parents=reader.kin(commit.parents),
            children=reader.children_of(sha),
            refs=refs,
            files=reader.files_of(number),
            thread=next(iter(known), None),
            arrival=arrivals.get(sha),
        )

    def _annotate(self, reader: Reader, name: str, path: str) -> Annotation:
        with self._lock:
            return annotate(self._repository, reader, name, path)

    def _compare(self, old: str, new: str, first: int) -> Comparison:
        with self._lock:
            if first == 0 or self._differences is None or self._differences[0] != (old, new):
                self._differences = ((old, new), differences(self._repository, old, new))
            return compared(self._repository, self._differences[1], first)

    def _names(self, reader: Reader, kind: NameKind, begun: str, limit: int) -> tuple[str, ...]:
        with self._lock:
            return names(self._repository, reader, kind, begun, limit)

    def _first_tags(self, reader: Reader, shas: Collection[Sha]) -> dict[Sha, str]:
        with self._lock:
            arrivals = Explainer(self._repository, reader, _ALL_HUNKS).arrivals_of(shas)
        return {sha: arrival.tag for sha, arrival in arrivals.items() if arrival.tag}

    def _explain(self, reader: Reader, place: str, options: ExplainOptions) -> Results:
        with self._lock:
            status = brief_status(
                self._repository,
                reader,
                self._settings,
                reader.counts().passes,
                self._unseen.count,
                shared=self._shared_by,
            )
            results = Explainer(self._repository, reader, options).explain(place, status)
            head = self._repository.resolve_existing(("HEAD",)).get("HEAD")
            forge = forge_of(self._repository.remote_url())
            other = of_another_project(place, self._repository.remote_urls())
        hits, note = with_fates(self._fates, reader, results.hits, head)
        if forge is not None:
            hits = tuple(replace(hit, url=hit_page(forge, hit)) for hit in hits)
        return replace(
            results, hits=hits, notes=(*filter(None, (other,)), *results.notes, *filter(None, (note,)))
        )

    def _line_history(self, reader: Reader, name: str, path: str, span: Span, limit: int) -> History:
        with self._lock:
            sha = self._repository.commit_named(name)
            return self._lines_followed(reader, sha, path, span, limit)

    def _lines_followed(self, reader: Reader, sha: Sha, path: str, span: Span, limit: int) -> History:
        """Every hunk that touched lines; none, and why, where there are no such lines."""
        lines = self._repository.lines_at(sha, path)
        if lines is None:
            return History((), (path,), f"there is no file {path} in {sha[:10]}")
        if span.last > len(lines):
            return History((), (path,), f"{path} has only {counted(len(lines), 'line')} in {sha[:10]}")
        subject = Subject(QueryClass.LINES, (Position(sha, path, (span,)),))
        return Explainer(self._repository, reader, _ALL_HUNKS).history(subject, limit)

    def _symbol_history(self, reader: Reader, symbol: str, path: str, limit: int) -> History:
        """What touched a symbol by its name, and the history of its lines, which may be older."""
        paths = reader.names_of_file(path) if path else ()
        named = reader.hunks_touching(symbol, paths, limit + 1)
        rows = reader.hydrate(named[:limit])
        by_name = [
            symbol_hit(rows[hunk], symbol, rank) for rank, hunk in enumerate(named[:limit], 1) if hunk in rows
        ]
        if not by_name:
            return History((), (), _unread(reader))
        with self._lock:
            explainer = Explainer(self._repository, reader, _ALL_HUNKS)
            known = {hit.commit.sha for hit in by_name}
            hits = explainer.explained(by_name)
            for place in [f"{each}:{symbol}" for each in paths if self._is_there(each)] or [symbol]:
                hits += [
                    hit
                    for hit in self._defined(explainer, reader, place, limit)
                    if hit.commit.sha not in known
                ]
        position = reader.commit_graph().position
        hits.sort(key=lambda hit: -position[bytes.fromhex(hit.commit.sha)])
        touched = {hit.path for hit in hits} | {hit.old_path for hit in hits if hit.old_path}
        note = f"only the newest {limit} are shown" if len(named) > limit else _unread(reader)
        ranked = tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, 1))
        return History(ranked, tuple(name for name in paths if name in touched), note)

    def _defined(self, explainer: Explainer, reader: Reader, place: str, limit: int) -> tuple[Hit, ...]:
        """The history of the lines that define a symbol now; nothing where none do."""
        try:
            subject = Places(self._repository, reader, _ALL_HUNKS, read_place(place)).find()
        except UsageError:
            return ()
        return explainer.history(subject, limit).hits

    def _is_there(self, path: str) -> bool:
        head = self._repository.resolve_existing(("HEAD",)).get("HEAD")
        return head is not None and self._repository.blob_at(head, path) is not None

    def _blame(self, reader: Reader, name: str, path: str, line: int) -> LineOrigin:
        with self._lock:
            sha = self._repository.commit_named(name)
            lines = self._repository.lines_at(sha, path)
            start = Position(sha, path, (Span(line, line),))
            trail = Trail(self._repository, reader)
            step = next(trail.follow(start), None) if lines and line <= len(lines) else None
            if step is None:
                return self._traced_by_git(sha, path, line)
            commit = read_commit(self._repository, step.sha)
        before = step.before
        return LineOrigin(
            place=Place(step.sha, step.at.path, step.at.spans[0].first if step.at.spans else line),
            commit=commit,
            before=Place(before.sha, before.path, step.near) if before else None,
            was_there=bool(before and before.spans),
        )

    def _traced_by_git(self, sha: Sha, path: str, line: int) -> LineOrigin:
        """Blame by git, where the index does not know: slower, and without the line before."""
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


def _unread(reader: Reader) -> str:
    counts = reader.counts()
    done = next((each.done for each in counts.passes if each.stage is Pass.SYMBOL), counts.commits)
    left = counts.commits - done
    return f"symbols of {counted(left, 'commit')} are not read yet" if left > 0 else ""
