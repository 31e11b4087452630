"""Finds symbols, in a worker: what HEAD's files define, and what each hunk of a commit touches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from ohara.encoded import leave_out
from ohara.git.regions import unequal
from ohara.git.repo import Repository
from ohara.index.ipc import Failed, Part
from ohara.index.lines import changed_spans
from ohara.parse.languages import has_grammar
from ohara.parse.symbols import SyntaxTree, symbols_in
from ohara.store.derived import TouchedHunk, TouchedSymbol
from ohara.store.engines import index_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ohara.index.ipc import Task, WorkerSetup
    from ohara.index.lines import Span
    from ohara.model import Symbol

# A tree takes about a hundred times the space of its file, so this much source is some 100 MB of trees. With
# a quarter of it, the two versions that a large file's hunks are looked up in push each other out: in files
# of 130 kB, six times as much is parsed.
_REMEMBERED_SOURCE_BYTES = 1 << 20


class HeadParser:
    """Reads what the files of HEAD define."""

    def __init__(self, setup: WorkerSetup) -> None:
        self._repository = Repository.open(Path(setup.repository))
        self._cap = setup.max_blob_bytes

    def run(self, task: Task) -> Iterator[Part | Failed]:
        """One result a (blob, language) pair."""
        pairs = cast("tuple[tuple[str, str], ...]", task.items)
        yield Part(task.number, tuple((pair, self._symbols(*pair)) for pair in pairs))

    def _symbols(self, blob: str, language: str) -> tuple[Symbol, ...]:
        source = self._repository.read_blob(blob, cap=self._cap)
        return symbols_in(source, language) if source is not None else ()


class _Change(NamedTuple):
    """A hunk as the symbols see it: which lines of which blobs it changes."""

    commit_id: int
    hunk_id: int
    path: str
    language: str
    images: tuple[tuple[str | None, tuple[Span, ...]], ...]


class Toucher:
    """Finds the symbols that hunks touch: in the new file for added lines, in the old for removed ones."""

    def __init__(self, setup: WorkerSetup) -> None:
        self._repository = Repository.open(Path(setup.repository))
        self._cap = setup.max_blob_bytes
        self._stored = index_at(setup.location).stored_commits()
        self._trees: dict[tuple[str, str], SyntaxTree] = {}
        self._remembered_bytes = 0
        self._former: tuple[str, SyntaxTree] | None = None

    def run(self, task: Task) -> Iterator[Part | Failed]:
        """One result a commit: its id and the hunks that touch symbols.

        Path by path, because a file's versions follow one another: each is parsed once for the commit that
        made it and the one that replaced it.
        """
        found: dict[int, list[TouchedHunk]] = {cast("int", commit_id): [] for commit_id in task.items}
        changes = [change for commit_id in found for change in self._changes(commit_id)]
        for change in sorted(changes, key=lambda change: change.path):
            names = self._names(change)
            if names:
                found[change.commit_id].append(TouchedHunk(change.hunk_id, names))
        yield Part(task.number, tuple((commit_id, tuple(hunks)) for commit_id, hunks in found.items()))

    def _changes(self, commit_id: int) -> Iterator[_Change]:
        for hunk in self._stored.hunks(commit_id):
            if not (hunk.searchable and hunk.body and hunk.language and has_grammar(hunk.language)):
                continue
            if not leave_out(hunk.body).is_bare:
                removed, added = changed_spans(hunk.body, old_start=hunk.old_start, new_start=hunk.new_start)
                images = ((hunk.new_blob, added), (hunk.old_blob, removed))
                yield _Change(commit_id, hunk.hunk_id, hunk.path, hunk.language, images)

    def _names(self, change: _Change) -> tuple[TouchedSymbol, ...]:
        found: dict[TouchedSymbol, None] = {}
        for blob, spans in change.images:
            if blob and spans:
                for symbol in self._tree(blob, change).touched(spans):
                    found[TouchedSymbol(symbol.kind.value, symbol.name, symbol.qualified)] = None
        return tuple(found)

    def _tree(self, blob: str, change: _Change) -> SyntaxTree:
        """The tree of a blob: the most recently used ones are remembered, the oldest forgotten first."""
        tree = self._trees.pop((blob, change.language), None)
        if tree is None:
            tree = self._parsed(self._repository.read_blob(blob, cap=self._cap) or b"", change)
            self._remembered_bytes += tree.size
        self._trees[blob, change.language] = tree
        self._former = change.path, tree
        while self._remembered_bytes > _REMEMBERED_SOURCE_BYTES and len(self._trees) > 1:
            self._remembered_bytes -= self._trees.pop(next(iter(self._trees))).size
        return tree

    def _parsed(self, source: bytes, change: _Change) -> SyntaxTree:
        """Parse what differs from the version of the file that was asked for last."""
        path, former = self._former or ("", None)
        if former is None or path != change.path:
            return SyntaxTree(source, change.language)
        return SyntaxTree(source, change.language, former, unequal(former.source, source))
