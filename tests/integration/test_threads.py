"""Threads of scripted histories: what belongs together, what does not, and how answers show it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import anyio
import pytest

from fixtures.people import Person
from fixtures.script import History
from fixtures.tree import Edit
from ohara.errors import QueryError, UsageError
from ohara.index.job import IndexOptions
from ohara.index.survey import RefChoice
from ohara.model import Group, Pass, SearchOptions
from tests.indexing import facts_of, facts_of_a_fresh_index, index
from tests.process import ohara

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.engine import Engine
    from ohara.model import Results, Thread

ADA, BOB = Person("Ada", "ada@ohara.example"), Person("Bob", "bob@ohara.example")
EVERYTHING = IndexOptions(
    refs=RefChoice(all_refs=True), passes=frozenset(Pass) - {Pass.VECTOR}, lock_wait_s=10
)
BY_THREAD = SearchOptions(group=Group.THREAD, rerank=False, k=10)
LATER = "2021-01-01 00:00"  # long after what was before: nothing here is likely by its date


def engine_of(repo: Repo) -> Engine:
    return index(repo, EVERYTHING)


def thread_of(engine: Engine, sha: str) -> Thread | None:
    """The thread that `show` names for a commit."""
    results = engine.find_pattern(sha, SearchOptions(k=0, all_hunks=True, rerank=False))
    return results.threads[0] if results.threads else None


def keys(repo: Repo, thread: Thread | None) -> list[str]:
    return [repo.key_of(commit.sha) for commit in thread.commits] if thread else []


def whys(repo: Repo, thread: Thread | None) -> dict[str, str]:
    return {repo.key_of(commit.sha): commit.why for commit in thread.commits} if thread else {}


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Two pull requests, a fix of the first one a year later, and a commit that belongs to nobody."""
    with History(tmp_path_factory.mktemp("requests") / "repo") as history:
        history.commit("Start", {"lib.py": "start = 1\n", "other.py": "other = 1\n"}, key="root", author=BOB)
        history.branch("ada/retry")
        history.commit(
            "Retry with backoff", {"retry.py": "def retry():\n    wait()\n"}, key="retry", author=ADA
        )
        history.commit("Test that it waits", {"test_retry.py": "retry()\n"}, key="test", author=BOB)
        history.switch("main")
        history.branch("ada/colour")
        history.commit("Colour the output", {"colour.py": "red = 1\n"}, key="colour", author=ADA)
        history.switch("main")
        history.merge(
            "Merge pull request #7 from ada/retry\n\nRetry what fails",
            "ada/retry",
            key="merge-retry",
            author=BOB,
        )
        history.merge(
            "Merge pull request #8 from ada/colour\n\nColours", "ada/colour", key="merge-colour", author=BOB
        )
        history.commit(
            "Do not wait for ever\n\nCloses #7",
            {"retry.py": Edit("wait()", "wait(limit)")},
            key="fix",
            author=BOB,
            at=LATER,
        )
        history.commit(
            "Unrelated", {"lonely.py": "retry = 'word'\n"}, key="alone", author=ADA, at="2022-01-01 00:00"
        )
    return history.repo


def test_a_pull_request_and_what_closes_it_are_one_thread(requests: Repo) -> None:
    engine = engine_of(requests)

    thread = thread_of(engine, requests.sha["test"])

    assert thread is not None
    assert keys(requests, thread) == ["retry", "test", "merge-retry", "fix"]
    assert thread.title == "Retry what fails (#7)"
    assert thread.authors == ("Ada", "Bob")
    assert thread.id == requests.sha["retry"]
    assert not thread.likely
    assert whys(requests, thread) == {
        "retry": "merge",
        "test": "merge",
        "merge-retry": "merge",
        "fix": "issue",
    }
    assert keys(requests, thread_of(engine, requests.sha["colour"])) == ["colour", "merge-colour"]
    assert thread_of(engine, requests.sha["alone"]) is None


