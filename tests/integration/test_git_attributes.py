"""What a repository says about its own files, held against `git check-attr`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fixtures import histories
from fixtures.git import Repo, git_bytes, init
from fixtures.script import History
from ohara.git.attributes import AttributeFiles, Attributes, attribute_files, ignore_text
from ohara.git.repo import Repository
from ohara.model import LeftOut

if TYPE_CHECKING:
    from pathlib import Path

PIECES = st.sampled_from(["a", "b", "ab", "*", "?", "**", "/", "/", "[ab]", "[!a]", ".c", "*.c", "\\a"])
PATTERNS = st.lists(PIECES, min_size=1, max_size=6).map("".join)
STATES = st.sampled_from(["linguist-generated", "-linguist-generated", "!linguist-generated"])
PATHS = ["a", "b", "ab", "a.c", "a/b", "a/a.c", "b/a/ab", "b/ab/a.c", "ab/a/b/b.c", "a/b/a/b"]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return init(tmp_path_factory.mktemp("attributes"))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(st.tuples(PATTERNS, STATES), min_size=1, max_size=8),
    folder=st.sampled_from(["", "a", "b/a"]),
)
@example(lines=[("**/", "linguist-generated")], folder="")
@example(lines=[("//**", "linguist-generated")], folder="")
@example(lines=[("***/**b", "linguist-generated")], folder="")
@example(lines=[("/a**", "linguist-generated")], folder="")
@example(lines=[("/a**/b", "linguist-generated")], folder="")
@example(lines=[("a/b**/b.c", "linguist-generated")], folder="")
@example(lines=[("/**/", "linguist-generated")], folder="a")
def test_patterns_mean_what_git_says_they_mean(
    bench: Repo, lines: list[tuple[str, str]], folder: str
) -> None:
    content = "".join(f"{pattern} {state}\n" for pattern, state in lines)
    for old in bench.path.rglob(".gitattributes"):
        old.unlink()
    place = bench.path / folder
    place.mkdir(parents=True, exist_ok=True)
    (place / ".gitattributes").write_text(content)
    said = git_bytes(
        bench.path,
        "check-attr",
        "-z",
        "--stdin",
        "linguist-generated",
        stdin="\0".join([*PATHS, ""]).encode(),
    )
    fields = said.decode().split("\0")[:-1]
    expected = {path: state == "set" for path, state in zip(fields[::3], fields[2::3], strict=True)}
    attributes = Attributes.parse([(folder, content)])
    assert {path: attributes.reason(path) is LeftOut.GENERATED for path in PATHS} == expected


def test_attributes_come_from_heads_tree(shared_project: Repo) -> None:
    attributes = Attributes.load(Repository.open(shared_project.path))
    assert attributes.reason("python/parcel/protocol_pb2.py") is LeftOut.GENERATED
    assert attributes.reason("third_party/deep/er/x.go") is LeftOut.VENDORED
    assert attributes.reason("python/parcel/retry.py") is None


def test_an_empty_repository_has_none(tmp_path: Path) -> None:
    repository = Repository.open(histories.empty(tmp_path / "r").path)
    assert Attributes.load(repository).reason("a.py") is None
    assert ignore_text(repository) is None


def test_the_ignore_file_is_the_work_trees_or_else_heads(tmp_path: Path) -> None:
    with History(tmp_path / "r") as history:
        history.commit("ignore", {".oharaignore": "build/\n"})
    repo = history.repo
    assert ignore_text(Repository.open(repo.path)) == "build/\n"
    (repo.path / ".oharaignore").write_bytes(b"caf\xe9/\n")
    assert ignore_text(Repository.open(repo.path)) == "café/\n"
    (repo.path / ".oharaignore").unlink()
    assert ignore_text(Repository.open(repo.path)) == "build/\n"
    bare = histories.bare_clone(repo, tmp_path / "bare")
    assert ignore_text(Repository.open(bare.path)) == "build/\n"


def test_attribute_files_are_told_from_those_of_an_earlier_tree(tmp_path: Path) -> None:
    with History(tmp_path / "r") as history:
        start = {".gitattributes": "*.c -text\n", "a/.gitattributes": "*.c text\n", "a/b.c": ""}
        history.commit("Start", start)
        history.commit("Move", {"a/.gitattributes": None, "b/c/.gitattributes": "*.c text\n", "d.c": "d\n"})
    tip = git_bytes(tmp_path / "r", "rev-parse", "HEAD").decode().strip()
    git_bytes(tmp_path / "r", "update-ref", "HEAD", "HEAD~1")
    repository = Repository.open(tmp_path / "r")
    before = attribute_files(repository)
    assert set(before.blobs) == {"", "a"}
    assert attribute_files(repository, before) is before
    git_bytes(tmp_path / "r", "update-ref", "HEAD", tip)
    after = attribute_files(repository, before)
    assert set(after.blobs) == {"", "b/c"}
    assert after == attribute_files(repository)
    gone = AttributeFiles("1" * 40, {"nowhere": "2" * 40})
    assert attribute_files(repository, gone) == after
