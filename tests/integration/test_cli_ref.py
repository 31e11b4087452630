"""`ohara find --ref`: what a branch has that is not indexed is never left out in silence."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ohara.cli.main import main
from ohara.engine import Engine
from ohara.git.walk import _Frontier
from ohara.index.job import IndexOptions
from ohara.index.plan import Limits
from ohara.index.survey import RefChoice
from ohara.model import Filters, Pass, Results, SearchOptions
from ohara.store.facts import REFS, THREADS, TIPS
from ohara.store.writer_lock import writer_lock
from tests.daemon import service
from tests.indexing import WITHOUT_VECTORS, index
from tests.process import ohara

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo

EXACT = frozenset({Pass.TEXT, Pass.LITERAL})
EXACT_AND_LINES = EXACT | {Pass.LINES}


@pytest.fixture
def forked(three_commits: Repo) -> Repo:
    """Three commits on main, which is indexed, and two more on each of two branches, which are not."""
    for branch in ("topic", "odd'branch"):
        three_commits.git("switch", "-q", "-c", branch, "main")
        for number in (1, 2):
            three_commits.git("commit", "-q", "--allow-empty", "-m", f"{branch} step {number}")
    three_commits.git("switch", "-q", "main")
    index(three_commits, WITHOUT_VECTORS)
    return three_commits


def asked(repo: Repo, *refs: str, words: str = "hello") -> Results:
    return Engine.open(repo.path).find_pattern(words, SearchOptions(rerank=False, filters=Filters(refs=refs)))


TOPIC = "2 of the 5 commits of topic are not indexed: ohara index --ref HEAD --ref topic"


def test_git_is_asked_for_the_commits_that_are_not_indexed_alone(
    forked: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[bytes] = []
    reading = _Frontier._read_plainly

    def noted(self: _Frontier, oid: bytes) -> object:
        read.append(oid)
        return reading(self, oid)

    monkeypatch.setattr(_Frontier, "_read_plainly", noted)
    assert asked(forked, "topic").hits
    unindexed = forked.git("rev-list", "main..topic").split()
    assert {oid.hex() for oid in read} == set(unindexed)


def test_what_is_missing_is_said_in_words_and_in_json(
    forked: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ohara.cli.visit.MOST_COMMITS", 1)
    find = ["find", "--repo", str(forked.path), "--no-rerank", "--mode", "text"]
    main([*find, "ref:topic hello"])
    assert TOPIC in capsys.readouterr().err.splitlines()
    main([*find, "--ref", "topic", "--json", "hello"])
    said = capsys.readouterr()
    assert json.loads(said.out)["notes"] == [TOPIC]
    assert TOPIC in said.err.splitlines()
    main([*find, "--ref", "topic", "-q", "hello"])
    assert capsys.readouterr().err == ""


def test_a_small_branch_is_read_for_one_search_and_forgotten_again(
    forked: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(*arguments: str) -> tuple[list[str], str]:
        main(["find", "--repo", str(forked.path), "--no-rerank", "--mode", "text", "--jsonl", *arguments])
        said = capsys.readouterr()
        return sorted(json.loads(line)["subject"] for line in said.out.splitlines()), said.err

    engine = Engine.open(forked.path)
    with engine.store.statistics() as known:
        before = (known.fact(TIPS), known.fact(THREADS), known.fact(REFS))
    both = ["topic step 1", "topic step 2"]
    assert found("--ref", "topic", "step") == (both, "")
    assert found("step") == ([], found("step")[1])
    assert engine.status().indexed == 3
    with engine.store.statistics() as known:
        assert (known.fact(TIPS), known.fact(THREADS), known.fact(REFS)) == before
    assert found("ref:topic~1 step") == (both[:1], "")
    paged = ["find", "--repo", str(forked.path), "--no-rerank", "--mode", "text", "--ref", "topic", "-k", "1"]
    main([*paged, "--json", "message:step"])
    first = json.loads(capsys.readouterr().out)
    assert (first["total"], first["notes"]) == (2, [])
    rest = found("--ref", "topic", "-k", "1", "message:step", "--after", first["next"])
    assert sorted([first["hits"][0]["subject"], *rest[0]]) == both
    main(["find", "--repo", str(forked.path), "--no-rerank", "--ref", "topic", "hello"])
    assert "reading 2 commits of topic for this search\n" in capsys.readouterr().err
    monkeypatch.setattr("ohara.engine._LOCK_WAIT_S", 0.2)  # it waits twice for a lock that stays held
    with writer_lock(engine.location.lock, wait_s=0):
        subjects, said = found("--ref", "topic", "step")
    assert subjects == []
    assert TOPIC in said
    assert "the branch could not be read now: " in said


def test_a_commit_that_is_not_indexed_is_shown_as_an_object_too(
    forked: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", "--repo", str(forked.path), "--json", "topic"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [hit["subject"] for hit in said["hits"]] == ["topic step 2"]
    assert Engine.open(forked.path).status().indexed == 3


def test_the_command_that_is_named_adds_the_branch_and_keeps_what_there_was(forked: Repo) -> None:
    (note,) = asked(forked, "odd'branch").notes
    _, command, *arguments = shlex.split(note.partition(": ")[2])
    assert ohara(command, "-q", *arguments, cwd=forked.path).returncode == 0
    found = asked(forked, "odd'branch", words="step")
    assert found.notes == ()
    assert {hit.commit.subject for hit in found.hits} == {"odd'branch step 1", "odd'branch step 2"}
    assert asked(forked, "main").notes == ()
    assert asked(forked, "main").index.indexed == 5


def test_several_refs_are_counted_together_and_only_those_that_need_it_are_added(forked: Repo) -> None:
    (note,) = asked(forked, "main~1", "topic", "topic~1").notes
    assert note == (
        "2 of the 5 commits of main~1 and topic and topic~1 are not indexed: "
        "ohara index --ref HEAD --ref topic --ref 'topic~1'"
    )


@pytest.mark.parametrize("ref", ["HEAD", "main", "main~1", "HEAD~2"])
def test_nothing_is_said_of_a_ref_that_is_wholly_indexed_nor_is_git_walked(
    ref: str, forked: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    def walked(*_: object, **__: object) -> None:
        raise AssertionError("history was walked")

    monkeypatch.setattr("ohara.index.reachability.walk", walked)
    assert asked(forked, ref).notes == ()


def test_a_ref_bounds_the_answer_to_what_it_reaches(forked: Repo) -> None:
    index(forked, IndexOptions(refs=RefChoice(("HEAD", "topic", "odd'branch")), passes=EXACT))
    for ref, subjects in {
        "topic": {"topic step 1", "topic step 2"},
        "topic~1": {"topic step 1"},
        "odd'branch": {"odd'branch step 1", "odd'branch step 2"},
        "main": set(),
    }.items():
        assert {hit.commit.subject for hit in asked(forked, ref, words="step").hits} == subjects


def test_what_waits_for_the_next_run_is_not_called_outside(three_commits: Repo) -> None:
    index(three_commits, IndexOptions(limits=Limits(max_commits=1), passes=EXACT))
    results = asked(three_commits, "main")
    assert results.index.behind == 2
    assert results.notes == ("what became of lines is not known yet: 0 of 1 commits are followed",)


def test_what_the_settings_leave_out_is_not_called_missing(
    forked: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OHARA_INDEX_SINCE", "2024-06-01")  # the branches are of that day
    assert asked(forked, "topic").notes == (
        "2 of the 2 commits of topic are not indexed: ohara index --ref HEAD --ref topic",
    )
    monkeypatch.setenv("OHARA_INDEX_SINCE", "2024-06-02")
    assert asked(forked, "topic").notes == ()


def test_a_chosen_branch_that_is_gone_is_said_and_the_others_are_searched(forked: Repo) -> None:
    path = str(forked.path)
    assert ohara("index", "-q", "--repo", path, "--ref", "main", "--ref", "topic").returncode == 0
    forked.git("branch", "-D", "topic")
    said = "topic, chosen to be indexed, is gone (ohara status)"
    run = ohara("find", "--repo", path, "--no-rerank", "--json", "hello")
    assert (run.returncode, json.loads(run.stdout)["notes"]) == (0, [said])
    assert said in run.stderr.splitlines()
    assert (
        "gone        topic: ohara index --ref HEAD chooses again\n" in ohara("status", "--repo", path).stdout
    )
    assert json.loads(ohara("status", "--json", "--repo", path).stdout)["gone"] == ["topic"]
    assert asked(forked, "odd'branch").notes[0].endswith(": ohara index --ref main --ref 'odd'\"'\"'branch'")
    assert ohara("index", "-q", "--repo", path).returncode == 0
    assert asked(forked, "main").index.indexed == 3
    forked.git("switch", "-q", "--detach", "main")
    forked.git("branch", "-D", "main")
    run = ohara("find", "--repo", path, "hello")
    assert run.returncode == 2
    assert run.stderr == (
        "ohara: there is no branch, tag or commit named main, and nothing else was chosen to be indexed\n"
        "  hint: choose again: ohara index --ref HEAD\n"
    )
    assert ohara("index", "-q", "--repo", path, "--ref", "HEAD").returncode == 0


def test_refs_of_a_setting_hold_as_long_as_the_setting(
    three_commits: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_commits.git("branch", "early", "main~2")
    monkeypatch.setenv("OHARA_INDEX_REFS", "early")
    assert index(three_commits).status().indexed == 1
    monkeypatch.delenv("OHARA_INDEX_REFS")
    assert index(three_commits).status().indexed == 3
    run = ohara("find", "--repo", str(three_commits.path), "hello", env={"OHARA_INDEX_REFS": "nowhere"})
    assert run.returncode == 2
    assert run.stderr.startswith(
        "ohara: OHARA_INDEX_REFS: index.refs: there is no branch, tag or commit named nowhere\n  hint: "
    )


def test_a_commit_that_no_ref_has_cannot_be_added_to_all(forked: Repo) -> None:
    forked.git("switch", "-q", "--detach", "main")
    forked.git("commit", "-q", "--allow-empty", "-m", "a step aside")
    aside = forked.tip
    forked.git("switch", "-q", "main")
    index(forked, IndexOptions(refs=RefChoice(all_refs=True), passes=EXACT_AND_LINES))
    assert asked(forked, "topic").notes == ()
    assert asked(forked, aside).notes == (
        f"1 of the 4 commits of {aside} is not indexed: no branch or tag leads to it",
    )


def test_a_batch_and_the_service_say_the_same(
    forked: Repo, ohara_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = subprocess.run(
        [sys.executable, "-m", "ohara", "find", "--repo", str(forked.path), "--batch", "--no-rerank"],
        input='{"id": 1, "query": "ref:topic hello"}\n{"id": 2, "query": "hello"}\n',
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    first, second = map(json.loads, batch.stdout.splitlines())
    assert (first["notes"], second["notes"]) == ([TOPIC], [])
    with service(ohara_home, monkeypatch):
        run = ohara("find", "--repo", str(forked.path), "--no-rerank", "--json", "--ref", "topic", "step")
        assert json.loads(run.stdout)["notes"] == []
        assert len(json.loads(run.stdout)["hits"]) == 2


def test_what_became_of_lines_of_a_branch_is_not_waited_for_and_said_to_be_unknown(
    forked: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    forked.git("switch", "-q", "topic")
    (forked.path / "okapi.txt").write_text("okapi\nzebra\n")
    forked.git("add", "okapi.txt")
    forked.git("commit", "-q", "-m", "Meet both")
    forked.git("switch", "-q", "main")
    find = ["find", "--repo", str(forked.path), "--no-daemon", "--ref", "topic", '"okapi"']
    for bound_s, known in ((0.0, False), (100.0, True)):
        monkeypatch.setattr("ohara.engine._VISIT_LINES_S", bound_s)
        assert main(find) == 0
        said = capsys.readouterr()
        assert "Meet both" in said.out
        assert ("what became of lines is not known yet" in said.err) is not known
        assert ("still there: 2 lines" in said.out) is known
