"""What git reads, ohara reads: objects that git's own tools would not write, held against git itself."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from fixtures.git import git_bytes, init
from fixtures.odd_history import odd_history
from ohara.git.diff import changes
from ohara.git.refs import survey
from ohara.git.repo import Repository
from ohara.git.walk import read_commit
from ohara.model import ChangeKind, Sha
from tests.indexing import index
from tests.odd_histories import disagreements

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo

# More of them: OHARA_ODD_HISTORIES=500 pytest tests/integration/test_git_odd.py
_HISTORIES = int(os.environ.get("OHARA_ODD_HISTORIES", "3"))


@pytest.mark.timeout(0)
@pytest.mark.parametrize("seed", range(_HISTORIES))
def test_odd_histories_read_as_git_reads_them(tmp_path: Path, seed: int) -> None:
    assert disagreements(tmp_path / "odd", seed=seed, commits=25) == []


def test_an_odd_history_is_indexed_whole(tmp_path: Path) -> None:
    repo = init(tmp_path / "odd", bare=True)
    shas = odd_history(repo, seed=1, commits=40)
    status = index(repo).status()
    assert (status.indexed, status.failures) == (len(shas), ())


# -- by hand -------------------------------------------------------------------------------------


def write(repo: Repo, kind: str, data: bytes) -> str:
    """An object of any bytes."""
    return (
        git_bytes(repo.path, "hash-object", "-t", kind, "--literally", "-w", "--stdin", stdin=data)
        .decode()
        .strip()
    )


def entry(mode: bytes, name: bytes, oid: str) -> bytes:
    return b"%s %s\0%s" % (mode, name, bytes.fromhex(oid))


def commit(repo: Repo, tree: str, *parents: str, head: bytes = b"", message: bytes = b"Said\n") -> Sha:
    people = b"author A <a@b> 1600000000 +0000\ncommitter A <a@b> 1600000000 +0000\n"
    links = f"tree {tree}\n".encode() + b"".join(f"parent {each}\n".encode() for each in parents)
    return Sha(write(repo, "commit", links + people + head + b"\n" + message))


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return init(tmp_path / "odd", bare=True)


def paths(repo: Repo, sha: Sha) -> list[tuple[ChangeKind, str]]:
    found = changes(Repository.open(repo.path), sha)
    assert found.missing == ()
    return [(change.kind, change.path) for change in found.files]


def test_a_folder_whose_mode_has_a_zero_in_front_is_a_folder(repo: Repo) -> None:
    blob = write(repo, "blob", b"needle\n")
    inner = write(repo, "tree", entry(b"0100644", b"file.txt", blob))
    sha = commit(repo, write(repo, "tree", entry(b"040000", b"sub", inner)))
    git_bytes(repo.path, "update-ref", "refs/heads/main", sha)
    assert paths(repo, sha) == [(ChangeKind.ADDED, "sub/file.txt")]
    engine = index(repo)
    assert engine.status().failures == ()
    assert Repository.open(repo.path).file_at(sha, "sub/file.txt") == b"needle\n"


def test_a_mode_spelled_otherwise_is_no_change(repo: Repo) -> None:
    blob = write(repo, "blob", b"x\n")
    plain, padded, historic = (
        write(repo, "tree", entry(folder, b"d", write(repo, "tree", entry(file, b"f", blob))))
        for folder, file in ((b"40000", b"100644"), (b"040000", b"0100644"), (b"40755", b"100664"))
    )
    first = commit(repo, plain)
    second = commit(repo, padded, first)
    third = commit(repo, historic, second)
    assert paths(repo, second) == []
    assert paths(repo, third) == []


@pytest.mark.parametrize("mode", [b"160000", b"644", b"0", b"20666"])
def test_what_is_no_file_link_or_folder_is_a_submodule(repo: Repo, mode: bytes) -> None:
    sha = commit(repo, write(repo, "tree", entry(mode, b"module", "11" * 20)))
    (change,) = changes(Repository.open(repo.path), sha).files
    assert [hunk.body for hunk in change.hunks] == [f"+Subproject commit {'11' * 20}"]


def test_entries_out_of_order_and_twice_are_all_read(repo: Repo) -> None:
    one, two = write(repo, "blob", b"one\n"), write(repo, "blob", b"two\n")
    tree = write(
        repo,
        "tree",
        b"".join(entry(b"100644", name, oid) for name, oid in ((b"b", one), (b"a", two), (b"a", one))),
    )
    first = commit(repo, tree)
    assert paths(repo, first) == [(ChangeKind.ADDED, "a"), (ChangeKind.ADDED, "a"), (ChangeKind.ADDED, "b")]
    gone = commit(repo, write(repo, "tree", b""), first)
    assert paths(repo, gone) == [
        (ChangeKind.DELETED, "a"),
        (ChangeKind.DELETED, "a"),
        (ChangeKind.DELETED, "b"),
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"100644 \0" + bytes(20),
        b"10064x f\0" + bytes(20),
        b"100644 f\0short",
        b" f\0" + bytes(20),
        b"garbage",
    ],
)
def test_a_tree_that_git_refuses_is_said_to_be_unreadable(repo: Repo, data: bytes) -> None:
    tree = write(repo, "tree", data)
    sha = commit(repo, tree)
    found = changes(Repository.open(repo.path), sha)
    assert (found.files, found.missing) == ((), (tree,))


def test_headers_of_any_kind_do_not_hide_a_commit(repo: Repo) -> None:
    tree = write(repo, "tree", entry(b"100644", b"f", write(repo, "blob", b"x\n")))
    repository = Repository.open(repo.path)
    odd = [
        f"tree {tree.upper()}\n\nonly a tree".encode(),
        f"tree {tree}\ncommitter A <a@b> 1 +0000\nauthor B <c@d> 2 +0000\n\nturned round".encode(),
        f"tree {tree}\nauthor \ncommitter \n\nnobody".encode(),
        f"tree {tree}\nauthor A <a@b> 1 +0000\n".encode(),
        f"tree {tree}\nauthor A <a@b> 99999999999999999999999 -9999\n\nlate\0and more".encode(),
    ]
    for data in odd:
        sha = Sha(write(repo, "commit", data))
        read_commit(repository, sha)
        assert paths(repo, sha) == [(ChangeKind.ADDED, "f")]


def test_refs_lead_through_tags_and_past_trees_and_blobs(repo: Repo) -> None:
    blob = write(repo, "blob", b"x\n")
    tree = write(repo, "tree", entry(b"100644", b"f", blob))
    sha = commit(repo, tree)

    def tag(oid: str, kind: str) -> str:
        return write(
            repo, "tag", f"object {oid}\ntype {kind}\ntag t\ntagger A <a@b> 1 +0000\n\nsaid\n".encode()
        )

    twice = tag(tag(sha, "commit"), "tag")
    for name, oid in (
        ("refs/tags/twice", twice),
        ("refs/tags/of-a-tree", tag(tree, "tree")),
        ("refs/tags/tree", tree),
        ("refs/tags/blob", blob),
    ):
        (repo.git_dir / name).parent.mkdir(parents=True, exist_ok=True)
        (repo.git_dir / name).write_text(f"{oid}\n", encoding="ascii")
    repository = Repository.open(repo.path)
    assert repository.all_refs() == ("refs/tags/twice",)
    unusable = {name for name, _ in survey(repository.handle).unusable}
    assert unusable == {"refs/tags/of-a-tree", "refs/tags/tree", "refs/tags/blob"}
    assert repository.resolve(["refs/tags/twice"]) == {"refs/tags/twice": sha}