def test_hits_are_grouped_by_thread_and_pages_count_threads(requests: Repo) -> None:
    engine = engine_of(requests)

    whole = engine.find_pattern("retry", BY_THREAD)
    first = engine.find_pattern("retry", SearchOptions(group=Group.THREAD, rerank=False, k=1))
    rest = engine.find_pattern(
        "retry", SearchOptions(group=Group.THREAD, rerank=False, k=10, after=first.next_cursor)
    )

    assert sorted(requests.key_of(hit.thread or hit.commit.sha) for hit in whole.hits) == ["alone", "retry"]
    (thread,) = whole.threads
    assert {requests.key_of(each.sha) for each in thread.commits if each.matched} >= {"retry", "test", "fix"}
    assert [hit.hunk for hit in (*first.hits, *rest.hits)] == [hit.hunk for hit in whole.hits]
    assert rest.next_cursor is None


def test_an_exact_list_is_grouped_as_well(requests: Repo) -> None:
    engine = engine_of(requests)

    def found(options: SearchOptions) -> list[str]:
        return [requests.key_of(hit.commit.sha) for hit in engine.find_pattern('"retry"', options).hits]

    assert found(SearchOptions(k=0)) == ["alone", "test", "retry"]
    assert found(SearchOptions(k=0, group=Group.THREAD)) == ["alone", "test"]


def test_a_cursor_of_commits_does_not_go_on_with_threads(requests: Repo) -> None:
    engine = engine_of(requests)
    commits = engine.find_pattern("retry", SearchOptions(rerank=False, k=1))

    with pytest.raises(QueryError, match="another query"):
        engine.find_pattern(
            "retry", SearchOptions(rerank=False, k=1, group=Group.THREAD, after=commits.next_cursor)
        )
    with pytest.raises(UsageError, match="exclude each other"):
        engine.find_pattern("retry", SearchOptions(all_hunks=True, group=Group.THREAD))


def test_the_command_line_shows_threads(requests: Repo) -> None:
    engine_of(requests)

    shown = ohara("show", requests.sha["test"], "--repo", str(requests.path))
    grouped = ohara(
        "find", "retry", "--group", "thread", "--no-rerank", "--repo", str(requests.path), "--no-daemon"
    )
    said = json.loads(
        ohara(
            "find", '"retry"', "--group", "thread", "--json", "--repo", str(requests.path), "--no-daemon"
        ).stdout
    )

    assert "thread: Retry what fails (#7)" in shown.stdout
    assert f"> {requests.sha['test'][:10]} 2020-01-01 Test that it waits" in shown.stdout
    assert "Retry what fails (#7)\n   4 commits · 2020-01-01 to 2021-01-01 · Ada, Bob\n" in grouped.stdout
    assert [hit["thread"] for hit in said["hits"]] == [None, requests.sha["retry"]]
    (thread,) = said["threads"]
    assert [commit["commit"] for commit in thread["commits"]] == [
        requests.sha[key] for key in ("retry", "test", "merge-retry", "fix")
    ]
    assert ohara("find", "x", "--group", "files", "--repo", str(requests.path)).returncode == 2


def fates(repo: Repo, thread: Thread | None) -> dict[str, tuple[str, int, int, str | None]]:
    return {
        repo.key_of(each.sha): (
            each.fate.state.value,
            each.fate.kept,
            each.fate.of,
            repo.key_of(each.fate.by) if each.fate.by else None,
        )
        for each in (thread.commits if thread else ())
        if each.fate
    }


def test_a_thread_tells_what_became_of_each_commit(requests: Repo) -> None:
    engine = engine_of(requests)
    (grouped,) = engine.find_pattern("retry", BY_THREAD).threads
    expected = {
        "retry": ("changed", 1, 2, "fix"),
        "test": ("alive", 1, 1, None),
        "merge-retry": ("removal", 0, 0, None),
        "fix": ("alive", 1, 1, None),
    }

    assert fates(requests, grouped) == expected
    assert fates(requests, thread_of(engine, requests.sha["test"])) == expected
    assert fates(requests, anyio.run(engine.browser.details, requests.sha["test"]).thread) == expected
    before = engine.find_pattern(f"retry ref:{requests.sha['merge-retry']}", BY_THREAD).threads
    assert fates(requests, before[0])["retry"] == ("alive", 2, 2, None)
    assert fates(requests, before[0])["fix"] == ("unmerged", 0, 1, None)

    said = ohara("find", "retry", "--group", "thread", "--no-rerank", "--repo", str(requests.path)).stdout
    assert " 2020-01-01 Retry with backoff · 1 of 2 lines still there\n" in said
    assert " 2020-01-01 Test that it waits · still there\n" in said
    answer = json.loads(
        ohara("find", "retry", "--group", "thread", "--json", "--repo", str(requests.path)).stdout
    )
    assert [commit["fate"] for commit in answer["threads"][0]["commits"]][:2] == [
        {"state": "changed", "kept": 1, "of": 2, "path": "retry.py", "line": 1, "by": requests.sha["fix"]},
        {"state": "alive", "kept": 1, "of": 1, "path": "test_retry.py", "line": 1, "by": None},
    ]


