"""Walking history in git's order, and reading commits however oddly they were written."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import pytest

from fixtures import histories
from fixtures.git import git_bytes, init
from fixtures.script import History
from ohara.errors import RepositoryError
from ohara.git.diff import changes
from ohara.git.repo import Repository
from ohara.git.walk import read_commit, walk
from ohara.model import Sha

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo


def shas(repository: Repository, *tips: Sha, hide: tuple[Sha, ...] = ()) -> list[Sha]:
    """The commits of a walk, in order."""
    return [sha for sha, _ in walk(repository, tips, hide=hide)]


def test_the_order_is_git_logs(shared_project: Repo) -> None:
    repository = Repository.open(shared_project.path)
    tips = repository.resolve(repository.all_refs()).values()
    walked = list(walk(repository, tips))
    said = (
        git_bytes(shared_project.path, "log", "--branches", "--tags", "--format=%H %ct").decode().splitlines()
    )
    assert [f"{sha} {time}" for sha, time in walked] == said


def test_hiding_leaves_what_git_leaves(shared_project: Repo) -> None:
    repository = Repository.open(shared_project.path)
    tip = shared_project.sha["tip"]
    for key in ("root", "merge", "octopus", "evil-merge", "slow-clock", "gzip-skip", "tip"):
        hidden = shared_project.sha[key]
        said = git_bytes(shared_project.path, "log", "--format=%H", tip, f"^{hidden}").decode().split()
        assert shas(repository, tip, hide=(hidden,)) == said


def test_hiding_what_does_not_exist_hides_nothing(three_commits: Repo) -> None:
    repository = Repository.open(three_commits.path)
    sha = three_commits.sha
    everything = [sha["three"], sha["two"], sha["one"]]
    missing: set[str] = set()
    found = [each for each, _ in walk(repository, [sha["three"]], hide=[Sha("0" * 40)], missing=missing)]
    assert found == everything
    assert not missing


def test_the_first_commits_come_before_history_is_read(tmp_path: Path) -> None:
    repo = histories.many_commits(tmp_path / "r", 300)
    repository = Repository.open(repo.path)
    newest = list(islice(walk(repository, [repo.sha["299"]]), 3))
    assert [sha for sha, _ in newest] == [repo.sha["299"], repo.sha["298"], repo.sha["297"]]


def test_replaced_commits_are_read_as_their_replacement(tmp_path: Path) -> None:
    repo = histories.replaced(tmp_path / "r")
    repository = Repository.open(repo.path)
    said = repo.git("log", "--format=%H", "main").split()
    assert shas(repository, repo.sha["three"]) == said == [repo.sha["three"], repo.sha["one"]]
    commit = read_commit(repository, repo.sha["three"])
    assert (commit.sha, commit.parents) == (repo.sha["three"], (repo.sha["one"],))
    assert {change.path for change in changes(repository, repo.sha["three"]).files} == {
        "README.md",
        "hello.py",
    }
    repo.git("pack-refs", "--all")
    assert shas(Repository.open(repo.path), repo.sha["three"]) == said


def test_a_replacement_of_a_replacement_is_followed(tmp_path: Path) -> None:
    repo = histories.three_commits(tmp_path / "r")
    one, two, three = (repo.sha[key] for key in ("one", "two", "three"))
    repo.git("replace", three, two)
    repo.git("replace", two, one)
    repository = Repository.open(repo.path)
    assert shas(repository, three) == repo.git("log", "--format=%H", "main").split() == [three]
    assert read_commit(repository, three).message == "Add a greeting\n"


def test_grafted_history_ends_where_the_graft_says(tmp_path: Path) -> None:
    repo = histories.grafted(tmp_path / "r")
    repository = Repository.open(repo.path)
    assert shas(repository, repo.sha["three"]) == [repo.sha["three"], repo.sha["two"]]
    assert read_commit(repository, repo.sha["two"]).parents == ()


def test_a_commit_says_who_when_and_why(shared_project: Repo) -> None:
    repository = Repository.open(shared_project.path)
    fields = "%an%x00%ae%x00%at%x00%ct%x00%P%x00%B"
    for sha in shared_project.sha.values():
        commit = read_commit(repository, sha)
        said = shared_project.git("show", "--no-patch", "--encoding=UTF-8", f"--format={fields}", sha)
        author, email, at, committed, parents, message = said.split("\0", 5)
        assert (commit.author, commit.email) == (author, email)
        assert (commit.author_time, commit.committer_time) == (int(at), int(committed))
        assert " ".join(commit.parents) == parents
        if not any("\udc80" <= char <= "\udcff" for char in message):  # git leaves odd bytes as they are
            assert commit.message.rstrip("\n") == message.rstrip("\n")


def test_time_zones_are_minutes_east_of_utc(tmp_path: Path) -> None:
    repo = init(tmp_path / "r")
    written = raw_commit(repo, b"A <a@x> 1600000000 +0530", b"C <c@x> 1600000001 -0330", b"zones\n")
    commit = read_commit(Repository.open(repo.path), written)
    assert (commit.author_offset, commit.committer_offset) == (330, -210)


def raw_commit(repo: Repo, author: bytes, committer: bytes, message: bytes, *headers: bytes) -> Sha:
    """Writes a commit that git's own commands would refuse to write."""
    tree = git_bytes(repo.path, "mktree", stdin=b"").strip()
    data = b"\n".join(
        [b"tree " + tree, b"author " + author, b"committer " + committer, *headers, b"", message]
    )
    arguments = ("hash-object", "-w", "-t", "commit", "--literally", "--stdin")
    return Sha(git_bytes(repo.path, *arguments, stdin=data).decode().strip())


