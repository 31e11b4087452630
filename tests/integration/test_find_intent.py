"""Questions that ask for a beginning, an ending or a cause, and orders of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fixtures.script import History
from fixtures.tree import Edit
from ohara.cli.commands import find
from ohara.cli.find_arguments import read_arguments
from ohara.errors import UsageError
from ohara.model import Intent, Order, SearchOptions
from ohara.present.json import results_object
from ohara.present.text import summary
from ohara.retrieve import still_at_head
from tests.asking import ask, indexed_at_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.engine import Engine
    from ohara.model import Results


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    with History(tmp_path_factory.mktemp("intent") / "box") as history:
        commit = history.commit
        commit("Begin", {"setup.cfg": "python = 2.7\n", "box.py": "# parcels\n"}, key="begin")
        commit(
            "rework the boxes",
            {"box.py": "# parcels\ndef open_parcel(box):\n    return box.lid\n", "notes.txt": "boxes\n"},
            key="came",
        )
        commit(
            "Add colours to open_parcel",
            {"box.py": Edit("return box.lid", "return colour(box.lid)")},
            key="colours",
        )
        commit(
            "Test open_parcel, and open_parcel again",
            {"test_box.py": "def test_open_parcel():\n    assert open_parcel(1)\n    open_parcel(2)\n"},
            key="tested",
        )
        commit("Add the nose plugin", {"nose.py": "def collect():\n    return 'nose'\n"}, key="nose-came")
        commit("nose plugin: nose collects", {"nose.py": Edit("'nose'", "'nose plugin'")}, key="nose-edit")
        commit("drop python 3.0-3.2 support code", {"box.py": Edit("# parcels\n", "")}, key="drop-3")
        commit(
            "tidy up\n\nIt was kept for people who run python 2.",
            {"nose.py": None},
            key="nose-went",
        )
        commit("Drop Python 2.7 and 3.4 support", {"setup.cfg": "python = 3.8\n"}, key="drop-2")
        commit("Remove unused code near the nose", {"notes.txt": Edit("boxes\n", "no boxes\n")}, key="near")
        commit(
            "open_parcel is documented", {"docs.md": "open_parcel opens. Nose is no plugin.\n"}, key="docs"
        )
    return history.repo


@pytest.fixture(scope="module")
def engine(repo: Repo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with indexed_at_home(repo, tmp_path_factory) as indexed:
        yield indexed


def keys(results: Results, repo: Repo) -> list[str]:
    return [repo.key_of(hit.commit.sha) for hit in results.hits]


@pytest.mark.parametrize("query", ["who added open_parcel", "open_parcel introduced"])
def test_a_beginning_is_the_oldest_commit_that_defines_it(engine: Engine, repo: Repo, query: str) -> None:
    results = ask(engine, query)
    assert results.query.intent is Intent.BEGINNING
    assert keys(results, repo)[0] == "came"
    assert results.hits[0].path == "box.py"


@pytest.mark.parametrize("query", ["nose plugin removed", "where did the nose plugin go"])
def test_an_ending_is_where_its_file_went(engine: Engine, repo: Repo, query: str) -> None:
    results = ask(engine, query)
    assert results.query.intent is Intent.ENDING
    assert keys(results, repo)[0] == "nose-went"


def test_a_number_belongs_to_the_word_before_it_as_the_beginning_of_a_version(
    engine: Engine, repo: Repo
) -> None:
    assert keys(ask(engine, "when did we drop python 2"), repo)[0] == "drop-2"


def test_an_intent_can_be_overridden(engine: Engine, repo: Repo) -> None:
    plainly = ask(engine, "who added open_parcel", intent=Intent.NONE)
    assert plainly.query.intent is Intent.NONE
    assert keys(plainly, repo)[0] != "came"
    assert keys(ask(engine, "nose", intent=Intent.BEGINNING), repo)[0] == "nose-came"
    assert keys(ask(engine, "nose", intent=Intent.ENDING), repo)[0] == "nose-went"


def test_pages_of_an_answer_by_intent_follow_each_other(engine: Engine) -> None:
    whole = ask(engine, "who added open_parcel")
    first = ask(engine, "who added open_parcel", k=2)
    second = ask(engine, "who added open_parcel", k=2, after=first.next_cursor)
    assert [hit.hunk for hit in (*first.hits, *second.hits)] == [hit.hunk for hit in whole.hits[:4]]


def test_orders_of_time_list_what_holds_every_word(engine: Engine, repo: Repo) -> None:
    by_age = ["came", "colours", "tested", "docs"]
    assert keys(ask(engine, "open_parcel", order="oldest"), repo) == by_age
    assert keys(ask(engine, "open_parcel", order="newest"), repo) == by_age[::-1]
    assert keys(ask(engine, "open_parcel", order="date"), repo) == by_age[::-1]
    first = ask(engine, "open_parcel", order="oldest", k=3)
    rest = ask(engine, "open_parcel", order="oldest", k=3, after=first.next_cursor)
    assert keys(first, repo) + keys(rest, repo) == by_age


def test_lists_turn_round(engine: Engine, repo: Repo) -> None:
    assert keys(ask(engine, "nose.py", order="oldest"), repo) == ["nose-came", "nose-edit", "nose-went"]
    matches = ask(engine, '"open_parcel"', order="oldest")
    assert keys(matches, repo) == ["came", "tested", "docs"]
    assert matches.fusion == "oldest first"


def options_of(*arguments: str) -> SearchOptions:
    context = find.command.make_context("find", [*arguments, "words"])
    return read_arguments(**context.params).options


def test_flags_of_order_and_intent() -> None:
    assert (options_of("--first").order, options_of("--first").k) == (Order.OLDEST, 1)
    assert (options_of("--last").order, options_of("--last").k) == (Order.NEWEST, 1)
    assert (options_of("--order", "oldest").order, options_of("--order", "oldest").k) == (Order.OLDEST, None)
    assert options_of("--intent", "ending").intent is Intent.ENDING
    assert (options_of().order, options_of().intent) == (Order.RANK, None)
    for refused in (("--first", "--last"), ("--first", "--order", "date"), ("--last", "-k", "3")):
        with pytest.raises(UsageError):
            options_of(*refused)


def test_the_intent_is_shown_with_the_class(engine: Engine) -> None:
    results = ask(engine, "who added open_parcel")
    assert "read as prose, asking for a beginning" in summary(results)
    assert results_object(results)["intent"] == "beginning"


def test_the_end_of_a_version_is_where_it_was_dropped_not_what_spoke_of_it(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    classifiers = "    Programming Language :: Python :: {}\n"
    with History(tmp_path / "versions") as history:
        both = classifiers.format("3.6") + classifiers.format("3.7")
        history.commit("Begin", {"setup.cfg": both, "ci.yml": "- python: 3.6\n", "warn.txt": "python 3.6\n"})
        history.commit("CI runs elsewhere", {"ci.yml": None}, key="moved")
        history.commit(
            "Drop support for EOL Python 3.6", {"setup.cfg": classifiers.format("3.7")}, key="dropped"
        )
        history.commit("Remove Python 3.6 specific warning", {"warn.txt": "none\n"}, key="warning")
    with indexed_at_home(history.repo, tmp_path_factory) as engine:
        assert keys(ask(engine, "when did we drop python 3.6"), history.repo)[0] == "dropped"


# -- names that still stand at HEAD ------------------------------------------------------------------

TOOK = "these changes took lines with it away, but not all"


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    rendering = "def render_text(source):\n    return source\n"
    with History(tmp_path_factory.mktemp("moved") / "page") as history:
        options = "parser.add('--with-colour')\nparser.add('--with')\n"
        history.commit(
            "Begin",
            {
                "page.py": f"import sys\n{rendering}",
                "gone.py": "def old_way():\n    pass\n",
                "cli.py": options,
            },
        )
        history.commit(
            "Rendering has its own module",
            {
                "page.py": "import sys\nfrom text import render_text\n\n# render_text was here\n",
                "text.py": f"{rendering}\ndef render_text_twice(source): ...\n",
                "docs.md": "render_text renders, as old_way did.\n",
                "test_text.py": "assert render_text('')\n",
            },
        )
        history.commit("Fewer options", {"gone.py": None, "cli.py": Edit("parser.add('--with')\n", "")})
    with indexed_at_home(history.repo, tmp_path_factory) as indexed:
        yield indexed


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("when was render_text removed", f"render_text still stands at HEAD (2 lines of code): {TOOK}"),
        ("--with-colour removed", f"--with-colour still stands at HEAD (1 line of code): {TOOK}"),
        ("where did page.py go", f"page.py is still a file of HEAD: {TOOK}"),
    ],
)
def test_a_name_whose_end_is_asked_for_and_that_still_stands_is_told(
    moved: Engine, query: str, said: str
) -> None:
    results = ask(moved, query)
    assert results.query.intent is Intent.ENDING
    assert results.hits
    assert results.notes == (said,)


@pytest.mark.parametrize(
    "query",
    [
        "when was old_way removed",
        "--with removed",
        "where did gone.py go",
        "source removed",
        "who added render_text",
    ],
)
def test_nothing_is_told_of_what_is_gone_of_plain_words_and_of_beginnings(moved: Engine, query: str) -> None:
    results = ask(moved, query)
    assert results.query.intent is not Intent.NONE
    assert results.notes == ()


def test_a_name_that_would_be_slow_to_look_up_is_not_told(
    moved: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(still_at_head, "MOST_HUNKS", 0)
    assert ask(moved, "when was render_text removed").notes == ()


def test_a_count_that_stopped_early_says_so(moved: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(still_at_head, "HUNKS_READ", 5)
    said = f"render_text still stands at HEAD (2 lines or more of code): {TOOK}"
    assert ask(moved, "when was render_text removed").notes == (said,)
