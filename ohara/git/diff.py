"""Turns a commit into its file changes: what `git show` would print, decoded.

A commit is compared with its parent, a root with nothing; a merge gives only what it changed itself. A
shallow clone's cut-off commits look like roots and so add every file, as git shows them too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohara.git import decode, merge, renames, tree
from ohara.git.file_diff import DEFAULT_OPTIONS, DiffOptions, Reading
from ohara.line_counts import line_counts
from ohara.model import ChangeKind, FileChange, Hunk, LeftOut, Sha
from ohara.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ohara.git.patches import Patches
    from ohara.git.repo import Repository

__all__ = ["CommitChanges", "DiffOptions", "Differing", "changes", "differing", "file_change", "iter_changes"]


@dataclass(frozen=True, slots=True)
class CommitChanges:
    """A commit's file changes, and the ids of objects that could not be read for them."""

    files: tuple[FileChange, ...]
    missing: tuple[str, ...]


def changes(repo: Repository, sha: Sha, options: DiffOptions = DEFAULT_OPTIONS) -> CommitChanges:
    """Returns everything a commit changed."""
    missing: set[str] = set()
    files = tuple(iter_changes(repo, sha, options, missing=missing))
    return CommitChanges(files, tuple(sorted(missing)))


def iter_changes(
    repo: Repository,
    sha: Sha,
    options: DiffOptions = DEFAULT_OPTIONS,
    *,
    missing: set[str],
    beyond: set[bytes] | None = None,
    patches: Patches | None = None,
) -> Iterator[FileChange]:
    """Yields what a commit changed file by file, so that a huge commit is never held at once.

    Ids of objects that cannot be read are added to `missing`, and folders that hold more files than are read
    of one commit to `beyond`. A commit whose parent is missing yields nothing: taking it for a root would
    claim that it wrote every file. Whatever git was asked to compare is taken from there.
    """
    compared = patches.take(sha) if patches else None
    if compared is not None:
        for delta, found in compared:
            yield _described(delta, found)
        return
    links = repo.links(sha)
    parents = [repo.tree_of(parent) for parent in links.parents]
    absent = [oid for oid, found in zip(links.parents, parents, strict=True) if found is None]
    if absent:
        missing.update(oid.hex() for oid in absent)
        return
    trees = [found for found in parents if found is not None]
    reading = Reading(repo.objects, options, missing, set() if beyond is None else beyond)
    if len(trees) > 1:
        for resolution in merge.resolutions(reading, trees, links.tree):
            yield _described(resolution.delta, resolution.hunks)
    else:
        for delta in _paired(reading, trees[0] if trees else None, links.tree):
            yield _described(delta, reading.hunks(delta.old, delta.new))


@dataclass(frozen=True, slots=True)
class Differing:
    """The files that differ between two commits, and how they are read."""

    deltas: tuple[tree.Delta, ...]
    reading: Reading


def differing(repo: Repository, old: Sha, new: Sha) -> Differing:
    """Finds the files that differ between any two commits; none is read but to pair renames."""
    reading = Reading(repo.objects)
    before, after = repo.links(old).tree, repo.links(new).tree
    return Differing(tuple(_paired(reading, before, after)), reading)


def file_change(found: Differing, number: int) -> FileChange:
    """Reads one of the files that differ."""
    delta = found.deltas[number]
    return _described(delta, found.reading.hunks(delta.old, delta.new))


def _paired(reading: Reading, old: bytes | None, new: bytes) -> Iterable[tree.Delta]:
    """The files that differ between two trees, renames paired."""
    deltas = tree.compare(reading.objects, old, new, reading.missing, reading.beyond)
    return renames.pair(reading, deltas)


def _described(delta: tree.Delta, found: tuple[Hunk, ...] | LeftOut) -> FileChange:
    """Makes a FileChange of a delta and its hunks."""
    path, old, new, old_path = delta
    if old_path is not None:
        kind = ChangeKind.RENAMED
    elif old is None:
        kind = ChangeKind.ADDED
    elif new is None:
        kind = ChangeKind.DELETED
    else:
        kind = ChangeKind.MODIFIED
    hunks = () if isinstance(found, LeftOut) else found
    counts = [line_counts(hunk.body) for hunk in hunks]
    return FileChange(
        kind,
        decode.path(path),
        decode.path(old_path) if old_path is not None else None,
        _blob(old),
        _blob(new),
        sum([each.added for each in counts]),
        sum([each.removed for each in counts]),
        hunks,
        found if isinstance(found, LeftOut) else None,
    )


def _blob(entry: tree.Entry | None) -> str | None:
    return entry.blob if entry else None
