"""Histories with holes (shallow, partial, lost, damaged): recorded, never fatal, never fetched."""

from __future__ import annotations

import hashlib
import zlib
from typing import TYPE_CHECKING

import pytest

from fixtures import histories
from fixtures.script import History
from fixtures.tree import MovedFrom
from ohara.errors import RepositoryError
from ohara.git.diff import changes, iter_changes
from ohara.git.repo import Repository
from ohara.git.walk import read_commit, walk
from ohara.model import ChangeKind, LeftOut, Sha

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo


def loose(repo: Repo, oid: str) -> Path:
    """The file a loose object is in."""
    return repo.git_dir / "objects" / oid[:2] / oid[2:]


def unpacked(repo: Repo) -> Repo:
    """The same repository with every object in a file of its own."""
    histories.hide_blobs(repo, ())
    return repo


def test_a_shallow_clone_ends_at_commits_that_look_like_roots(shared_project: Repo, tmp_path: Path) -> None:
    clone = histories.shallow_clone(shared_project, tmp_path / "shallow", depth=3)
    repository = Repository.open(clone.path)
    assert repository.is_shallow
    missing: set[str] = set()
    walked = [sha for sha, _ in walk(repository, [clone.tip], missing=missing)]
    assert walked == clone.git("log", "--format=%H").split()
    assert not missing
    roots = {sha for sha in walked if not read_commit(repository, sha).parents}
    assert roots == set((clone.git_dir / "shallow").read_text().split())
    for root in roots:
        found = changes(repository, root)
        assert found.missing == ()
        assert {change.kind for change in found.files} == {ChangeKind.ADDED}
        listed = clone.git("ls-tree", "-r", "-z", "--name-only", root).rstrip("\0").split("\0")
        assert len(found.files) == len(listed)


def test_a_partial_clone_lacks_blobs_and_says_which(shared_project: Repo, tmp_path: Path) -> None:
    clone = histories.partial_clone(shared_project, tmp_path / "partial")
    repository = Repository.open(clone.path)
    assert not repository.is_shallow
    walked = [sha for sha, _ in walk(repository, [shared_project.sha["tip"]])]
    assert len(walked) > 60
    whole = Repository.open(shared_project.path)
    for sha in walked:
        found = changes(repository, sha)
        expected = changes(whole, sha)
        if len(read_commit(repository, sha).parents) > 1:
            continue
        assert {change.path for change in expected.files} <= {
            path for change in found.files for path in (change.path, change.old_path)
        }
        unread = {
            change.left_out
            for change in found.files
            if change.hunks == () and change.old_blob != change.new_blob
        }
        assert unread <= {LeftOut.MISSING}
        lost = {
            blob for change in found.files if change.left_out for blob in (change.old_blob, change.new_blob)
        }
        assert set(found.missing) <= lost
    assert list(clone.path.glob(".git/objects/??")) == []  # nothing was fetched


def test_a_missing_blob_leaves_the_other_files_alone_and_may_arrive_later(tmp_path: Path) -> None:
    with History(tmp_path / "r") as history:
        history.commit("start", {"a.txt": "one\n", "b.txt": "one\n" * 3, "c.txt": "see\n"})
        history.commit("edit", {"a.txt": "two\n", "b.txt": "two\n" * 3}, key="edit")
        history.commit("move", {"d.txt": MovedFrom("a.txt")}, key="move")
    repo = history.repo
    blob = repo.git("rev-parse", "HEAD~1:a.txt").strip()
    hidden = histories.hide_blobs(repo, [blob])
    repository = Repository.open(repo.path)
    found = changes(repository, repo.sha["edit"])
    assert found.missing == (blob,)
    first, second = found.files
    assert (first.path, first.left_out, first.hunks) == ("a.txt", LeftOut.MISSING, ())
    assert (second.path, second.left_out, second.additions) == ("b.txt", None, 3)
    # An identical file needs no reading to be recognised as moved.
    (moved,) = changes(repository, repo.sha["move"]).files
    assert (moved.kind, moved.old_path, moved.left_out) == (ChangeKind.RENAMED, "a.txt", None)
    assert not repository.has_object(blob)
    hidden.restore()
    assert repository.has_object(blob)
    assert changes(repository, repo.sha["edit"]).missing == ()