@pytest.mark.parametrize(
    ("message", "encoding", "expected"),
    [
        ("Grüße aus Köln".encode("latin-1"), b"ISO-8859-1", "Grüße aus Köln"),
        ("привет".encode("koi8-r"), b"KOI8-R", "привет"),
        ("日本語".encode("shift_jis"), b"SHIFT_JIS", "日本語"),
        ("Grüße".encode(), b"no-such-encoding", "Grüße"),
        ("Grüße".encode("latin-1"), b"utf-8", "Grüße"),
        (rb"\x41 stays as it is", b"unicode_escape", r"\x41 stays as it is"),
        ("fine ✓\n".encode() + "naïve".encode("latin-1"), None, "fine ✓\nnaïve"),
    ],
)
def test_messages_in_any_encoding(
    tmp_path: Path, message: bytes, encoding: bytes | None, expected: str
) -> None:
    repo = init(tmp_path / "r")
    headers = (b"encoding " + encoding,) if encoding else ()
    sha = raw_commit(repo, b"A <a@x> 1 +0000", b"A <a@x> 1 +0000", message, *headers)
    assert read_commit(Repository.open(repo.path), sha).message == expected


@pytest.mark.parametrize(
    ("line", "name", "email", "time"),
    [
        (b"Plain Name <p@x.org> 1500000000 +0200", "Plain Name", "p@x.org", 1500000000),
        (b"J\xfcrgen <j@x> 5 +0000", "Jürgen", "j@x", 5),
        (b"No mail at all", "No mail at all", "", 0),
        (b" <> 0 +0000", "", "", 0),
        (b"Never <n@x> 99999999999999999999 +0000", "Never", "n@x", 253402300799),
        (b"Before <b@x> -86400 +0000", "Before", "b@x", 0),
        (b"A < odd@x > not-a-time", "A", "odd@x", 0),
        (b"\x1b[31mRed\x1b[0m <r@x> 7 +9999", "\x1b[31mRed\x1b[0m", "r@x", 7),
    ],
)
def test_odd_authors_are_read(tmp_path: Path, line: bytes, name: str, email: str, time: int) -> None:
    repo = init(tmp_path / "r")
    sha = raw_commit(repo, line, line, b"odd\n")
    repository = Repository.open(repo.path)
    commit = read_commit(repository, sha)
    assert (commit.author, commit.email, commit.author_time) == (name, email, time)
    assert [found for found, _ in walk(repository, [sha])] == [sha]


def test_a_missing_commit_is_a_repository_error(three_commits: Repo) -> None:
    with pytest.raises(RepositoryError, match="missing or damaged"):
        read_commit(Repository.open(three_commits.path), Sha("0" * 40))


def test_hidden_history_is_found_although_clocks_ran_backwards(tmp_path: Path) -> None:
    with History(tmp_path / "r") as history:
        history.commit("base", {"a": "1\n"}, key="base", at="2024-01-01 00:00")
        for number in range(5):
            history.commit(f"future {number}", {"a": f"f{number}\n"}, at=f"2024-06-0{number + 1} 00:00")
        history.commit("slow clock", {"a": "slow\n"}, key="slow", at="2024-05-31 20:00")
        history.commit("newest", {"a": "new\n"}, key="new", at="2024-06-10 00:00")
    repository = Repository.open(history.repo.path)
    assert shas(repository, history.repo.sha["new"], hide=(history.repo.sha["slow"],)) == [
        history.repo.sha["new"]
    ]


def test_what_is_known_of_commits_is_not_read_again(shared_project: Repo, tmp_path: Path) -> None:
    repository = Repository.open(shared_project.path)
    tips = list(repository.resolve(repository.all_refs()).values())
    walked = list(walk(repository, tips))
    known = {bytes.fromhex(sha): (time, b"".join(repository.links(sha).parents)) for sha, time in walked}
    elsewhere = Repository.open(init(tmp_path / "empty").path)  # has none of these commits
    assert list(walk(elsewhere, tips, known=known)) == walked
