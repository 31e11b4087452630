"""What a merge makes of its parents' files: whose version it took, what it put together, what it dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ohara.fate.file_tree import Version
from ohara.fate.hunk_lines import own_lines
from ohara.fate.origins import own_origins, put_together
from ohara.fate.segments import ENDLESS, UNKNOWN, of_lines
from ohara.fate.sides import exclusive
from ohara.git import decode, tree
from ohara.store.lines import How, LineEnd, MergedFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ohara.fate.file_tree import FileTree
    from ohara.fate.hunk_commits import HunkCommits
    from ohara.fate.merging import Origin
    from ohara.fate.sides import Exclusive
    from ohara.git.repo import Repository
    from ohara.model import Sha
    from ohara.store.lines import CommitLink, FileOfCommit, LineHistory, Segment

_MOST_LINES = 200_000  # of a version that is looked through line by line


class MergeResult(NamedTuple):
    """The files after a merge, and what it did to lines."""

    tree: FileTree
    ends: tuple[LineEnd, ...]
    counts: tuple[tuple[int, int], ...]
    files: tuple[MergedFile, ...]


class MergeStep:
    """Merges parents' files as a commit did."""

    def __init__(
        self,
        repository: Repository,
        history: LineHistory,
        links: Mapping[Sha, CommitLink],
        positions: Mapping[Sha, int],
        commits: HunkCommits,
    ) -> None:
        self._repository = repository
        self._history = history
        self._links = links
        self._positions = positions
        self._commits = commits

    def merge(self, link: CommitLink, trees: Sequence[FileTree]) -> MergeResult:
        """The files of a merge; those of its first parent are changed for it."""
        rows = {row.path: row for row in self._history.changed_files(link.commit) if row.new_blob}
        differing = dict(self._differing(link))
        before = {path: trees[0].get(path) for path in differing}
        ends: list[LineEnd] = []
        files: list[MergedFile] = []
        for path, blob in differing.items():
            if blob is None:
                trees[0].remove(path)
                continue
            taken = next(
                (each for other in trees[1:] if (each := other.get(path)) and each.blob == blob), None
            )
            if taken is None:
                taken, joined = self._put_together(link, trees, path, blob, rows.get(path))
                ends += self._joined(link.commit, joined)
                files.append(MergedFile(path, blob))
            trees[0].put(path, taken)
        for other, parent in zip(trees[1:], link.parents[1:], strict=True):
            sides = exclusive(self._links, self._positions, link.parents[0], parent)
            ends += self._left_behind(link.commit, trees[0], other, sides)
            ends += self._dropped_ours(link.commit, trees[0], before, sides)
        hunks = self._history.changed_hunks(link.commit) if rows else []
        counts = [(hunk.hunk, own_lines(hunk).solid) for hunk in hunks]
        unique = {(end.hunk, end.first, end.how): end for end in ends}
        return MergeResult(
            trees[0], tuple(unique.values()), tuple(each for each in counts if each[1]), tuple(files)
        )

    def _differing(self, link: CommitLink) -> Iterator[tuple[str, str | None]]:
        """The files that a merge has otherwise than its first parent; None for those it does not have."""
        first = self._repository.tree_of(bytes.fromhex(link.parents[0]))
        result = self._repository.tree_of(bytes.fromhex(link.sha))
        if first is None or result is None:
            return
        for delta in tree.compare(self._repository.objects, first, result, set()):
            is_file = delta.new is not None and delta.new.type != tree.SUBMODULE
            yield decode.path(delta.path), delta.new.oid.hex() if delta.new and is_file else None

    def _put_together(
        self, link: CommitLink, trees: Sequence[FileTree], path: str, blob: str, row: FileOfCommit | None
    ) -> tuple[Version, dict[Origin, Origin]]:
        names = [path, *((row.old_path,) if row and row.old_path else ())]
        names += [name for each in trees if (found := each.get(path)) for name in found.formerly]
        sides = [
            version
            for each in trees
            if (version := next((found for name in names if (found := each.get(name))), None))
        ]
        own = own_origins(self._history.changed_hunks(link.commit, row.file)) if row else {}
        merged = put_together(self._repository, blob, [(side.blob, side.segments) for side in sides], own)
        formerly = sides[0].formerly if sides else ()
        if merged is None:
            return Version(blob, UNKNOWN, link.commit, formerly), {}
        return Version(blob, of_lines(merged.origins), link.commit, formerly), merged.joined

    def _left_behind(
        self, commit: int, result: FileTree, other: FileTree, sides: Exclusive
    ) -> Iterator[LineEnd]:
        """What became of the lines of another parent's files that the merge has from elsewhere, or not."""
        for path in self._history.paths_changed(sides.theirs) if sides.theirs else ():
            theirs = other.get(path)
            if theirs is None:
                continue
            taken = result.get(path)
            if taken is None or taken.blob != theirs.blob:
                yield from self._dropped(commit, theirs, taken, sides.theirs)
            elif taken.segments is not theirs.segments:
                yield from self._joined(commit, _twins(theirs.segments, taken.segments))

    def _dropped_ours(
        self, commit: int, result: FileTree, before: Mapping[str, Version | None], sides: Exclusive
    ) -> Iterator[LineEnd]:
        for path, version in before.items():
            if version is not None:
                yield from self._dropped(commit, version, result.get(path), sides.ours)

    def _dropped(
        self, commit: int, version: Version, taken: Version | None, side: frozenset[int]
    ) -> Iterator[LineEnd]:
        """Lines that only this side had, and the merge does not have."""
        same = set(taken.segments) if taken else set()
        other = [segment for segment in version.segments if segment not in same and segment[1]]
        commits = self._commits.of({hunk for _, hunk, _ in other})
        own = [segment for segment in other if commits.get(segment[1]) in side]
        if not own:
            return
        kept = set(_lines(taken.segments)) if taken else set()
        lost = [origin for origin in _lines(own) if origin not in kept]
        for (hunk, first), count in _together(lost):
            solid = self._solid(hunk, first, count)
            yield LineEnd(hunk, first, count, solid, commit, How.DROPPED)

    def _joined(self, commit: int, joined: Mapping[Origin, Origin]) -> Iterator[LineEnd]:
        runs: list[tuple[Origin, Origin, int]] = []
        for (hunk, line), (to_hunk, to_line) in sorted(joined.items()):
            if runs:
                (before, first), (was, to_first), count = runs[-1]
                if (before, first + count) == (hunk, line) and (was, to_first + count) == (to_hunk, to_line):
                    runs[-1] = (runs[-1][0], runs[-1][1], count + 1)
                    continue
            runs.append(((hunk, line), (to_hunk, to_line), 1))
        for (hunk, first), (to_hunk, to_first), count in runs:
            solid = self._solid(hunk, first, count)
            yield LineEnd(hunk, first, count, solid, commit, How.JOINED, to_hunk, to_first)

    def _solid(self, hunk: int, first: int, count: int) -> int:
        body = self._history.added_lines((hunk,)).get(hunk, "")
        lines = [line[1:] for line in body.split("\n") if line[:1] == "+"]
        return sum(1 for line in lines[first : first + count] if line.strip())


def _lines(segments: Iterable[Segment]) -> Iterator[Origin]:
    """The known origins of a version, line by line."""
    total = 0
    for count, hunk, first in segments:
        total += count
        if count >= ENDLESS or total > _MOST_LINES:
            return
        if hunk:
            yield from ((hunk, first + at) for at in range(count))


def _twins(theirs: Sequence[Segment], taken: Sequence[Segment]) -> dict[Origin, Origin]:
    """The lines of one content that have two origins, the second of which stays."""
    if list(theirs) == list(taken):
        return {}
    first, second = _each(theirs), _each(taken)
    return {old: new for old, new in zip(first, second, strict=False) if old != new and old[0] and new[0]}


def _each(segments: Iterable[Segment]) -> Iterator[Origin]:
    total = 0
    for count, hunk, first in segments:
        if count >= ENDLESS or (total := total + count) > _MOST_LINES:
            return
        yield from ((hunk, first + at) for at in range(count))


def _together(origins: Iterable[Origin]) -> list[tuple[Origin, int]]:
    found: list[tuple[Origin, int]] = []
    for hunk, line in sorted(origins):
        if found and found[-1][0][0] == hunk and found[-1][0][1] + found[-1][1] == line:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append(((hunk, line), 1))
    return found
