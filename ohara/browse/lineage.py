"""Follows lines of a file back through history and names the commits that touched them, as `git log -L` does.

A commit that changes the lines hands what they replaced on to its parent; a merge hands them to the first
parent that has them as they are, or else to every parent. So lines may come from several sides, and are
followed on all of them at once, newest commit first. Files are followed through renames, lines, if asked,
from where the same commit took them away.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

from ohara.browse.moves import added_lines, moved_from
from ohara.browse.span import CarriedSpans, Span, carry_all, groups_of, joined
from ohara.browse.versions import NOWHERE, Library
from ohara.git.hunks import groups
from ohara.git.other_folder import OtherFolders
from ohara.model import CUT_OFF, ChangeKind, Sha
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ohara.browse.moves import Moved
    from ohara.browse.span import Spans
    from ohara.browse.versions import Versions
    from ohara.git.hunks import Group
    from ohara.git.repo import Repository
    from ohara.store.answers import HunkBody, PathVersion
    from ohara.store.reading import Reader


class Unknown(Exception):
    """The lines cannot be followed further; says why."""


@dataclass(frozen=True, slots=True)
class Position:
    """Lines of a file at a commit; without spans, the whole file."""

    sha: Sha
    path: str
    spans: Spans | None


class Step(NamedTuple):
    """A commit that touched the lines: where they are there, and where they were in its parent.

    `before` has no spans where all lines began there, and is None where the file did; `near` is the line of
    the old file at which they were put. `moved` says where the commit took them from instead.
    """

    change: PathVersion
    at: Position
    before: Position | None
    near: int
    moved: Moved | None = None

    @property
    def sha(self) -> Sha:
        """The commit."""
        return self.at.sha


class _Side(NamedTuple):
    """A parent's version of a file that was merged: where it has it from, under which name."""

    source: int
    path: str
    blob: str


class _Found(NamedTuple):
    """One parent of a merge: where it has the file from, under which name, and the lines there."""

    source: int
    path: str
    carried: CarriedSpans


