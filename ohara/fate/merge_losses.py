"""Which lines of its parents a merge itself took away, and which it has by another origin.

A merge took a line away where every parent whose history has the line's commit still had the line. Where one
of them had not, a commit on that side ended it, and is named instead.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

from ohara.fate.hunk_lines import count_solid
from ohara.fate.merging import kept_lines
from ohara.fate.origins import count_lines, is_binary, text_of
from ohara.fate.segments import ENDLESS, UNKNOWN, by_line, pack
from ohara.git.hunks import groups
from ohara.records import dataclass
from ohara.store.lines import How, LineEnd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ohara.fate.file_tree import FileTree, Version
    from ohara.fate.hunk_commits import HunkCommits
    from ohara.fate.merging import Origin
    from ohara.git.other_folder import OtherFolders
    from ohara.git.repo import Repository
    from ohara.model import Sha
    from ohara.store.lines import CommitLink, LineHistory, Segment

    _FormerNames = dict[str, list[Version]]
    _BySource = dict[int, list[tuple[int, int]]]  # the first line of each run, and how many

_MOST_LINES = 200_000  # of a version that is looked through line by line
_UNKNOWN = pack(UNKNOWN)


@dataclass(slots=True)
class MergedParents:
    """The files of a merge's parents as they were, and how the merge came by its own.

    `before` are the first parent's files that the merge has otherwise, `apart` tells which commits one parent
    has and another has not, `went_to` which file of the merge a file of another name (by parent) became part
    of.
    """

    link: CommitLink
    trees: Sequence[FileTree]
    before: Mapping[str, Version | None]
    apart: Callable[[Sha, Sha], frozenset[int]]
    went_to: dict[tuple[int, str], str] = field(default_factory=dict)
    put_together: list[str] = field(default_factory=list)
    joined: dict[Origin, Origin] = field(default_factory=dict)
    alone: dict[tuple[int, int], frozenset[int]] = field(default_factory=dict)
    former: dict[int, _FormerNames] = field(default_factory=dict)
    elsewhere: dict[int, _BySource] = field(default_factory=dict)

    def get(self, parent: int, path: str) -> Version | None:
        """A parent's version of a file."""
        if parent == 0 and path in self.before:
            return self.before[path]
        return self.trees[parent].get(path)

    def note(self, path: str, sides: Iterable[tuple[int, str]], joined: Mapping[Origin, Origin]) -> None:
        """Remember of which files the merge put one together, and which lines go by another origin there."""
        self.put_together.append(path)
        self.went_to.update({side: path for side in sides if side[1] != path})
        self.joined.update(joined)

    def only_in(self, one: int, other: int) -> frozenset[int]:
        """The commits that lead to one parent and not to another."""
        if (one, other) not in self.alone:
            self.alone[one, other] = self.apart(self.link.parents[one], self.link.parents[other])
        return self.alone[one, other]

    def versions_of(self, parent: int, path: str) -> Iterator[Version]:
        """What a parent has of the file that goes by this path in another parent or in the merge."""
        if found := self.get(parent, path):
            yield found
        else:
            if parent not in self.former:  # when the merge is put together: then nothing is added any more
                self.former[parent] = self._former_names(parent)
            yield from self.former[parent].get(path, ())

    def _former_names(self, parent: int) -> _FormerNames:
        """What a parent has of files by the names that they have in the merge, or had before."""
        found: _FormerNames = {}
        for (at, name), now in self.went_to.items():
            version = self.get(parent, name) if at == parent else None
            if version is not None:
                found.setdefault(now, []).append(version)
        for other in self.before:
            version = self.get(parent, other)
            if version is not None:
                for name in dict.fromkeys(version.formerly):
                    found.setdefault(name, []).append(version)
        return found

    def stands_elsewhere(self, parent: int, hunk: int, line: int) -> bool:
        """True when a line stands in a file that the merge has and a parent has not, as after a rename."""
        if parent not in self.elsewhere:
            self.elsewhere[parent] = self._by_source(parent)
        of_hunk = self.elsewhere[parent].get(hunk, ())
        return any(first <= line < first + count for first, count in of_hunk)

    def _by_source(self, parent: int) -> _BySource:
        """The lines of the files that the merge has, and a parent has not, by the hunks they come from."""
        found: _BySource = {}
        for path in self.before:
            version = self.trees[0].get(path) if self.get(parent, path) is None else None
            for count, hunk, first in _known(version.segments) if version is not None else ():
                found.setdefault(hunk, []).append((first, count))
        return found


class _File(NamedTuple):
    """A parent's version of a file, and what the merge has of it."""

    parent: int
    path: str
    version: Version
    taken: Version | None


