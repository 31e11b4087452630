"""Holds ohara's reading of odd histories against git's: which commits it reads otherwise, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fixtures.git import git_bytes, init
from fixtures.odd_history import odd_history
from ohara.git.diff import changes
from ohara.git.repo import Repository
from ohara.git.walk import read_commit, walk
from ohara.model import ChangeKind, LeftOut
from tests.git_says import files_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ohara.model import FileChange, Sha
    from tests.git_says import Said

_KINDS = {
    "A": ChangeKind.ADDED,
    "D": ChangeKind.DELETED,
    "M": ChangeKind.MODIFIED,
    "R": ChangeKind.RENAMED,
    "T": ChangeKind.MODIFIED,
}


def disagreements(folder: Path, *, seed: int, commits: int) -> list[str]:
    """Make a history in a new folder and say in which commits ohara and git read different things."""
    repo = init(folder, bare=True)
    shas = odd_history(repo, seed=seed, commits=commits)
    repository = Repository.open(folder)
    found = [f"seed {seed}, {sha}: {wrong}" for sha in shas for wrong in _wrong(folder, repository, sha)]
    reached = {sha for sha, _ in walk(repository, [shas[-1]])}
    if reached != set(shas):
        found.append(f"seed {seed}: {len(shas) - len(reached)} of {len(shas)} commits are not reached")
    return found


def _wrong(folder: Path, repository: Repository, sha: Sha) -> list[str]:
    parents = git_bytes(folder, "log", "-1", "--format=%P", sha).decode().split()
    if list(read_commit(repository, sha).parents) != parents:
        return ["other parents"]
    told = changes(repository, sha)
    said = files_of(folder, sha)
    if told.missing:
        return [f"cannot be read: {told.missing}"]
    ours, gits = [change.path for change in told.files], [each.path for each in said]
    # Before 2.44 git did not count a last line without an end, and so finds fewer files to have moved.
    if ours != gits and _named(told.files) == _named(said):
        return []
    if ours != gits:
        return [f"files {ours} and not {gits}"]
    return [
        f"{each.path!r} reads {_summary(change)} and not {_said(each)}"
        for change, each in zip(told.files, said, strict=True)
        if not _reads_alike(change, each)
    ]


def _named(files: Iterable[FileChange | Said]) -> set[str]:
    return {path for file in files for path in (file.path, file.old_path) if path is not None}


def _summary(change: FileChange) -> tuple[object, ...]:
    return change.kind, change.old_path, change.left_out is LeftOut.BINARY, change.hunks


def _reads_alike(change: FileChange, each: Said) -> bool:
    ours, gits = _summary(change), _said(each)
    # Of two types of file git may call one binary and show the other's lines.
    return ours == gits or (each.status == "T" and bool(each.hunks) and ours == (*gits[:2], False, gits[3]))


def _said(each: Said) -> tuple[object, ...]:
    return _KINDS[each.status], each.old_path, each.is_binary, each.hunks