def test_a_missing_tree_is_recorded_and_its_files_passed_over(tmp_path: Path) -> None:
    with History(tmp_path / "r") as history:
        history.commit("start", {"top.txt": "one\n", "deep/a.txt": "one\n"})
        history.commit("edit", {"top.txt": "two\n", "deep/a.txt": "two\n"}, key="edit")
    repo = unpacked(history.repo)
    tree = repo.git("rev-parse", "HEAD:deep").strip()
    loose(repo, tree).unlink()
    found = changes(Repository.open(repo.path), repo.sha["edit"])
    assert found.missing == (tree,)
    assert [change.path for change in found.files] == ["top.txt"]


def test_a_lost_parent_ends_history_and_claims_no_files(three_commits: Repo) -> None:
    repo = unpacked(three_commits)
    loose(repo, repo.sha["one"]).unlink()
    repository = Repository.open(repo.path)
    missing: set[str] = set()
    assert [sha for sha, _ in walk(repository, [repo.sha["three"]], missing=missing)] == [
        repo.sha["three"],
        repo.sha["two"],
    ]
    assert missing == {repo.sha["one"]}
    found = changes(repository, repo.sha["two"])
    assert (found.files, found.missing) == ((), (repo.sha["one"],))


def test_damaged_objects_are_missing_ones(three_commits: Repo) -> None:
    repo = unpacked(three_commits)
    blob = repo.git("rev-parse", "HEAD:hello.py").strip()
    for oid in (blob, repo.sha["one"]):
        loose(repo, oid).chmod(0o644)
        loose(repo, oid).write_bytes(b"this is not zlib")
    repository = Repository.open(repo.path)
    assert repository.read_blob(blob) is None
    with pytest.raises(RepositoryError, match="missing or damaged"):
        changes(repository, repo.sha["one"])
    assert [sha for sha, _ in walk(repository, [repo.sha["three"]])] == [repo.sha["three"], repo.sha["two"]]


def write_loose(repo: Repo, kind: str, data: bytes) -> str:
    """Writes an object without asking git, which would take a process for each."""
    framed = f"{kind} {len(data)}\0".encode() + data
    oid = hashlib.sha1(framed, usedforsecurity=False).hexdigest()
    loose(repo, oid).parent.mkdir(parents=True, exist_ok=True)
    loose(repo, oid).write_bytes(zlib.compress(framed))
    return oid


def test_a_tree_nested_beyond_reason_does_not_exhaust_the_stack(tmp_path: Path) -> None:
    repo = histories.empty(tmp_path / "r")
    entry = b"100644 file\0" + bytes.fromhex(write_loose(repo, "blob", b"deep\n"))
    for _ in range(3000):
        entry = b"40000 d\0" + bytes.fromhex(write_loose(repo, "tree", entry))
    tree = write_loose(repo, "tree", entry)
    sha = Sha(repo.git("commit-tree", "-m", "deep", tree).strip())
    beyond: set[bytes] = set()
    assert list(iter_changes(Repository.open(repo.path), sha, missing=set(), beyond=beyond)) == []
    assert len(beyond) == 1


def test_an_object_that_is_written_while_the_repository_is_open_is_read(three_commits: Repo) -> None:
    repository = Repository.open(three_commits.path)
    data = b"written later\n"
    oid = hashlib.sha1(b"blob %d\0%s" % (len(data), data)).hexdigest()  # noqa: S324 - git's name for it
    folder = loose(three_commits, oid).parent
    folder.mkdir(exist_ok=True)
    assert not repository.has_object(oid)  # its folder has been looked at now
    loose(three_commits, oid).write_bytes(zlib.compress(b"blob %d\0%s" % (len(data), data)))
    assert repository.has_object(oid)
    assert repository.read_blob(oid) == data
