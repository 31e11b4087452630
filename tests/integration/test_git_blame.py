"""Who last touched a line, as `git blame` says."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from fixtures.tree import Edit, MovedFrom
from ohara.errors import RepositoryError
from ohara.git.blame import BlamedLines, blame
from ohara.git.repo import Repository

if TYPE_CHECKING:
    from pathlib import Path


def test_each_line_leads_to_the_commit_that_left_it(tmp_path: Path) -> None:
    with History(tmp_path / "r") as history:
        history.commit("start", {"a.txt": "one\ntwo\nthree\nfour\n"}, key="start")
        history.commit("edit", {"a.txt": Edit("two\n", "zwei\nzwei und halb\n")}, key="edit")
        history.commit("top", {"a.txt": Edit("one\n", "zero\none\n")}, key="top")
    sha = history.repo.sha
    repository = Repository.open(history.repo.path)
    assert blame(repository, sha["top"], "a.txt", 1) == (BlamedLines(1, 1, sha["top"], "a.txt", 1),)
    assert blame(repository, sha["top"], "a.txt", 4) == (BlamedLines(4, 4, sha["edit"], "a.txt", 3),)
    assert blame(repository, sha["top"], "a.txt", 2, 5) == (
        BlamedLines(2, 2, sha["start"], "a.txt", 1),
        BlamedLines(3, 4, sha["edit"], "a.txt", 2),
        BlamedLines(5, 5, sha["start"], "a.txt", 3),
    )
    assert blame(repository, sha["start"], "a.txt", 2) == (BlamedLines(2, 2, sha["start"], "a.txt", 2),)


def test_a_moved_file_is_followed(tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(20))
    with History(tmp_path / "r") as history:
        history.commit("start", {"old.txt": text}, key="start")
        history.commit("move", {"new.txt": MovedFrom("old.txt")}, key="move")
    (origin,) = blame(Repository.open(history.repo.path), history.repo.sha["move"], "new.txt", 7)
    assert (origin.sha, origin.path, origin.line) == (history.repo.sha["start"], "old.txt", 7)


def test_what_cannot_be_traced_is_a_repository_error(tmp_path: Path) -> None:
    with History(tmp_path / "r") as history:
        history.commit("start", {"a.txt": "one\n"}, key="start")
    repository = Repository.open(history.repo.path)
    for path, line in (("nowhere.txt", 1), ("a.txt", 99)):
        with pytest.raises(RepositoryError) as caught:
            blame(repository, history.repo.sha["start"], path, line)
        assert "git blame" in caught.value.hint


def test_loose_objects_and_names_that_git_quotes(tmp_path: Path) -> None:
    """Those right after a commit: libgit2's blame would call our reader of them without Python's lock."""
    name = 'a "b"\tc ü.txt'
    with History(tmp_path / "r") as history:
        history.commit("start", {name: "one\ntwo\n"}, key="start")
    path = history.repo.path
    (pack,) = path.rglob("*.pack")
    elsewhere = tmp_path / "pack"
    pack.rename(elsewhere)
    pack.with_suffix(".idx").unlink()
    with elsewhere.open("rb") as packed:
        subprocess.run(["git", "-C", str(path), "unpack-objects", "-q"], stdin=packed, check=True)
    sha = history.repo.sha["start"]
    assert blame(Repository.open(path), sha, name, 2) == (BlamedLines(2, 2, sha, name, 2),)
