"""Names of files that are no UTF-8, look like lines of another file, or begin with a blank."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from fixtures.git import Repo, init
from tests.daemon import service
from tests.indexing import index
from tests.process import ohara

if TYPE_CHECKING:
    from pathlib import Path

BYTES = os.fsdecode(b"bad\xff\xfename.py")  # as a shell hands it over
SPELT = "badÿþname.py"  # as ohara prints it
MIXED = os.fsdecode("é".encode() + b"\xff.txt")
INNER = os.fsdecode(b"in\xff.py")
FOLDER = os.fsdecode(b"caf\xe9")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def made(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = init(tmp_path_factory.mktemp("odd") / "repo")
    (repo.path / FOLDER).mkdir()
    (repo.path / "é").mkdir()
    for name, text in {
        BYTES: "x = 1\n", MIXED: "mixed\n", "a": "plain\n", "a:12": "odd\n", " lead space.py": "y = 2\n",
        f"{FOLDER}/menu.txt": "tea\n", "a:b": "symbol\n", f"é/{INNER}": "w = 4\n",
    }.items():  # fmt: skip
        (repo.path / name).write_text(text)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "Odd names")
    (repo.path / BYTES).write_text("x = 1\nz = 3\n")
    repo.git("commit", "-q", "-a", "-m", "Edit it")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OHARA_HOME", str(home))
        index(repo)
    return repo


@pytest.fixture
def repo(made: Repo, home: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("OHARA_HOME", str(home))
    return made


@pytest.mark.parametrize("place", [BYTES, SPELT])
def test_a_file_whose_name_is_no_utf8_is_explained_however_it_is_typed(repo: Repo, place: str) -> None:
    done = ohara("explain", place, cwd=repo.path)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in done.stdout.splitlines() if SPELT in line and "there" not in line] == [
        f"   {SPELT}:2",
        f"   {SPELT}:1 (added)",
    ]
    lines = ohara("explain", f"{place}:2", cwd=repo.path)
    assert "line 2 began here" in lines.stdout or "+ z = 3" in lines.stdout


def test_a_name_that_is_no_utf8_in_a_folder_that_is(repo: Repo) -> None:
    whole = "Ã©/inÿ.py"  # a path is decoded as a whole
    for folder, place in (("", f"é/{INNER}"), ("", whole), ("é", INNER), ("é", f"{INNER}:1")):
        done = ohara("explain", place, cwd=repo.path / folder)
        assert (done.returncode, done.stderr) == (0, ""), place
        assert f"   {whole}:1 (added)" in done.stdout.splitlines()
        assert f"   still there: 1 line, now {whole}:1" in done.stdout.splitlines()
    assert "still on 1 line at HEAD" in ohara("find", '"w = 4"', cwd=repo.path).stdout


def test_what_is_not_committed_of_a_name_that_is_no_utf8_is_said(repo: Repo) -> None:
    (repo.path / BYTES).write_text("x = 1\nz = 3\nnew = 5\n")
    fresh = os.fsdecode(b"fresh\xff")
    (repo.path / fresh).write_text("6\n")
    try:
        done = ohara("explain", f"{BYTES}:3", cwd=repo.path)
        assert (done.returncode, done.stderr) == (1, f"line 3 of {SPELT} is not committed yet\n")
        done = ohara("explain", fresh, cwd=repo.path)
        assert (done.returncode, done.stderr) == (1, "freshÿ is not committed yet\n")
    finally:
        (repo.path / fresh).unlink()
        repo.git("checkout", "-q", "--", ".")


def test_a_place_is_relative_to_a_folder_whose_name_is_no_utf8(repo: Repo) -> None:
    done = ohara("explain", "menu.txt", cwd=repo.path / FOLDER)
    assert done.returncode == 0, done.stderr
    assert "café/menu.txt:1 (added)" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ([f"path:{BYTES}"], {f"{SPELT}:1", f"{SPELT}:2"}),
        (["--path", BYTES], {f"{SPELT}:1", f"{SPELT}:2"}),
        ([f"path:{BYTES}", '"z = 3"'], {f"{SPELT}:2"}),
        ([f'"z = 3" path:{BYTES}'], {f"{SPELT}:2"}),
        ([f"path:{MIXED}"], {"Ã©ÿ.txt:1"}),
        (['"x = 1"', "--not-path", BYTES], set()),
    ],
)
def test_a_filter_takes_a_name_that_is_no_utf8(repo: Repo, arguments: list[str], found: set[str]) -> None:
    done = ohara("find", "-k", "9", "--all-hunks", "--format", "%(place)", *arguments, cwd=repo.path)
    assert set(done.stdout.splitlines()) == found, done.stderr


def test_the_service_is_asked_for_a_name_that_is_no_utf8(
    repo: Repo, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with service(home, monkeypatch):
        done = ohara("find", "--format", "%(place)", f"path:{BYTES}", '"z = 3"', cwd=repo.path)
        assert (done.stdout, done.stderr) == (f"{SPELT}:2\n", "")
        assert ohara("explain", BYTES, cwd=repo.path).returncode == 0


def test_what_changes_with_a_file_whose_name_is_no_utf8(repo: Repo) -> None:
    done = ohara("related", BYTES, cwd=repo.path)
    assert done.returncode == 0, done.stderr
    assert f"commits that changed {SPELT}" in done.stdout


@pytest.mark.parametrize(
    ("place", "said", "line"),
    [
        ("a:12", "a:12:1 (added)", "+ odd"),
        ("./a:12", "a:12:1 (added)", "+ odd"),
        ("a:b", "a:b:1 (added)", "+ symbol"),
        (" lead space.py", " lead space.py:1 (added)", "+ y = 2"),
        ("a:1", "a:1 (added)", "+ plain"),
    ],
)
def test_a_file_of_the_very_name_goes_before_lines_and_symbols(
    repo: Repo, place: str, said: str, line: str
) -> None:
    done = ohara("explain", place, cwd=repo.path)
    assert (done.returncode, done.stderr) == (0, "")
    shown = done.stdout.splitlines()
    assert f"   {said}" in shown
    assert f"   {line}" in shown


@pytest.mark.parametrize("place", ["a:12", " lead space.py"])
def test_what_changes_with_a_file_of_the_very_name(repo: Repo, place: str) -> None:
    done = ohara("related", place, cwd=repo.path)
    assert f"changed in 1 of the last 1 commit that changed {place}" in done.stdout


def test_a_home_whose_path_is_no_utf8_is_refused_in_one_line(
    made: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / FOLDER
    home.mkdir()
    monkeypatch.setenv("OHARA_HOME", str(home))
    for words in (("index", "-q"), ("find", "--no-daemon", "plain")):
        done = ohara(*words, cwd=made.path)
        assert (done.returncode, done.stdout) == (2, "")
        *_, first, hint = done.stderr.splitlines()
        assert "cannot be kept there: its path is not UTF-8" in first
        assert hint == "  hint: set OHARA_HOME to a folder whose path is"


def test_a_repository_whose_path_is_no_utf8_is_indexed_and_searched(made: Repo, tmp_path: Path) -> None:
    clone = tmp_path / FOLDER
    made.git("clone", "-q", str(made.path), str(clone))
    assert ohara("index", "-q", cwd=clone).returncode == 0
    assert "Edit it" in ohara("find", "--no-daemon", '"z = 3"', cwd=clone).stdout
