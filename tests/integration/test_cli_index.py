"""The commands that make and look after indexes, as a shell sees them."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from ohara.cli.commands.status import ago
from tests.process import ohara

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo


def test_index_talks_on_stderr_and_says_what_came_of_it(three_commits: Repo) -> None:
    run = ohara("index", "--repo", str(three_commits.path), "--passes", "text,literal")
    assert run.returncode == 0
    assert run.stdout == ""
    first, *_, last = run.stderr.splitlines()
    assert first == "indexing three"
    assert last.startswith("3 of 3 commits, ")


def test_what_is_counted_is_told(tmp_path: Path) -> None:
    with History(tmp_path / "files") as history:
        text = {f"part_{number}.py": f"def part_{number}():\n    return {number}\n" for number in range(12)}
        history.commit("Add all parts", {**text, "copy.py": text["part_0.py"]})
        history.commit("Add one more", {"more.py": "def more():\n    return None\n"})
    place = ("--repo", str(history.repo.path), "--passes", "text,literal,symbol,lines")
    said = ohara("index", *place).stderr
    assert "symbols: 2 of 2 commits\n" in said
    assert "symbols: 13 of 13 different files of HEAD\n" in said
    events = [json.loads(line) for line in ohara("index", "--json", "--rebuild", *place).stdout.splitlines()]
    told = {(each["pass"], each["of"], each["total"]) for each in events if each["event"] == "progress"}
    assert told == {
        ("text", "commits", 2),
        ("symbol", "commits", 2),
        ("symbol", "files", 13),
        ("lines", "commits", 2),
    }
    assert not any(each["hunks"] for each in events if each.get("pass") == "lines")


def test_quiet_says_nothing(three_commits: Repo) -> None:
    run = ohara("index", "-q", "--repo", str(three_commits.path), "--passes", "text")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_status_tells_what_is_there_and_how_far_behind_it_is(three_commits: Repo) -> None:
    ohara("index", "-q", "--repo", str(three_commits.path), "--max-commits", "2", "--passes", "text,literal")
    run = ohara("status", "--repo", str(three_commits.path))
    assert "commits     2 of 3 indexed, 1 behind" in run.stdout.splitlines()
    assert "text        complete" in run.stdout.splitlines()
    assert "vector      0 of 2 commits (0%)" in run.stdout.splitlines()
    said = json.loads(ohara("status", "--json", "--repo", str(three_commits.path)).stdout)
    assert (said["commits"], said["indexed"], said["behind"]) == (3, 2, 1)
    assert said["passes"] == {
        "text": [2, 2],
        "literal": [2, 2],
        "symbol": [0, 2],
        "lines": [0, 2],
        "vector": [0, 2],
    }
    assert said["last_run"]["outcome"] == "finished"


def test_status_sees_a_commit_that_was_made_since(three_commits: Repo) -> None:
    ohara("index", "-q", "--repo", str(three_commits.path), "--passes", "text,literal")
    (three_commits.path / "late.txt").write_text("late\n")
    three_commits.git("add", "late.txt")
    three_commits.git("-c", "user.name=L", "-c", "user.email=l@example.org", "commit", "-qm", "Late")
    said = json.loads(ohara("status", "--json", "--repo", str(three_commits.path)).stdout)
    assert (said["commits"], said["indexed"], said["behind"]) == (4, 3, 1)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(-3, "0 seconds ago"), (1.2, "1 second ago"), (59, "59 seconds ago"), (60, "1 minute ago")],
)
def test_how_long_ago_is_said_in_the_largest_unit(seconds: float, said: str) -> None:
    assert ago(seconds) == said


def test_status_without_an_index_says_what_to_type(three_commits: Repo) -> None:
    run = ohara("status", "--repo", str(three_commits.path))
    assert run.returncode == 2
    assert run.stderr == (
        f"ohara: three has no index yet\n  hint: build it with: ohara index --repo {three_commits.path}\n"
    )


def test_chosen_refs_are_remembered(small_project: Repo) -> None:
    path = str(small_project.path)
    ohara("index", "-q", "--repo", path, "--ref", "wip/gzip", "--passes", "text,literal")
    ohara("index", "-q", "--repo", path, "--passes", "text,literal")
    said = json.loads(ohara("status", "--json", "--repo", path).stdout)
    assert list(said["refs"]) == ["wip/gzip"]
    assert said["indexed"] == len(small_project.git("rev-list", "wip/gzip").split())


def test_all_refs_cover_every_branch(small_project: Repo) -> None:
    ohara("index", "-q", "--all", "--repo", str(small_project.path), "--passes", "text,literal")
    said = json.loads(ohara("status", "--json", "--repo", str(small_project.path)).stdout)
    assert said["indexed"] == len(small_project.git("rev-list", "--all").split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--passes", "text,smell"], "unknown pass: smell"),
        (["--ref", "main", "--all"], "--ref and --all exclude each other"),
        (["-q", "--json"], "--json and -q exclude each other"),
        (["--ref", "no-such-branch"], "no-such-branch"),
        (["--since", "when pigs fly"], "when pigs fly"),
        (["--max-commits", "0"], "0 is not in the range"),
        (["--jobs", "9999"], "9999 is not in the range"),
    ],
)
def test_bad_input_is_one_line_and_a_hint(three_commits: Repo, arguments: list[str], message: str) -> None:
    run = ohara("index", "--repo", str(three_commits.path), *arguments)
    assert (run.returncode, run.stdout) == (2, "")
    said = run.stderr.splitlines()
    assert message in said[0]
    assert said[0].startswith("ohara: ")
    assert said[1].startswith("  hint: ")
    assert len(said) == 2


def test_a_folder_that_is_no_repository_is_one_line_and_a_hint(tmp_path: Path) -> None:
    run = ohara("index", "--repo", str(tmp_path))
    assert run.returncode == 2
    assert run.stderr.startswith("ohara: ")
    assert run.stderr.count("\n") == 2


@pytest.mark.parametrize("command", [["index"], ["find", "hello"], ["find", "--json", "hello"]])
def test_a_home_that_cannot_be_made_is_named(command: list[str], three_commits: Repo, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    home = tmp_path / "file" / "home"
    run = ohara(*command, cwd=three_commits.path, env={"OHARA_HOME": str(home)})
    assert (run.returncode, run.stdout) == (2, "")
    said, hint = run.stderr.splitlines()
    assert said.startswith(f"ohara: OHARA_HOME is {home}, where {home}/data/indexes/")
    assert said.endswith(" cannot be created: Not a directory")
    assert hint == "  hint: set OHARA_HOME to a folder that you can write in"


def test_a_ref_of_the_settings_that_is_not_there_is_told_before_anything_is_said(three_commits: Repo) -> None:
    run = ohara("index", "--repo", str(three_commits.path), env={"OHARA_INDEX_REFS": "nowhere"})
    assert run.returncode == 2
    assert run.stderr.startswith("ohara: OHARA_INDEX_REFS: index.refs: there is no branch")


def test_repos_lists_indexes_and_forget_removes_one_even_when_its_repository_is_gone(
    three_commits: Repo, small_project: Repo
) -> None:
    for repo in (three_commits, small_project):
        ohara("index", "-q", "--repo", str(repo.path), "--passes", "text")
    listed = [json.loads(line) for line in ohara("repos", "--json").stdout.splitlines()]
    assert {(entry["path"], entry["available"]) for entry in listed} == {
        (str(three_commits.path), True),
        (str(small_project.path), True),
    }
    shutil.rmtree(three_commits.path)
    assert "the repository is gone" in ohara("repos").stdout
    assert ohara("forget", str(three_commits.path)).returncode == 0
    assert ohara("forget", str(small_project.path)).returncode == 0
    none = ohara("repos")
    assert (none.returncode, none.stdout, none.stderr) == (1, "", "nothing is indexed yet (ohara index)\n")
    assert ohara("forget", str(small_project.path)).returncode == 2
    assert small_project.git("rev-parse", "HEAD")


def test_gc_says_what_it_removed(small_project: Repo) -> None:
    path = str(small_project.path)
    ohara("index", "-q", "--repo", path, "--passes", "text,literal")
    small_project.git("update-ref", "HEAD", "HEAD~3")
    ohara("index", "-q", "--repo", path, "--passes", "text,literal")
    run = ohara("gc", "--repo", path)
    assert run.returncode == 0
    assert run.stdout.startswith("removed ")
    assert not run.stdout.startswith("removed 0 ")
    assert ohara("gc", "--repo", path).stdout.startswith("removed 0 commits")


def test_a_scheduled_run_gives_way_in_silence(three_commits: Repo) -> None:
    from ohara.engine import Engine
    from ohara.store.writer_lock import writer_lock

    location = Engine.open(three_commits.path).location
    location.prepare()
    with writer_lock(location.lock, wait_s=0):
        run = ohara("index", "--scheduled", "--repo", str(three_commits.path))
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
