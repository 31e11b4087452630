"""What was not read is no "no": lists say so, and no claim is made that it could prove wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from fixtures.clones import hide_blobs, partial_clone
from fixtures.script import History
from ohara.cli.main import main
from ohara.store.sqlite.connection import connect_writer
from tests.daemon import service
from tests.indexing import index
from tests.process import ohara

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo

LACKS = "the clone that was indexed lacks contents (it is partial, or damaged)"
LARGE = "x" * 70 + "\n"


@pytest.fixture
def needles(tmp_path: Path) -> Repo:
    """A text that comes in one commit, changes in another and goes in a third, with others around."""
    with History(tmp_path / "needles") as history:
        history.commit("Say nothing", {"old.txt": "nothing\n"}, key="before")
        history.commit("Bring it", {"a.txt": "needle one\n"}, key="brought")
        history.commit("Talk of hay", {"docs/hay.md": "hay\n"}, key="hay")
        history.commit("Change it", {"a.txt": "needle two\n"}, key="changed")
        history.commit("Drop it", {"a.txt": "pin\n"}, key="dropped")
        history.commit("Say more", {"new.txt": "more\n"}, key="after")
    return history.repo


def without(repo: Repo, *places: str) -> Repo:
    """The same repository without the contents of some files, indexed."""
    hide_blobs(repo, (repo.git("rev-parse", place).strip() for place in places))
    index(repo)
    return repo


def found(repo: Repo, *arguments: str) -> tuple[int, str, str]:
    done = ohara("find", "--repo", str(repo.path), "--no-daemon", *arguments)
    return done.returncode, done.stdout, done.stderr


def last_line(repo: Repo, query: str) -> str:
    return found(repo, "--date", "short", query)[1].splitlines()[-1]


def answer(repo: Repo, *arguments: str) -> dict[str, object]:
    said: dict[str, object] = json.loads(found(repo, "--json", *arguments)[1])
    return said


@pytest.mark.usefixtures("ohara_home")
def test_nothing_found_in_a_partial_clone_is_no_no(needles: Repo, tmp_path: Path) -> None:
    clone = partial_clone(needles, tmp_path / "partial")
    index(clone)
    why = f"6 commits were not wholly read: {LACKS}"
    for options in ((), ("-q",), ("--count",)):
        code, out, err = found(clone, *options, '"needle"')
        assert (code, out) == (2, "0\n" if "--count" in options else "")
        first, hint = err.splitlines()
        assert first == f"ohara: nothing was found, but {why}"
        assert "ohara index" in hint
    assert answer(clone, '"needle"')["notes"] == [why]
    assert found(clone, "-q", "/need(le|ed)/")[0] == 2


@pytest.mark.usefixtures("ohara_home")
def test_lists_say_what_was_not_read_of_what_filters_let_through(needles: Repo) -> None:
    repo = without(needles, f"{needles.sha['hay']}:docs/hay.md")
    why = f"1 commit was not wholly read: {LACKS}"
    assert answer(repo, '"needle"')["notes"] == [why]
    assert answer(repo, "/needle/")["notes"] == [why]
    assert found(repo, "--count", '"needle"') == (0, "3\n", f"{why}\n")
    assert found(repo, "--oneline", '"needle"')[2] == f"{why}\n"
    bounded = f"1 commit within the filters was not wholly read: {LACKS}"
    assert answer(repo, '"needle"', "--path", "*.txt")["notes"] == []
    assert answer(repo, '"needle"', "--not-path", "docs/")["notes"] == []
    assert answer(repo, '"hay"', "--path", "docs/")["notes"] == [bounded]
    assert found(repo, "-q", '"hay"', "--path", "docs/")[0] == 2
    assert found(repo, "-q", '"hay"', "--path", "*.txt") == (1, "", "")
    assert found(repo, "-q", '"hay"', "--author", "nobody") == (1, "", "")
    assert found(repo, "-q", '"hay"', "--commit", needles.sha["after"]) == (1, "", "")
    assert found(repo, "-q", '"hay"', "--commit", needles.sha["hay"])[0] == 2
    assert answer(repo, "needle")["notes"] == []  # a ranking promises nothing


@pytest.mark.usefixtures("ohara_home")
def test_a_history_that_was_wholly_read_says_when_a_text_came_and_went(needles: Repo) -> None:
    brought, dropped = needles.sha["brought"][:10], needles.sha["dropped"][:10]
    index(needles)
    assert last_line(needles, '"needle"').startswith(f"introduced in {brought} (")
    assert f"gone since {dropped}" in last_line(needles, '"needle"')


@pytest.mark.usefixtures("ohara_home")
@pytest.mark.parametrize(
    ("place", "came"),
    [
        ("before:old.txt", "first seen in"),
        ("hay:docs/hay.md", "introduced in"),
        ("after:new.txt", "introduced in"),
    ],
)
def test_a_lifetime_does_not_deny_what_was_not_read(needles: Repo, place: str, came: str) -> None:
    key, _, path = place.partition(":")
    repo = without(needles, f"{needles.sha[key]}:{path}")
    said = last_line(repo, '"needle"')
    brought, dropped = repo.sha["brought"][:10], repo.sha["dropped"][:10]
    assert said.startswith(f"{came} {brought} (")
    assert f", last seen in {dropped} (" in said
    assert said.endswith("; not seen at HEAD (1 commit could not be wholly read)")
    literal = answer(repo, '"needle"')["literal"]
    assert isinstance(literal, dict)
    assert literal["scope"] == "read"
    assert literal["introduced"] == (repo.sha["brought"] if came == "introduced in" else None)
    assert literal["gone"] is None
    assert literal["head"] == {"commit": repo.tip, "lines": 0, "files": 0, "exact": False}


@pytest.mark.usefixtures("ohara_home")
def test_the_commit_that_brings_a_text_may_itself_be_read_in_part(tmp_path: Path) -> None:
    with History(tmp_path / "both") as history:
        history.commit("Bring both", {"a.txt": "needle\n", "b.txt": "lost\n"}, key="both")
    repo = without(history.repo, f"{history.repo.sha['both']}:b.txt")
    said = last_line(repo, '"needle"')
    assert said.startswith(f"introduced in {repo.sha['both'][:10]} (")
    assert said.endswith("; still on at least 1 line at HEAD (1 commit could not be wholly read)")


@pytest.mark.usefixtures("ohara_home")
def test_files_that_are_too_large_are_not_searched_and_binary_ones_need_not_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OHARA_INDEX_MAX_BLOB_BYTES", "2048")
    with History(tmp_path / "large") as history:
        history.commit("Start", {"a.txt": "needle\n", "image.png": b"\0\1hugeedit"}, key="start")
    index(history.repo)
    assert found(history.repo, "-q", '"hugeedit"') == (1, "", "")
    assert last_line(history.repo, '"needle"').startswith(f"introduced in {history.repo.sha['start'][:10]}")
    history.commit("Add data", {"data.csv": LARGE * 40})
    history.commit("Edit data", {"data.csv": LARGE * 40 + "hugeedit\n"})
    history.flush()
    index(history.repo)
    code, out, err = found(history.repo, "-q", '"hugeedit"')
    assert (code, out) == (2, "")
    assert "nothing was found, but 2 commits were not wholly read: 1 file is too large" in err
    assert "index.max_blob_bytes" in err
    said = last_line(history.repo, '"needle"')
    assert said.startswith(f"introduced in {history.repo.sha['start'][:10]} (")
    assert said.endswith("; still on at least 1 line at HEAD (2 commits could not be wholly read)")


@pytest.mark.usefixtures("ohara_home")
def test_an_index_of_a_former_format_says_it_too(needles: Repo) -> None:
    hide_blobs(needles, [needles.git("rev-parse", f"{needles.sha['hay']}:docs/hay.md").strip()])
    engine = index(needles)
    engine.close()
    writer = connect_writer(engine.location.database)
    writer.execute("DROP INDEX file_unread")
    writer.pragma("user_version", 8)
    writer.close()
    assert answer(needles, '"needle"')["notes"] == [f"1 commit was not wholly read: {LACKS}"]


def test_the_service_and_several_repositories_say_it(
    needles: Repo, tmp_path: Path, ohara_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = needles.copy_to(tmp_path / "whole")
    index(whole)
    clone = partial_clone(whole, tmp_path / "partial")
    index(clone)
    why = f"6 commits were not wholly read: {LACKS}"
    both = ("--repo", str(whole.path), "--repo", str(clone.path))
    with service(ohara_home, monkeypatch):
        through = ohara("find", "--repo", str(clone.path), "-q", '"needle"')
        assert through.returncode == 2
        assert f"nothing was found, but {why}" in through.stderr
        assert json.loads(ohara("find", *both, "--json", '"needle"').stdout)["notes"] == [
            f"{clone.path}: {why}"
        ]
        nowhere = ohara("find", *both, "-q", '"nowhere"')
        assert nowhere.returncode == 2
        assert f"nothing was found, but {clone.path}: {why}" in nowhere.stderr


def test_structural_answers_do_not_deny_it_either(
    tmp_path: Path, ohara_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del ohara_home
    with History(tmp_path / "code") as history:
        history.commit("Begin", {"b.py": "x = 1\n"}, key="begin")
        history.commit("Call", {"a.py": "run(1, 2)\n"}, key="call")
    repo = without(history.repo, f"{history.repo.sha['begin']}:b.py")
    assert main(["find", "--no-daemon", "--repo", str(repo.path), "run($A, $B)"]) == 0
    said = capsys.readouterr()
    last = said.out.splitlines()[-1]
    assert last.startswith(f"seen only in {repo.sha['call'][:10]}")
    assert last.endswith("; still at least 1 match at HEAD (1 commit could not be wholly read)")
    assert f"1 commit was not wholly read: {LACKS}" in said.err
