"""Finds symbols, in a worker: what HEAD's files define, and what each hunk of a commit touches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from ohara.encoded import leave_out
from ohara.git.regions import unequal
from ohara.git.repo import Repository
from ohara.index.ipc import Failed, Part
from ohara.index.lines import changed_spans
from ohara.parse.symbols import SyntaxTree, symbols_in
from ohara.store.derived import TouchedHunk, TouchedSymbol
from ohara.store.engines import index_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ohara.index.ipc import Task, WorkerSetup
    from ohara.index.lines import Span
    from ohara.model import Symbol
    from ohara.store.derived import ChangedFile, IndexedHunk

# A tree takes about a hundred times the space of its file, so this much source is some 100 MB of trees.
_REMEMBERED_SOURCE_BYTES = 1 << 20

_HUNKS_AT_ONCE = 512  # whose lines are read together: some two megabytes at most


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


class Toucher:
    """Finds the symbols that hunks touch: in the new file for added lines, in the old for removed ones."""

    def __init__(self, setup: WorkerSetup) -> None:
        self._repository = Repository.open(Path(setup.repository))
        self._cap = setup.max_blob_bytes
        self._stored = index_at(setup.location).stored_commits()
        self._path = ""
        self._trees: dict[str, SyntaxTree] = {}
        self._remembered_bytes = 0
        self._former: SyntaxTree | None = None

    def run(self, task: Task) -> Iterator[Part | Failed]:
        """One result a file: its commit's id and the hunks that touch symbols."""
        found: list[tuple[int, tuple[TouchedHunk, ...]]] = []
        some: list[ChangedFile] = []
        hunks = 0
        for file in cast("tuple[ChangedFile, ...]", task.items):
            if some and hunks + len(file.hunks) > _HUNKS_AT_ONCE:
                found += self._all_touching(some)
                some, hunks = [], 0
            some.append(file)
            hunks += len(file.hunks)
        yield Part(task.number, (*found, *self._all_touching(some)))

    def _all_touching(self, files: Sequence[ChangedFile]) -> list[tuple[int, tuple[TouchedHunk, ...]]]:
        stored = self._stored.hunks_by_id(hunk_id for file in files for hunk_id in file.hunks)
        return [(file.commit_id, tuple(self._touching(file, stored))) for file in files]

    def _touching(self, file: ChangedFile, stored: dict[int, IndexedHunk]) -> Iterator[TouchedHunk]:
        """The hunks of a file that touch symbols: of the new version, then of the old one.

        Each is looked at once for all hunks: of two large versions one alone may be remembered.
        """
        hunks = [stored[hunk_id] for hunk_id in file.hunks if hunk_id in stored]
        telling = [hunk for hunk in hunks if not leave_out(hunk.body).is_bare]
        spans = [
            changed_spans(each.body, old_start=each.old_start, new_start=each.new_start) for each in telling
        ]
        found: dict[int, dict[TouchedSymbol, None]] = {hunk.hunk_id: {} for hunk in telling}
        for hunk, (_, added) in zip(telling, spans, strict=True):
            found[hunk.hunk_id] |= self._touched(hunk.new_blob, added, hunk)
        for hunk, (removed, _) in zip(telling, spans, strict=True):
            found[hunk.hunk_id] |= self._touched(hunk.old_blob, removed, hunk)
        for hunk_id, symbols in found.items():
            if symbols:
                yield TouchedHunk(hunk_id, tuple(symbols))

    def _touched(
        self, blob: str | None, spans: Sequence[Span], hunk: IndexedHunk
    ) -> dict[TouchedSymbol, None]:
        if not blob or not spans:
            return {}
        symbols = self._tree(blob, hunk).touched(spans)
        return {TouchedSymbol(each.kind.value, each.name, each.qualified): None for each in symbols}

    def _tree(self, blob: str, hunk: IndexedHunk) -> SyntaxTree:
        """The tree of a blob: those of a path that were used last are remembered."""
        if self._path != hunk.path:
            self._trees.clear()
            self._remembered_bytes, self._path, self._former = 0, hunk.path, None
        tree = self._trees.pop(blob, None)
        if tree is None:
            tree = self._parsed(self._repository.read_blob(blob, cap=self._cap) or b"", hunk.language or "")
            self._remembered_bytes += tree.size
        self._trees[blob] = self._former = tree
        while self._remembered_bytes > _REMEMBERED_SOURCE_BYTES and len(self._trees) > 1:
            self._remembered_bytes -= self._trees.pop(next(iter(self._trees))).size
        return tree

    def _parsed(self, source: bytes, language: str) -> SyntaxTree:
        """Parse what differs from the version of the file that was asked for last."""
        former = self._former
        if former is None:
            return SyntaxTree(source, language)
        return SyntaxTree(source, language, former, unequal(former.source, source))
