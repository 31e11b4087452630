"""What stands as an answer: rare words, slips, questions that a history knows nothing of, the hunk shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from fixtures.tree import Edit
from ohara.model import Mode
from ohara.present.text import warnings
from tests.asking import ask, indexed_at_home

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fixtures.git import Repo
    from ohara.engine import Engine


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    with History(tmp_path_factory.mktemp("relevance") / "shelf") as history:
        commit = history.commit
        commit("Start the shelf", {"shelf.py": "items = []\n", "CHANGES.md": "# Changes\n"}, key="start")
        for number in range(60):
            commit(
                f"Add item {number} to the shelf of items",
                {f"items/item_{number}.py": f"def item_{number}(shelf):\n    return shelf.take({number})\n"},
                key=f"item-{number}",
            )
        commit(
            "Take with care",
            {
                "shelf.py": "items = []\ndef take(shelf):\n    return fixture_of(shelf, retries=3)\n",
                "tests/test_shelf.py": "def test_take():\n"
                "    # take retries three times when the shelf is busy\n"
                "    assert take('busy shelf that retries three times')\n",
                "CHANGES.md": Edit(
                    "# Changes\n", "# Changes\n- take retries three times when the shelf is busy\n"
                ),
            },
            key="retries",
        )
        commit(
            "Fixture for the shelf of items",
            {"conftest.py": "def fixture_of(shelf):\n    return shelf\n"},
            key="fixture",
        )
        commit("item of the shelf: add the axolotl", {"notes.txt": "pets\n"}, key="axolotl")
    return history.repo


@pytest.fixture(scope="module")
def engine(repo: Repo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with indexed_at_home(repo, tmp_path_factory) as indexed:
        yield indexed


def test_of_a_question_with_one_rare_word_those_hits_stand_first_that_hold_it(
    engine: Engine, repo: Repo
) -> None:
    results = ask(engine, "add an item to the shelf of axolotl")
    assert repo.key_of(results.hits[0].commit.sha) == "axolotl"


def test_a_slip_is_answered_with_what_was_meant_and_never_replaced(engine: Engine) -> None:
    results = ask(engine, "the fixtrue of the shelf")
    assert results.notes == (
        "fixtrue stands nowhere in this history: did you mean 'the fixture of the shelf'?",
    )
    assert results.query.words == "the fixtrue of the shelf"
    assert results.hits
    assert ask(engine, "the fixture of the shelf").notes == ()


@pytest.mark.parametrize(
    "query", ["kubernetes operator restarts pods", "is it a race", "bluetooth pairing of the shelf"]
)
def test_what_a_history_knows_nothing_of_has_no_answer(engine: Engine, query: str) -> None:
    results = ask(engine, query)
    assert (results.hits, results.next_cursor) == ((), None)
    assert results.notes[0].startswith("nothing relevant was found")
    assert results.notes[1].endswith(" nowhere in this history")
    assert warnings(results)[-1] == "--mode hybrid shows what comes nearest"


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("Passwords are compared in constant time. Patch by Jane Doe.", "fix"),
        ("Added a dark theme that follows the settings of the operating system.", "wip"),
        ("Response times are exported as a histogram with configurable buckets.", "metrics"),
    ],
)
def test_in_a_young_history_words_that_it_does_not_know_say_little(
    question: str, key: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with History(tmp_path_factory.mktemp("young") / "app") as history:
        history.commit("Start", {"README.md": "An application.\n"}, key="start")
        for number in range(20):
            code = f"def step_{number}():\n    return {number}\n"
            history.commit(f"Add step {number}", {f"steps/step_{number}.py": code}, key=f"step-{number}")
        compare = "def check_password(given, stored):\n    return compare_digest(given, stored)\n"
        history.commit("fix", {"login.py": compare}, key="fix")
        history.commit("wip", {"theme.js": "export const darkTheme = { text: '#eee' };\n"}, key="wip")
        buckets = "func histogramBuckets() []float64 {\n\treturn []float64{0.1, 0.5}\n}\n"
        history.commit("metrics", {"metrics.go": buckets}, key="metrics")
    with indexed_at_home(history.repo, tmp_path_factory) as engine:
        found = [history.repo.key_of(hit.commit.sha) for hit in ask(engine, question).hits]
        assert found[:1] == [key]
        assert ask(engine, "kubernetes operator restarts pods").hits == ()


def test_where_nothing_is_indexed_no_word_is_denied(tmp_path_factory: pytest.TempPathFactory) -> None:
    with History(tmp_path_factory.mktemp("empty") / "app") as history:
        pass
    with indexed_at_home(history.repo, tmp_path_factory) as engine:
        results = ask(engine, "kubernetes operator restarts pods")
        assert results.hits == ()
        assert not any("nowhere" in note for note in results.notes), results.notes


def test_a_mode_and_a_filter_show_what_comes_nearest(engine: Engine) -> None:
    assert ask(engine, "bluetooth pairing of the shelf", mode=Mode.HYBRID).hits
    assert ask(engine, "bluetooth pairing of the shelf path:items/").hits


def test_the_change_is_shown_and_not_its_test_or_changelog(engine: Engine, repo: Repo) -> None:
    question = "take retries three times when the shelf is busy"
    (hit, *_) = ask(engine, question).hits
    assert (repo.key_of(hit.commit.sha), hit.path) == ("retries", "shelf.py")
    (hit, *_) = ask(engine, f"{question} test").hits
    assert (repo.key_of(hit.commit.sha), hit.path) == ("retries", "tests/test_shelf.py")


def test_a_phrase_that_nothing_holds_is_said_and_the_answer_without_it_offered(
    engine: Engine, repo: Repo
) -> None:
    results = ask(engine, 'take with care "no such phrase"')
    assert results.hits == ()
    assert results.notes == (
        'nothing holds "no such phrase"; it is required',
        f"without it, {repo.sha['retries'][:10]} (Take with care) answers best: ask for take with care",
    )
    assert len(ask(engine, 'take "no such phrase" "shelf.take"').notes) == 2