class Trail:
    """One following of lines; `lost` says where, and why, it did not reach the beginning."""

    def __init__(self, repository: Repository, reader: Reader, *, moves: bool = False) -> None:
        self._repository = repository
        self._reader = reader
        self._moves = moves
        self._library = Library(repository, reader)
        self._folders = OtherFolders(repository)
        self._graph = self._library.graph
        self._waiting: list[tuple[int, str]] = []
        self._standing: dict[tuple[int, str], Spans | None] = {}
        self.lost: dict[str, None] = {}

    def is_known(self, sha: Sha) -> bool:
        """True for a commit that the index has."""
        return bytes.fromhex(sha) in self._graph.position

    def follow(self, start: Position) -> Iterator[Step]:
        """Yields each commit that touched the lines, newest first."""
        at = self._graph.position.get(bytes.fromhex(start.sha))
        if at is None:
            self.lost[f"commit {start.sha[:10]} is not indexed"] = None
            return
        self._go(at, start.path, start.spans, self._repository.blob_at(start.sha, start.path))
        while self._waiting:
            self._reader.check()
            number, path = heapq.heappop(self._waiting)
            at, spans = -number, self._standing.pop((-number, path))
            try:
                parents = self._graph.parents[at]
                yield from (
                    self._merged(at, path, spans) if len(parents) > 1 else self._changed(at, path, spans)
                )
            except Unknown as why:
                self.lost[str(why)] = None

    def _go(self, at: int, path: str, spans: Spans | None, blob: str | None) -> None:
        """Go on from a commit's version of a file, or from where a merge took that out of another folder."""
        versions = self._library.of(path)
        source = versions.source(at) if at >= 0 else NOWHERE
        if blob is None or at < 0 or blob == versions.blob(source):
            self._wait(source, path, spans)
            return
        merge = self._first_with(at, path, blob)
        sides = (self._in_another_folder(merge, parent, path, blob) for parent in self._graph.parents[merge])
        side = next(filter(None, sides), None)
        if side is None:
            self.lost[f"what made {path} as it is in {self._sha(at)[:10]} is not indexed"] = None
            return
        each = self._found(side, blob, spans)
        self._wait(each.source, each.path, None if spans is None else each.carried.before)

    def _first_with(self, at: int, path: str, blob: str) -> int:
        """The commit with which a file got its content, found by halving each line of first parents."""
        while True:
            chain = [at]
            while (parents := self._graph.parents[chain[-1]]) and parents[0] >= 0:
                chain.append(parents[0])
            has, lacks = 0, len(chain)
            while lacks - has > 1:
                middle = (has + lacks) // 2
                there = self._repository.blob_at(self._sha(chain[middle]), path) == blob
                has, lacks = (middle, lacks) if there else (has, middle)
            first = chain[has]
            others = [each for each in self._graph.parents[first][1:] if each >= 0]
            side = [each for each in others if self._repository.blob_at(self._sha(each), path) == blob]
            if not side:
                return first
            at = side[0]

    def _wait(self, source: int, path: str, spans: Spans | None) -> None:
        """Go on from a version; lines of it that were reached from elsewhere are joined."""
        if source == NOWHERE:
            self.lost[f"what came before in {path} is not indexed"] = None
            return
        if (source, path) not in self._standing:
            heapq.heappush(self._waiting, (-source, path))
            self._standing[source, path] = spans
        elif spans is not None:
            self._standing[source, path] = joined((*(self._standing[source, path] or ()), *spans))

    def _sha(self, at: int) -> Sha:
        return Sha(self._graph.shas[at].hex())

    # -- a commit with one parent, or none -------------------------------------------------------

    def _changed(self, at: int, path: str, spans: Spans | None) -> Iterator[Step]:
        change = self._library.of(path).changes[at]
        here = Position(self._sha(at), path, spans)
        if change.new_blob is None:
            return  # where the file was taken away there are no lines to follow
        if change.old_blob is None:
            if self._repository.is_cut_off(here.sha):
                self.lost[CUT_OFF] = None
            moved = self._moved(change, spans)
            yield Step(change, here, None, 1, moved)
            self._go_where_moved(at, moved)
            return
        old_path = change.old_path or path
        parent = next(iter(self._graph.parents[at]), NOWHERE)
        carried = self._carried(change, spans)
        older = Position(self._sha(parent) if parent >= 0 else Sha(""), old_path, carried.before)
        if spans is None:
            older = Position(older.sha, old_path, None)
        moved = None
        if carried.touched:
            moved = None if spans is None or carried.before else self._moved(change, spans)
            yield Step(change, here, older, carried.near, moved)
        if moved is not None:
            self._go_where_moved(at, moved)
        elif spans is None or carried.before:
            self._go(parent, old_path, older.spans, change.old_blob)

    def _source(self, path: str, at: int) -> int:
        return self._library.of(path).source(at) if at >= 0 else NOWHERE

    def _carried(self, change: PathVersion, spans: Spans | None) -> CarriedSpans:
        """Where the lines were before a change of their file."""
        if spans is None:
            return CarriedSpans((), touched=True, near=1)
        ranges = self._reader.hunks_of_file(change.commit_id, change.file_id)
        if not ranges and change.old_blob != change.new_blob:
            return carry_all(spans, self._groups(change.old_blob, change.new_blob))
        # With the lines around a hunk it reaches over more than it changes: one that ends above is above.
        above = [each for each in ranges if each.new_start + each.new_lines <= spans[0].first]
        if len(spans) == 1 and all(each in above or each.new_start > spans[0].last for each in ranges):
            grown = sum(each.new_lines - each.old_lines for each in above)
            before = Span(spans[0].first - grown, spans[0].last - grown)
            return CarriedSpans((before,), touched=False, near=before.first)
        return carry_all(spans, groups_of(self._bodies(change)))

    def _bodies(self, change: PathVersion) -> list[HunkBody]:
        return self._reader.bodies_of_file(change.commit_id, change.file_id)

    def _moved(self, change: PathVersion, spans: Spans | None) -> Moved | None:
        if not self._moves or spans is None:
            return None
        added = added_lines(self._bodies(change), spans)
        return moved_from(added, self._reader.removed_in(change.commit_id)) if added else None

    def _go_where_moved(self, at: int, moved: Moved | None) -> None:
        if moved is not None and self._graph.parents[at]:
            path = moved.change.old_path or moved.change.path
            self._wait(self._source(path, self._graph.parents[at][0]), path, (moved.span,))

    # -- a merge ---------------------------------------------------------------------------------

    def _merged(self, at: int, path: str, spans: Spans | None) -> Iterator[Step]:
        versions = self._library.of(path)
        blob = versions.blob(at)
        if blob is None:
            return
        found: list[_Found] = []
        for side in self._sides(at, versions, path, blob):
            each = self._found(side, blob, spans)
            if not each.carried.touched:  # this parent accounts for all of it
                self._wait(each.source, each.path, None if spans is None else each.carried.before)
                return
            found.append(each)
        change = versions.changes.get(at)
        if change is not None and (not found or self._meets_own(change, spans)):
            yield self._own(change, at, path, spans, found)
        elif not found:
            self.lost[f"what made {path} as it is in {self._sha(at)[:10]} is not indexed"] = None
        for each in found:
            if spans is None or each.carried.before:
                self._wait(each.source, each.path, None if spans is None else each.carried.before)

    def _sides(self, at: int, versions: Versions, path: str, blob: str) -> Iterator[_Side]:
        """The versions of a file that a merge put together: of parents that have it, then of the others."""
        lacking: list[int] = []
        for parent in self._graph.parents[at]:
            source = versions.source(parent) if parent >= 0 else NOWHERE
            old = versions.blob(source)
            side = _Side(source, path, old) if old is not None else self._elsewhere(path, parent)
            if side is None:
                lacking.append(parent)
            else:
                yield side
        for parent in lacking:
            side = self._in_another_folder(at, parent, path, blob)
            if side is not None:
                yield side

    def _found(self, side: _Side, blob: str, spans: Spans | None) -> _Found:
        if side.blob == blob:
            return _Found(side.source, side.path, CarriedSpans(spans or (), touched=False, near=1))
        if spans is None:
            return _Found(side.source, side.path, CarriedSpans((), touched=True, near=1))
        return _Found(side.source, side.path, carry_all(spans, self._groups(side.blob, blob)))

    def _elsewhere(self, path: str, parent: int) -> _Side | None:
        """The file under another name that it has in a parent, before a rename that the other side made."""
        for name in self._library.other_names(path) if parent >= 0 else ():
            versions = self._library.of(name)
            source = versions.source(parent)
            if (blob := versions.blob(source)) is not None:
                return _Side(source, name, blob)
        return None

    def _in_another_folder(self, at: int, parent: int, path: str, blob: str) -> _Side | None:
        """Where a parent has the file in another folder, of a history that was merged below one."""
        if parent < 0:
            return None
        for name, old in self._folders.before(self._sha(at), self._sha(parent), path, blob):
            source = self._source(name, parent)
            if source != NOWHERE:
                return _Side(source, name, old)
        return None

    def _meets_own(self, change: PathVersion, spans: Spans | None) -> bool:
        """True when a merge's own changes touch the lines."""
        if spans is None:
            return True
        return carry_all(spans, groups_of(self._bodies(change))).touched

    def _own(self, change: PathVersion, at: int, path: str, spans: Spans | None, found: list[_Found]) -> Step:
        """The step of a merge that changed the lines itself."""
        here = Position(self._sha(at), path, spans)
        if not found:
            return Step(change, here, None, 1)
        first = found[0]
        sha = next(
            (
                self._sha(parent)
                for parent in self._graph.parents[at]
                if parent >= 0 and self._source(first.path, parent) == first.source
            ),
            Sha(""),
        )
        before = None if spans is None else first.carried.before
        return Step(change, here, Position(sha, first.path, before), first.carried.near)

    def _groups(self, old: str | None, new: str | None) -> list[Group]:
        before = self._repository.read_blob(old) if old else b""
        after = self._repository.read_blob(new) if new else b""
        if before is None or after is None:
            raise Unknown("a version of the file is missing or too large to read")
        if b"\0" in before[:8000] or b"\0" in after[:8000]:
            raise Unknown("a version of the file is binary")
        return groups(before, after)


def ended(versions: Versions, within: Collection[int] | None = None) -> tuple[int, PathVersion] | None:
    """The newest change, of these commits or of any, that took a file away from a path, and its position."""
    ends = [
        (at, change)
        for at, change in versions.changes.items()
        if change.new_blob is None or change.kind is ChangeKind.DELETED
        if within is None or change.commit_id in within
    ]
    return max(ends, key=lambda end: end[0], default=None)
