"""What no history may do to an index run: never end, take all memory, or hold up the commits beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fixtures.bombs import chain, commit_tree, empty_folders, git_bomb, nested
from fixtures.git import init
from fixtures.large import many_files
from ohara.git import tree
from ohara.git.repo import Repository
from ohara.store.schema import open_reader
from tests.indexing import index, moments
from tests.process import ohara

if TYPE_CHECKING:
    from pathlib import Path

    from ohara.engine import Engine
    from ohara.model import Sha


def subjects(engine: Engine, query: str) -> set[str]:
    return {hit.commit.subject for hit in engine.find_pattern(query, k=20, no_rerank=True).hits}


def reasons(engine: Engine) -> dict[Sha, str]:
    return {failure.sha: failure.reason for failure in engine.status().failures}


def test_a_bomb_is_left_out_and_everything_beside_it_is_found(tmp_path: Path) -> None:
    repo = git_bomb(tmp_path / "bomb.git")
    engine = index(repo)
    status = engine.status()
    assert (status.indexed, status.behind) == (6, 0)
    assert subjects(engine, "bombshell") == {"Plant a bombshell"}
    assert subjects(engine, "relabel charge") >= {"Relabel the charge"}
    assert subjects(engine, '"return 1"') == {"Walk past it", "Return home"}
    assert subjects(engine, '"elsewhere"') == {"Take a detour", "Return home"}
    assert subjects(engine, '"boom"') == set()
    said = "bomb/ left out: more than 2,000,000 files, or nested too deep"
    assert reasons(engine) == {repo.sha["bomb"]: said, repo.sha["leaf"]: said}
    assert said in ohara("status", "--repo", str(repo.path)).stdout
    assert moments(repo) == []  # what is left out for good is not read again


def test_the_symbols_of_head_are_read_beside_a_bomb(tmp_path: Path) -> None:
    repo = git_bomb(tmp_path / "bomb.git")
    engine = index(repo)
    connection = open_reader(engine.location.database)
    try:
        paths = list(connection.execute("SELECT path FROM head_file JOIN path ON path.id = path_id"))
    finally:
        connection.close()
    assert paths == [("near.py",)]


def test_folders_without_files_and_folders_nested_without_end_are_left_out(tmp_path: Path) -> None:
    repo = init(tmp_path / "odd.git", bare=True)
    void = commit_tree(repo, empty_folders(repo, 10), "Make room for nothing")
    deep = commit_tree(repo, chain(repo, 300), "Dig a well", void)
    engine = index(repo)
    assert engine.status().indexed == 2
    assert subjects(engine, "room nothing") == {"Make room for nothing"}
    assert subjects(engine, "dig well") == {"Dig a well"}
    # The second commit removes the folders of the first, too.
    assert reasons(engine)[void].startswith("0/ and 9 more folders left out")
    assert reasons(engine)[deep].startswith("0/ and 10 more folders left out")
    assert moments(repo) == []


def test_a_large_commit_is_no_bomb(tmp_path: Path) -> None:
    repo = many_files(tmp_path / "many.git", 21_000)  # more than are listed uncounted
    opened = Repository.open(repo.path)
    root = opened.links(repo.sha["all"]).tree
    beyond: set[bytes] = set()
    assert sum(1 for _ in tree.files(opened.objects, root, set())) == 21_000
    found = [delta.path for delta in tree.compare(opened.objects, None, root, set(), beyond, most=20_500)]
    assert len(found) == 20_000  # the last folder does not fit any more
    assert beyond == {b"part020/"}


def test_what_two_trees_share_is_not_counted(tmp_path: Path) -> None:
    repo = init(tmp_path / "same.git", bare=True)
    folder = nested(repo, "same", 10)
    opened = Repository.open(repo.path)
    first = bytes.fromhex(folder)
    second = bytes.fromhex(nested(repo, "other", 10))
    beyond: set[bytes] = set()
    assert list(tree.compare(opened.objects, first, first, set(), beyond)) == []
    assert beyond == set()
    assert list(tree.compare(opened.objects, first, second, set(), beyond)) == []
    assert len(beyond) == 10
    assert list(tree.unlike_all(opened.objects, (first, second), second, set(), beyond)) == []
