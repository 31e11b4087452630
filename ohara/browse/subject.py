"""Finds what a place names: which lines of which file at which commit are to be followed.

A file or symbol that is gone is followed from the commit that took it away. At a commit that is named, only
what it leads to is known: what came later is refused. What does not exist is refused with the nearest thing
that does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ohara.browse.lineage import Position, Step, ended
from ohara.browse.span import Span, Spans, joined
from ohara.browse.symbols import defined_in, gone_symbol, hunks_with, qualified_names
from ohara.browse.versions import Library
from ohara.browse.worktree import committed, line_count, read_work_tree
from ohara.browse.written_paths import Revision, WrittenPaths, nearest_path
from ohara.errors import RepositoryError, UsageError
from ohara.model import QueryClass, Sha
from ohara.plural import counted
from ohara.query.place import Target, settled_target
from ohara.records import dataclass
from ohara.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ohara.git.repo import Repository
    from ohara.model import ExplainOptions
    from ohara.store.answers import PathVersion
    from ohara.store.graph import CommitGraph
    from ohara.store.reading import Reader

_MOST_TOGETHER = 5  # definitions of one name that are explained together
_MOST_NAMED = 4  # of what may be meant, in a hint
_FARTHEST = 20_000  # commits between HEAD and the newest indexed one


@dataclass(frozen=True, slots=True)
class Subject:
    """What is to be explained: where to begin, the commit that ended it, and what to say of it."""

    query_class: QueryClass
    starts: tuple[Position, ...]
    endings: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()


class Places:
    """Finds places in one repository, at one commit or in its work tree."""

    def __init__(
        self, repository: Repository, reader: Reader, options: ExplainOptions, target: Target
    ) -> None:
        self._repository = repository
        self._reader = reader
        self._target = target = settled_target(target, self._commit_of_ref)
        self._notes: list[str] = []
        self._library = Library(repository, reader)
        sha, name = self._commit(options.ref or target.revision, must_be=options.ref is not None)
        self._indexed = self._nearest_indexed(sha)
        self._within = reader.ancestors((self._indexed,)) if name else None
        in_work_tree = options.ref is None and not target.revision
        self._revision = Revision(sha, name, self._within, in_work_tree)
        self._paths = WrittenPaths(repository, reader, self._library, self._revision, options.folder)

    def find(self) -> Subject:
        """What the place names; an error where there is no such thing."""
        target = self._target
        if (path := self._paths.as_typed(target)) is not None:
            self._target = Target(target.source, path=path)
            return self._file(path, QueryClass.PATH)
        if target.may_be_either:
            path = self._paths.named(target.path)
            if path is not None:
                return self._file(path, QueryClass.PATH)
            return self._symbol(target.symbol, None, must_be_path=True)
        if not target.path:
            return self._symbol(target.symbol, None)
        path = self._paths.named(target.path)
        if path is None:
            raise self._paths.no_file(target.path)
        if target.symbol:
            return self._symbol(target.symbol, path)
        return self._file(path, QueryClass.LINES if target.has_lines else QueryClass.PATH)

    def _commit_of_ref(self, ref: str) -> str | None:
        """The commit that a branch or tag leads to; "" when it is not indexed, None when there is none."""
        sha = self._repository.resolve_existing((ref,)).get(ref)
        return None if sha is None else sha if self._reader.indexed((sha,)) else ""

    # -- commits ---------------------------------------------------------------------------------

    def _commit(self, name: str, *, must_be: bool) -> tuple[Sha, str]:
        """The commit that is named, and its name; HEAD, and none, where nothing is called so."""
        if name:
            try:
                return self._repository.commit_named(name), name
            except RepositoryError:
                if must_be:
                    raise
                self._notes.append(f"{name} is not known here: lines are counted as in HEAD")
        return self._repository.commit_named("HEAD"), ""

    def _nearest_indexed(self, sha: Sha) -> Sha:
        """The newest commit before this one, on its own line, that is indexed."""
        at, passed = nearest_indexed(self._repository, self._library.graph, sha)
        if at is None:
            raise RepositoryError(f"commit {sha[:10]} is not in the index", hint="ohara index")
        if passed:
            them = "commit is" if passed == 1 else "commits are"
            self._notes.append(f"the newest {passed:,} {them} not indexed yet, and left out (ohara status)")
        return at

    # -- files -----------------------------------------------------------------------------------

    def _file(self, path: str, query_class: QueryClass) -> Subject:
        """A file as a whole, or lines of it."""
        blob = self._repository.blob_at(self._revision.sha, path)
        if blob is None:
            work = read_work_tree(self._repository, path) if self._revision.in_work_tree else None
            if work is not None and not self._library.of(path).changes:
                self._notes.append(f"{path} is not committed yet")
                return Subject(query_class, (), (), tuple(self._notes))
            return self._gone_file(path, query_class)
        if not self._target.has_lines:
            return Subject(query_class, (Position(self._indexed, path, None),), (), tuple(self._notes))
        spans = self._lines(path, (Span(self._target.first, self._target.last),), blob)
        starts = (Position(self._indexed, path, spans),) if spans else ()
        return Subject(query_class, starts, (), tuple(self._notes))

    def _lines(self, path: str, spans: Spans, blob: str) -> Spans:
        """Lines as the newest indexed commit numbers them."""
        data = self._repository.read_blob(blob)
        if data is None:
            raise UsageError(
                f"{path} is missing or too large to be read by lines", hint=f"ohara explain {path}"
            )
        work = read_work_tree(self._repository, path) if self._revision.in_work_tree else None
        if b"\0" in data[:8000]:
            raise UsageError(f"{path} is binary: it has no lines", hint=f"ohara explain {path}")
        count = line_count(data if work is None else work)
        if spans[-1].last > count:
            raise UsageError(
                f"{path} has only {counted(count, 'line')}",
                hint=f"ohara explain {path}:1-{count}" if count else "",
            )
        if work is not None:
            found = committed(spans, work, data)
            if found.uncommitted:
                self._notes.append(
                    f"{_said(found.uncommitted)} of {path} {_are(found.uncommitted)} not committed yet"
                )
            elif found.spans != spans:
                self._notes.append(f"{path} has uncommitted changes: in HEAD these are {_said(found.spans)}")
            spans = found.spans
        if self._indexed != self._revision.sha:
            older = self._repository.file_at(self._indexed, path)
            spans = committed(spans, data, older).spans if older is not None else ()
        return spans

    def _gone_file(self, path: str, query_class: QueryClass) -> Subject:
        """A file that is not there any more, from the commit that took it away."""
        end = ended(self._library.of(path), self._within)
        if end is None:
            return self._elsewhere(path, query_class)
        at, change = end
        graph = self._library.graph
        sha = Sha(graph.shas[at].hex())
        parent = next((each for each in graph.parents[at] if each >= 0), None)
        if parent is None:
            raise RepositoryError(f"what {path} was before {sha[:10]} is not indexed", hint="ohara index")
        before = Sha(graph.shas[parent].hex())
        spans = self._lines_of_version(path, change) if self._target.has_lines else None
        new_name = change.path if change.path != path else ""
        self._notes.append(
            f"{path} was renamed to {new_name} in {sha[:10]}"
            if new_name
            else f"{path} was deleted in {sha[:10]}"
        )
        start = Position(before, path, spans)
        return Subject(query_class, (start,), (_ending(change, sha, start),), tuple(self._notes))

    def _elsewhere(self, path: str, query_class: QueryClass) -> Subject:
        """A file that HEAD does not have and another branch does."""
        changes = self._library.of(path).changes
        within = self._within
        at = max(at for at, change in changes.items() if within is None or change.commit_id in within)
        sha = Sha(self._library.graph.shas[at].hex())
        self._notes.append(
            f"{path} is not in {self._revision.sha[:10]}: its history ends in {sha[:10]}, on another branch"
        )
        spans = self._lines_of_version(path, changes[at]) if self._target.has_lines else None
        return Subject(query_class, (Position(sha, path, spans),), (), tuple(self._notes))

    def _lines_of_version(self, path: str, change: PathVersion) -> Spans:
        blob = change.new_blob or change.old_blob
        data = self._repository.read_blob(blob) if blob else None
        count = line_count(data) if data is not None else 0
        if self._target.last > count:
            raise UsageError(f"{path} had only {counted(count, 'line')}", hint=f"ohara explain {path}")
        return (Span(self._target.first, self._target.last),)

    # -- symbols ---------------------------------------------------------------------------------

    def _symbol(self, name: str, path: str | None, *, must_be_path: bool = False) -> Subject:
        """A symbol where it is defined, or was."""
        found = self._definitions(name, path)
        names = qualified_names(name, [symbol for _, symbol, _ in found])
        found = [each for each in found if each[1] in names]
        if len({each[:2] for each in found}) > _MOST_TOGETHER:
            some = list(dict.fromkeys(f"{at}:{symbol}" for at, symbol, _ in found))
            raise UsageError(
                f"{name} names {len(some)} symbols", hint=f"say which one: {', '.join(some[:_MOST_NAMED])}, …"
            )
        if not found:
            return self._gone_symbol(name, path, must_be_path=must_be_path)
        if len(found) > 1 and len({each[:2] for each in found}) > 1:
            self._notes.append(f"{name} is {', '.join(dict.fromkeys(f'{at}:{of}' for at, of, _ in found))}")
        by_path: dict[str, list[Span]] = {}
        for at, _, span in found:
            by_path.setdefault(at, []).append(span)
        starts = []
        for at, lines in by_path.items():
            blob = self._repository.blob_at(self._revision.sha, at)
            spans = self._lines(at, joined(lines), blob) if blob else ()
            if not blob:
                self._notes.append(f"{at} is not committed yet")
            if spans:
                starts.append(Position(self._indexed, at, spans))
        return Subject(QueryClass.SYMBOL, tuple(starts), (), tuple(self._notes))

    def _definitions(self, name: str, path: str | None) -> list[tuple[str, str, Span]]:
        """Where a symbol is defined: path, whole name and lines, as the files are there."""
        paths = [path] if path else self._paths_defining(name)
        return [
            (each, symbol, span)
            for each in paths
            for symbol, span in defined_in(self._content(each), each, name)
        ]

    def _paths_defining(self, name: str) -> list[str]:
        """The files that may define a symbol: HEAD's, and at a named commit those that ever did before it."""
        paths = [each.path for each in self._reader.definitions(name)]
        if self._within is not None:
            paths += self._reader.paths_reached(hunks_with(self._reader, name, self._within))
        return list(dict.fromkeys(paths))

    def _content(self, path: str) -> bytes:
        work = read_work_tree(self._repository, path) if self._revision.in_work_tree else None
        return (work if work is not None else self._repository.file_at(self._revision.sha, path)) or b""

    def _gone_symbol(self, name: str, path: str | None, *, must_be_path: bool) -> Subject:
        gone = gone_symbol(self._repository, self._reader, self._library, name, path, within=self._within)
        if gone is None:
            raise self._no_symbol(name, path, must_be_path=must_be_path)
        sha = gone.change_sha
        if gone.is_end:
            self._notes.append(f"{name} was last in {gone.start.path}, and removed in {sha[:10]}")
            ending = _ending(gone.change, sha, gone.start)
            return Subject(QueryClass.SYMBOL, (gone.start,), (ending,), tuple(self._notes))
        self._notes.append(f"{name} is not in {self._revision.words}; it was last changed in {sha[:10]}")
        return Subject(QueryClass.SYMBOL, (gone.start,), (), tuple(self._notes))

    def _no_symbol(self, name: str, path: str | None, *, must_be_path: bool) -> UsageError:
        if must_be_path and (refused := self._paths.later_file(name) or self._paths.folder_named(name)):
            return refused
        if self._revision.name and self._reader.symbols_named((name,)):
            where = f"{path} at {self._revision.words}" if path else self._revision.words
            defined = [each.path for each in self._reader.definitions(name)]
            who = f"HEAD has it in {defined[0]}" if defined else "history has it"
            return UsageError(
                f"{name} is not in {where}, nor was it before", hint=f"{who}: ohara explain {name}"
            )
        what = f"no file and no symbol {name}" if must_be_path else f"no symbol {name}"
        where = f" in {path}" if path else ""
        known: Sequence[str]
        if path:
            known = [symbol for symbol, _ in defined_in(self._content(path), path, None)]
            known = [*known, *(each.rsplit(".", 1)[-1] for each in known)]
        else:
            known = self._reader.symbol_names()
        guess = _nearest_name(name, known)
        if guess is None and must_be_path:
            guess = nearest_path(name, self._reader.paths())
        if guess and path:
            guess = f"{path}:{guess}"
        hint = f"did you mean {guess}?" if guess else "ohara find searches for anything else"
        return UsageError(f"history knows {what}{where}", hint=hint)


