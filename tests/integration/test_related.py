"""What changes together, on scripted histories: through renames, at symbol level, without sweeps."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from fixtures.tree import Edit, MovedFrom
from ohara import client, wire
from ohara.errors import UsageError
from ohara.index.job import IndexOptions
from ohara.index.survey import RefChoice
from tests.daemon import end_whatever_runs
from tests.indexing import WITHOUT_VECTORS, index
from tests.process import ROOT, ohara

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fixtures.git import Repo

PARSE = "def parse(text):\n    return {0}\n\n\ndef other():\n    return 0\n"
TEST = "def test_parse():\n    assert {0}\n"


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A function whose test always changes with it, notes that sometimes do, a sweep, and a rename."""
    with History(tmp_path_factory.mktemp("related") / "repo") as history:
        everything = {f"data/{number}.txt": "0\n" for number in range(40)}
        history.commit("Start", {"src/parse.py": PARSE.format(0), "NOTES": "0\n", **everything}, key="root")
        history.commit("Test it", {"old_test.py": TEST.format(0)})
        for number in range(1, 6):
            changes = {"src/parse.py": PARSE.format(number), "old_test.py": TEST.format(number)}
            history.commit(f"Parse {number}", changes | ({"NOTES": f"{number}\n"} if number == 2 else {}))
        history.commit("Sweep", dict.fromkeys(everything, "1\n") | {"src/parse.py": PARSE.format(9)})
        history.commit(
            "Move the test", {"old_test.py": None, "tests/test_parse.py": TEST.format(5)}, key="move"
        )
        history.commit("Alone", {"src/parse.py": Edit("return 0", "return 1")}, key="alone")
        for number in range(20):
            history.commit(f"Elsewhere {number}", {f"else/{number % 3}.py": f"{number}\n"})
    return history.repo


def test_a_file_names_what_changes_with_it_as_it_is_called_now(repo: Repo) -> None:
    found = index(repo).related("src/parse.py")

    first, second = found.files
    assert (found.subject, found.kind, found.swept) == (
        "src/parse.py",
        "path",
        2,
    )  # the start is a sweep, too
    assert (first.path, first.together, first.of) == ("tests/test_parse.py", 5, 6)
    assert (second.path, second.together, second.of) == ("NOTES", 1, 6)
    assert first.confidence > second.confidence
    assert first.lift > 1
    assert [kin.subject for kin in first.commits] == [f"Parse {number}" for number in (5, 4, 3, 2, 1)]


def test_a_file_that_an_older_branch_changed_after_it_was_renamed_goes_by_its_name_at_head(
    tmp_path: Path,
) -> None:
    notes = "\n".join(f"Version {number}" for number in range(20))
    with History(tmp_path / "repo") as history:
        history.commit("Begin", {"a.py": "0\n", "CHANGES": notes, "old.py": "0\n"})
        history.commit("Both", {"a.py": "1\n", "CHANGES": notes + "\nboth", "old.py": "1\n"})
        history.branch("1.x")
        history.switch("main")
        history.commit("Rename", {"CHANGES.rst": MovedFrom("CHANGES"), "old.py": None})
        history.switch("1.x")
        history.commit("Maintain", {"CHANGES": notes + "\nmaintained", "old.py": "2\n"})
        history.switch("main")
        history.commit("Go on", {"b.py": "0\n"})
    engine = index(history.repo, IndexOptions(RefChoice(all_refs=True), passes=WITHOUT_VECTORS.passes))
    assert [each.path for each in engine.related("a.py").files] == ["CHANGES.rst"]


def test_a_symbol_names_files_and_symbols(repo: Repo) -> None:
    engine = index(repo)

    found = engine.related("parse")

    assert found.kind == "symbol"
    assert [each.path for each in found.files] == ["tests/test_parse.py", "NOTES"]
    assert [(each.path, each.symbol) for each in found.symbols] == [("tests/test_parse.py", "test_parse")]
    assert engine.related("src/parse.py:parse").files[0].path == "tests/test_parse.py"


def test_lines_and_commits_are_places_as_well(repo: Repo) -> None:
    engine = index(repo)

    lines = engine.related("src/parse.py:2")
    commit = engine.related(repo.sha["alone"])

    assert (lines.kind, lines.files[0].path) == ("lines", "tests/test_parse.py")
    assert (commit.kind, commit.files[0].path) == ("commit", "tests/test_parse.py")
    assert commit.files[0].beside == "src/parse.py"
    assert engine.related("HEAD~20").subject == repo.resolve("HEAD~20")


def test_a_merge_without_changes_of_its_own_is_what_it_brought_in(tmp_path: Path) -> None:
    with History(tmp_path / "repo") as history:
        history.commit("Begin", {"parse.py": "0\n", "test_parse.py": "0\n", "other.py": "0\n"})
        for number in (1, 2, 3):
            history.commit(f"Parse {number}", {"parse.py": f"{number}\n", "test_parse.py": f"{number}\n"})
        history.branch("topic")
        history.commit("Parse alone", {"parse.py": "4\n"})
        history.switch("main")
        history.commit("Go on", {"other.py": "1\n"})
        history.merge("Merge topic", "topic", key="merge")
        history.commit("Say nothing", {}, key="empty")
    engine = index(history.repo)
    found = engine.related(history.repo.sha["merge"])
    assert (found.files[0].path, found.files[0].beside) == ("test_parse.py", "parse.py")
    assert "is a merge without changes of its own" in found.notes[0]
    assert engine.related(history.repo.sha["empty"]).files == ()


def test_an_end_of_a_path_is_enough_where_it_means_one_file(repo: Repo) -> None:
    engine = index(repo)

    assert engine.related("parse.py").subject == "src/parse.py"
    with pytest.raises(UsageError, match="no file, symbol or commit is called 'nowhere'"):
        engine.related("nowhere")
    with pytest.raises(UsageError, match=r"the history knows no file nowhere\.py"):
        engine.related("nowhere.py:3")


def test_the_command_says_it_in_words_and_in_json(repo: Repo) -> None:
    index(repo)

    said = ohara("related", "src/parse.py", "-k", "1", "--repo", str(repo.path))
    answer = json.loads(ohara("related", "parse", "--json", "--repo", str(repo.path)).stdout)
    wrong = ohara("related", "nowhere", "--repo", str(repo.path))

    assert said.returncode == 0
    assert said.stdout.startswith(
        "tests/test_parse.py\n  changed in 5 of the last 6 commits that changed src/parse.py"
    )
    assert "2 commits of more than 30 files left out" in said.stderr
    assert [each["path"] for each in answer["files"]] == ["tests/test_parse.py", "NOTES"]
    assert answer["symbols"][0]["symbol"] == "test_parse"
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "no file, symbol or commit is called 'nowhere'" in wrong.stderr


@pytest.fixture
def service(repo: Repo, ohara_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repo]:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    index(repo)
    yield repo
    end_whatever_runs(ohara_home)


def test_the_service_says_the_same(service: Repo) -> None:
    here = index(service).related("src/parse.py")

    with client.connect(start=True) as there:
        answer = there.send(wire.RelatedRequest(repo=str(service.path), place="src/parse.py"))
        described = there.send(wire.Describe(repo=str(service.path), commit=service.sha["alone"]))

    assert answer.related == here
    assert described.details.commit.sha == service.sha["alone"]