def test_the_fate_of_a_commit_is_that_of_all_its_hunks(tmp_path: Path) -> None:
    parts = "".join(f"def part_{number}():\n    return {number}\n\n\n" for number in range(30))
    first = parts.replace("return 2\n", "return two\n").replace("return 25\n", "return twenty_five\n")
    second = parts.replace("return 7\n", "seven = 7\n    return seven\n")
    with History(tmp_path / "repo") as history:
        history.commit("Start", {"a.py": parts, "b.py": parts}, key="root")
        history.commit(
            "Two files, three hunks", {"a.py": first, "b.py": second}, key="change", at="2021-01-01 00:00"
        )
        history.branch("half")
        history.commit("Half of it", {"a.py": Edit("return two\n", "return 2.0\n")}, key="half")
        history.switch("main")
        history.revert("change", key="revert", at="2022-01-01 00:00")
        history.revert("revert", key="again", at="2023-01-01 00:00")
        history.commit("Away", {"a.py": None, "b.py": None}, key="away", at="2024-01-01 00:00")
    repo = history.repo
    engine = engine_of(repo)

    def seen_from(key: str) -> dict[str, tuple[str, int, int, str | None]]:
        found = engine.find_pattern(f'"seven" ref:{repo.sha[key]}', BY_THREAD)
        return fates(repo, found.threads[0])

    assert seen_from("half")["change"] == ("changed", 3, 4, "half")
    assert seen_from("revert")["change"] == ("reverted", 0, 4, "revert")
    assert seen_from("away")["change"] == ("gone", 0, 4, "away")
    assert seen_from("away")["again"] == ("gone", 0, 4, "away")


def test_the_fates_of_a_thread_are_not_made_up_before_lines_are_followed(requests: Repo) -> None:
    engine = index(requests, IndexOptions(passes=frozenset(Pass) - {Pass.VECTOR, Pass.LINES}, lock_wait_s=10))

    results = engine.find_pattern("retry", BY_THREAD)

    assert [commit.fate for commit in results.threads[0].commits] == [None] * 4
    (note,) = [each for each in results.notes if "what became of lines" in each]
    assert note == "what became of lines is not known yet: 0 of 8 commits are followed"


# -- copies of a change --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def backports(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A fix on main and on four release branches: noted, not noted, and picked with a conflict."""
    releases = ("3.7", "3.8", "3.9", "3.10")
    body = "".join(f"line_{number} = {number}\n" for number in range(20))
    with History(tmp_path_factory.mktemp("backports") / "repo") as history:
        history.commit("Start", {"lib.py": body}, key="root")
        for release in releases:
            history.branch(release, "main")
            history.commit(f"Release {release}", {"VERSION": release}, at=LATER)
        history.commit("Own way", {"lib.py": Edit("line_11 = 11", "line_11 = 'own'")}, at="2021-02-01 00:00")
        history.switch("main")
        history.commit(
            "Guard against overflow",
            {"lib.py": Edit("line_10 = 10", "line_10 = clamp(10)")},
            key="on main",
            author=ADA,
            at="2021-03-01 00:00",
        )
        for release in releases[:3]:
            history.switch(release)
            history.cherry_pick(
                "on main",
                note_origin=release != "3.8",
                key=f"on {release}",
                author=ADA,
                at="2021-03-01 00:00",
                committer=BOB,
                committed_at=f"2021-03-1{releases.index(release)} 00:00",
            )
        history.switch("3.10")
        history.commit(
            f"Guard against overflow\n\n(cherry picked from commit {history.find('on main')})",
            {"lib.py": Edit("line_10 = 10", "line_10 = min(9, clamp(10))")},
            key="on 3.10",
            author=BOB,
            at="2021-04-01 00:00",
        )
        history.switch("main")
    return history.repo