def nearest_indexed(repository: Repository, graph: CommitGraph, sha: Sha) -> tuple[Sha | None, int]:
    """The first indexed commit on the line of first parents from one, and how many lie before it."""
    at, passed = sha, 0
    while bytes.fromhex(at) not in graph.position:
        parents = repository.links(at).parents
        passed += 1
        if not parents or passed > _FARTHEST:
            return None, passed
        at = Sha(parents[0].hex())
    return at, passed


def _ending(change: PathVersion, sha: Sha, start: Position) -> Step:
    """The step of a commit that took the lines away."""
    spans = start.spans or ()
    return Step(change, Position(sha, change.path, ()), replace(start, spans=spans or None), 1)


def _said(spans: Spans) -> str:
    """Lines in words."""
    if len(spans) == 1 and spans[0].first == spans[0].last:
        return f"line {spans[0].first}"
    parts = [f"{first}-{last}" if last > first else f"{first}" for first, last in spans]
    return f"lines {', '.join(parts)}" if parts else "no lines"


def _are(spans: Spans) -> str:
    return "is" if len(spans) == 1 and spans[0].first == spans[0].last else "are"


def _nearest_name(written: str, known: Sequence[str]) -> str | None:
    alike = [name for name in known if abs(len(name) - len(written)) <= 2]
    return nearest(written, alike, within=max(1, min(2, len(written) // 3)))
