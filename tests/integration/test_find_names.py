"""Queries that name one thing: a commit, an issue, a file that is gone, lines of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from fixtures.tree import Edit, MovedFrom
from ohara.model import Mode, QueryClass
from tests.asking import ask, indexed_at_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.engine import Engine
    from ohara.model import Results


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    with History(tmp_path_factory.mktemp("names") / "ledger") as history:
        commit = history.commit
        commit("Start", {"setup.py": "version = '0.1'\n", "pkg/setup.py": "# inner\n"}, key="start")
        commit(
            "Count cents, closes #362",
            {
                "CHANGES.md": "- cents (#362)\n",
                "src/ledger.py": "def total(lines):\n    rounded = 0\n    return rounded\n",
                "tests/test_ledger.py": "def test_total():\n    assert not total([])\n",
            },
            key="closes",
        )
        commit("Raise the version to 3620", {"setup.py": "version = '0.2'  # 362 lines\n"}, key="version")
        history.branch("topic")
        history.switch("topic")
        commit("Sum the lines", {"src/ledger.py": Edit("rounded = 0", "rounded = sum(lines)")}, key="sum")
        history.switch("main")
        history.merge("Merge pull request #40 from ada/topic", "topic", key="merge")
        commit("Mention GH-362 once more", {"notes.txt": "see GH-40\n"}, key="mention")
        commit("Build with pyproject", {"setup.py": None, "pyproject.toml": "[project]\n"}, key="gone")
        commit("Inner version", {"pkg/setup.py": "# inner, newer\n"}, key="inner")
        commit(
            "Round at the end",
            {"src/ledger.py": Edit("return rounded", "return round(rounded)")},
            key="round",
        )
        commit("Move the ledger", {"src/book.py": MovedFrom("src/ledger.py")}, key="moved")
    return history.repo


@pytest.fixture(scope="module")
def engine(repo: Repo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with indexed_at_home(repo, tmp_path_factory) as indexed:
        yield indexed


def keys(results: Results, repo: Repo) -> list[str]:
    return list(dict.fromkeys(repo.key_of(hit.commit.sha) for hit in results.hits))


def test_the_path_of_a_file_that_is_gone_lists_its_end_first(engine: Engine, repo: Repo) -> None:
    results = ask(engine, "setup.py")
    assert keys(results, repo) == ["gone", "version", "start", "inner"]
    assert (results.hits[0].kind, results.fusion) == ("deleted", "newest first")


def test_a_file_that_moved_away_ends_with_the_move(engine: Engine, repo: Repo) -> None:
    assert keys(ask(engine, "src/ledger.py"), repo) == ["moved", "round", "sum", "closes"]


@pytest.mark.parametrize("query", ["GH-362", "#362", "issue 362", "https://github.com/ada/ledger/issues/362"])
def test_an_issue_lists_the_commits_that_speak_of_it_and_no_other_numbers(
    engine: Engine, repo: Repo, query: str
) -> None:
    results = ask(engine, query)
    assert keys(results, repo) == ["mention", "closes"]
    assert results.query.query_class is QueryClass.ISSUE
    # Of the commit that closed it, the change is shown and not its changelog or its test.
    assert results.hits[1].path == "src/ledger.py"


def test_a_pull_request_is_the_merge_that_brought_it_in_and_then_its_mentions(
    engine: Engine, repo: Repo
) -> None:
    assert keys(ask(engine, "https://github.com/ada/ledger/pull/40"), repo) == ["merge", "mention"]


def test_an_issue_that_nobody_speaks_of_says_so(engine: Engine) -> None:
    assert "no indexed commit mentions #99" in ask(engine, "GH-99").notes


def test_revisions_and_addresses_of_commits_are_those_commits(engine: Engine, repo: Repo) -> None:
    assert keys(ask(engine, "HEAD~2"), repo) == ["inner"]
    assert keys(ask(engine, f"https://github.com/ada/ledger/commit/{repo.sha['sum']}"), repo) == ["sum"]


def test_a_revision_that_git_does_not_know_says_so(engine: Engine) -> None:
    (first, *_) = ask(engine, "HEAD~999").notes
    assert first == "git knows no commit HEAD~999; its mentions are searched instead"


def test_a_short_sha_is_its_commit_where_there_is_one(engine: Engine, repo: Repo) -> None:
    named = next(
        (key, sha[:6])
        for key, sha in repo.sha.items()
        if any(c.isdigit() for c in sha[:6]) and any(c.isalpha() for c in sha[:6])
    )
    results = ask(engine, named[1])
    assert (keys(results, repo), results.query.query_class) == ([named[0]], QueryClass.SHA)
    assert ask(engine, "a1b2c3").query.query_class is QueryClass.PROSE


def test_lines_of_a_file_are_followed_through_its_names(engine: Engine, repo: Repo) -> None:
    for query in ("src/book.py:2", "book.py#L2", "https://github.com/ada/ledger/blob/main/src/book.py#L2"):
        results = ask(engine, query)
        assert (keys(results, repo), results.query.query_class) == (["sum", "closes"], QueryClass.LINES), (
            query
        )


def test_lines_that_are_asked_about_are_shown_not_words_of_the_name(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    functions = [f"def book_{at}(book):\n" + "    book.sort()\n" * 4 + "    return 1\n" for at in range(4)]
    with History(tmp_path / "repo") as history:
        history.commit("Begin", {"book.py": "".join(functions)}, key="begin")
    with indexed_at_home(history.repo, tmp_path_factory) as engine:
        (hit,) = ask(engine, "book.py:12", context=0).hits
        assert (hit.line, hit.excerpt, hit.symbol) == (12, "+    return 1", "book_1")
        assert [match.line for match in hit.matches] == [0]


def test_lines_are_counted_as_in_the_commit_of_an_address(engine: Engine, repo: Repo) -> None:
    address = f"https://github.com/ada/ledger/blob/{repo.sha['closes']}/src/ledger.py#L2"
    assert keys(ask(engine, address), repo) == ["closes"]


def test_the_branch_of_an_address_may_have_a_slash(engine: Engine, repo: Repo) -> None:
    repo.git("branch", "-f", "feature/x", repo.sha["closes"])
    address = "https://github.com/ada/ledger/blob/feature/x/src/ledger.py"
    results = ask(engine, f"{address}#L2")
    assert (keys(results, repo), results.query.query_class) == (["closes"], QueryClass.LINES)
    assert keys(ask(engine, address), repo) == keys(ask(engine, "src/ledger.py"), repo)
    gone = "https://github.com/ada/ledger/blob/a/branch/that/is/gone/src/book.py#L2"
    assert keys(ask(engine, gone), repo) == keys(ask(engine, "src/book.py:2"), repo)


def test_lines_of_a_file_that_is_not_there_are_the_changes_of_the_file(engine: Engine, repo: Repo) -> None:
    results = ask(engine, "setup.py:1")
    assert keys(results, repo)[0] == "inner"  # pkg/setup.py is the one that is still there
    results = ask(engine, "src/ledger.py:2")
    assert keys(results, repo) == ["moved", "round", "sum", "closes"]
    assert results.notes[0].startswith("there is no src/ledger.py in ")
    assert ask(engine, "nowhere.py:2").notes[0].startswith("the history knows no file nowhere.py")


def test_a_mode_ranks_a_name_by_its_words(engine: Engine) -> None:
    assert ask(engine, "HEAD~2", mode=Mode.TEXT).query.query_class is QueryClass.PROSE
    assert ask(engine, "setup.py", mode=Mode.TEXT).fusion == "convex"


def test_a_name_of_another_repository_is_answered_with_a_note(engine: Engine, repo: Repo) -> None:
    repo.git("remote", "add", "origin", "git@github.com:ada/ledger.git")
    try:
        for own, other in (
            ("GH-362", "bob/ledger#362"),
            ("https://github.com/Ada/Ledger/pull/40", "https://github.com/bob/ledger/pull/40"),
            ("src/book.py:2", "https://github.com/ada/books/blob/main/src/book.py#L2"),
        ):
            results = ask(engine, other)
            assert results.notes[0] == f"this is ada/ledger; {other} names another repository"
            assert keys(results, repo) == keys(ask(engine, own), repo)
            assert not any("another repository" in note for note in ask(engine, own).notes)
        explained = engine.explain(other)
        assert explained.notes[0] == results.notes[0]
    finally:
        repo.git("remote", "remove", "origin")
