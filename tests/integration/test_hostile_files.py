"""No file that a repository chooses hangs ohara or fills its memory: it is read within bounds, or refused."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from fixtures import histories
from fixtures.git import git_bytes, init
from fixtures.script import History
from ohara.errors import RepositoryError
from ohara.git.commits import MOST_MESSAGE_CHARS, MOST_NAME_CHARS
from ohara.git.decode import MOST_PATH_CHARS
from ohara.git.diff import changes
from ohara.git.repo import Repository
from ohara.git.walk import read_commit
from ohara.model import Sha
from tests.indexing import index
from tests.process import ROOT, ohara

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo

_TERABYTE = 2**40
_GIT_FILES = (
    "HEAD",
    "config",
    "config.worktree",
    "packed-refs",
    "shallow",
    "info/grafts",
    "info/attributes",
    "info/exclude",
    "objects/info/alternates",
    "refs/heads/other",
    "refs/replace/" + "1" * 40,
)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return histories.three_commits(tmp_path / "repo")


def bounded_ohara(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run ohara with little memory to take and little time to wait."""

    def bounds() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))

    return subprocess.run(
        [sys.executable, "-m", "ohara", *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
        preexec_fn=bounds,
    )


def put(file: Path, what: str) -> None:
    """Put something in a file's place that is better not read to its end."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    if what == "pipe":
        os.mkfifo(file)
    elif what == "device":
        file.symlink_to("/dev/zero")
    else:
        file.touch()
        os.truncate(file, _TERABYTE)


@pytest.mark.parametrize("what", ["pipe", "device", "terabyte"])
def test_an_ignore_file_that_is_none_is_refused(repo: Repo, what: str) -> None:
    put(repo.path / ".oharaignore", what)
    done = bounded_ohara("index", "-q", cwd=repo.path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[0].endswith(".oharaignore: not a regular file of at most 1 MiB")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("what", ["pipe", "device", "terabyte"])
@pytest.mark.parametrize("name", _GIT_FILES)
def test_a_git_directory_with_such_a_file_is_refused(repo: Repo, name: str, what: str) -> None:
    put(repo.git_dir / name, what)
    with pytest.raises(RepositoryError, match="not a regular file of at most"):
        Repository.open(repo.path)


@pytest.mark.parametrize("place", ["pack/pack-1.idx", "ab/" + "c" * 38])
def test_an_object_that_is_a_pipe_is_refused(repo: Repo, place: str) -> None:
    put(repo.git_dir / "objects" / place, "pipe")
    with pytest.raises(RepositoryError, match="not a regular file"):
        Repository.open(repo.path)


def test_one_line_says_so_and_the_exit_code_is_two(repo: Repo) -> None:
    put(repo.git_dir / "packed-refs", "pipe")
    for command in (("index",), ("find", "hello"), ("status",), ("show", "HEAD")):
        done = bounded_ohara(*command, cwd=repo.path)
        assert done.returncode == 2, command
        assert "packed-refs: not a regular file" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("written", ['path = "{}"', "path={}", "PATH = {}"])
def test_an_included_configuration_is_looked_at_too(repo: Repo, tmp_path: Path, written: str) -> None:
    put(tmp_path / "far", "pipe")
    (tmp_path / "near").write_text(f"[include]\n\t{written.format(tmp_path / 'far')}\n")
    with (repo.git_dir / "config").open("a") as config:
        config.write(f"[include]\n\tpath = {tmp_path / 'near'}\n")
    with pytest.raises(RepositoryError, match="far: not a regular file"):
        Repository.open(repo.path)


def test_what_an_alternate_borrows_from_is_looked_at_too(repo: Repo, tmp_path: Path) -> None:
    other = init(tmp_path / "other", bare=True)
    put(other.git_dir / "objects" / "info" / "alternates", "pipe")
    (repo.git_dir / "objects" / "info").mkdir(exist_ok=True)
    (repo.git_dir / "objects" / "info" / "alternates").write_text(f"{other.git_dir}/objects\n")
    with pytest.raises(RepositoryError, match="alternates: not a regular file"):
        Repository.open(repo.path)


def test_links_that_share_a_repository_are_followed(repo: Repo, tmp_path: Path) -> None:
    """As git-new-workdir and repo make them."""
    second = tmp_path / "second" / ".git"
    second.mkdir(parents=True)
    for name in ("config", "refs", "objects", "info", "packed-refs"):
        (second / name).symlink_to(repo.git_dir / name)
    (second / "HEAD").write_text((repo.git_dir / "HEAD").read_text())
    assert Repository.open(second.parent).resolve(["HEAD"]) == {"HEAD": repo.tip}


# -- too much of it ------------------------------------------------------------------------------


def test_more_patterns_than_can_be_held_against_every_path_are_refused(repo: Repo) -> None:
    file = repo.path / ".oharaignore"
    file.write_text("".join(f"/folder{number}/**/*.x\n" for number in range(60_000)))
    done = bounded_ohara("index", "-q", cwd=repo.path)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    file.write_text("".join(f"/f{number}/**/*.x\n" for number in range(60_000)))  # within a mebibyte
    done = bounded_ohara("index", "-q", cwd=repo.path)
    assert done.returncode == 2
    assert ".oharaignore: more than 5,000 patterns" in done.stderr


def test_thousands_of_patterns_work(tmp_path: Path) -> None:
    lines = [*(f"/folder{number}/**/*.x" for number in range(3_000)), "kept.txt", "!/kept.txt", "gone.txt"]
    with History(tmp_path / "r") as history:
        history.commit("Start", {"kept.txt": "a\n", "gone.txt": "b\n", ".oharaignore": "\n".join(lines)})
    status = index(history.repo).status()
    assert {reason.value: count for reason, count in status.left_out} == {"ignored": 1}


def test_a_pattern_that_cannot_be_read_is_named(repo: Repo) -> None:
    (repo.path / ".oharaignore").write_text("fine.txt\n[z-a]\n")
    done = bounded_ohara("index", "-q", cwd=repo.path)
    assert done.returncode == 2
    assert "'[z-a]' is no pattern that can be read" in done.stderr


def test_attributes_beyond_reason_are_refused(tmp_path: Path) -> None:
    text = "".join(f"/g{number}.py linguist-generated\n" for number in range(6_000))
    with History(tmp_path / "r") as history:
        history.commit("Start", {".gitattributes": text})
    with pytest.raises(RepositoryError, match=r"\.gitattributes: more than 5,000 patterns"):
        index(history.repo)


def test_a_commit_of_megabytes_is_cut_to_what_people_write(tmp_path: Path) -> None:
    repo = init(tmp_path / "r", bare=True)
    blob = git_bytes(repo.path, "hash-object", "-w", "--stdin", stdin=b"x\n").decode().strip()
    name = b"d" * 200 + b"/"
    inner = git_bytes(repo.path, "mktree", stdin=f"100644 blob {blob}\tfile\n".encode()).decode().strip()
    for _ in range(5_000 // 200):
        inner = (
            git_bytes(repo.path, "mktree", stdin=b"040000 tree %s\t%s\n" % (inner.encode(), name[:-1]))
            .decode()
            .strip()
        )
    person = b"%s <%s@example.invalid> 1600000000 +0000" % (b"N" * 2**20, b"m" * 2**20)
    data = b"tree %s\nauthor %s\ncommitter %s\n\n%s\n" % (inner.encode(), person, person, b"word " * 2**18)
    sha = Sha(
        git_bytes(repo.path, "hash-object", "-t", "commit", "-w", "--stdin", stdin=data).decode().strip()
    )
    git_bytes(repo.path, "update-ref", "refs/heads/main", sha)
    repository = Repository.open(repo.path)
    commit = read_commit(repository, sha)
    assert [len(text) for text in (commit.author, commit.email, commit.message)] == [
        MOST_NAME_CHARS,
        MOST_NAME_CHARS,
        MOST_MESSAGE_CHARS,
    ]
    assert commit.author.endswith("N…")
    (change,) = changes(repository, sha).files
    assert len(change.path) == MOST_PATH_CHARS
    assert index(repo).status().failures == ()
    shown = ohara("show", "HEAD", "--repo", str(repo.path))
    assert shown.returncode == 0
    assert len(shown.stdout) < 200_000