class MergeLosses:
    """Finds what merges did to lines that they did not take over."""

    def __init__(
        self, repository: Repository, history: LineHistory, commits: HunkCommits, folders: OtherFolders
    ) -> None:
        self._repository = repository
        self._history = history
        self._commits = commits
        self._folders = folders

    def of(self, parents: MergedParents, result: FileTree, changed: Sequence[Sequence[str]]) -> list[LineEnd]:
        """The lines that ended; `changed` are the paths that each parent but the first may have alone."""
        joined: dict[Origin, Origin] = dict(parents.joined)
        lost: set[Origin] = set()
        for path, version in parents.before.items():
            if version is not None:
                file = _File(0, path, version, _taken(parents, result, 0, path))
                lost |= self._lost(parents, file, joined)
        for at, paths in enumerate(changed, 1):
            for path in paths:
                theirs = parents.get(at, path)
                if theirs is None:
                    continue
                taken = _taken(parents, result, at, path) or self._shifted(parents, result, path, theirs)
                if taken is None or taken.blob != theirs.blob:
                    lost |= self._lost(parents, _File(at, path, theirs, taken), joined)
                elif taken.packed != theirs.packed:
                    joined |= _twins(theirs.segments, taken.segments)
        commit = parents.link.commit
        return [
            *self._dropped(commit, lost.difference(joined)),
            *self._joined(commit, joined),
        ]

    def _shifted(
        self, parents: MergedParents, result: FileTree, path: str, theirs: Version
    ) -> Version | None:
        """The merge's file of the same content below a folder, as after `git subtree split --rejoin`."""
        names = self._folders.of_content(parents.link.sha, path, theirs.blob)
        return next((result.get(name) for name in names if name.endswith(f"/{path}")), None)

    def _lost(self, parents: MergedParents, file: _File, joined: dict[Origin, Origin]) -> set[Origin]:
        """The lines of a parent's file that the merge took away; adds those that it has by another origin."""
        taken = file.taken
        if taken and (taken.packed == file.version.packed or self._is_unread(taken)):
            return set()
        stands = taken.segments if taken else []
        same = set(stands)
        other = [segment for segment in file.version.segments if segment not in same and segment[1]]
        if not other:
            return set()
        commits = self._commits.of({hunk for _, hunk, _ in other})
        for parent in range(len(parents.trees)):
            other = _unless_ended(parents, file, parent, other, commits)
            if not other:
                return set()
        lost = set(_lines(other)).difference(_lines(stands))
        if lost and taken is not None:
            joined |= self._same_text(file.version, taken, lost)
        return {each for each in lost if not parents.stands_elsewhere(file.parent, *each)}

    def _is_unread(self, taken: Version) -> bool:
        """True where the merge may have lines that are not known: its file was too large to be read."""
        if taken.packed == _UNKNOWN:
            return not is_binary(self._repository, taken.blob)
        return sum(count for count in taken.packed[::3] if count < ENDLESS) > _MOST_LINES

    def _same_text(self, version: Version, taken: Version, lost: set[Origin]) -> dict[Origin, Origin]:
        """Lines that the merge has from another parent, as they were."""
        before, after = text_of(self._repository, version.blob), text_of(self._repository, taken.blob)
        if before is None or after is None:
            return {}
        old = by_line(version.segments, count_lines(before))
        new = by_line(taken.segments, count_lines(after))
        stays = kept_lines(groups(before, after), len(new))
        return {
            old[was]: new[line]
            for line, was in enumerate(stays)
            if 0 <= was < len(old) and old[was] in lost and new[line][0]
        }

    def _dropped(self, commit: int, lost: Iterable[Origin]) -> Iterator[LineEnd]:
        for (hunk, first), count in _together(lost):
            yield LineEnd(hunk, first, count, self._solid(hunk, first, count), commit, How.DROPPED)

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
        return count_solid(lines[first : first + count])


def _taken(parents: MergedParents, result: FileTree, at: int, path: str) -> Version | None:
    """What the merge has of a parent's file."""
    return result.get(path) or result.get(parents.went_to.get((at, path), path))


def _unless_ended(
    parents: MergedParents,
    file: _File,
    parent: int,
    segments: Sequence[Segment],
    commits: Mapping[int, int],
) -> list[Segment]:
    """Those of the lines that another parent never had, or still has."""
    if parent == file.parent:
        return list(segments)
    alone = parents.only_in(file.parent, parent)
    found = [each for each in segments if commits.get(each[1]) in alone]
    if len(found) == len(segments) or (file.parent and not parent):
        return found  # what the first parent had as well is told by its own files
    path = parents.went_to.get((file.parent, file.path), file.path)
    theirs = list(parents.versions_of(parent, path))
    if not theirs or any(version is file.taken for version in theirs):
        return found  # that side ended what the merge does not have
    has = {origin for version in theirs for origin in _lines(version.segments)}
    for count, hunk, first in segments:
        if commits.get(hunk) not in alone:
            found += [(1, hunk, line) for line in range(first, first + count) if (hunk, line) in has]
    return found


def _lines(segments: Iterable[Segment]) -> Iterator[Origin]:
    """The known origins of a version, line by line."""
    for count, hunk, first in _known(segments):
        yield from ((hunk, first + at) for at in range(count))


def _known(segments: Iterable[Segment]) -> Iterator[Segment]:
    """The segments of a version whose origins are known, as far as it is looked through."""
    total = 0
    for segment in segments:
        count, hunk, _ = segment
        total += count
        if count >= ENDLESS or total > _MOST_LINES:
            return
        if hunk:
            yield segment


def _twins(theirs: Sequence[Segment], taken: Sequence[Segment]) -> dict[Origin, Origin]:
    """The lines of one content that have two origins, the second of which stays."""
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
