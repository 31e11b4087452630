"""What a merge makes of its parents' files: whose version it took, what it put together, what it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ohara.fate.file_tree import Version
from ohara.fate.hunk_lines import own_lines
from ohara.fate.merge_losses import MergedParents, MergeLosses
from ohara.fate.origins import own_origins, put_together
from ohara.fate.segments import UNKNOWN, of_lines
from ohara.git import decode, tree
from ohara.git.other_folder import OtherFolders
from ohara.store.lines import MergedFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ohara.fate.file_tree import FileTree
    from ohara.fate.hunk_commits import HunkCommits
    from ohara.fate.merging import Origin
    from ohara.fate.sides import Sides
    from ohara.git.repo import Repository
    from ohara.model import Sha
    from ohara.store.lines import CommitLink, FileOfCommit, LineEnd, LineHistory


class MergeResult(NamedTuple):
    """The files after a merge, and what it did to lines."""

    tree: FileTree
    ends: tuple[LineEnd, ...]
    counts: tuple[tuple[int, int], ...]
    files: tuple[MergedFile, ...]


class _Side(NamedTuple):
    """A parent's version of a file, under the name that it has there."""

    parent: int
    path: str
    version: Version


class _Made(NamedTuple):
    """A file that a merge put together: of which versions, and which lines now go by another origin."""

    version: Version
    sides: Sequence[_Side]
    joined: Mapping[Origin, Origin]


class MergeStep:
    """Merges parents' files as a commit did."""

    def __init__(
        self,
        repository: Repository,
        history: LineHistory,
        links: Mapping[Sha, CommitLink],
        sides: Sides,
        commits: HunkCommits,
    ) -> None:
        self._repository = repository
        self._history = history
        self._links = links
        self._sides = sides
        self._folders = OtherFolders(repository)
        self._losses = MergeLosses(repository, history, commits, self._folders)
        self._files_of_run: dict[int, tuple[MergedFile, ...]] = {}

    def merge(self, link: CommitLink, trees: Sequence[FileTree]) -> MergeResult:
        """The files of a merge; those of its first parent are changed for it."""
        rows = {row.path: row for row in self._history.changed_files(link.commit) if row.new_blob}
        differing = dict(self._differing(link))
        before = {path: trees[0].get(path) for path in differing}
        parents = MergedParents(link, trees, before, self._sides.only_in)
        after: dict[str, Version] = {}
        for path, blob in differing.items():
            if blob is None:
                continue
            taken = next(
                (each for other in trees[1:] if (each := other.get(path)) and each.blob == blob), None
            )
            if taken is None:
                made = self._put_together(link, parents, path, blob, rows.get(path))
                taken = made.version
                parents.note(path, [(side.parent, side.path) for side in made.sides], made.joined)
            after[path] = taken
        for path in differing:
            if path in after:
                trees[0].put(path, after[path])
            else:
                trees[0].remove(path)
        files = tuple(MergedFile(path, after[path].blob) for path in parents.put_together)
        if files:
            self._files_of_run[link.commit] = files
        hunks = self._history.changed_hunks(link.commit) if rows else []
        counts = [(hunk.hunk, own_lines(hunk).solid) for hunk in hunks]
        ends = self._ends(link, trees[0], parents)
        return MergeResult(trees[0], tuple(ends), tuple(each for each in counts if each[1]), files)

    def _ends(self, link: CommitLink, result: FileTree, parents: MergedParents) -> list[LineEnd]:
        """What became of the parents' lines that the merge has from elsewhere, or not at all."""
        changed = []
        for at in range(1, len(link.parents)):
            theirs = parents.only_in(at, 0)
            paths = dict.fromkeys(self._history.paths_changed(theirs) if theirs else ())
            for commit in self._files_of_run.keys() & theirs:
                paths |= dict.fromkeys(file.path for file in self._files_of_run[commit])
            changed.append(list(paths))
        return self._losses.of(parents, result, changed)

    def _differing(self, link: CommitLink) -> Iterator[tuple[str, str | None]]:
        """The files that a merge has otherwise than its first parent; None for those it does not have."""
        first = self._repository.tree_of(bytes.fromhex(link.parents[0]))
        result = self._repository.tree_of(bytes.fromhex(link.sha))
        if first is None or result is None:
            return
        for delta in tree.compare(self._repository.objects, first, result, set()):
            yield decode.path(delta.path), delta.new.blob if delta.new else None

    def _put_together(
        self, link: CommitLink, parents: MergedParents, path: str, blob: str, row: FileOfCommit | None
    ) -> _Made:
        names = [path, *((row.old_path,) if row and row.old_path else ())]
        for at in range(len(link.parents)):
            if found := parents.get(at, path):
                names += found.formerly
        sides = list(self._versions(link, parents, names, blob))
        for side in sides:
            if side.version.blob == blob:  # in another folder: its lines are taken as they are
                version = side.version._replace(made_by=link.commit)
                return _Made(version, sides, {})
        own = own_origins(self._history.changed_hunks(link.commit, row.file)) if row else {}
        versions = [side.version for side in sides]
        merged = put_together(self._repository, blob, [(each.blob, each.segments) for each in versions], own)
        formerly = versions[0].formerly if versions else ()
        if merged is None:
            return _Made(Version.of(blob, UNKNOWN, link.commit, formerly), sides, {})
        return _Made(Version.of(blob, of_lines(merged.origins), link.commit, formerly), sides, merged.joined)

    def _versions(
        self, link: CommitLink, parents: MergedParents, names: Sequence[str], blob: str
    ) -> Iterator[_Side]:
        """The versions of a file that a merge may have put together, one a parent."""
        for at, parent in enumerate(link.parents):
            found = next(((name, each) for name in names if (each := parents.get(at, name))), None)
            if found is None and parent in self._links:
                elsewhere = self._folders.before(link.sha, parent, names[0], blob)
                found = next(((name, each) for name, _ in elsewhere if (each := parents.get(at, name))), None)
            if found is not None:
                yield _Side(at, *found)