@pytest.mark.parametrize("query", ["guard against overflow", '"clamp(10)"', "path:lib.py message:Guard"])
def test_backports_fold_under_one_hit_with_their_branches(backports: Repo, query: str) -> None:
    results = engine_of(backports).find_pattern(query, SearchOptions(rerank=False, k=10))

    hits = [hit for hit in results.hits if "Guard" in hit.commit.message]

    (hit,) = hits
    own = backports.key_of(hit.commit.sha)
    others = {backports.key_of(copy.sha): copy.branches for copy in hit.also_on}
    branches = ("main", "3.7", "3.8", "3.9", "3.10")
    assert others == {f"on {name}": (name,) for name in branches if f"on {name}" != own}


def test_backports_are_named_with_their_branches_on_the_terminal(backports: Repo) -> None:
    engine_of(backports)

    said = ohara(
        "find", "guard against overflow", "-k", "1", "--no-rerank", "--repo", str(backports.path)
    ).stdout

    named = [
        name
        for name in ("main", "3.7", "3.8", "3.9", "3.10")
        if backports.sha[f"on {name}"][:10] not in said[:13]
    ]
    also = ", ".join(f"{name} ({backports.sha[f'on {name}'][:10]})" for name in named)
    assert said.endswith(f"   also on {also}\n")


def test_a_revert_its_revert_and_the_change_are_one_thread(tmp_path: Path) -> None:
    with History(tmp_path / "repo") as history:
        history.commit("Start", {"a.py": "a = 1\n"}, key="root")
        history.commit("Use two", {"a.py": "a = 2\n"}, key="change", at="2021-01-01 00:00")
        history.revert("change", key="revert", at="2022-01-01 00:00")
        history.revert("revert", key="again", at="2023-01-01 00:00")
    engine = engine_of(history.repo)

    thread = thread_of(engine, history.repo.sha["revert"])

    assert keys(history.repo, thread) == ["change", "revert", "again"]
    assert whys(history.repo, thread)["revert"] == "revert"


# -- shapes of history ---------------------------------------------------------------------------


def test_an_octopus_is_one_thread(tmp_path: Path) -> None:
    with History(tmp_path / "repo") as history:
        history.commit("Start", {"a": "1\n"}, key="root", author=BOB)
        for name in ("one", "two", "three"):
            history.branch(name, "main")
            history.commit(f"Work on {name}", {name: name}, key=name, author=ADA)
        history.switch("main")
        history.merge("Merge branches 'one', 'two' and 'three'", "one", "two", "three", key="octopus")
    repo = history.repo

    assert sorted(keys(repo, thread_of(engine_of(repo), repo.sha["two"]))) == [
        "octopus",
        "one",
        "three",
        "two",
    ]


def test_criss_cross_merges_of_long_lived_branches_are_no_threads(tmp_path: Path) -> None:
    with History(tmp_path / "repo") as history:
        history.commit("Start", {"a": "1\n"}, key="root", author=BOB)
        history.branch("develop")
        history.commit("Left", {"left": "1\n"}, key="left", author=ADA)
        history.switch("main")
        history.commit("Right", {"right": "1\n"}, key="right", author=BOB)
        history.merge("Merge branch 'develop'", "left", key="down")
        history.switch("develop")
        history.merge("Merge branch 'main' into develop", "right", key="up")
        history.commit("Left again", {"further": "1\n"}, key="further", author=ADA, at=LATER)
        history.switch("main")
        history.merge("Merge branch 'develop' into main", "develop", key="last")
    repo = history.repo
    engine = engine_of(repo)

    assert {key: keys(repo, thread_of(engine, sha)) for key, sha in repo.sha.items()} == {
        key: [] for key in repo.sha
    }


