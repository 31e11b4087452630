"""Opening repositories of every shape, finding commits by name, and refusing with something to type."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from fixtures import histories
from fixtures.git import init
from ohara.errors import RepositoryError
from ohara.git.refs import survey
from ohara.git.repo import Repository, _refusal

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo


def refusal(path: Path) -> RepositoryError:
    """The error that opening a path ends in."""
    with pytest.raises(RepositoryError) as caught:
        Repository.open(path)
    assert "\n" not in caught.value.message
    return caught.value


def test_a_work_tree_its_folders_its_worktrees_and_its_git_folder_are_one_repository(
    three_commits: Repo, tmp_path: Path
) -> None:
    inside = three_commits.path / "deep" / "er"
    inside.mkdir(parents=True)
    linked = histories.linked_worktree(three_commits, tmp_path / "linked")
    common = (three_commits.path / ".git").resolve()
    for path in (three_commits.path, inside, three_commits.path / "hello.py", common, linked.path):
        repository = Repository.open(path)
        assert repository.common_dir == common
        assert repository.name == "three"
    assert Repository.open(inside).work_dir == three_commits.path.resolve()
    assert Repository.open(linked.path).work_dir == linked.path.resolve()


def test_a_linked_worktree_has_its_own_head(three_commits: Repo, tmp_path: Path) -> None:
    linked = histories.linked_worktree(three_commits, tmp_path / "linked")
    linked.git("checkout", "--quiet", "--detach", three_commits.sha["one"])
    assert Repository.open(linked.path).resolve(["HEAD"]) == {"HEAD": three_commits.sha["one"]}
    assert Repository.open(three_commits.path).resolve(["HEAD"]) == {"HEAD": three_commits.sha["three"]}


def test_a_bare_repository_has_no_work_tree(three_commits: Repo, tmp_path: Path) -> None:
    bare = histories.bare_clone(three_commits, tmp_path / "served.git")
    repository = Repository.open(bare.path)
    assert (repository.name, repository.work_dir) == ("served", None)
    assert repository.resolve(repository.default_refs()) == {"HEAD": three_commits.sha["three"]}


def test_a_repository_without_a_config_file_opens_as_bare(three_commits: Repo, tmp_path: Path) -> None:
    bare = histories.bare_clone(three_commits, tmp_path / "mirror")
    (bare.path / "config").unlink()
    repository = Repository.open(bare.path)
    assert repository.work_dir is None
    assert repository.remote_url() is None
    assert repository.resolve(["main"]) == {"main": three_commits.sha["three"]}


def test_what_is_not_a_repository_is_refused_in_one_line(tmp_path: Path) -> None:
    assert refusal(tmp_path).message == f"{tmp_path} is not inside a git repository"
    assert "--repo" in refusal(tmp_path).hint
    assert "does not exist" in refusal(tmp_path / "nowhere").message
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / ".git").write_text("gitdir: /nonexistent/place\n")
    torn = refusal(tmp_path / "torn")
    assert torn.message.endswith(
        "/torn belongs to the git directory /nonexistent/place, which does not exist"
    )
    assert torn.hint == "if it was moved, run there: git worktree repair"


def test_formats_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    repo = init(tmp_path / "new")
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.objectFormat", "sha256")
    assert "sha256" in refusal(repo.path).message
    repo.git("config", "--unset", "extensions.objectFormat")
    repo.git("config", "extensions.refStorage", "reftable")
    assert "refstorage" in refusal(repo.path).message
    assert "SHA-1" in refusal(repo.path).hint


def test_a_damaged_configuration_says_where(tmp_path: Path) -> None:
    repo = init(tmp_path / "r")
    (repo.git_dir / "config").write_text("[core\n")
    assert "config" in refusal(repo.path).message


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository to somebody else")
def test_another_users_repository_is_refused_with_the_command_that_trusts_it(three_commits: Repo) -> None:
    for folder, _, _ in os.walk(three_commits.path):
        os.chown(folder, 12345, 12345)
    error = refusal(three_commits.path)
    assert "another user" in error.message
    assert error.hint.endswith(f"git config --global --add safe.directory {three_commits.path}")


def test_the_reason_libgit2_gives_for_foreign_ownership_is_understood(tmp_path: Path) -> None:
    error = _refusal(tmp_path, "/srv/app: repository path '/srv/app/.git/' is not owned by current user")
    assert error.message == "git does not trust /srv/app: it belongs to another user"
    assert error.hint.endswith("git config --global --add safe.directory /srv/app")


def test_unborn_and_detached_heads(tmp_path: Path) -> None:
    empty = Repository.open(histories.empty(tmp_path / "empty").path)
    assert empty.resolve(empty.default_refs()) == {}
    assert empty.all_refs() == ()
    assert list(empty.head_tree_files()) == []
    unborn = histories.unborn_head(tmp_path / "unborn")
    repository = Repository.open(unborn.path)
    assert repository.resolve(repository.default_refs()) == {}
    assert repository.resolve(repository.all_refs()) == {"refs/heads/main": unborn.sha["three"]}
    detached = histories.detached_head(tmp_path / "detached")
    assert Repository.open(detached.path).resolve(["HEAD"]) == {"HEAD": detached.sha["two"]}


def test_names_are_found_as_git_finds_them(three_commits: Repo) -> None:
    sha = three_commits.sha
    three_commits.git("tag", "-a", "v1", "-m", "one", sha["one"])
    three_commits.git("tag", "-a", "v1-again", "-m", "a tag of a tag", "v1")
    repository = Repository.open(three_commits.path)
    names = ["HEAD", "main", "refs/heads/main", "v1", "v1-again", sha["two"], sha["two"][:8], "HEAD~1"]
    assert list(repository.resolve(names).values()) == [
        sha["three"], sha["three"], sha["three"], sha["one"], sha["one"], sha["two"], sha["two"], sha["two"],
    ]  # fmt: skip
    assert repository.all_refs() == ("refs/heads/main", "refs/tags/v1", "refs/tags/v1-again")


def test_an_unknown_name_suggests_a_known_one(three_commits: Repo) -> None:
    three_commits.git("branch", "feature/login")
    repository = Repository.open(three_commits.path)
    with pytest.raises(RepositoryError) as caught:
        repository.resolve(["feature/logn"])
    assert caught.value.message == "there is no branch, tag or commit named feature/logn"
    assert caught.value.hint == "did you mean feature/login?"
    with pytest.raises(RepositoryError) as caught:
        repository.resolve(["zzz"])
    assert "git branch --all" in caught.value.hint


@pytest.mark.parametrize("name", ["4", "-x"])
def test_what_is_too_short_to_tell_suggests_nothing(name: str, three_commits: Repo) -> None:
    three_commits.git("tag", "v9")
    with pytest.raises(RepositoryError) as caught:
        Repository.open(three_commits.path).resolve([name])
    assert caught.value.hint == "list them with: git branch --all; git tag"


def test_broken_refs_and_tags_of_other_things_are_passed_over_and_said(three_commits: Repo) -> None:
    blob = three_commits.git("rev-parse", "HEAD:hello.py").strip()
    three_commits.git("tag", "a-file", blob)
    refs = three_commits.git_dir / "refs" / "heads"
    (refs / "gone").write_text("deadbeef" * 5 + "\n")
    (refs / "garbage").write_text("not a sha\n")
    repository = Repository.open(three_commits.path)
    assert repository.all_refs() == ("refs/heads/main",)
    assert {"refs/heads/gone", "refs/tags/a-file"} <= {name for name, _ in survey(repository.handle).unusable}
    for name in ("gone", "garbage", "a-file", "refs/tags/a-file"):
        with pytest.raises(RepositoryError):
            repository.resolve([name])


def test_a_head_that_leads_nowhere_is_an_error_not_an_empty_repository(three_commits: Repo) -> None:
    (three_commits.git_dir / "refs" / "heads" / "main").write_text("deadbeef" * 5 + "\n")
    shutil.rmtree(three_commits.git_dir / "logs", ignore_errors=True)
    with pytest.raises(RepositoryError, match="HEAD does not lead to a commit"):
        Repository.open(three_commits.path).resolve(["HEAD"])


def test_the_remotes_default_branch_counts_where_it_differs(three_commits: Repo, tmp_path: Path) -> None:
    clone = init(tmp_path / "clone")
    clone.git("remote", "add", "origin", f"file://{three_commits.path}")
    clone.git("fetch", "--quiet", "origin")
    clone.git("remote", "set-head", "origin", "main")
    clone.git("checkout", "--quiet", "-b", "main", "origin/main")
    repository = Repository.open(clone.path)
    assert repository.default_refs() == ("HEAD",)
    assert repository.remote_url() == f"file://{three_commits.path}"
    clone.git("reset", "--quiet", "--hard", "HEAD~1")
    assert repository.default_refs() == ("HEAD", "refs/remotes/origin/main")
    assert repository.resolve(repository.default_refs()) == {
        "HEAD": three_commits.sha["two"],
        "refs/remotes/origin/main": three_commits.sha["three"],
    }


def test_commits_are_found_by_prefix(three_commits: Repo) -> None:
    repository = Repository.open(three_commits.path)
    sha = three_commits.sha["two"]
    assert repository.find_commit(sha[:7]) == sha
    assert repository.find_commit(sha.upper()) == sha
    blob = three_commits.git("rev-parse", "HEAD:hello.py").strip()
    for prefix in ("0" * 40, "main", "abc", "", blob[:12]):
        assert repository.find_commit(prefix) is None


def test_files_are_read_at_a_commit_and_at_head(three_commits: Repo) -> None:
    repository = Repository.open(three_commits.path)
    sha = three_commits.sha
    assert repository.file_at(sha["one"], "hello.py") == b'print("hello")\n'
    assert repository.file_at(sha["one"], "README.md") is None
    assert repository.file_at(sha["three"], "hello.py/deeper") is None
    with pytest.raises(RepositoryError, match="missing or damaged"):
        repository.file_at(type(sha["one"])("0" * 40), "hello.py")
    files = {path: blob for path, blob, mode in repository.head_tree_files() if mode == 0o100644}
    assert sorted(files) == ["README.md", "hello.py"]
    assert repository.read_blob(files["README.md"]) == b"python hello.py\n"
    assert repository.read_blob(files["README.md"], cap=3) is None
    assert repository.read_blob("0" * 40) is None
    assert repository.read_blob(sha["one"]) is None


def test_looking_up_refs_keeps_nothing(three_commits: Repo) -> None:
    for number in range(20):
        three_commits.git("tag", f"v{number}")
    repository = Repository.open(three_commits.path)
    repository.names_of(three_commits.tip)
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(50):
        assert len(repository.names_of(three_commits.tip)) == 21
        repository.default_refs()
    gc.collect()
    assert sys.getallocatedblocks() - before < 200  # each name once more would be a thousand
