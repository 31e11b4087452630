"""A commit's changes: the same files and hunks as git prints, and sense where git allows oddities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fixtures import histories
from fixtures.git import git_bytes, init
from fixtures.script import History
from fixtures.tree import EXECUTABLE, FILE, Edit, Entry, Mode, MovedFrom, symlink
from ohara.git.diff import DiffOptions, changes, iter_changes
from ohara.git.repo import Repository
from ohara.model import ChangeKind, FileChange, Hunk, LeftOut, Sha, submodule_blob
from tests.git_says import Said, files_of

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo

KINDS = {
    "A": ChangeKind.ADDED,
    "D": ChangeKind.DELETED,
    "M": ChangeKind.MODIFIED,
    "R": ChangeKind.RENAMED,
    "T": ChangeKind.MODIFIED,
}


@pytest.fixture(scope="module")
def project(shared_project: Repo) -> Repository:
    return Repository.open(shared_project.path)


def only(repository: Repository, sha: Sha, options: DiffOptions | None = None) -> FileChange:
    """The one file that a commit changes."""
    found = changes(repository, sha, options or DiffOptions())
    assert found.missing == ()
    (change,) = found.files
    return change


def assert_as_git_says(change: FileChange, said: Said) -> None:
    assert (change.kind, change.path, change.old_path) == (KINDS[said.status], said.path, said.old_path)
    assert (change.left_out is LeftOut.BINARY) == said.is_binary
    assert change.hunks == said.hunks
    bodies = [line for hunk in change.hunks for line in hunk.body.split("\n")]
    assert change.additions == sum(line.startswith("+") for line in bodies)
    assert change.deletions == sum(line.startswith("-") for line in bodies)


def test_every_commit_reads_as_git_prints_it(shared_project: Repo, project: Repository) -> None:
    shas = git_bytes(shared_project.path, "rev-list", "--no-merges", "--all").decode().split()
    assert len(shas) > 60
    for sha in shas:
        found = changes(project, Sha(sha))
        said = files_of(shared_project.path, sha)
        assert found.missing == ()
        assert [change.path for change in found.files] == [each.path for each in said]
        for change, each in zip(found.files, said, strict=True):
            assert_as_git_says(change, each)


def test_a_root_adds_its_files(tmp_path: Path) -> None:
    repo = histories.three_commits(tmp_path / "r")
    change = only(Repository.open(repo.path), repo.sha["one"])
    assert change.kind is ChangeKind.ADDED
    assert change.hunks == (Hunk(0, 0, 1, 1, "", '+print("hello")'),)
    assert (change.old_blob, change.additions, change.deletions) == (None, 1, 0)


def test_a_rename_keeps_both_paths_and_shows_only_what_changed(tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(40))
    with History(tmp_path / "r") as history:
        history.commit("start", {"a/old.txt": text})
        history.commit("move", {"b/old.txt": MovedFrom("a/old.txt")}, key="pure")
        moved = MovedFrom("b/old.txt", (Edit("line 20\n", "line twenty\n"),))
        history.commit("move and edit", {"b/new.txt": moved}, key="edited")
    repository = Repository.open(history.repo.path)
    pure = only(repository, history.repo.sha["pure"])
    assert (pure.kind, pure.old_path, pure.path) == (ChangeKind.RENAMED, "a/old.txt", "b/old.txt")
    assert pure.hunks == ()
    assert pure.old_blob == pure.new_blob
    edited = only(repository, history.repo.sha["edited"])
    assert (edited.kind, edited.old_path) == (ChangeKind.RENAMED, "b/old.txt")
    assert [hunk.body.split("\n")[3:5] for hunk in edited.hunks] == [["-line 20", "+line twenty"]]


def test_among_many_moved_files_each_finds_its_own(tmp_path: Path) -> None:
    def text(number: int) -> str:
        return "".join(f"file {number} says {line * (number + 3)}\n" for line in range(30))

    with History(tmp_path / "r") as history:
        history.commit("start", {f"old/{number}.txt": text(number) for number in range(12)})
        moves = {
            f"new/{11 - number}.md": MovedFrom(
                f"old/{number}.txt", (Edit(f"says {number + 3}\n", "says so\n"),)
            )
            for number in range(12)
        }
        history.commit("shuffle", dict(moves), key="shuffle")
    repository = Repository.open(history.repo.path)
    sha = history.repo.sha["shuffle"]
    found = changes(repository, sha).files
    assert {change.path: change.old_path for change in found} == {
        f"new/{11 - number}.md": f"old/{number}.txt" for number in range(12)
    }
    # With no pairs allowed, what kept neither content nor name is an addition and a deletion.
    limited = changes(repository, sha, DiffOptions(max_rename_pairs=1)).files
    assert {change.kind for change in limited} == {ChangeKind.ADDED, ChangeKind.DELETED}
    assert len(limited) == 24


def test_among_equal_files_the_name_decides(tmp_path: Path) -> None:
    names = [f"{number:03d}.txt" for number in range(150)]
    with History(tmp_path / "r") as history:
        history.commit("start", {f"old/{name}": "all the same\n" for name in names})
        moves = {f"new/{name}": MovedFrom(f"old/{name}") for name in reversed(names)}
        history.commit("move", dict(moves), key="move")
    found = changes(Repository.open(history.repo.path), history.repo.sha["move"]).files
    assert [(change.old_path, change.path) for change in found] == [
        (f"old/{name}", f"new/{name}") for name in names
    ]


def test_mode_and_type_changes(tmp_path: Path) -> None:
    with History(tmp_path / "r") as history:
        history.commit("start", {"run.sh": "echo hi\n", "link": symlink("run.sh")})
        history.commit("executable", {"run.sh": Mode(EXECUTABLE)}, key="mode")
        history.commit("a file now", {"link": Entry(FILE, b"echo hi\n")}, key="type")
    repository = Repository.open(history.repo.path)
    mode = only(repository, history.repo.sha["mode"])
    assert (mode.kind, mode.path, mode.hunks, mode.left_out) == (ChangeKind.MODIFIED, "run.sh", (), None)
    changed = only(repository, history.repo.sha["type"])
    assert changed.kind is ChangeKind.MODIFIED
    assert [hunk.body for hunk in changed.hunks] == [
        "-run.sh\n\\ No newline at end of file",
        "+echo hi",
    ]


def test_a_file_in_place_of_a_folder(tmp_path: Path) -> None:
    with History(tmp_path / "r") as history:
        history.commit("start", {"thing/a.txt": "alpha\n", "thing/b.txt": "beta\n"})
        history.commit("one", {"thing/a.txt": None, "thing/b.txt": None, "thing": "gamma\n"}, key="one")
    found = changes(Repository.open(history.repo.path), history.repo.sha["one"]).files
    assert [(change.path, change.kind) for change in found] == [
        ("thing", ChangeKind.ADDED),
        ("thing/a.txt", ChangeKind.DELETED),
        ("thing/b.txt", ChangeKind.DELETED),
    ]


def test_a_submodule_reads_as_the_line_git_shows_and_has_its_commit_for_a_blob(
    shared_project: Repo, project: Repository
) -> None:
    (bump,) = changes(project, shared_project.sha["submodule-bump"]).files
    assert bump.kind is ChangeKind.MODIFIED
    (hunk,) = bump.hunks
    assert [line[:19] for line in hunk.body.split("\n")] == ["-Subproject commit ", "+Subproject commit "]
    assert [bump.old_blob, bump.new_blob] == [submodule_blob(line[19:]) for line in hunk.body.split("\n")]
    assert project.read_blob(bump.new_blob or "") == hunk.body.split("\n")[1][1:].encode() + b"\n"


def test_line_ends_are_kept_and_split_on_newlines_only(tmp_path: Path) -> None:
    with History(tmp_path / "r") as history:
        history.commit("start", {"a.bat": b"one\r\ntwo\rstill two\r\nthree\x0cstill\xe2\x80\xa8three\r\n"})
        history.commit("edit", {"a.bat": Edit(b"one", b"uno")}, key="edit")
    (hunk,) = only(Repository.open(history.repo.path), history.repo.sha["edit"]).hunks
    assert hunk.body == "-one\r\n+uno\r\n two\rstill two\r\n three\x0cstill\u2028three\r"
    assert (hunk.old_lines, hunk.new_lines) == (3, 3)


def test_encodings_are_told_line_by_line(tmp_path: Path) -> None:
    lines = ["naïve".encode(), "na\N{LATIN SMALL LETTER I WITH DIAERESIS}ve".encode("latin-1"), b"\x93cp\x94"]
    with History(tmp_path / "r") as history:
        history.commit("mixed", {"mixed.txt": b"\n".join(lines) + b"\n"}, key="mixed")
    (hunk,) = only(Repository.open(history.repo.path), history.repo.sha["mixed"]).hunks
    assert hunk.body == "+naïve\n+naïve\n+\N{LEFT DOUBLE QUOTATION MARK}cp\N{RIGHT DOUBLE QUOTATION MARK}"


def test_binary_is_a_nul_among_the_first_bytes(tmp_path: Path) -> None:
    late = b"x" * 8000 + b"\n\0\n"
    with History(tmp_path / "r") as history:
        history.commit("early", {"early.bin": b"x" * 7999 + b"\0\n"}, key="early")
        history.commit("late", {"late.txt": late}, key="late")
    repository = Repository.open(history.repo.path)
    early = only(repository, history.repo.sha["early"])
    assert (early.left_out, early.hunks, early.additions) == (LeftOut.BINARY, (), 0)
    assert only(repository, history.repo.sha["late"]).hunks[0].body == "+" + "x" * 8000 + "\n+\0"


def test_an_over_large_file_is_left_out_and_the_others_go_on(tmp_path: Path) -> None:
    repo = histories.big_blob(tmp_path / "r", 3 * 1024 * 1024)
    repository = Repository.open(repo.path)
    found = changes(repository, repo.sha["big"], DiffOptions(max_blob_bytes=1024 * 1024))
    assert {change.path: change.left_out for change in found.files} == {
        "big.txt": LeftOut.OVERSIZED,
        "small.txt": None,
    }
    assert found.missing == ()
    whole = changes(repository, repo.sha["big"], DiffOptions(max_blob_bytes=4 * 1024 * 1024)).files
    assert whole[0].additions == 3 * 1024 * 1024 // 64


def test_a_huge_commit_is_yielded_file_by_file(tmp_path: Path) -> None:
    repo = histories.many_files(tmp_path / "r", 3000)
    missing: set[str] = set()
    stream = iter_changes(Repository.open(repo.path), repo.sha["all"], missing=missing)
    first = next(stream)
    assert (first.path, first.hunks[0].body) == ("part000/file000000.txt", "+file 0")
    assert sum(1 for _ in stream) == 2999
    assert not missing


def test_paths_that_are_not_utf8(tmp_path: Path) -> None:
    repo = init(tmp_path / "r")
    tree = b"100644 caf\xe9.txt\0" + bytes.fromhex(
        git_bytes(repo.path, "hash-object", "-w", "--stdin", stdin=b"crema\n").decode().strip()
    )
    written = git_bytes(repo.path, "hash-object", "-w", "-t", "tree", "--stdin", stdin=tree).decode().strip()
    sha = Sha(git_bytes(repo.path, "commit-tree", "-m", "latin path", written).decode().strip())
    repository = Repository.open(repo.path)
    change = only(repository, sha)
    assert change.path == "café.txt"
    assert repository.file_at(sha, "café.txt") == b"crema\n"
