"""`ohara show` with paths: git's rules for what is one, and a word where the commit does not touch it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from fixtures.git import Repo
from fixtures.script import History
from fixtures.tree import MovedFrom
from tests.indexing import index
from tests.process import ohara

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    with History(tmp_path / "repo") as history:
        history.commit("Begin", {"a.py": "one = 1\n", "old/b.py": "two = 2\n"}, key="begin")
        history.commit("Drop b", {"old/b.py": None, "c.py": "three = 3\n"}, key="drop")
        history.commit("Edit a", {"a.py": "one = 11\n"}, key="edit")
        history.checkout()
    index(history.repo)
    return history.repo


def test_what_is_neither_a_path_nor_a_revision_is_refused(repo: Repo) -> None:
    for form in ((), ("--json",)):
        done = ohara("show", *form, "HEAD", "nosuchfile.py", cwd=repo.path)
        assert (done.returncode, done.stdout) == (2, "")
        commit = repo.sha["edit"][:10]
        assert done.stderr.splitlines() == [
            f"ohara: nosuchfile.py is neither a revision nor a path of the work tree or of {commit}",
            "  hint: if it is a path nevertheless: ohara show HEAD -- nosuchfile.py",
        ]


def test_a_second_revision_is_no_path(repo: Repo) -> None:
    done = ohara("show", "HEAD", "HEAD~1", cwd=repo.path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "ohara: one commit is shown at a time",
        "  hint: ohara show HEAD~1",
    ]


@pytest.mark.parametrize("path", ["c.py", "*.md", ":(glob)**/c.py"])
def test_a_path_that_the_commit_does_not_touch_is_said(repo: Repo, path: str) -> None:
    done = ohara("show", "HEAD", path, cwd=repo.path)
    assert done.returncode == 0
    assert "    Edit a" in done.stdout.splitlines()
    assert "diff --git" not in done.stdout
    assert done.stderr == f"{repo.sha['edit'][:10]} does not touch {path}\n"


def test_behind_dashes_everything_is_a_path(repo: Repo) -> None:
    done = ohara("show", "HEAD", "--", "nosuchfile.py", "HEAD", cwd=repo.path)
    assert done.returncode == 0
    assert "diff --git" not in done.stdout
    assert done.stderr == f"{repo.sha['edit'][:10]} does not touch nosuchfile.py, HEAD\n"
    told = ohara("show", "--json", "HEAD", "--", "nosuchfile.py", cwd=repo.path)
    assert json.loads(told.stdout)["hits"] == []
    assert f"{repo.sha['edit'][:10]} does not touch nosuchfile.py" in told.stderr.splitlines()


@pytest.mark.parametrize(
    ("rev", "path", "shown"),
    [
        ("HEAD", "a.py", "+one = 11"),
        ("HEAD~1", "old/b.py", "-two = 2"),  # taken away by this commit
        ("HEAD~1", "old", "-two = 2"),
        ("HEAD~2", "old/b.py", "+two = 2"),  # of this commit, not of the work tree
    ],
)
def test_paths_of_the_commit_bound_its_diff(repo: Repo, rev: str, path: str, shown: str) -> None:
    done = ohara("show", rev, path, cwd=repo.path)
    assert (done.returncode, done.stderr) == (0, "")
    assert shown in done.stdout.splitlines()
    assert done.stdout.count("diff --git") == 1


def test_a_merge_that_takes_a_file_from_a_side_is_said(tmp_path: Path) -> None:
    with History(tmp_path / "repo") as history:
        history.commit("Begin", {"a.py": "one\n", "b.py": "one\n"})
        history.branch("topic")
        history.commit("Topic", {"a.py": "two\n"})
        history.switch("main")
        history.commit("Main", {"b.py": "two\n"})
        history.merge("Merge topic", "topic", key="merge")
        history.checkout()
    done = ohara("show", "HEAD", "a.py", cwd=history.repo.path)
    assert done.returncode == 0
    merge = history.repo.sha["merge"][:10]
    assert done.stderr == f"{merge} is a merge, and changes nothing itself in a.py\n"


def test_a_name_that_is_no_utf8_is_taken_as_bytes_and_as_it_is_printed(repo: Repo) -> None:
    name, spelt = os.fsdecode(b"bad\xff\xfename.py"), "badÿþname.py"
    repo.git("config", "core.quotePath", "true")
    (repo.path / name).write_text("four = 4\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "Odd")
    repo.git("commit", "-q", "--allow-empty", "-m", "Nothing")
    for path in (name, spelt):
        done = ohara("show", "HEAD~1", path, cwd=repo.path)
        assert "+four = 4" in done.stdout.splitlines(), done.stderr
        told = json.loads(ohara("show", "--json", "HEAD~1", path, cwd=repo.path).stdout)
        assert [hit["path"] for hit in told["hits"]] == [spelt]
        assert ohara("show", "HEAD", path, cwd=repo.path).stderr.endswith(f"does not touch {spelt}\n")


def test_the_total_of_the_object_counts_the_hunks_that_are_in_it(tmp_path: Path) -> None:
    with History(tmp_path / "repo") as history:
        long = "".join(f"value_{number} = compute({number}, {number + 1})\n" for number in range(300))
        history.commit("Begin", {"long.py": long, "a.py": "one\n"})
        history.checkout()
    place = history.repo.path
    ohara("index", "-q", "--repo", str(place))
    for paths, hunks in (((), 2), (("long.py",), 1), (("--", "nosuch.py"), 0)):
        told = json.loads(ohara("show", "--json", "HEAD", *paths, cwd=place).stdout)
        assert (told["total"], len(told["hits"])) == (hunks, hunks)


# -- partial clones ------------------------------------------------------------------------------


def cloned(repo: Repo, place: Path, what: str) -> Path:
    """A clone that has the commits of a repository, and of the rest what a filter lets through."""
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    repo.git("clone", "-q", "--no-checkout", f"--filter={what}", f"file://{repo.path}", str(place))
    return place


def refusal(sha: str, files: str) -> list[str]:
    return [
        f"ohara: this is a partial clone, which lacks the contents of {files} that {sha[:10]} changed",
        f"  hint: git show {sha[:10]} would fetch them, which ohara does not do by itself",
    ]


def test_a_partial_clone_shows_what_it_has_and_says_what_it_lacks(repo: Repo, tmp_path: Path) -> None:
    clone = cloned(repo, tmp_path / "clone", "blob:none")
    sha = repo.sha["begin"]
    done = ohara("show", sha, cwd=clone)
    assert done.returncode == 2
    assert done.stdout.startswith(f"commit {sha}\n")
    assert "    Begin" in done.stdout.splitlines()
    assert "diff --git" not in done.stdout
    assert done.stderr.splitlines() == refusal(sha, "2 files")
    Repo(clone).git("cat-file", "-p", f"{sha}:a.py")  # which fetches it
    done = ohara("show", sha, cwd=clone)
    assert done.returncode == 2
    assert "+one = 1" in done.stdout.splitlines()
    assert done.stdout.count("diff --git") == 1
    assert done.stderr.splitlines() == refusal(sha, "1 file")
    done = ohara("show", sha, "a.py", cwd=clone)
    assert (done.returncode, done.stderr) == (0, "")
    assert "+one = 1" in done.stdout.splitlines()
    done = ohara("show", sha, "--", "old", cwd=clone)
    assert (done.returncode, done.stderr.splitlines()) == (2, refusal(sha, "1 file"))


def test_a_rename_in_a_partial_clone_is_not_shown_without_its_content(tmp_path: Path) -> None:
    with History(tmp_path / "repo") as history:
        history.commit("Begin", {"a.py": "one = 1\n"})
        history.commit("Move", {"b.py": MovedFrom("a.py")}, key="move")
    clone = cloned(history.repo, tmp_path / "clone", "blob:none")
    done = ohara("show", "HEAD", cwd=clone)
    assert (done.returncode, done.stderr.splitlines()) == (2, refusal(history.repo.sha["move"], "1 file"))


def test_a_merge_in_a_partial_clone(tmp_path: Path) -> None:
    with History(tmp_path / "repo") as history:
        history.commit("Begin", {"a.py": "one\n"})
        history.branch("topic")
        history.commit("Topic", {"a.py": "two\n"})
        history.switch("main")
        history.commit("Main", {"a.py": "three\n"})
        history.merge("Merge topic", "topic", changes={"a.py": "four\n"}, key="merge")
    clone = cloned(history.repo, tmp_path / "clone", "blob:none")
    done = ohara("show", "HEAD", cwd=clone)
    assert "    Merge topic" in done.stdout.splitlines()
    assert (done.returncode, done.stderr.splitlines()) == (2, refusal(history.repo.sha["merge"], "1 file"))
    Repo(clone).git("cat-file", "-p", "HEAD:a.py")
    Repo(clone).git("cat-file", "-p", "HEAD~1:a.py")
    done = ohara("show", "HEAD", cwd=clone)  # what the other side had is still lacking
    assert (done.returncode, done.stderr.splitlines()) == (2, refusal(history.repo.sha["merge"], "files"))


def test_a_clone_without_folders_says_the_same(repo: Repo, tmp_path: Path) -> None:
    clone = cloned(repo, tmp_path / "clone", "tree:0")
    done = ohara("show", "HEAD", cwd=clone)
    assert "    Edit a" in done.stdout.splitlines()
    assert (done.returncode, done.stderr.splitlines()) == (2, refusal(repo.sha["edit"], "files"))