def test_what_many_commits_share_makes_no_thread(tmp_path: Path) -> None:
    with History(tmp_path / "repo") as history:
        history.commit("Start", {"a": "1\n"}, author=BOB)
        for number in range(40):
            history.commit(
                f"Part {number}\n\nCloses #1",
                {f"{number}": f"{number}\n"},
                author=BOB,
                at=f"20{number // 12 + 21}-{number % 12 + 1:02}-01 00:00",
                key=f"part {number}",
            )
        history.branch("long")
        for number in range(120):
            history.commit(
                f"Long {number}", {f"long {number}": f"{number}\n"}, author=ADA, at="2026-01-01 00:00"
            )
        history.switch("main")
        history.merge("Merge pull request #2 from ada/long", "long", key="merge", at="2026-02-01 00:00")
    engine = engine_of(history.repo)

    assert thread_of(engine, history.repo.sha["part 3"]) is None
    assert thread_of(engine, history.repo.sha["merge"]) is None


def test_commits_of_one_author_and_file_within_days_are_likely(tmp_path: Path) -> None:
    with History(tmp_path / "repo") as history:
        history.commit("Start", {"a": "1\n"}, author=BOB)
        history.commit("Parse dates", {"dates.py": "a = 1\n"}, key="one", author=ADA, at="2021-01-01 00:00")
        history.commit("Parse years", {"dates.py": "a = 2\n"}, key="two", author=ADA, at="2021-01-03 00:00")
        history.commit("By another", {"dates.py": "a = 3\n"}, key="bob", author=BOB, at="2021-01-03 01:00")
        history.commit("Later", {"dates.py": "a = 4\n"}, key="later", author=ADA, at="2021-03-03 00:00")
    repo = history.repo

    thread = thread_of(engine_of(repo), repo.sha["two"])

    assert keys(repo, thread) == ["one", "two"]
    assert thread is not None
    assert thread.likely
    assert whys(repo, thread) == {"one": "likely", "two": "likely"}


# -- indexing ------------------------------------------------------------------------------------


def test_threads_of_an_index_that_grew_equal_those_of_a_fresh_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History(tmp_path / "repo")
    with history:
        history.commit("Start", {"a.py": "a = 1\n"}, key="root")
        history.commit("Use two (#4)", {"a.py": "a = 2\n"}, key="change", at="2021-01-01 00:00")
    engine = engine_of(history.repo)
    assert thread_of(engine, history.repo.sha["change"]) is None
    with history:
        history.revert("change", key="revert", at="2022-01-01 00:00")
        history.branch("1.0", "root")
        history.cherry_pick("change", key="picked", at="2022-02-01 00:00")
        history.switch("main")
    engine = engine_of(history.repo)

    assert keys(history.repo, thread_of(engine, history.repo.sha["change"])) == ["change", "revert", "picked"]
    assert facts_of(engine) == facts_of_a_fresh_index(
        history.repo, tmp_path / "fresh", monkeypatch, EVERYTHING
    )

    history.repo.git("branch", "-D", "1.0")
    engine = engine_of(history.repo)
    assert keys(history.repo, thread_of(engine, history.repo.sha["change"])) == ["change", "revert"]
    engine.gc()
    assert facts_of(engine) == facts_of_a_fresh_index(
        history.repo, tmp_path / "less", monkeypatch, EVERYTHING
    )


def test_what_is_not_found_yet_is_said(requests: Repo) -> None:
    quick = IndexOptions(passes=frozenset({Pass.TEXT, Pass.LITERAL}), lock_wait_s=10)
    engine = index(requests, quick)

    results: Results = engine.find_pattern("retry", BY_THREAD)

    assert results.threads == ()
    assert "the threads of 8 commits are not found yet (ohara index)" in results.notes


def test_what_explains_a_line_names_its_thread(requests: Repo) -> None:
    results = engine_of(requests).explain("retry.py:2")

    assert {requests.key_of(hit.commit.sha): hit.thread for hit in results.hits} == {
        "fix": requests.sha["retry"],
        "retry": requests.sha["retry"],
    }
