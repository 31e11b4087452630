"""Which change gave a file its content, at every commit of history, from the index alone.

One sweep over all commits, parents first, says where each has its version of a path from: a commit that
changed the path, or a merge of different versions. So the history of a file is a graph of its versions alone,
however many commits lie between two of them. Only what a clean merge made of two versions is asked of git.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.model import Sha

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ohara.git.repo import Repository
    from ohara.store.answers import PathVersion
    from ohara.store.graph import CommitGraph
    from ohara.store.reading import Reader

NOWHERE = -1  # no indexed commit gave the path a content


class Versions:
    """The versions of the file at one path, by the positions of commits in the graph."""

    def __init__(
        self, repository: Repository, graph: CommitGraph, path: str, changes: Sequence[PathVersion]
    ) -> None:
        self._repository = repository
        self._graph = graph
        self._path = path
        self.changes = _by_position(graph, changes)
        self._source = _sources(graph, self.changes)
        self._begin = len(graph.parents) - len(self._source)
        self._merged: dict[int, str | None] = {}

    def source(self, at: int) -> int:
        """The commit from which a commit has its version: one that changed the path, or a merge."""
        return self._source[at - self._begin] if at >= self._begin else NOWHERE

    def blob(self, source: int) -> str | None:
        """The content that a source gave the path; None where it took the file away."""
        if source < 0:
            return None
        change = self.changes.get(source)
        if change is not None:
            return change.new_blob
        if source not in self._merged:
            sha = Sha(self._graph.shas[source].hex())
            self._merged[source] = self._repository.blob_at(sha, self._path)
        return self._merged[source]


class Library:
    """The versions of every path that a question comes across."""

    def __init__(self, repository: Repository, reader: Reader) -> None:
        self._repository = repository
        self._reader = reader
        self.graph = reader.commit_graph()
        self._known: dict[str, Versions] = {}

    def of(self, path: str) -> Versions:
        """The versions of a path."""
        known = self._known.get(path)
        if known is None:
            self._reader.check()
            changes = self._reader.versions_of(path)
            known = self._known[path] = Versions(self._repository, self.graph, path, changes)
        return known

    def other_names(self, path: str) -> tuple[str, ...]:
        """The other names that the file at a path had or got."""
        return self._reader.names_of_file(path)[1:]


def _by_position(graph: CommitGraph, changes: Sequence[PathVersion]) -> dict[int, PathVersion]:
    """The change of each commit; of two, the one that leaves a file at the path."""
    found: dict[int, PathVersion] = {}
    for change in changes:
        at = graph.position.get(change.sha)
        if at is not None and (at not in found or found[at].new_blob is None):
            found[at] = change
    return found


def _sources(graph: CommitGraph, changes: Mapping[int, PathVersion]) -> list[int]:
    """For every commit from the first that changed the path on, whose version it has."""
    if not changes:
        return []
    parents = graph.parents
    begin = min(changes)
    found: list[int] = []
    for at in range(begin, len(parents)):
        if at in changes:
            found.append(at)
            continue
        named = parents[at]
        if len(named) == 1:
            (parent,) = named
            found.append(found[parent - begin] if parent >= begin else NOWHERE)
            continue
        seen = {found[parent - begin] if parent >= begin else NOWHERE for parent in named}
        found.append(at if len(seen) > 1 else seen.pop() if seen else NOWHERE)
    return found
