"""A shallow clone: nothing is said to have begun where history is cut off, and nothing found is no "no"."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from fixtures.clones import shallow_clone
from fixtures.script import History
from ohara.engine import Engine
from ohara.model import CUT_OFF, ExplainOptions, Role
from tests.indexing import index
from tests.process import ohara

if TYPE_CHECKING:
    from pathlib import Path

    from fixtures.git import Repo
    from ohara.model import Results

CART = "def total(items):\n    return sum(items)\n"


@pytest.fixture
def cart(tmp_path: Path) -> Repo:
    """The newest two of four commits: a function and a text came, and a text went, before these."""
    with History(tmp_path / "whole") as history:
        history.commit("Add carts", {"cart.py": CART, "old.txt": "needle\n"})
        history.commit("Drop it", {"old.txt": None})
        history.commit("Say hello", {"hello.txt": "hello\n"})
        history.commit("Add pay", {"pay.py": "def pay():\n    return 1\n"})
    clone = shallow_clone(history.repo, tmp_path / "clone", depth=2)
    index(clone)
    return clone


def explain(repo: Repo, place: str) -> Results:
    return Engine.open(repo.path).explain(place, ExplainOptions(k=0))


def find(repo: Repo, *arguments: str) -> tuple[int, str, str]:
    done = ohara("find", "--repo", str(repo.path), "--no-daemon", *arguments)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("place", ["cart.py:1", "cart.py", "total"])
def test_nothing_began_where_history_is_cut_off(cart: Repo, place: str) -> None:
    told = explain(cart, place)
    assert [(hit.commit.subject, hit.explained and hit.explained.role) for hit in told.hits] == [
        ("Say hello", Role.CUT_OFF)
    ]
    assert told.notes == (CUT_OFF,)


def test_what_came_since_began_and_is_explained_without_a_note(cart: Repo) -> None:
    told = explain(cart, "pay")
    assert [hit.explained and hit.explained.role for hit in told.hits] == [Role.BEGAN]
    assert told.notes == ()


def test_text_says_that_history_is_cut_off(cart: Repo) -> None:
    done = ohara("explain", "--repo", str(cart.path), "--no-daemon", "cart.py:1")
    assert "history is cut off here" in done.stdout
    assert "began" not in done.stdout
    assert done.stderr.count(CUT_OFF) == 1


def test_a_question_about_a_beginning_says_that_history_is_cut_off(cart: Repo) -> None:
    code, _, err = find(cart, "who introduced total")
    assert (code, err.count(CUT_OFF)) == (0, 1)
    assert CUT_OFF not in find(cart, "total")[2]


def test_text_that_is_not_found_may_lie_before(cart: Repo) -> None:
    code, out, err = find(cart, '"needle"')
    assert (code, out) == (2, "")
    assert err == (
        "ohara: nothing was found, but history is cut off by a shallow clone\n  hint: git fetch --unshallow\n"
    )
    assert find(cart, "-q", '"needle"')[0] == 2
    assert json.loads(find(cart, "--json", '"needle"')[1])["notes"] == [CUT_OFF]
    assert find(cart, '"hello"')[0] == 0


def test_a_history_that_was_fetched_since_is_whole(cart: Repo) -> None:
    cart.git("fetch", "-q", "--unshallow")
    index(cart)
    told = explain(cart, "total")
    assert [hit.explained and hit.explained.role for hit in told.hits] == [Role.BEGAN]
    assert told.notes == ()
    assert find(cart, '"needle"')[0] == 0
    assert find(cart, '"thread"')[0] == 1
